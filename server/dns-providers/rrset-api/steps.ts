import { recordKey, rrsetKey, type RecordData } from "../../dns/record.ts";
import { recordsOf } from "../applying/apply-to-records.ts";
import { connectedComponents } from "../applying/batches.ts";
import type { RecordChange } from "../provider.ts";
import { printedRdata } from "../rdata-text.ts";
import type { ReadRrset, RrsetContent, RrsetStep } from "./account.ts";

/** Changes that are made whole or not at all, and their steps. */
export interface StepGroup {
  changes: readonly RecordChange[];
  steps: readonly RrsetStep[];
}

/**
 * Groups changes that depend on each other, and returns their steps. Pure.
 * @param present the RRsets of all names that the changes touch
 * @param after the records of those names afterwards
 */
export function groupsOf(
  present: readonly ReadRrset[],
  after: readonly RecordData[],
  changes: readonly RecordChange[],
): StepGroup[] {
  const served = new Map(present.map((rrset) => [rrsetKey(rrset), rrset]));
  const wanted = Map.groupBy(after, rrsetKey);
  return connectedComponents(changes, dependenciesIn(changes)).map((group) => {
    const touched = new Map(group.flatMap(recordsOf).map((record) => [rrsetKey(record), record]));
    const steps = [...touched].flatMap(
      ([key, record]) => stepOf(record, served.get(key), wanted.get(key) ?? [], group) ?? [],
    );
    return { changes: group, steps };
  });
}

/** Returns groups as one, to be made whole or not at all. */
export function oneGroup(groups: readonly StepGroup[]): StepGroup[] {
  return [{ changes: groups.flatMap(({ changes }) => changes), steps: groups.flatMap(({ steps }) => steps) }];
}

/** Returns what ties a change to others: the RRsets it touches, and a name at which a CNAME is created or deleted. */
function dependenciesIn(changes: readonly RecordChange[]): (change: RecordChange) => string[] {
  const records = changes.flatMap(recordsOf);
  const cnames = new Set(records.flatMap(({ recordType, name }) => (recordType === "CNAME" ? [name] : [])));
  return (change) => {
    const touched = recordsOf(change);
    return [...touched.map(rrsetKey), ...touched.map(({ name }) => name).filter((name) => cnames.has(name))];
  };
}

/** Returns the step that gives an RRset the wanted records; null if it has them. */
function stepOf(
  { name, recordType }: RecordData,
  present: ReadRrset | undefined,
  records: readonly RecordData[],
  changes: readonly RecordChange[],
): RrsetStep | null {
  const key = rrsetKey({ name, recordType });
  const isHere = (record: RecordData | null): record is RecordData => record !== null && rrsetKey(record) === key;
  const written = changes.findLast(({ after }) => isHere(after))?.after;
  const [first] = records;
  const texts = new Map(present?.records.map(({ text, data }) => [recordKey(data), text] as const));
  const after = first && {
    ttl: written?.ttl ?? first.ttl,
    values: records.map((record) => texts.get(recordKey(record)) ?? printedRdata(record)),
  };
  const before = present?.served ?? null;
  if (!before && !after) return null;
  if (before && after && isSame(before, after)) return null;
  const own = changes.flatMap((change): RecordChange[] => {
    if (isHere(change.before) && isHere(change.after)) return [change];
    if (isHere(change.before)) return [{ action: "delete", before: change.before, after: null }];
    return isHere(change.after) ? [{ action: "create", before: null, after: change.after }] : [];
  });
  const named = new Set(own.flatMap(recordsOf).map(recordKey));
  // Other records of the RRset get the same TTL (RFC 2181 §5.2).
  const aligned = (present?.records ?? []).flatMap(({ data }): RecordChange[] =>
    after && after.ttl !== data.ttl && !named.has(recordKey(data))
      ? [{ action: "update", before: data, after: { ...data, ttl: after.ttl } }]
      : [],
  );
  return { name, recordType, before, after: after ?? null, does: [...own, ...aligned] };
}

/** Returns groups in which no step changes both the TTL and the records of an RRset: the TTL is written first, by a step of its own. */
export function withTtlApart(groups: readonly StepGroup[]): StepGroup[] {
  return groups.map(({ changes, steps }) => ({ changes, steps: steps.flatMap(ttlFirst) }));
}

function ttlFirst(step: RrsetStep): RrsetStep[] {
  const { before, after, does } = step;
  if (!before || !after || before.ttl === after.ttl || isSame({ ...before, ttl: after.ttl }, after)) return [step];
  const { ttl } = after;
  const retimed = does.flatMap(({ before: old }): RecordChange[] =>
    old ? [{ action: "update", before: old, after: { ...old, ttl } }] : [],
  );
  const others = does.flatMap((change): RecordChange[] => {
    if (isOfTtl(change)) return [];
    if (change.action === "create") return [change];
    return [{ ...change, before: { ...change.before, ttl } }];
  });
  return [
    { ...step, after: { ttl, values: before.values }, does: retimed },
    { ...step, before: { ...before, ttl }, does: others },
  ];
}

/** Whether a change leaves a record's value. */
function isOfTtl({ before, after }: RecordChange): boolean {
  return before !== null && after !== null && recordKey(before) === recordKey(after);
}

function isSame(one: RrsetContent, other: RrsetContent): boolean {
  const values = new Set(other.values);
  return one.ttl === other.ttl && one.values.length === values.size && one.values.every((value) => values.has(value));
}

/** Returns the step that undoes a step. @param tag what the vendor calls the content that the step wrote */
export function inverse({ name, recordType, before, after }: RrsetStep, tag?: string): RrsetStep {
  return {
    name,
    recordType,
    before: after && {
      name: before?.name ?? name,
      recordType: before?.recordType ?? recordType,
      ...after,
      tag: tag ?? before?.tag,
    },
    after: before && { ttl: before.ttl, values: before.values },
    restores: after ? undefined : before?.tag,
    does: [],
  };
}
