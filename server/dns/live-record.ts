import type { RecordData } from "./record.ts";
import { sameStrings } from "./values/character-strings.ts";

/** A record as the newest revision has it. */
export interface LiveRecord extends RecordData {
  id: string;
  /** Counts the versions of this record, from 1; its ETag. */
  version: number;
  status: "active" | "disabled";
  comment: string | null;
  createdAt: Date;
  updatedAt: Date;
  /** A TXT that 0.1 stored, without how it is cut, and that was not read from its provider since. `strings` is null then. */
  splitUnread?: true;
}

/** What a record is to become. */
export interface RecordDraft extends RecordData {
  comment: string | null;
}

/** One step of a plan. `before` and `after` are canonical. */
export type PlannedChange =
  | { action: "create"; id: string; before: null; after: RecordDraft }
  | { action: "update"; id: string; before: LiveRecord; after: RecordDraft }
  | { action: "delete"; id: string; before: LiveRecord; after: null };

const dataFields = ["recordType", "name", "value", "strings", "ttl", "priority", "proxied"] as const;

/** Whether two records are the same to a DNS provider. */
export function sameData(a: RecordData, b: RecordData): boolean {
  return dataFields.every((field) => sameField(a, b, field));
}

function sameField(a: RecordData, b: RecordData, field: (typeof dataFields)[number]): boolean {
  return field === "strings" ? sameStrings(a.strings, b.strings) : a[field] === b[field];
}

/** Whether a record is to stay just as it is, its comment too. */
export function isUnchanged(before: LiveRecord, after: RecordDraft): boolean {
  return sameData(before, after) && before.comment === after.comment;
}

/** The fields that differ, each as `[old, new]` (the interface, snapshot difference). */
export function changedFields(before: RecordData, after: RecordData): Record<string, [unknown, unknown]> {
  return Object.fromEntries(
    dataFields
      .filter((field) => !sameField(before, after, field))
      .map((field) => [field, [before[field], after[field]]]),
  );
}

/** Only what a provider knows of a record. */
export function dataOf({ recordType, name, value, strings, ttl, priority, proxied }: RecordData): RecordData {
  return { recordType, name, value, strings, ttl, priority, proxied };
}

/** How many there are of each action. */
export function countActions(changes: readonly { action: "create" | "update" | "delete" }[]) {
  const counts = { creates: 0, updates: 0, deletes: 0 };
  for (const { action } of changes) counts[`${action}s`]++;
  return counts;
}
