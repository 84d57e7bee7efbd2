import type { RecordData } from "../../dns/record.ts";
import type { BeforeCall, RecordChange } from "../provider.ts";
import type { RecordCalls, StoredRecord } from "./stored-records.ts";

/** Calls of which each is announced before it is made: those that make the changes, and those that take them back. */
export interface WatchedCalls {
  forth: RecordCalls;
  back: RecordCalls;
}

/** @param present the records that are there. */
export function watched(calls: RecordCalls, present: readonly StoredRecord[], beforeCall: BeforeCall): WatchedCalls {
  const known = new Map(present.map(({ id, data }) => [id, data]));
  const announce = async (before: RecordData | null, after: RecordData | null) =>
    await beforeCall(changeOf(before, after));
  const nothing = async () => await beforeCall([]);
  return {
    forth: {
      create: (record) => announce(null, record).then(() => calls.create(record)),
      update: (id, record) => announce(known.get(id) ?? null, record).then(() => calls.update(id, record)),
      remove: (id) => announce(known.get(id) ?? null, null).then(() => calls.remove(id)),
    },
    back: {
      create: (record) => nothing().then(() => calls.create(record)),
      update: (id, record) => nothing().then(() => calls.update(id, record)),
      remove: (id) => nothing().then(() => calls.remove(id)),
    },
  };
}

function changeOf(before: RecordData | null, after: RecordData | null): RecordChange[] {
  if (before && after) return [{ action: "update", before, after }];
  if (before) return [{ action: "delete", before, after: null }];
  return after ? [{ action: "create", before: null, after }] : [];
}
