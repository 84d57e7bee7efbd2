import { newId } from "../platform/ids.ts";
import { atOnce, filtered, flatMapped, grouped, type Steps, inSlices, mapped } from "../platform/slices.ts";
import {
  dataOf,
  isUnchanged,
  noNotes,
  notesOf,
  recordKey,
  isActive,
  sameData,
  rrsetKey,
  ttlKey,
  type LiveRecord,
  type PlannedChange,
  type RecordData,
  type RecordDraft,
  type RecordNotes,
  type StatedData,
  storedStrings,
  textKey,
  type ReadRecord,
} from "./record.ts";
import { sameStrings } from "./values/character-strings.ts";
import { withoutManaged, type ZoneSigning } from "./zone-file/type-names.ts";

/**
 * A desired record. With an `id` it names an existing record (rollback); without one it is matched by content (sync, import). Of its notes, an
 * existing record takes the comment only: its lock, owner and review date stay as they are. What is matched by content stays as first
 * written. Without a `status` it is active.
 */
export interface Desired extends RecordData, Partial<RecordNotes>, Partial<Pick<StatedData, "status">> {
  id?: string;
}

/**
 * Which live records stay although nothing matches them. `disabled`: those that DNS does not have, for desired states that only say what DNS
 * is to have.
 */
export type Staying = "all" | "disabled" | "none";

export interface StatePlan {
  changes: PlannedChange[];
  unchanged: number;
}

/**
 * Plans the changes that turn the live records into the desired ones. Records are matched by id, then by (type, name, value), then within
 * an RRset: a replaced value is an update, which preserves the record's identity. A disabled record is matched by content if no active one
 * is, which enables it, and takes part in no RRset.
 */
export function planState(
  live: Iterable<LiveRecord>,
  desired: Iterable<Desired>,
  staying: Staying = "disabled",
): StatePlan {
  return atOnce(planningState(live, desired, staying));
}

/** {@link planState} in steps. */
export function* planningState(
  live: Iterable<LiveRecord>,
  desired: Iterable<Desired>,
  staying: Staying = "disabled",
): Steps<StatePlan> {
  const known: Known[] = [];
  const byContent = new ByContent();
  for (const record of live) {
    const one = { record, isLeft: true };
    known.push(one);
    byContent.add(one);
    yield;
  }
  const updates: PlannedChange[] = [];
  let unchanged = 0;
  const settle = (match: Known, want: Desired) => {
    const { record: before } = match;
    match.isLeft = false;
    if (isAsWanted(before, want)) {
      unchanged++;
      return;
    }
    const after = draftOf(want.id === undefined ? asFirstWritten(want, before) : want, before);
    if (isUnchanged(before, after)) unchanged++;
    else updates.push({ action: "update", id: before.id, before, after });
  };

  const unmatchedById: Desired[] = [];
  let byId: Map<string, Known> | null = null;
  for (const want of desired) {
    if (want.id !== undefined) byId ??= new Map(yield* mapped(known, (one) => [one.record.id, one] as const));
    const before = want.id === undefined ? undefined : byId?.get(want.id);
    if (before?.isLeft) settle(before, want);
    else unmatchedById.push(want);
    yield;
  }
  const unmatched: Desired[] = [];
  for (const want of unmatchedById) {
    const before = leftOf(byContent.like(want), want.status ?? "active");
    if (before) settle(before, want);
    else unmatched.push(want);
    yield;
  }
  const leftByRrset =
    staying === "all"
      ? new Map<string, Known[]>()
      : yield* grouped(known, ({ record, isLeft }) => (isLeft && isActive(record) ? rrsetKey(record) : undefined));
  const creates: PlannedChange[] = [];
  for (const want of unmatched) {
    const before = want.id === undefined ? leftByRrset.get(rrsetKey(want))?.pop() : undefined;
    if (before) settle(before, want);
    else
      creates.push({
        action: "create",
        id: want.id ?? newId(),
        before: null,
        after: draftOf(want, { ...noNotes, ...want }),
      });
    yield;
  }
  const deletes: PlannedChange[] = [];
  for (const { record: before, isLeft } of staying === "all" ? [] : known) {
    const isGone = isLeft && (staying === "none" || isActive(before));
    if (isGone) deletes.push({ action: "delete", id: before.id, before, after: null });
    yield;
  }
  return { changes: [...deletes, ...updates, ...creates], unchanged };
}

/**
 * Gives every RRset that the changes write to a single TTL (RFC 2181 §5.2): the last change's TTL, applied to the RRset's other changes
 * and live records. Disabled records belong to no RRset.
 */
export function withOneTtl(live: readonly LiveRecord[], changes: readonly PlannedChange[]): PlannedChange[] {
  return atOnce(aligningTtls(live, changes));
}

/** {@link withOneTtl} in steps. */
export function* aligningTtls(live: readonly LiveRecord[], changes: readonly PlannedChange[]): Steps<PlannedChange[]> {
  const ttls = new Map<string, number>();
  const known = new Set<string>();
  const names = new Set<string>();
  for (const { id, after } of changes) {
    if (after && isActive(after)) {
      ttls.set(ttlKey(after), after.ttl);
      names.add(after.name);
    }
    known.add(id);
    yield;
  }
  const align = <Data extends StatedData>(record: Data): Data =>
    isActive(record) ? { ...record, ttl: ttls.get(ttlKey(record)) ?? record.ttl } : record;
  // Most records have a name that no change has.
  const isAligned = (record: LiveRecord) =>
    !names.has(record.name) || !isActive(record) || (ttls.get(ttlKey(record)) ?? record.ttl) === record.ttl;
  const deletes = yield* filtered(changes, ({ action }) => action === "delete");
  const aligned = (before: LiveRecord, after: RecordDraft): PlannedChange[] => {
    const change = { action: "update" as const, id: before.id, before, after: align(after) };
    return isUnchanged(before, change.after) ? [] : [change];
  };
  const updates = yield* flatMapped(changes, ({ action, before, after }) =>
    action === "update" ? aligned(before, after) : [],
  );
  const others = yield* flatMapped(live, (before) =>
    known.has(before.id) || isAligned(before) ? [] : aligned(before, draftOf(before, before)),
  );
  const creates = yield* flatMapped(changes, (change) =>
    change.action === "create" ? [{ ...change, after: align(change.after) }] : [],
  );
  return [...deletes, ...updates, ...others, ...creates];
}

/** A live record, and whether no desired one is matched with it yet. */
interface Known {
  readonly record: LiveRecord;
  isLeft: boolean;
}

/** Live records by name, type and value. Most names have one record: looking these up by name alone costs much less. */
class ByContent {
  /** Null for names with more records, which are in `#byKey`. */
  readonly #lone = new Map<string, Known | null>();
  readonly #byKey = new Map<string, Known[]>();

  add(known: Known): void {
    const { name } = known.record;
    const other = this.#lone.get(name);
    if (other === undefined) {
      this.#lone.set(name, known);
      return;
    }
    if (other !== null) {
      this.#lone.set(name, null);
      this.#addByKey(other);
    }
    this.#addByKey(known);
  }

  #addByKey(known: Known): void {
    const key = recordKey(known.record);
    const same = this.#byKey.get(key);
    if (same) same.push(known);
    else this.#byKey.set(key, [known]);
  }

  /** Returns what has the content of a record: one, several or none. */
  like(record: RecordData): Known | readonly Known[] | undefined {
    const lone = this.#lone.get(record.name);
    if (lone === null) return this.#byKey.get(recordKey(record));
    return lone && hasContent(lone.record, record) ? lone : undefined;
  }
}

function hasContent(one: RecordData, other: RecordData): boolean {
  return one.recordType === other.recordType && one.value === other.value && sameStrings(one.strings, other.strings);
}

/** Returns the first record with this status that is not matched yet, else the first with another; undefined if all are matched. */
function leftOf(alike: Known | readonly Known[] | undefined, status: StatedData["status"]): Known | undefined {
  if (alike === undefined) return undefined;
  if ("record" in alike) return alike.isLeft ? alike : undefined;
  let other: Known | undefined;
  for (const one of alike) {
    if (!one.isLeft) continue;
    if (one.record.status === status) return one;
    other ??= one;
  }
  return other;
}

/** Returns a desired record with those of its names that a live record has, too, as they are written there. */
function asFirstWritten(want: Desired, { name, value, writtenName, writtenValue }: LiveRecord): Desired {
  return {
    ...want,
    writtenName: want.name === name ? writtenName : want.writtenName,
    writtenValue: want.value === value ? writtenValue : want.writtenValue,
  };
}

/** Returns whether a record matched by content stays as it is. Most records do, and need no draft. */
function isAsWanted(before: LiveRecord, want: Desired): boolean {
  return (
    want.id === undefined &&
    (want.status ?? "active") === before.status &&
    (want.comment === undefined || want.comment === before.comment) &&
    sameData(before, want)
  );
}

function draftOf(want: Desired, notes: RecordNotes): RecordDraft {
  const comment = want.comment === undefined ? notes.comment : want.comment;
  return { ...dataOf(want), status: want.status ?? "active", ...notesOf(notes), comment };
}

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
