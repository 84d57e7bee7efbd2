import { planningState, type StatePlan } from "./desired-state.ts";
import type { LiveRecord } from "./live-record.ts";
import { textKey, type ReadRecord, type RecordData } from "./record.ts";
import { withoutManaged, type ZoneSigning } from "./server-managed.ts";
import { storedStrings } from "./stored-strings.ts";
import { inSlices } from "../platform/slices.ts";

export interface ServedPlan extends StatePlan {
  /** How many records are served, without those that the provider maintains itself. */
  synced: number;
  signing: ZoneSigning;
  /** How many live records are of those: they were stored before the provider was known to sign, and are no part of the changes. */
  stored: number;
  /** TXT records of which it was not known until now how they are cut. That is no change. */
  learned: LearnedSplit[];
}

/** How a TXT is cut of which that was not known. */
export interface LearnedSplit {
  id: string;
  strings: string[] | null;
}

/** Ids of live records by what they say: all that a comparison holds of a zone which agrees. */
export type LiveIndex = Map<string, string | string[]>;

/** What a record says to a provider, as one text. SQL writes the same: `indexedZone` in live-queries.ts. */
export function recordText(record: RecordData): string {
  return textWith(record, storedStrings(record.strings) ?? "-");
}

/** The same of a TXT whose split nobody has read yet. */
function unreadText(record: RecordData): string {
  return textWith(record, "?");
}

function textWith({ recordType, name, value, ttl, priority, proxied }: RecordData, split: string): string {
  return `${name} ${recordType} ${ttl} ${priority ?? "-"} ${proxied ? "t" : "f"} ${split} ${value}`;
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
  const learned: LearnedSplit[] = [];
  let synced = 0;
  for await (const batch of served) {
    for (const record of batch) {
      if (record.serverManaged) {
        managed.push(record);
        continue;
      }
      synced++;
      if (index.size > 0 && takeFrom(index, recordText(record)) !== null) continue;
      const unread = index.size > 0 && record.recordType === "TXT" ? takeFrom(index, unreadText(record)) : null;
      if (unread === null) others.push(record);
      else learned.push({ id: unread, strings: record.strings });
    }
  }
  const signed = managed.length > 0 || (await signs());
  const left = [...index.values()].flat();
  const live = left.length === 0 ? [] : [...(await load(left))];
  const read = withSplitsOf(live, others);
  learned.push(...read.filter((_, index) => live[index]?.splitUnread).map(({ id, strings }) => ({ id, strings })));
  const ordinary = withoutManaged(read, signed);
  const plan = await inSlices(planningState(ordinary, others));
  return {
    changes: plan.changes,
    unchanged: plan.unchanged + synced - others.length,
    synced,
    learned,
    signing: { signed, managed },
    stored: live.length - ordinary.length,
  };
}

/** @returns the id of a live record that says just this, which is then settled; null where none does. */
function takeFrom(index: LiveIndex, text: string): string | null {
  const known = index.get(text);
  if (known === undefined) return null;
  if (typeof known === "string") {
    index.delete(text);
    return known;
  }
  if (known.length === 1) index.delete(text);
  return known.pop() ?? null;
}

/** Records of which nobody has read how they are cut, cut like one of the `known` that says the same; others as they are, in their order. */
export function withSplitsOf(records: readonly LiveRecord[], known: readonly RecordData[]): readonly LiveRecord[] {
  if (!records.some(({ splitUnread }) => splitUnread)) return records;
  const byText = new Map(known.map((record) => [textKey(record), record.strings]));
  return records.map((record) => {
    if (!record.splitUnread) return record;
    const { splitUnread: _, ...read } = record;
    return { ...read, strings: byText.get(textKey(record)) ?? null };
  });
}
