import type { Failure } from "../changes/failures.ts";
import type { ChangeSetState } from "../database/tables/change-sets.ts";

interface EndedSet {
  state: ChangeSetState;
  failures: unknown;
  unknown: number | null;
  creates: number;
  updates: number;
  deletes: number;
}

/** Returns why a change set did not make all of its changes; null if it did. */
export function failureOfSet({ state, failures, creates, updates, deletes }: EndedSet): string | null {
  if (state === "applied") return null;
  const stored: unknown = typeof failures === "string" ? JSON.parse(failures) : failures;
  const [first] = (stored ?? []) as Failure[];
  const message = first?.error ?? "The change was not made.";
  const done = creates + updates + deletes;
  return done === 0 ? message : `Only ${done} changes were made; see the history. ${message}`;
}

/** Returns whether a change set is known to have changed nothing. */
export function didNothing({ state, unknown, creates, updates, deletes }: EndedSet): boolean {
  return state === "failed" && unknown === null && creates + updates + deletes === 0;
}
