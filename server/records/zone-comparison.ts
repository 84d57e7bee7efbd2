import { planState, type StatePlan } from "./desired-state.ts";
import type { LiveRecord } from "./live-record.ts";
import type { RecordData } from "./record.ts";

export interface ServedPlan extends StatePlan {
  /** How many records are served. */
  synced: number;
}

/** Ids of live records by what they say: all that a comparison holds of a zone which agrees. */
export type LiveIndex = Map<string, string | string[]>;

/** What a record says to a provider, as one text. SQL writes the same: `indexedZone` in live-queries.ts. */
export function recordText({ recordType, name, value, ttl, priority, proxied }: RecordData): string {
  return `${name} ${recordType} ${ttl} ${priority ?? "-"} ${proxied ? "t" : "f"} ${value}`;
}

export function addToIndex(index: LiveIndex, text: string, id: string): void {
  const known = index.get(text);
  if (known === undefined) index.set(text, id);
  else index.set(text, typeof known === "string" ? [known, id] : [...known, id]);
}

/**
 * What turns the live records into those that are served, as `planState` plans it, without having either of them in memory: records are
 * compared as they stream in, and only what finds no equal is kept and looked at whole.
 * @param index of the live records; it is used up.
 * @param load the live records with these ids.
 */
export async function planServed(
  index: LiveIndex,
  served: AsyncIterable<readonly RecordData[]>,
  load: (ids: readonly string[]) => Promise<Iterable<LiveRecord>>,
): Promise<ServedPlan> {
  const others: RecordData[] = [];
  let synced = 0;
  for await (const batch of served) {
    for (const record of batch) if (!takeFrom(index, record)) others.push(record);
    synced += batch.length;
  }
  const left = [...index.values()].flat();
  const plan = planState(left.length === 0 ? [] : await load(left), others);
  return { changes: plan.changes, unchanged: plan.unchanged + synced - others.length, synced };
}

/** @returns whether a live record says just this; it is then settled. */
function takeFrom(index: LiveIndex, record: RecordData): boolean {
  if (index.size === 0) return false;
  const text = recordText(record);
  const known = index.get(text);
  if (known === undefined) return false;
  if (typeof known === "string" || known.length === 1) index.delete(text);
  else known.pop();
  return true;
}
