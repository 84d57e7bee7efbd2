import type { RecordData } from "../../dns/record.ts";
import type { BeforeCall, RecordChange } from "../provider.ts";
import type { RecordCalls, StoredRecord } from "./stored-records.ts";

/** Calls that are announced to `beforeCall` before they are made. */
export interface AnnouncedCalls {
  /** Calls that make changes, announced with the change that each makes. */
  apply: RecordCalls;
  /** Calls that undo earlier ones, announced without changes. */
  undo: RecordCalls;
}

/** @param present the records that exist, to announce what an update or a deletion replaces. */
export function announced(
  calls: RecordCalls,
  present: readonly StoredRecord[],
  beforeCall: BeforeCall,
): AnnouncedCalls {
  const known = new Map(present.map(({ id, data }) => [id, data]));
  const announce = async (before: RecordData | null, after: RecordData | null) =>
    await beforeCall(changeOf(before, after));
  const announceUndo = async () => await beforeCall([]);
  return {
    apply: {
      create: (record) => announce(null, record).then(() => calls.create(record)),
      update: (id, record) => announce(known.get(id) ?? null, record).then(() => calls.update(id, record)),
      remove: (id) => announce(known.get(id) ?? null, null).then(() => calls.remove(id)),
    },
    undo: {
      create: (record) => announceUndo().then(() => calls.create(record)),
      update: (id, record) => announceUndo().then(() => calls.update(id, record)),
      remove: (id) => announceUndo().then(() => calls.remove(id)),
    },
  };
}

function changeOf(before: RecordData | null, after: RecordData | null): RecordChange[] {
  if (before && after) return [{ action: "update", before, after }];
  if (before) return [{ action: "delete", before, after: null }];
  return after ? [{ action: "create", before: null, after }] : [];
}
