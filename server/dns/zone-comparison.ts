import { planningState, type StatePlan } from "./desired-state.ts";
import { isActive, storedStrings, textKey, type LiveRecord, type ReadRecord, type RecordData } from "./record.ts";
import { withoutManaged, type ZoneSigning } from "./server-managed.ts";
import { inSlices, mapped, type Steps } from "../platform/slices.ts";

export interface ServedPlan extends StatePlan {
  /** Number of records served, without those that the provider maintains itself. */
  synced: number;
  signing: ZoneSigning;
  /** Number of live records that the provider maintains itself. They were stored before it was known to sign, and are not in `changes`. */
  stored: number;
  /** TXT records whose split into strings was unknown until now. Learning it is not a change. */
  learned: LearnedSplit[];
}

/** The newly read split of a TXT. */
export interface LearnedSplit {
  id: string;
  strings: string[] | null;
}

/** Ids of live records by content: the only memory that comparing an identical zone needs. Disabled ones are listed apart. */
export type LiveIndex = Map<string, string | string[]>;

/** Key of the disabled records, which no served record has. */
const disabledKey = "";

/** Returns the data that a provider stores for a record, as one comparable text. */
export function recordText(record: RecordData): string {
  return textWith(record, storedStrings(record.strings) ?? "-");
}

/** Returns the same for a TXT record whose split into strings has not been read yet. */
function unreadText(record: RecordData): string {
  return textWith(record, "?");
}

function textWith({ recordType, name, value, ttl, priority, proxied }: RecordData, split: string): string {
  return `${name} ${recordType} ${ttl} ${priority ?? "-"} ${proxied ? "t" : "f"} ${split} ${value}`;
}

/** Adds a record to an index by its text. */
export function addToIndex(
  index: LiveIndex,
  record: Pick<LiveRecord, keyof RecordData | "id" | "status" | "splitUnread">,
): void {
  const { id } = record;
  const text = !isActive(record) ? disabledKey : record.splitUnread ? unreadText(record) : recordText(record);
  const known = index.get(text);
  if (known === undefined) index.set(text, id);
  else index.set(text, typeof known === "string" ? [known, id] : [...known, id]);
}

/**
 * Plans the changes that turn the live records into the served ones, like `planState` but without holding either set in memory: records
 * are compared as they stream in, and only those without an equal are collected and compared in full. Disabled records stay, unless the
 * provider serves one after all.
 * @param index of the live records; consumed
 * @param load loads the live records with these ids
 * @param signs returns whether the provider signs the zone; called only if no served record shows it
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
  if (others.length === 0) index.delete(disabledKey);
  const left = [...index.values()].flat();
  const live = left.length === 0 ? [] : [...(await load(left))];
  const read = await inSlices(withSplitsOf(live, others));
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

/** Removes a live record with this content from the index and returns its id, or null if there is none. */
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

/** Gives records with an unread split that of a known record with the same text. Returns all records, in their order. */
export function* withSplitsOf(
  records: readonly LiveRecord[],
  known: readonly RecordData[],
): Steps<readonly LiveRecord[]> {
  if (!records.some(({ splitUnread }) => splitUnread)) return records;
  const byText = new Map(yield* mapped(known, (record) => [textKey(record), record.strings] as const));
  return yield* mapped(records, (record) => {
    if (!record.splitUnread) return record;
    const { splitUnread: _, ...read } = record;
    return { ...read, strings: byText.get(textKey(record)) ?? null };
  });
}
