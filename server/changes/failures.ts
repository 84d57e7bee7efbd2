import type { PlannedChange } from "../dns/live-record.ts";

/** A refused item, as the history keeps it. */
export interface Failure {
  action: "create" | "update" | "delete";
  recordType: string;
  name: string;
  value: string;
  error: string;
}

/** One item that was refused, and why. */
export function failureOf(change: PlannedChange, error: string): Failure {
  const { recordType, name, value } = change.after ?? change.before;
  return { action: change.action, recordType, name, value, error };
}

/** As many as the history shows. */
const keptFailures = 100;

/** As the database keeps them. */
export function failuresText(failures: readonly Failure[]): string {
  return JSON.stringify(failures.slice(0, keptFailures));
}
