import { notDone } from "../dns-providers/applying/change-outcomes.ts";
import type { ChangeOutcome, RecordChange } from "../dns-providers/provider.ts";
import { dataOf, sameData, type PlannedChange } from "../dns/live-record.ts";

/** The part of a change set that its provider is told of. */
export interface ProviderPart {
  sent: RecordChange[];
  /** Outcomes of all changes from those of what was sent. */
  outcomesOf: (answers: readonly ChangeOutcome[]) => ChangeOutcome[];
}

/**
 * What of planned changes a provider has something to do for: a comment is ours alone. Where all or none are to be made, comments too are kept
 * only if nothing is refused. Pure.
 */
export function providerPart(changes: readonly PlannedChange[], together: boolean): ProviderPart {
  const concerned = changes.map((change) => !(change.action === "update" && sameData(change.before, change.after)));
  return {
    sent: changes.filter((_, index) => concerned[index]).map(asSent),
    outcomesOf: (answers) => {
      const refusal = together ? answers.find((answer) => !answer.ok) : undefined;
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
