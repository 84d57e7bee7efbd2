import type { ChangeOutcome, RecordChange } from "../provider.ts";

/** Returns a success for every change. */
export function allMade(changes: readonly unknown[]): ChangeOutcome[] {
  return changes.map(() => ({ ok: true }));
}

/** Returns one outcome per change: a refusal for changes that have one. */
export function outcomesFrom(
  changes: readonly RecordChange[],
  refusals: ReadonlyMap<RecordChange, string>,
): ChangeOutcome[] {
  return changes.map((change) => {
    const message = refusals.get(change);
    return message === undefined ? { ok: true } : { ok: false, message };
  });
}

/** Returns the outcomes of an atomic set: one refusal refuses all. */
export function allOrNone(outcomes: ChangeOutcome[]): ChangeOutcome[] {
  const refusal = outcomes.find((outcome) => !outcome.ok);
  if (!refusal || refusal.ok) return outcomes;
  const message = notDone(refusal.message);
  return outcomes.map((outcome) => (outcome.ok ? { ok: false, message } : outcome));
}

/** Returns the message of a change that was not made because another change of its set was refused. */
export function notDone(reason: string): string {
  return `Not applied because another change in the set was refused: ${reason}`;
}
