import { spellingOf, type PlannedChange, type Spelling } from "../dns/record.ts";

/** A change that was refused, as the history stores it. */
export interface Failure extends Spelling {
  action: "create" | "update" | "delete";
  recordType: string;
  name: string;
  value: string;
  error: string;
}

/** Returns the history's entry for a refused change. */
export function failureOf(change: PlannedChange, error: string): Failure {
  const record = change.after ?? change.before;
  const { recordType, name, value } = record;
  return { action: change.action, recordType, name, value, ...spellingOf(record), error };
}

/** The history shows as many of a change set. */
const storedFailures = 100;

/** Returns the stored form of failures. */
export function failuresText(failures: readonly Failure[]): string {
  return JSON.stringify(failures.slice(0, storedFailures));
}
