import { connect } from "node:net";
import { writeName } from "../../../server/dns/names/wire-names.ts";
import { absoluteName } from "../../../server/dns/names/names.ts";
import {
  classes,
  readMessage,
  typeQueryMessage,
  updateMessage,
  wireRecord,
  type WireMessage,
} from "../../../server/dns/wire/messages.ts";
import { writeRdata } from "../../../server/dns/wire/rdata.ts";
import { signRequest, TsigVerifier, type TsigKey } from "../../../server/dns/wire/tsig.ts";
import { typeNumber, types } from "../../../server/dns/zone-file/type-names.ts";
import { ask } from "./transfer-client.ts";

const seconds = () => Math.floor(Date.now() / 1_000);
const questionTypes: Record<string, number> = { ANY: types.ANY, AXFR: types.AXFR };
const typeOf = (recordType: string) => questionTypes[recordType] ?? typeNumber(recordType) ?? 0;

type Build = (zone: string) => Buffer;

function rr(name: string, recordType: string, recordClass: number, ttl: number, value: string | null): Build {
  return (zone) =>
    wireRecord(
      writeName(absoluteName(name, zone)),
      typeOf(recordType),
      recordClass,
      ttl,
      value === null ? null : writeRdata(recordType, value),
    );
}

/** The five forms of prerequisites (RFC 2136 §2.4). Names are relative to the zone. */
export const prerequisite = {
  rrsetExists: (name: string, recordType: string) => rr(name, recordType, classes.any, 0, null),
  rrsetHas: (name: string, recordType: string, value: string) => rr(name, recordType, classes.in, 0, value),
  rrsetAbsent: (name: string, recordType: string) => rr(name, recordType, classes.none, 0, null),
  nameInUse: (name: string) => rr(name, "ANY", classes.any, 0, null),
  nameUnused: (name: string) => rr(name, "ANY", classes.none, 0, null),
};

/** The four forms of updates (RFC 2136 §2.5). */
export const update = {
  add: (name: string, recordType: string, value: string, ttl = 300) => rr(name, recordType, classes.in, ttl, value),
  deleteRrset: (name: string, recordType: string) => rr(name, recordType, classes.any, 0, null),
  deleteName: (name: string) => rr(name, "ANY", classes.any, 0, null),
  deleteRecord: (name: string, recordType: string, value: string) => rr(name, recordType, classes.none, 0, value),
};

/** Any record, for messages that are wrong. */
export const anyRecord = rr;

/** An answer whose signature is valid. */
export interface Answered {
  rcode: number;
  message: WireMessage;
}

let lastId = 0;

/** Updates and queries one zone from loopback, signed. */
export class UpdateClient {
  readonly port: number;
  readonly zone: string;
  readonly key: TsigKey;
  readonly from: string;

  constructor(port: number, zone: string, key: TsigKey, from = "127.0.0.1") {
    this.port = port;
    this.zone = zone;
    this.key = key;
    this.from = from;
  }

  /** Returns the octets of an update with a new ID. */
  message(updates: readonly Build[], prerequisites: readonly Build[] = [], zone = this.zone): Buffer {
    lastId = (lastId + 1) % 65_536;
    const built = (all: readonly Build[]) => all.map((build) => build(zone));
    return updateMessage(lastId, zone, built(prerequisites), built(updates));
  }

  /** Sends an update. @returns the RCODE; the signature of the answer is verified */
  async update(
    updates: readonly Build[],
    prerequisites: readonly Build[] = [],
    protocol: "udp" | "tcp" = "udp",
  ): Promise<number> {
    return (await this.send(this.message(updates, prerequisites), protocol)).rcode;
  }

  async query(name: string, recordType: string, protocol: "udp" | "tcp" = "tcp"): Promise<Answered> {
    lastId = (lastId + 1) % 65_536;
    return await this.send(typeQueryMessage(lastId, absoluteName(name, this.zone), typeOf(recordType)), protocol);
  }

  async send(message: Buffer, protocol: "udp" | "tcp" = "udp"): Promise<Answered> {
    const signed = signRequest(message, this.key, seconds());
    return this.verified(await this.exchange(signed.message, protocol), signed.mac);
  }

  /** Reads an answer, and verifies its signature unless there is none. */
  verified(octets: Buffer, mac: Buffer): Answered {
    const answer = readMessage(octets);
    new TsigVerifier(this.key, mac, seconds).take(answer);
    return { rcode: answer.rcode, message: answer };
  }

  /** Sends octets as they are. @throws Error if no answer comes */
  async exchange(message: Buffer, protocol: "udp" | "tcp"): Promise<Buffer> {
    if (protocol === "tcp") return await exchangeByTcp(this.port, message, this.from);
    const answer = await ask(this.port, message, { from: this.from });
    if (answer === null) throw new Error("The server did not answer.");
    return answer;
  }
}

/** Sends one message by TCP, and returns the first that answers it. */
export async function exchangeByTcp(port: number, message: Buffer, from = "127.0.0.1"): Promise<Buffer> {
  const socket = connect({ port, host: "127.0.0.1", localAddress: from });
  socket.write(Buffer.concat([Buffer.of(message.length >> 8, message.length & 255), message]));
  let received = Buffer.alloc(0);
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      received = Buffer.concat([received, chunk]);
      if (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0))
        return received.subarray(2, 2 + received.readUInt16BE(0));
    }
    throw new Error("The server closed the connection.");
  } finally {
    socket.destroy();
  }
}
