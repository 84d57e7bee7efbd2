import { types } from "../zone-file/type-names.ts";
import { findName, WireError, writeName, type KnownSuffixes } from "../names/wire-names.ts";

/** A resource record in a message. */
export interface WireRecord {
  /** Canonical name; `.` for the root. */
  name: string;
  /** The name as written. */
  written: string;
  type: number;
  class: number;
  ttl: number;
  /** Offsets in the message: of the record, and of its RDATA. */
  start: number;
  rdataStart: number;
  rdataEnd: number;
}

/** An entry of a message's question section. */
interface Question {
  /** Canonical name; `.` for the root. */
  name: string;
  type: number;
  class: number;
}

/** A message split into its records. */
export interface WireMessage {
  octets: Buffer;
  id: number;
  isResponse: boolean;
  opcode: number;
  /** Whether the sender is authoritative (AA). */
  authoritative: boolean;
  /** Whether the message is truncated (TC). */
  truncated: boolean;
  rcode: number;
  questions: Question[];
  /** Offset after the question section. */
  questionsEnd: number;
  answers: WireRecord[];
  authorities: WireRecord[];
  additionals: WireRecord[];
  /** Offset after the last record. */
  end: number;
}

export const classes = { in: 1, none: 254, any: 255 } as const;
export const opcodes = { query: 0, notify: 4, update: 5 } as const;
/** Response codes (RFC 1035 §4.1.1, RFC 2136 §2.2). */
export const rcodes = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  YXDOMAIN: 6,
  YXRRSET: 7,
  NXRRSET: 8,
  NOTAUTH: 9,
  NOTZONE: 10,
} as const;
const rcodeNames = new Map<number, string>(Object.entries(rcodes).map(([name, code]) => [code, name]));
export const headerOctets = 12;
export const flags = { response: 0x8000, authoritative: 0x0400, truncated: 0x0200 } as const;
/** Offsets of counts in the header; an update's are those of prerequisites and updates (RFC 2136 §2.2). */
export const answerCount = 6;
const prerequisiteCount = 6;
export const authorityCount = 8;
const updateCount = 8;
export const additionalCount = 10;

/** Returns the mnemonic of a response code, such as `NXDOMAIN`; `error 23` for others. */
export function rcodeName(rcode: number): string {
  return rcodeNames.get(rcode) ?? `error ${rcode}`;
}

/** Returns a query for one name of class IN (RFC 1035 §4.1.2); `name` is canonical and absolute. */
export function queryMessage(id: number, name: string, type: "SOA" | "AXFR" | "ANY"): Buffer {
  return typeQueryMessage(id, name, types[type]);
}

/** Returns the same for any type, by number. */
export function typeQueryMessage(id: number, name: string, type: number): Buffer {
  return withQuestion(id, opcodes.query << 11, name, type);
}

/** Returns a query for what changed in a zone since a serial (RFC 1995 §3). */
export function incrementalQueryMessage(id: number, zone: string, serial: number): Buffer {
  const numbers = Buffer.alloc(20);
  numbers.writeUInt32BE(serial, 0);
  const soa = Buffer.concat([writeName("."), writeName("."), numbers]);
  const head = typeQueryMessage(id, zone, types.IXFR);
  head.writeUInt16BE(1, authorityCount);
  return Buffer.concat([head, wireRecord(writeName(zone), types.SOA, classes.in, 0, soa)]);
}

/** Returns a NOTIFY (RFC 1996 §3), whose answer section holds the new SOA. */
export function notifyMessage(id: number, zone: string, soa: { ttl: number; rdata: Buffer }): Buffer {
  const head = withQuestion(id, (opcodes.notify << 11) | flags.authoritative, zone, types.SOA);
  head.writeUInt16BE(1, answerCount);
  return Buffer.concat([head, wireRecord(writeName(zone), types.SOA, classes.in, soa.ttl, soa.rdata)]);
}

/** Returns a record for a section of an update. One without RDATA has a special meaning (RFC 2136 §2.4, §2.5). */
export function wireRecord(
  owner: Buffer,
  type: number,
  recordClass: number,
  ttl: number,
  rdata: Buffer | null,
): Buffer {
  const length = rdata?.length ?? 0;
  const head = Buffer.alloc(10);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(recordClass, 2);
  head.writeUInt32BE(ttl, 4);
  head.writeUInt16BE(length, 8);
  return rdata ? Buffer.concat([owner, head, rdata]) : Buffer.concat([owner, head]);
}

/** Returns a dynamic update (RFC 2136 §2): the zone, the prerequisites, and the updates in order. */
export function updateMessage(
  id: number,
  zone: string,
  prerequisites: readonly Buffer[],
  updates: readonly Buffer[],
): Buffer {
  const head = withQuestion(id, opcodes.update << 11, zone, types.SOA);
  head.writeUInt16BE(prerequisites.length, prerequisiteCount);
  head.writeUInt16BE(updates.length, updateCount);
  return Buffer.concat([head, ...prerequisites, ...updates]);
}

function withQuestion(id: number, bits: number, name: string, type: number): Buffer {
  const head = Buffer.alloc(headerOctets);
  head.writeUInt16BE(id, 0);
  head.writeUInt16BE(bits, 2);
  head.writeUInt16BE(1, 4);
  return Buffer.concat([head, writeName(name), Buffer.of(type >> 8, type & 255, 0, classes.in)]);
}

/** Parses a message. @throws WireError if the octets are not a DNS message. */
export function readMessage(octets: Buffer): WireMessage {
  const message = parseMessage(octets);
  if (typeof message === "string") throw new WireError(message);
  return message;
}

const withinQuestion = "it ends within a question";
const withinRecord = "it ends within a record";

/** Like `readMessage`, but returns what is wrong instead of throwing, because strangers may send any octets and an exception is costly. */
export function parseMessage(octets: Buffer): WireMessage | string {
  if (octets.length < headerOctets) return "it is shorter than a header";
  const bits = octets.readUInt16BE(2);
  let position = headerOctets;
  const questions: Question[] = [];
  const suffixes: KnownSuffixes = new Map();
  for (let left = octets.readUInt16BE(4); left > 0; left--) {
    const found = findName(octets, position, suffixes);
    if (typeof found === "string") return found;
    const { name, end } = found;
    position = end + 4;
    if (position > octets.length) return withinQuestion;
    questions.push({ name, type: octets.readUInt16BE(end), class: octets.readUInt16BE(end + 2) });
  }
  const questionsEnd = position;
  const sections: WireRecord[][] = [];
  for (const count of [answerCount, authorityCount, additionalCount]) {
    const records: WireRecord[] = [];
    for (let left = octets.readUInt16BE(count); left > 0; left--) {
      const record = parseRecord(octets, position, suffixes);
      if (typeof record === "string") return record;
      records.push(record);
      position = record.rdataEnd;
    }
    sections.push(records);
  }
  const [answers = [], authorities = [], additionals = []] = sections;
  return {
    octets,
    id: octets.readUInt16BE(0),
    isResponse: (bits & flags.response) !== 0,
    opcode: (bits >> 11) & 15,
    authoritative: (bits & flags.authoritative) !== 0,
    truncated: (bits & flags.truncated) !== 0,
    rcode: bits & 15,
    questions,
    questionsEnd,
    answers,
    authorities,
    additionals,
    end: position,
  };
}

function parseRecord(octets: Buffer, start: number, suffixes: KnownSuffixes): WireRecord | string {
  const found = findName(octets, start, suffixes);
  if (typeof found === "string") return found;
  const { name, written, end } = found;
  const rdataStart = end + 10;
  if (rdataStart > octets.length) return withinRecord;
  const rdataEnd = rdataStart + octets.readUInt16BE(end + 8);
  if (rdataEnd > octets.length) return withinRecord;
  return {
    name,
    written,
    type: octets.readUInt16BE(end),
    class: octets.readUInt16BE(end + 2),
    ttl: octets.readUInt32BE(end + 4),
    start,
    rdataStart,
    rdataEnd,
  };
}
