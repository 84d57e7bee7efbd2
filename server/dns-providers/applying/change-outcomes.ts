import type { ChangeOutcome, RecordChange } from "../provider.ts";

/** Every change made. */
export function allMade(changes: readonly unknown[]): ChangeOutcome[] {
  return changes.map(() => ({ ok: true }));
}

/** One outcome for each change: those that have a reason were refused. */
export function outcomesFrom(
  changes: readonly RecordChange[],
  refusals: ReadonlyMap<RecordChange, string>,
): ChangeOutcome[] {
  return changes.map((change) => {
    const message = refusals.get(change);
    return message === undefined ? { ok: true } : { ok: false, message };
  });
}

/** The outcomes of changes of which all or none are made: one refusal refuses all. */
export function allOrNone(outcomes: ChangeOutcome[]): ChangeOutcome[] {
  const refusal = outcomes.find((outcome) => !outcome.ok);
  if (!refusal || refusal.ok) return outcomes;
  const message = notDone(refusal.message);
  return outcomes.map((outcome) => (outcome.ok ? { ok: false, message } : outcome));
}

/** Why a change was not made against which nothing spoke but the refusal of another one of its set. */
export function notDone(reason: string): string {
  return `Not done, because another change of the set was refused: ${reason}`;
}
