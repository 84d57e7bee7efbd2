import { recordKey, rrsetKey, type RecordData } from "../../dns/record.ts";
import type { RecordChange } from "../provider.ts";
import type { StoredRecord } from "./stored-records.ts";

/** One record that comes, goes or becomes another. */
export interface Step {
  /** What is there; null for a record that comes. */
  stored: StoredRecord | null;
  /** What it becomes; null for a record that goes. */
  after: RecordData | null;
  /** The changes that are done with it, and not done without it. None where a neighbour gets the TTL of its RRset. */
  changes: readonly RecordChange[];
}

/**
 * The steps that make the changes, as few as there can be. Records of which one takes the value of another (a to b while b to c) are one
 * step (a to c), so that no order of steps can make a duplicate. Every `before` of the changes is there, no `after` is in the way. Pure.
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
  // What comes in the place of what goes is there already; its TTL may not be.
  for (const change of changes) {
    const staying = change.after && leaving.has(recordKey(change.after)) && stored.get(recordKey(change.after));
    if (staying) steps.push({ stored: staying, after: change.after, changes: [change] });
  }
  return [...steps, ...alignedNeighbours(present, changes, leaving)].filter(isNeeded);
}

/** Records of the RRsets that the changes write to get their TTL (RFC 2181 §5.2). */
function alignedNeighbours(
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
