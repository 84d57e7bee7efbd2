import { ownerNameWithin, type OwnerName } from "../names/names.ts";
import { spellingOf, type Spelling } from "../record.ts";
import { typeName, types } from "../zone-file/type-names.ts";
import { classes, rcodes, type WireMessage, type WireRecord } from "./messages.ts";
import { isReadableRdata, readRdata } from "./rdata.ts";
import type { Steps } from "../../platform/slices.ts";

/** An RRset, by its owner relative to the zone (`@` for the apex) and its type's mnemonic. */
interface RrsetName {
  name: string;
  recordType: string;
}

/** A record of an update. Its name and value are canonical, its spelling as in `RecordData`. */
export interface UpdateRecord extends RrsetName, Spelling {
  value: string;
  /** As in `RecordData`. */
  strings: string[] | null;
  ttl: number;
}

/** What must be true of the zone for an update to happen (RFC 2136 §2.4). */
export type Prerequisite =
  | { kind: "nameInUse"; name: string }
  | { kind: "nameUnused"; name: string }
  | ({ kind: "rrsetExists" } & RrsetName)
  | ({ kind: "rrsetAbsent" } & RrsetName)
  /** All of an RRset's records together must be the whole RRset. */
  | { kind: "rrsetHas"; record: UpdateRecord };

/** One step of an update (RFC 2136 §2.5). */
export type UpdateOperation =
  | { kind: "add"; record: UpdateRecord }
  | { kind: "deleteRecord"; record: UpdateRecord }
  | ({ kind: "deleteRrset" } & RrsetName)
  | { kind: "deleteName"; name: string };

/** A dynamic update of one zone, in the order of the message. */
export interface DynamicUpdate {
  prerequisites: Prerequisite[];
  operations: UpdateOperation[];
}

/** An update, or the RCODE that refuses the message and why. */
export type ReadUpdate = { ok: true; update: DynamicUpdate } | UpdateFault;

interface UpdateFault {
  ok: false;
  rcode: number;
  reason: string;
}

/**
 * Returns the canonical name of the zone that an update is for; null if its zone section is malformed, which is a FORMERR (RFC 2136 §3.1.1).
 */
export function zoneOfUpdate({ questions }: WireMessage): string | null {
  const [zone, ...others] = questions;
  return zone?.type === types.SOA && others.length === 0 ? zone.name : null;
}

/**
 * Reads the prerequisites and operations of an update, with the checks of RFC 2136 §3.2.5 and §3.4.1 that need nothing but the message. They
 * all come before the zone is looked at, so a malformed message shows nothing of it.
 * @param zone canonical
 */
export function* readUpdate(message: WireMessage, zone: string): Steps<ReadUpdate> {
  const prerequisites: Prerequisite[] = [];
  for (const record of message.answers) {
    const read = readPrerequisite(message, record, zone);
    if ("ok" in read) return read;
    prerequisites.push(read);
    yield* stepsOf(record);
  }
  const operations: UpdateOperation[] = [];
  for (const record of message.authorities) {
    const read = readOperation(message, record, zone);
    if ("ok" in read) return read;
    operations.push(read);
    yield* stepsOf(record);
  }
  return { ok: true, update: { prerequisites, operations } };
}

/** Octets of a record that count as one step. */
const octetsInStep = 64;

/** Yields as often as it took to read a record: the data of one may be as long as that of a thousand. */
function* stepsOf({ start, rdataEnd }: WireRecord): Steps<void> {
  for (let position = start; position < rdataEnd; position += octetsInStep) yield;
}

function readPrerequisite(message: WireMessage, record: WireRecord, zone: string): Prerequisite | UpdateFault {
  const { class: recordClass, type, ttl } = record;
  if (ttl !== 0) return malformed("a prerequisite has a TTL");
  const owner = ownerNameWithin(record.written, zone);
  if (owner === null) return outside(record, zone);
  const { name } = owner;
  if (recordClass === classes.in) {
    if (isMetaType(type)) return malformed("a prerequisite asks for a record of a type that zones cannot hold");
    return withRdata(message, record, owner, (read) => ({ kind: "rrsetHas", record: read }));
  }
  if (recordClass !== classes.any && recordClass !== classes.none) return malformed("a prerequisite has another class");
  if (record.rdataEnd > record.rdataStart) return malformed("a prerequisite without a value has one");
  const exists = recordClass === classes.any;
  if (type === types.ANY) return { kind: exists ? "nameInUse" : "nameUnused", name };
  if (isMetaType(type)) return malformed("a prerequisite asks for a type that zones cannot hold");
  return { kind: exists ? "rrsetExists" : "rrsetAbsent", name, recordType: typeName(type) };
}

function readOperation(message: WireMessage, record: WireRecord, zone: string): UpdateOperation | UpdateFault {
  const { class: recordClass, type, ttl } = record;
  const owner = ownerNameWithin(record.written, zone);
  if (owner === null) return outside(record, zone);
  const { name } = owner;
  if (recordClass === classes.in) {
    if (isMetaType(type)) return malformed("it adds a record of a type that zones cannot hold");
    return withRdata(message, record, owner, (read) => ({ kind: "add", record: read }));
  }
  if (recordClass !== classes.any && recordClass !== classes.none) return malformed("an update has another class");
  if (ttl !== 0) return malformed("a deletion has a TTL");
  if (recordClass === classes.none) {
    if (isMetaType(type)) return malformed("it deletes a record of a type that zones cannot hold");
    return withRdata(message, record, owner, (read) => ({ kind: "deleteRecord", record: read }));
  }
  if (record.rdataEnd > record.rdataStart) return malformed("a deletion of whole RRsets has a value");
  if (type === types.ANY) return { kind: "deleteName", name };
  if (isMetaType(type)) return malformed("it deletes a type that zones cannot hold");
  return { kind: "deleteRrset", name, recordType: typeName(type) };
}

function withRdata<T>(
  { octets }: WireMessage,
  { type, ttl, rdataStart, rdataEnd }: WireRecord,
  owner: OwnerName,
  make: (record: UpdateRecord) => T,
): T | UpdateFault {
  const recordType = typeName(type);
  if (rdataEnd === rdataStart && !mayBeEmpty(recordType))
    return malformed(`a record of type ${recordType} has no data`);
  if (!isReadableRdata(octets, recordType, rdataStart, rdataEnd))
    return malformed(`the data of a record of type ${recordType} is malformed`);
  const { value, writtenValue, strings = null } = readRdata(octets, recordType, rdataStart, rdataEnd);
  // RFC 2181 §8: a TTL with the highest bit set is 0.
  const content = { value, ...spellingOf({ writtenValue }), strings };
  return make({ ...owner, recordType, ...content, ttl: ttl > longestTtl ? 0 : ttl });
}

const longestTtl = 2 ** 31 - 1;

/** Returns whether a type may have no data: NULL (RFC 1035 §3.3.10), APL (RFC 3123 §4), and types that are not known (RFC 3597 §5). */
function mayBeEmpty(recordType: string): boolean {
  return recordType === "NULL" || recordType === "APL" || /^TYPE\d+$/.test(recordType);
}

/** Returns whether a type is one of queries or of messages (RFC 6895 §3.1), which no zone holds. */
function isMetaType(type: number): boolean {
  return type === 0 || type === types.OPT || (type > 127 && type < 256);
}

function malformed(reason: string): UpdateFault {
  return { ok: false, rcode: rcodes.FORMERR, reason: `The message is malformed: ${reason}.` };
}

function outside({ name }: WireRecord, zone: string): UpdateFault {
  return { ok: false, rcode: rcodes.NOTZONE, reason: `${name} is outside the zone ${zone}.` };
}
