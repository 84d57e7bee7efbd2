import { newId } from "../ids.ts";
import { dataOf, isUnchanged, type LiveRecord, type PlannedChange, type RecordDraft } from "./live-record.ts";
import { recordKey, rrsetKey, ttlKey, type RecordData } from "./record.ts";

/** A desired record. With an `id` it is a known record (rollback), without one it is matched by what it says (sync, import). */
export interface Desired extends RecordData {
  id?: string;
  comment?: string | null;
}

export interface StatePlan {
  changes: PlannedChange[];
  unchanged: number;
}

/**
 * What turns the live records into the desired ones. Records are matched by id, then by (type, name, value), then within
 * an RRset: a value replaced by another there is an update, so that the record keeps its identity.
 * @param keepOthers live records that nothing matches stay (merge); else they are deleted.
 */
export function planState(live: Iterable<LiveRecord>, desired: Iterable<Desired>, keepOthers = false): StatePlan {
  const byId = new Map<string, LiveRecord>();
  const byKey = new Map<string, LiveRecord[]>();
  for (const record of live) {
    byId.set(record.id, record);
    const key = recordKey(record);
    const same = byKey.get(key);
    if (same) same.push(record);
    else byKey.set(key, [record]);
  }
  const updates: PlannedChange[] = [];
  let unchanged = 0;
  const settle = (before: LiveRecord, want: Desired) => {
    byId.delete(before.id);
    const after = draftOf(want, before.comment);
    if (isUnchanged(before, after)) unchanged++;
    else updates.push({ action: "update", id: before.id, before, after });
  };

  const unmatchedById: Desired[] = [];
  for (const want of desired) {
    const before = want.id === undefined ? undefined : byId.get(want.id);
    if (before) settle(before, want);
    else unmatchedById.push(want);
  }
  const unmatched: Desired[] = [];
  for (const want of unmatchedById) {
    const before = byKey.get(recordKey(want))?.find(({ id }) => byId.has(id));
    if (before) settle(before, want);
    else unmatched.push(want);
  }
  const leftByRrset = keepOthers ? new Map<string, LiveRecord[]>() : Map.groupBy(byId.values(), rrsetKey);
  const creates: PlannedChange[] = [];
  for (const want of unmatched) {
    const before = want.id === undefined ? leftByRrset.get(rrsetKey(want))?.pop() : undefined;
    if (before) settle(before, want);
    else creates.push({ action: "create", id: want.id ?? newId(), before: null, after: draftOf(want, null) });
  }
  const left = keepOthers ? [] : [...byId.values()];
  const deletes = left.map((before): PlannedChange => ({ action: "delete", id: before.id, before, after: null }));
  return { changes: [...deletes, ...updates, ...creates], unchanged };
}

/**
 * Gives each RRset that some changes write to one TTL, that of the last of them (RFC 2181 §5.2): the other changes and
 * the live records of the RRset take it over.
 */
export function withOneTtl(live: readonly LiveRecord[], changes: readonly PlannedChange[]): PlannedChange[] {
  const ttls = new Map(changes.flatMap(({ after }) => (after ? [[ttlKey(after), after.ttl] as const] : [])));
  const align = <Data extends RecordData>(record: Data): Data => ({
    ...record,
    ttl: ttls.get(ttlKey(record)) ?? record.ttl,
  });
  const known = new Set(changes.map(({ id }) => id));
  const others = live.filter(({ id }) => !known.has(id));
  const updates = [
    ...changes.filter((change) => change.action === "update"),
    ...others.map((before) => ({ action: "update" as const, id: before.id, before, after: draftOf(before, null) })),
  ];
  return [
    ...changes.filter(({ action }) => action === "delete"),
    ...updates
      .map(({ action, id, before, after }) => ({ action, id, before, after: align(after) }))
      .filter(({ before, after }) => !isUnchanged(before, after)),
    ...changes.flatMap((change) => (change.action === "create" ? [{ ...change, after: align(change.after) }] : [])),
  ];
}

function draftOf(want: Desired, comment: string | null): RecordDraft {
  return { ...dataOf(want), comment: want.comment === undefined ? comment : want.comment };
}
