import { recordKey, rrsetKey, type RecordData } from "../../dns/record.ts";
import { connectedComponents } from "../applying/batches.ts";
import { recordsOf } from "../applying/apply-to-records.ts";
import type { RecordChange } from "../provider.ts";
import type { StoredRecord } from "./record-calls.ts";

/** One record that is created, deleted or becomes another. */
export interface Step {
  /** The record to delete or update; null if a record is created. */
  stored: StoredRecord | null;
  /** What it becomes; null if it is deleted. */
  after: RecordData | null;
  /** The changes that this step makes. Empty if it only gives a neighbor the TTL of its RRset. */
  changes: readonly RecordChange[];
}

/** Changes that are made whole or not at all, and their steps. */
export interface StepGroup {
  changes: readonly RecordChange[];
  steps: readonly Step[];
}

/**
 * Plans the steps of changes and groups those that depend on each other. Pure.
 * @param atomic whether all changes are one group.
 */
export function planGroups(
  present: readonly StoredRecord[],
  changes: readonly RecordChange[],
  atomic: boolean,
): StepGroup[] {
  const steps = planSteps(present, changes);
  if (atomic) return [{ changes, steps }];
  const parts = connectedComponents(changes, dependenciesIn(changes));
  const groups = parts.map((part) => ({ changes: part, steps: new Array<Step>() }));
  const groupOf = new Map(groups.flatMap((group) => group.changes.map((change) => [change, group])));
  for (const step of steps) {
    const [change] = step.changes;
    const group = change && groupOf.get(change);
    if (group) group.steps.push(step);
    else groups.push({ changes: [], steps: [step] });
  }
  return groups;
}

/** Returns what ties a change to others: the records it touches, and a name at which a CNAME is created or deleted. */
function dependenciesIn(changes: readonly RecordChange[]): (change: RecordChange) => string[] {
  const records = changes.flatMap(recordsOf);
  const cnames = new Set(records.flatMap(({ recordType, name }) => (recordType === "CNAME" ? [name] : [])));
  return (change) => {
    const touched = recordsOf(change);
    return [...touched.map(recordKey), ...touched.map(({ name }) => name).filter((name) => cnames.has(name))];
  };
}

/**
 * Returns the fewest steps that make the changes. If one record takes the value of another (a to b while b to c), both become one step
 * (a to c), so that no order of steps creates a duplicate. Every `before` must be present, and no `after` in the way. Pure.
 */
export function planSteps(present: readonly StoredRecord[], changes: readonly RecordChange[]): Step[] {
  const stored = new Map(present.map((record) => [recordKey(record.data), record]));
  const leaving = new Map(changes.flatMap((change) => (change.before ? [[recordKey(change.before), change]] : [])));
  const coming = new Set(changes.flatMap(({ after }) => (after ? [recordKey(after)] : [])));
  const steps: Step[] = [];
  for (const start of changes) {
    if (start.before && coming.has(recordKey(start.before))) continue;
    const chain = [start];
    for (let last = start; last.after; chain.push(last)) {
      const next = leaving.get(recordKey(last.after));
      if (!next) break;
      last = next;
    }
    const from = (start.before && stored.get(recordKey(start.before))) ?? null;
    const after = chain.at(-1)?.after ?? null;
    if (from || after) steps.push({ stored: from, after, changes: chain });
  }
  // A record that one change deletes and another creates stays; only its TTL may change.
  for (const change of changes) {
    const staying = change.after && leaving.has(recordKey(change.after)) && stored.get(recordKey(change.after));
    if (staying) steps.push({ stored: staying, after: change.after, changes: [change] });
  }
  // A record that the vendor lists twice goes with all its copies.
  for (const record of present) {
    const key = recordKey(record.data);
    const change = leaving.get(key);
    if (change && !coming.has(key) && stored.get(key) !== record) {
      steps.push({ stored: record, after: null, changes: [change] });
    }
  }
  return [...steps, ...alignedNeighbors(present, changes, leaving)].filter(isNeeded);
}

/** Returns steps that give other records of the written RRsets the same TTL (RFC 2181 §5.2). */
function alignedNeighbors(
  present: readonly StoredRecord[],
  changes: readonly RecordChange[],
  leaving: ReadonlyMap<string, RecordChange>,
): Step[] {
  const ttls = new Map(changes.flatMap(({ after }) => (after ? [[rrsetKey(after), after.ttl]] : [])));
  return present.flatMap((stored) => {
    const ttl = ttls.get(rrsetKey(stored.data));
    if (ttl === undefined || leaving.has(recordKey(stored.data))) return [];
    return [{ stored, after: { ...stored.data, ttl }, changes: [] }];
  });
}

function isNeeded({ stored, after }: Step): boolean {
  return !stored || !after || recordKey(stored.data) !== recordKey(after) || stored.data.ttl !== after.ttl;
}
