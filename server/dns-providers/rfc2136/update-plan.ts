import { absoluteName } from "../../dns/names/names.ts";
import { isApexNs, recordKey, rrsetKey, type RecordData, isCommonType } from "../../dns/record.ts";
import { typeNumber, types } from "../../dns/zone-file/type-names.ts";
import { applyToRecords, recordsOf, touchedNames, type RecordStore } from "../applying/apply-to-records.ts";
import { inBatches, connectedComponents } from "../applying/batches.ts";
import type { ChangeOutcome, RecordChange } from "../provider.ts";
import { writeRdata } from "../../dns/wire/rdata.ts";
import type { ServedRecord } from "./read-names.ts";
import { WireError, writeName } from "../../dns/names/wire-names.ts";
import { classes, wireRecord } from "../../dns/wire/messages.ts";

/**
 * Changes that must go into one message because they depend on each other: those of one name, and of names that records move
 * between.
 */
export interface UpdateUnit {
  /** The indexes of its changes. */
  changes: number[];
  prerequisites: Buffer[];
  updates: Buffer[];
  octets: number;
}

export interface UpdatePlan {
  /** One outcome per change; changes that are not refused are in a unit. */
  outcomes: ChangeOutcome[];
  units: UpdateUnit[];
}

/** Leaves room for header, question and signature in a message of 65,535 octets. */
export const mostUpdateOctets = 60_000;

const nameServer: RecordStore = { place: "the zone at the name server", refusal: refusalOf };

/**
 * Plans updates (RFC 2136) that make the changes, given all records at the names they touch.
 *
 * DNS records have no identity, and servers silently ignore updates: deletions of missing records, or records that a CNAME forbids.
 * So each unit requires every RRset that it touches to be exactly as read (§2.4.2, §2.4.3), and names the RDATA to delete. If
 * somebody changed the zone in between, the whole message fails and none of their changes is lost.
 * @param exact false: requires only that the RRsets exist, for servers that cannot compare them.
 * @param signed whether the server signs the zone; its answers for a name need not include signatures.
 */
export function planUpdate(
  zone: string,
  served: readonly ServedRecord[],
  changes: readonly RecordChange[],
  { exact = true, signed = false }: { exact?: boolean; signed?: boolean } = {},
): UpdatePlan {
  const { records, outcomes } = carryOut(
    served.map(({ record }) => record),
    changes,
  );
  const before = Map.groupBy(served, ({ record }) => rrsetKey(record));
  const after = Map.groupBy(records, rrsetKey);
  const inUse = new Set(served.map(({ record }) => record.name));
  const accepted = [...changes.keys()].filter((index) => outcomes[index]?.ok);
  const units = connectedComponents(accepted, (index) => [...touchedNames(at(changes, [index]))]).map((indexes) => {
    const steps = stepsOf(zone, at(changes, indexes), before, after, signed);
    return unitFrom(indexes, steps, (name) => inUse.has(name), exact);
  });
  const fitting = units.filter(({ octets }) => octets <= mostUpdateOctets);
  for (const unit of units) {
    if (unit.octets <= mostUpdateOctets) continue;
    const message = "This name has too many records to change in one message to the name server.";
    for (const index of unit.changes) outcomes[index] = { ok: false, message };
  }
  return { outcomes, units: fitting };
}

/** Prerequisites that hold if and only if an RRset is as the changes make it. */
export interface RrsetProof {
  /** `rrsetKey` of the RRset. */
  key: string;
  prerequisites: Buffer[];
  octets: number;
}

/**
 * Returns prerequisites that prove, RRset by RRset, that changes were made, given the records that their names had before. TTLs are
 * not covered (RFC 2136 §2.4.2).
 */
export function planProofs(
  zone: string,
  served: readonly ServedRecord[],
  changes: readonly RecordChange[],
): RrsetProof[] {
  const { records } = carryOut(
    served.map(({ record }) => record),
    changes,
  );
  const before = Map.groupBy(served, ({ record }) => rrsetKey(record));
  const after = Map.groupBy(records, rrsetKey);
  return stepsOf(zone, changes, before, after, true).map((step) => {
    const prerequisites = resultOf(step);
    return { key: rrsetKey(step), prerequisites, octets: sizeOf(prerequisites) };
  });
}

/** Applies the changes, but leaves the apex its name servers: servers ignore the deletion of the last one (RFC 2136 §3.4.2.4). */
function carryOut(
  records: readonly RecordData[],
  changes: readonly RecordChange[],
): { records: RecordData[]; outcomes: ChangeOutcome[] } {
  const applied = applyToRecords(records, changes, nameServer);
  if (!records.some(isApexNs) || applied.records.some(isApexNs)) return applied;
  const message =
    "A zone needs at least one name server at its apex, and name servers do not delete the last one. Create its successor in the same change.";
  const removesApexNs = changes.map((change) => change.before !== null && isApexNs(change.before));
  const others = applyToRecords(
    records,
    changes.filter((_, index) => !removesApexNs[index]),
    nameServer,
  );
  let next = 0;
  const outcomes = removesApexNs.map((is): ChangeOutcome =>
    is ? { ok: false, message } : (others.outcomes[next++] ?? { ok: false, message }),
  );
  return { records: others.records, outcomes };
}

function refusalOf({ recordType, value, strings }: RecordData): string | null {
  if (recordType === "SOA") return "The name server manages the SOA and its serial itself.";
  if (typeNumber(recordType) === null) return `${recordType} is not a type that name servers exchange.`;
  try {
    writeRdata(recordType, value, strings);
    return null;
  } catch (error) {
    if (error instanceof WireError) return `The value cannot be sent to a name server: ${error.message}.`;
    throw error;
  }
}

function at(changes: readonly RecordChange[], indexes: readonly number[]): RecordChange[] {
  return indexes.flatMap((index) => changes[index] ?? []);
}

function stepsOf(
  zone: string,
  changes: readonly RecordChange[],
  before: ReadonlyMap<string, ServedRecord[]>,
  after: ReadonlyMap<string, RecordData[]>,
  signed: boolean,
): RrsetStep[] {
  const touched = new Map(changes.flatMap(recordsOf).map((record) => [rrsetKey(record), record]));
  return [...touched].map(([key, { name, recordType }]): RrsetStep => {
    const old = before.get(key) ?? [];
    const rdatas = new Map(old.map(({ record, rdatas }) => [recordKey(record), rdatas]));
    const present = after.get(key) ?? [];
    return {
      name,
      owner: writeName(absoluteName(name, zone)),
      recordType,
      type: typeNumber(recordType) ?? 0,
      signed: signed || before.has(rrsetKey({ name, recordType: "RRSIG" })),
      before: old.flatMap(({ record, rdatas }) => rdatas.map((rdata) => ({ ttl: record.ttl, rdata }))),
      after: present.flatMap((record) =>
        (rdatas.get(recordKey(record)) ?? [writeRdata(recordType, record.value, record.strings)]).map((rdata) => ({
          ttl: record.ttl,
          rdata,
        })),
      ),
    };
  });
}

function unitFrom(
  changes: number[],
  steps: readonly RrsetStep[],
  inUse: (name: string) => boolean,
  exact: boolean,
): UpdateUnit {
  const demand = (inFull: boolean): UpdateUnit => {
    const updates = updatesOf(steps, inFull);
    const prerequisites = updates.length === 0 ? [] : prerequisitesOf(steps, inUse, inFull);
    return { changes, prerequisites, updates, octets: sizeOf(updates) + sizeOf(prerequisites) };
  };
  const unit = demand(exact);
  // Too long to list every record. Requiring that the RRsets exist must do, since each record is deleted by its data.
  return unit.octets <= mostUpdateOctets ? unit : demand(false);
}

function sizeOf(records: readonly Buffer[]): number {
  return records.reduce((sum, { length }) => sum + length, 0);
}

/** Packs units into messages, in order. */
export function batchesOf(units: readonly UpdateUnit[]): UpdateUnit[][] {
  return inBatches(units, ({ octets }) => [octets], [mostUpdateOctets]);
}

interface WireValue {
  ttl: number;
  rdata: Buffer;
}

/** An RRset before and after a change. */
interface RrsetStep {
  /** Relative to the zone. */
  name: string;
  /** The absolute name in wire format. */
  owner: Buffer;
  recordType: string;
  type: number;
  before: WireValue[];
  after: WireValue[];
  /** Whether the server signs the zone, so that the name has signatures. */
  signed: boolean;
}

/** Types that somebody may add to a name while a CNAME is created there. */
const besideTypes = ["A", "AAAA", "NS", "MX", "TXT", "SRV", "CAA", "PTR", "DNAME", "HTTPS", "SVCB", "TLSA", "SSHFP"];

/**
 * Returns the prerequisites of the steps (RFC 2136 §2.4): each RRset is exactly as read, and nothing was added that makes the
 * server ignore a CNAME, or anything beside one (§3.4.2.2).
 * @param exact false: RRsets must merely exist.
 */
function prerequisitesOf(steps: readonly RrsetStep[], inUse: (name: string) => boolean, exact: boolean): Buffer[] {
  const checked = new Set(steps.map(({ name, type }) => `${name} ${type}`));
  return steps.flatMap((step) => {
    const { name, owner, type, before, after } = step;
    const own =
      before.length === 0
        ? [absent(owner, type)]
        : exact
          ? before.map(({ rdata }) => wireRecord(owner, type, classes.in, 0, rdata))
          : [wireRecord(owner, type, classes.any, 0, null)];
    if (after.length === 0 || before.length > 0) return own;
    if (type !== types.CNAME) {
      if (checked.has(`${name} ${types.CNAME}`)) return own;
      checked.add(`${name} ${types.CNAME}`);
      return [...own, absent(owner, types.CNAME)];
    }
    if (!inUse(name)) return [absent(owner, types.ANY)];
    const others = besideTypes
      .map((other) => typeNumber(other) ?? 0)
      .filter((other) => !checked.has(`${name} ${other}`));
    return [...own, ...others.map((other) => absent(owner, other))];
  });
}

/**
 * Returns the updates of the steps (RFC 2136 §2.5): deletions first, except at the apex, where a name server must remain.
 * @param exact whether the prerequisites cover every record, so that an RRset may be replaced as a whole.
 */
function updatesOf(steps: readonly RrsetStep[], exact: boolean): Buffer[] {
  const apexNs = steps.filter(isApexNs);
  const others = steps.filter((step) => !isApexNs(step));
  const whole = others.filter((step) => exact && isReplaced(step));
  const single = others.filter((step) => !whole.includes(step));
  const cleared = others.filter((step) => isCleared(step, steps));
  return [
    ...cleared.map(({ owner }) => wireRecord(owner, types.ANY, classes.any, 0, null)),
    ...whole.map(({ owner, type }) => wireRecord(owner, type, classes.any, 0, null)),
    ...single.flatMap(deletions),
    ...apexNs.flatMap(additions),
    ...apexNs.flatMap(deletions),
    ...whole.flatMap(replacement),
    ...single.flatMap(additions),
  ];
}

/**
 * Returns whether a name is emptied before a CNAME is created, with its signatures and NSEC (RFC 2136 §2.5.3): Knot ignores a CNAME
 * beside other records, and BIND does not let anyone delete these by name.
 */
function isCleared({ name, type, before, after, signed }: RrsetStep, steps: readonly RrsetStep[]): boolean {
  if (!signed || type !== types.CNAME || before.length > 0 || after.length === 0) return false;
  return steps.some((other) => other.name === name && other.before.length > 0);
}

/**
 * Returns whether an RRset is deleted as a whole: if it disappears, or has a type that is stored as is. PowerDNS does not find
 * single records of such types to delete (HTTPS, SVCB, NAPTR), yet reports success.
 */
function isReplaced({ recordType, before, after }: RrsetStep): boolean {
  if (before.length === 0) return false;
  return after.length === 0 || (!isCommonType(recordType) && !sameValues(before, after));
}

function sameValues(one: readonly WireValue[], other: readonly WireValue[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ ttl, rdata }) => other.some((value) => value.ttl === ttl && value.rdata.equals(rdata)))
  );
}

function replacement(step: RrsetStep): Buffer[] {
  const { owner, type, after } = step;
  const ttl = newTtl(step);
  return after.map((value) => wireRecord(owner, type, classes.in, ttl ?? value.ttl, value.rdata));
}

/**
 * Returns the deletions; of the whole RRset if its TTL changes, because some servers keep the TTL of an existing RRset (RFC 2181
 * §5.2).
 */
function deletions(step: RrsetStep): Buffer[] {
  const { owner, type, before, after } = step;
  // A CNAME replaces another by itself (RFC 2136 §3.4.2.2).
  if (type === types.CNAME && after.length > 0) return [];
  const staying = isApexNs(step) || newTtl(step) === null ? after : [];
  return before
    .filter(({ rdata }) => !staying.some((value) => value.rdata.equals(rdata)))
    .map(({ rdata }) => wireRecord(owner, type, classes.none, 0, rdata));
}

function additions(step: RrsetStep): Buffer[] {
  const { owner, type, before, after } = step;
  const ttl = newTtl(step);
  return after
    .filter(({ rdata }) => ttl !== null || !before.some((value) => value.rdata.equals(rdata)))
    .map((value) => wireRecord(owner, type, classes.in, ttl ?? value.ttl, value.rdata));
}

/** Returns the new TTL of an RRset if it changes; the last change decides. */
function newTtl({ before, after }: RrsetStep): number | null {
  const changed = after.findLast(
    (value) => !before.some(({ rdata, ttl }) => ttl === value.ttl && rdata.equals(value.rdata)),
  );
  if (changed === undefined || before.length === 0) return null;
  return before.every(({ ttl }) => ttl === changed.ttl) ? null : changed.ttl;
}

/** Returns prerequisites that hold once the step is made: the RRset is exactly as intended. For an update that only checks. */
function resultOf({ owner, type, after }: RrsetStep): Buffer[] {
  return after.length === 0
    ? [absent(owner, type)]
    : after.map(({ rdata }) => wireRecord(owner, type, classes.in, 0, rdata));
}

/** Requires that an RRset does not exist; with type ANY, that the name does not (RFC 2136 §2.4.3, §2.4.5). */
function absent(owner: Buffer, type: number): Buffer {
  return wireRecord(owner, type, classes.none, 0, null);
}
