import { recordKey, rrsetKey, type RecordData } from "../../dns/record.ts";
import { connectedComponents } from "../applying/connected-components.ts";
import type { RecordChange } from "../provider.ts";
import { recordsOf } from "../applying/touched-records.ts";
import type { ServedRecord } from "./wire-records.ts";

/** One call. `before` is what is there, `after` what is to be there. */
export type Step =
  | { kind: "delete"; before: ServedRecord; after: null }
  | { kind: "update"; before: ServedRecord; after: RecordData }
  | { kind: "create"; before: null; after: RecordData };

/** Changes that stand or fall together, and the calls that they are, in order: what goes, what becomes other, what comes. */
export interface StepGroup {
  changes: RecordChange[];
  steps: Step[];
}

/**
 * The calls that make the records of some names what they are to be. A value that gives way to another one of its RRset is one call.
 * The rest of an RRset follows the TTL of what changes in it (RFC 2181 §5.2). Pure.
 * @param present all records of the names that the changes touch
 * @param after what these names are to have
 */
export function stepGroups(
  present: readonly ServedRecord[],
  after: readonly RecordData[],
  changes: readonly RecordChange[],
  together: boolean,
): StepGroup[] {
  const parts = together ? [[...changes]] : connectedComponents(changes, linksIn(changes));
  const groups = parts.map((part): StepGroup => ({ changes: part, steps: [] }));
  const owners = ownersOf(groups);
  const wanted = aligned(after, changes);
  const there = new Map(present.map((served) => [recordKey(served.data), served]));
  const goes = Map.groupBy(
    present.filter(({ data }) => !wanted.has(recordKey(data)) && owners.has(recordKey(data))),
    ({ data }) => rrsetKey(data),
  );
  for (const [key, record] of wanted) {
    const group = owners.get(key) ?? owners.get(rrsetKey(record));
    const served = there.get(key);
    if (!group || served?.data.ttl === record.ttl) continue;
    if (served) {
      group.steps.push({ kind: "update", before: served, after: record });
      continue;
    }
    const replaced = takeOf(group, goes.get(rrsetKey(record)) ?? [], owners);
    group.steps.push(
      replaced ? { kind: "update", before: replaced, after: record } : { kind: "create", before: null, after: record },
    );
  }
  for (const before of [...goes.values()].flat()) {
    owners.get(recordKey(before.data))?.steps.push({ kind: "delete", before, after: null });
  }
  for (const group of groups) group.steps.sort((one, other) => order[one.kind] - order[other.kind]);
  return groups;
}

const order = { delete: 0, update: 1, create: 2 };

/** Changes hang together that hand on a record, and all of a name at which a CNAME comes or goes. */
function linksIn(changes: readonly RecordChange[]): (change: RecordChange) => string[] {
  const exclusive = new Set(
    changes.flatMap(recordsOf).flatMap(({ recordType, name }) => (recordType === "CNAME" ? [name] : [])),
  );
  return (change) => {
    const records = recordsOf(change);
    return [...records.map(recordKey), ...records.map(({ name }) => name).filter((name) => exclusive.has(name))];
  };
}

/** Which group a record belongs to; and an RRset, for those of its records that nobody changes: the first that touches it. */
function ownersOf(groups: readonly StepGroup[]): Map<string, StepGroup> {
  const owners = new Map<string, StepGroup>();
  for (const group of groups) {
    for (const record of group.changes.flatMap(recordsOf)) {
      owners.set(recordKey(record), group);
      if (!owners.has(rrsetKey(record))) owners.set(rrsetKey(record), group);
    }
  }
  return owners;
}

/** What is wanted, by key, each RRset that something comes into with one TTL: that of the last. */
function aligned(after: readonly RecordData[], changes: readonly RecordChange[]): Map<string, RecordData> {
  const ttls = new Map(changes.flatMap((change) => (change.after ? [[rrsetKey(change.after), change.after.ttl]] : [])));
  return new Map(
    after.map((record) => [
      recordKey(record),
      Object.assign({}, record, { ttl: ttls.get(rrsetKey(record)) ?? record.ttl }),
    ]),
  );
}

/** A record of the same RRset and group that goes, if there is one. */
function takeOf(group: StepGroup, goes: ServedRecord[], owners: ReadonlyMap<string, StepGroup>): ServedRecord | null {
  const index = goes.findIndex(({ data }) => owners.get(recordKey(data)) === group);
  return index === -1 ? null : (goes.splice(index, 1)[0] ?? null);
}
