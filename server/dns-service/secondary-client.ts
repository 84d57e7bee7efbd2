import { randomInt } from "node:crypto";
import type { Endpoint } from "../dns-providers/primary/lists.ts";
import { WireError } from "../dns/names/wire-names.ts";
import { notifyMessage, queryMessage, rcodeName, rcodes, readMessage, type WireMessage } from "../dns/wire/messages.ts";
import { types } from "../dns/zone-file/type-names.ts";
import { signRequest, TsigError, TsigVerifier, type TsigKey } from "../dns/wire/tsig.ts";
import type { Egress } from "../platform/net/egress.ts";
import { EgressError } from "../platform/net/egress-error.ts";
import { ownerOf, soaEntry } from "./wire-records.ts";
import type { ServedZone } from "./zones.ts";

/** The outcome of a message to a secondary. `lacksZone`: it answers that it does not serve the zone. `message` is a sentence for people. */
export type Reply<Answer> =
  | { ok: true; answer: Answer }
  | { ok: false; retry: boolean; wrongKey: boolean; lacksZone: boolean; message: string };

type Refusal = Extract<Reply<unknown>, { ok: false }>;

/** Sends NOTIFY messages and SOA queries to secondaries by UDP. */
export class SecondaryClient {
  readonly #egress: Egress;
  readonly #now: () => Date;
  readonly #signal: AbortSignal;

  constructor(egress: Egress, now: () => Date, signal: AbortSignal) {
    this.#egress = egress;
    this.#now = now;
    this.#signal = signal;
  }

  /** Notifies a secondary of a zone's SOA (RFC 1996 §3). */
  async notify(zone: ServedZone, to: Endpoint, key: TsigKey | null, milliseconds: number): Promise<Reply<WireMessage>> {
    const { ttl, rdata } = soaEntry(ownerOf(zone.name), zone.soa);
    return await this.#exchange(notifyMessage(randomInt(65_536), zone.name, { ttl, rdata }), to, key, milliseconds);
  }

  /** Returns the serial that a secondary serves, or why that is unknown. */
  async serial(zone: ServedZone, at: Endpoint, key: TsigKey | null, milliseconds: number): Promise<Reply<number>> {
    const reply = await this.#exchange(queryMessage(randomInt(65_536), zone.name, "SOA"), at, key, milliseconds);
    if (!reply.ok) return reply;
    const soa = reply.answer.answers.find(({ type, name }) => type === types.SOA && name === zone.name);
    if (!soa || soa.rdataEnd - soa.rdataStart < 22)
      return refuse("The secondary does not have the zone.", { lacksZone: true });
    return { ok: true, answer: reply.answer.octets.readUInt32BE(soa.rdataEnd - 20) };
  }

  async #exchange(query: Buffer, to: Endpoint, key: TsigKey | null, milliseconds: number): Promise<Reply<WireMessage>> {
    const seconds = () => Math.floor(this.#now().getTime() / 1_000);
    const signed = key ? signRequest(query, key, seconds()) : null;
    try {
      const octets = await this.#egress.guardedExchange({
        host: to.address,
        port: to.port,
        reach: "inside",
        message: signed?.message ?? query,
        milliseconds,
        accepts: (answer) => answers(query, answer),
        signal: this.#signal,
      });
      const answer = readMessage(octets);
      if (answer.rcode !== rcodes.NOERROR) {
        return refuse(`The secondary refuses: ${rcodeName(answer.rcode)}.`, {
          wrongKey: answer.rcode === rcodes.NOTAUTH,
          retry: answer.rcode === rcodes.SERVFAIL,
          lacksZone: lackingRcodes.has(answer.rcode) || (answer.rcode === rcodes.NOTAUTH && !key),
        });
      }
      if (key && signed) new TsigVerifier(key, signed.mac, seconds).take(answer);
      return { ok: true, answer };
    } catch (error) {
      if (error instanceof EgressError)
        return refuse(error.message, { retry: !["refused", "address"].includes(error.failure) });
      if (error instanceof TsigError)
        return refuse("The secondary's answer is not signed with the key.", { wrongKey: true });
      if (error instanceof WireError) return refuse("The secondary's answer is not a DNS message.");
      if (this.#signal.aborted) return refuse("The service stops.");
      throw error;
    }
  }
}

/** Those that servers answer a query for a zone with that they do not have, or that has expired there. */
const lackingRcodes: ReadonlySet<number> = new Set([rcodes.REFUSED, rcodes.SERVFAIL, rcodes.NXDOMAIN]);

function refuse(message: string, { retry = false, wrongKey = false, lacksZone = false } = {}): Refusal {
  return { ok: false, retry, wrongKey, lacksZone, message };
}

/** Returns whether a datagram answers a query: the same id and opcode. */
function answers(query: Buffer, answer: Buffer): boolean {
  const opcode = 0x78;
  return (
    answer.length >= 12 &&
    answer.readUInt16BE(0) === query.readUInt16BE(0) &&
    ((answer[2] ?? 0) & 0x80) !== 0 &&
    ((answer[2] ?? 0) & opcode) === ((query[2] ?? 0) & opcode)
  );
}
