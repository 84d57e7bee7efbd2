import { encode, type RecordType } from "dns-packet";
import { readName, skipName, WireError, writeName } from "../../dns/names/wire-names.ts";

/** A resource record in a message. */
export interface WireRecord {
  /** Canonical name; `.` for the root. */
  name: string;
  type: number;
  class: number;
  ttl: number;
  /** Offsets in the message: of the record, and of its RDATA. */
  start: number;
  rdataStart: number;
  rdataEnd: number;
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
  answers: WireRecord[];
  authorities: WireRecord[];
  additionals: WireRecord[];
}

export const classes = { in: 1, none: 254, any: 255 } as const;
const opcodes = { query: 0, update: 5 } as const;
export const types = { ns: 2, cname: 5, soa: 6, hinfo: 13, rrsig: 46, tsig: 250, any: 255 } as const;
const headerOctets = 12;
/** Offsets of the counts of prerequisites and updates in an update's header (RFC 2136 §2.2). */
const prerequisiteCount = 6;
const updateCount = 8;

/** Returns a query for one name of class IN (RFC 1035 §4.1.2); `name` is canonical and absolute. */
export function queryMessage(id: number, name: string, type: "SOA" | "AXFR" | "ANY"): Buffer {
  return withQuestion(id, opcodes.query, name, type);
}

/** Returns the same for any type, by number. */
export function typeQueryMessage(id: number, name: string, type: number): Buffer {
  const message = queryMessage(id, name, "ANY");
  message.writeUInt16BE(type, message.length - 4);
  return message;
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
  const head = withQuestion(id, opcodes.update, zone, "SOA");
  head.writeUInt16BE(prerequisites.length, prerequisiteCount);
  head.writeUInt16BE(updates.length, updateCount);
  return Buffer.concat([head, ...prerequisites, ...updates]);
}

/**
 * Returns a header and question. dns-packet does not know escapes in names, so it writes the root and the name is inserted here.
 */
function withQuestion(id: number, opcode: number, name: string, type: string): Buffer {
  const frame = encode({
    type: "query",
    id,
    flags: opcode << 11,
    questions: [{ name: ".", type: type as RecordType, class: "IN" }],
  });
  return Buffer.concat([frame.subarray(0, headerOctets), writeName(name), frame.subarray(headerOctets + 1)]);
}

/** Parses a message. @throws WireError if the octets are not a DNS message. */
export function readMessage(octets: Buffer): WireMessage {
  if (octets.length < headerOctets) throw new WireError("it is shorter than a header");
  const flags = octets.readUInt16BE(2);
  let position = headerOctets;
  for (let left = octets.readUInt16BE(4); left > 0; left--) position = skipName(octets, position) + 4;
  const section = (count: number) => {
    const records: WireRecord[] = [];
    for (let left = count; left > 0; left--) {
      const record = readRecord(octets, position);
      records.push(record);
      position = record.rdataEnd;
    }
    return records;
  };
  return {
    octets,
    id: octets.readUInt16BE(0),
    isResponse: (flags & 0x8000) !== 0,
    opcode: (flags >> 11) & 15,
    authoritative: (flags & 0x0400) !== 0,
    truncated: (flags & 0x0200) !== 0,
    rcode: flags & 15,
    answers: section(octets.readUInt16BE(6)),
    authorities: section(octets.readUInt16BE(8)),
    additionals: section(octets.readUInt16BE(10)),
  };
}

function readRecord(octets: Buffer, start: number): WireRecord {
  const { name, end } = readName(octets, start);
  const rdataStart = end + 10;
  if (rdataStart > octets.length) throw new WireError("it ends within a record");
  const rdataEnd = rdataStart + octets.readUInt16BE(end + 8);
  if (rdataEnd > octets.length) throw new WireError("it ends within a record");
  return {
    name,
    type: octets.readUInt16BE(end),
    class: octets.readUInt16BE(end + 2),
    ttl: octets.readUInt32BE(end + 4),
    start,
    rdataStart,
    rdataEnd,
  };
}
