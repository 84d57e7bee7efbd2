import { notDone } from "../dns-providers/applying/change-outcomes.ts";
import type { ChangeOutcome, RecordChange } from "../dns-providers/provider.ts";
import { dataOf, sameData, type PlannedChange } from "../dns/record.ts";

/** The part of a change set that is sent to the provider. */
export interface ProviderPart {
  sent: RecordChange[];
  /** Returns the outcomes of all changes, from those of the changes sent. */
  outcomesOf: (answers: readonly ChangeOutcome[]) => ChangeOutcome[];
}

/**
 * Returns the part of planned changes that concerns the provider. A change of a comment does not; in an atomic set it succeeds only if the
 * provider refuses nothing. Pure.
 */
export function providerPart(changes: readonly PlannedChange[], atomic: boolean): ProviderPart {
  const concerned = changes.map((change) => !(change.action === "update" && sameData(change.before, change.after)));
  return {
    sent: changes.filter((_, index) => concerned[index]).map(asSent),
    outcomesOf: (answers) => {
      const refusal = atomic ? answers.find((answer) => !answer.ok) : undefined;
      const comment: ChangeOutcome =
        refusal && !refusal.ok ? { ok: false, message: notDone(refusal.message) } : { ok: true };
      let next = 0;
      return concerned.map((was): ChangeOutcome => {
        const outcome = was ? answers[next++] : comment;
        return outcome ?? { ok: false, message: "The provider gave no answer." };
      });
    },
  };
}

function asSent({ action, before, after }: PlannedChange): RecordChange {
  if (action === "create") return { action, before: null, after: dataOf(after) };
  if (action === "update") return { action, before: dataOf(before), after: dataOf(after) };
  return { action, before: dataOf(before), after: null };
}
