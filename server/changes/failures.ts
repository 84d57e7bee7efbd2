import type { PlannedChange } from "../dns/record.ts";

/** A change that was refused, as the history stores it. */
export interface Failure {
  action: "create" | "update" | "delete";
  recordType: string;
  name: string;
  value: string;
  error: string;
}

/** Returns the history's entry for a refused change. */
export function failureOf(change: PlannedChange, error: string): Failure {
  const { recordType, name, value } = change.after ?? change.before;
  return { action: change.action, recordType, name, value, error };
}

/** The history shows as many of a change set. */
const storedFailures = 100;

/** Returns the stored form of failures. */
export function failuresText(failures: readonly Failure[]): string {
  return JSON.stringify(failures.slice(0, storedFailures));
}
