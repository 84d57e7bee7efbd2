import { planState, type StatePlan } from "./desired-state.ts";
import type { LiveRecord } from "./live-record.ts";
import type { ReadRecord, RecordData } from "./record.ts";
import { withoutManaged, type ZoneSigning } from "./server-managed.ts";

export interface ServedPlan extends StatePlan {
  /** How many records are served, without those that the provider maintains itself. */
  synced: number;
  signing: ZoneSigning;
  /** How many live records are of those: they were stored before the provider was known to sign, and are no part of the changes. */
  stored: number;
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
 * @param signs whether the provider signs the zone, asked where no record that it shows tells so.
 */
export async function planServed(
  index: LiveIndex,
  served: AsyncIterable<readonly ReadRecord[]>,
  load: (ids: readonly string[]) => Promise<Iterable<LiveRecord>>,
  signs: () => Promise<boolean> = async () => false,
): Promise<ServedPlan> {
  const others: RecordData[] = [];
  const managed: RecordData[] = [];
  let synced = 0;
  for await (const batch of served) {
    for (const record of batch) {
      if (record.serverManaged) managed.push(record);
      else {
        synced++;
        if (!takeFrom(index, record)) others.push(record);
      }
    }
  }
  const signed = managed.length > 0 || (await signs());
  const left = [...index.values()].flat();
  const live = left.length === 0 ? [] : [...(await load(left))];
  const ordinary = withoutManaged(live, signed);
  const plan = planState(ordinary, others);
  return {
    changes: plan.changes,
    unchanged: plan.unchanged + synced - others.length,
    synced,
    signing: { signed, managed },
    stored: live.length - ordinary.length,
  };
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
