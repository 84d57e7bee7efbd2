import { newId } from "../platform/ids.ts";
import { atOnce, filtered, flatMapped, grouped, type Steps } from "../platform/slices.ts";
import {
  dataOf,
  isUnchanged,
  noNotes,
  notesOf,
  recordKey,
  isActive,
  rrsetKey,
  ttlKey,
  type LiveRecord,
  type PlannedChange,
  type RecordData,
  type RecordDraft,
  type RecordNotes,
  type StatedData,
} from "./record.ts";

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
  const byId = new Map<string, LiveRecord>();
  const byKey = new Map<string, LiveRecord[]>();
  for (const record of live) {
    byId.set(record.id, record);
    const key = recordKey(record);
    const same = byKey.get(key);
    if (same) same.push(record);
    else byKey.set(key, [record]);
    yield;
  }
  const updates: PlannedChange[] = [];
  let unchanged = 0;
  const settle = (before: LiveRecord, want: Desired) => {
    byId.delete(before.id);
    const after = draftOf(want.id === undefined ? asFirstWritten(want, before) : want, before);
    if (isUnchanged(before, after)) unchanged++;
    else updates.push({ action: "update", id: before.id, before, after });
  };

  const unmatchedById: Desired[] = [];
  for (const want of desired) {
    const before = want.id === undefined ? undefined : byId.get(want.id);
    if (before) settle(before, want);
    else unmatchedById.push(want);
    yield;
  }
  const unmatched: Desired[] = [];
  for (const want of unmatchedById) {
    const left = byKey.get(recordKey(want))?.filter(({ id }) => byId.has(id)) ?? [];
    const before = left.find(({ status }) => status === (want.status ?? "active")) ?? left[0];
    if (before) settle(before, want);
    else unmatched.push(want);
    yield;
  }
  const leftByRrset =
    staying === "all"
      ? new Map<string, LiveRecord[]>()
      : yield* grouped(byId.values(), (record) => (isActive(record) ? rrsetKey(record) : undefined));
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
  const left = staying === "all" ? [] : byId.values();
  const deletes = yield* flatMapped(left, (before): PlannedChange[] =>
    staying === "none" || isActive(before) ? [{ action: "delete", id: before.id, before, after: null }] : [],
  );
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
  for (const { id, after } of changes) {
    if (after && isActive(after)) ttls.set(ttlKey(after), after.ttl);
    known.add(id);
    yield;
  }
  const align = <Data extends StatedData>(record: Data): Data =>
    isActive(record) ? { ...record, ttl: ttls.get(ttlKey(record)) ?? record.ttl } : record;
  const deletes = yield* filtered(changes, ({ action }) => action === "delete");
  const aligned = (before: LiveRecord, after: RecordDraft): PlannedChange[] => {
    const change = { action: "update" as const, id: before.id, before, after: align(after) };
    return isUnchanged(before, change.after) ? [] : [change];
  };
  const updates = yield* flatMapped(changes, ({ action, before, after }) =>
    action === "update" ? aligned(before, after) : [],
  );
  const others = yield* flatMapped(live, (before) =>
    known.has(before.id) ? [] : aligned(before, draftOf(before, before)),
  );
  const creates = yield* flatMapped(changes, (change) =>
    change.action === "create" ? [{ ...change, after: align(change.after) }] : [],
  );
  return [...deletes, ...updates, ...others, ...creates];
}

/** Returns a desired record with those of its names that a live record has, too, as they are written there. */
function asFirstWritten(want: Desired, { name, value, writtenName, writtenValue }: LiveRecord): Desired {
  return {
    ...want,
    writtenName: want.name === name ? writtenName : want.writtenName,
    writtenValue: want.value === value ? writtenValue : want.writtenValue,
  };
}

function draftOf(want: Desired, notes: RecordNotes): RecordDraft {
  const comment = want.comment === undefined ? notes.comment : want.comment;
  return { ...dataOf(want), status: want.status ?? "active", ...notesOf(notes), comment };
}
