import { createSocket, type Socket } from "node:dgram";
import { opcodes, readMessage, type WireMessage } from "../../../server/dns/wire/messages.ts";
import { types } from "../../../server/dns/zone-file/type-names.ts";
import { MessageWriter } from "../../../server/dns/wire/message-writer.ts";
import { AnswerSigner, verifyRequest } from "../../../server/dns/wire/tsig-request.ts";
import type { TsigKey } from "../../../server/dns/wire/tsig.ts";

/** A secondary on loopback that acknowledges each NOTIFY and serves the serial that a test gives it. */
export class StandInSecondary {
  /** The serial that it serves of a zone whatever it is notified of. Of other zones it serves what it was last notified of. */
  readonly serves = new Map<string, number>();
  /** Zones that it does not have: it refuses them. */
  readonly lacks = new Set<string>();
  /** The zones that it was notified of, in order. */
  readonly order: string[] = [];
  /** Whether it answers at all. */
  answers = true;
  /** What it answers with; 0: as it should. */
  rcode = 0;
  /** Messages that reached it, answered or not. */
  heard = 0;
  readonly #notified = new Map<string, number[]>();
  readonly #socket: Socket;
  readonly #key: TsigKey | null;
  readonly #seconds: () => number;

  private constructor(socket: Socket, key: TsigKey | null, now: () => Date) {
    this.#seconds = () => Math.floor(now().getTime() / 1_000);
    this.#socket = socket;
    this.#key = key;
    socket.on("message", (octets, { port, address }) => {
      const answer = this.#answer(readMessage(octets));
      if (answer) socket.send(answer, port, address);
    });
  }

  static async start(key: TsigKey | null, now: () => Date): Promise<StandInSecondary> {
    const socket = createSocket("udp4");
    await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
    return new StandInSecondary(socket, key, now);
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** The serials of a zone that it was notified of, in order. */
  notified(zone: string): readonly number[] {
    return this.#notified.get(zone) ?? [];
  }

  stop(): void {
    this.#socket.close();
  }

  #answer(request: WireMessage): Buffer | null {
    this.heard++;
    if (!this.answers) return null;
    const signature = verifyRequest(request, () => (this.#key ? [this.#key] : []), this.#seconds());
    const question = request.octets.subarray(12, request.questionsEnd);
    const bits = 0x8400 | (request.opcode << 11);
    const writer = new MessageWriter(200);
    if (this.#key && signature.kind !== "valid") {
      writer.begin(request.id, bits | 9, question);
      return writer.finish();
    }
    if (this.rcode !== 0) {
      writer.begin(request.id, bits | this.rcode, question);
      return writer.finish();
    }
    const owner = ownerIn(question);
    const zone = zoneOf(owner);
    writer.begin(request.id, this.lacks.has(zone) ? bits | 5 : bits, question);
    if (this.lacks.has(zone)) return writer.finish();
    const notified = this.notified(zone);
    if (request.opcode === opcodes.notify) {
      this.#notified.set(zone, [...notified, serialIn(request)]);
      this.order.push(zone);
    } else writer.add(owner, types.SOA, 60, soa(this.serves.get(zone) ?? notified.at(-1) ?? 0));
    const answer = writer.finish();
    return signature.kind === "valid"
      ? new AnswerSigner(signature.key, signature.mac, this.#seconds).sign(answer)
      : answer;
  }
}

function serialIn({ octets, answers }: WireMessage): number {
  const [record] = answers;
  return record ? octets.readUInt32BE(record.rdataEnd - 20) : 0;
}

function ownerIn(question: Buffer): string {
  return question.toString("latin1", 0, question.length - 4);
}

/** Returns a name in wire form as text, without the final dot. */
function zoneOf(owner: string): string {
  const labels: string[] = [];
  for (let at = 0; at < owner.length && owner.charCodeAt(at) > 0; at += owner.charCodeAt(at) + 1)
    labels.push(owner.slice(at + 1, at + 1 + owner.charCodeAt(at)));
  return labels.join(".");
}

function soa(serial: number): Buffer {
  const rdata = Buffer.alloc(22);
  rdata.writeUInt32BE(serial, 2);
  return rdata;
}
