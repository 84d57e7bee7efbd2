import { notDone } from "../dns-providers/applying/change-outcomes.ts";
import type { ChangeOutcome, RecordChange } from "../dns-providers/provider.ts";
import { dataOf, sameData, sameSpelling, servedChange, type PlannedChange } from "../dns/record.ts";

/** The part of a change set that is sent to the provider. */
export interface ProviderPart {
  sent: RecordChange[];
  /** Returns the outcomes of all changes, from those of the changes sent. */
  outcomesOf: (answers: readonly ChangeOutcome[]) => ChangeOutcome[];
}

/**
 * Returns the part of planned changes that concerns the provider. A change of a comment does not, nor one of a disabled record; in an atomic
 * set such a change succeeds only if the provider refuses nothing. Pure.
 */
export function providerPart(changes: readonly PlannedChange[], atomic: boolean): ProviderPart {
  const parts = changes.map(partOf);
  return {
    sent: parts.flatMap((part) => part ?? []),
    outcomesOf: (answers) => {
      const refusal = atomic ? answers.find((answer) => !answer.ok) : undefined;
      const unsent: ChangeOutcome =
        refusal && !refusal.ok ? { ok: false, message: notDone(refusal.message) } : { ok: true };
      let next = 0;
      return parts.map((part): ChangeOutcome => {
        const outcome = part ? answers[next++] : unsent;
        return outcome ?? { ok: false, message: "The provider gave no answer." };
      });
    },
  };
}

/** Returns what the provider is to do for a change; null for nothing. */
function partOf(change: PlannedChange): RecordChange | null {
  const served = servedChange(change);
  if (served === null) return null;
  const { action, before, after } = served;
  if (action === "update" && sameData(before, after) && sameSpelling(before, after)) return null;
  if (action === "create") return { action, before: null, after: dataOf(after) };
  if (action === "update") return { action, before: dataOf(before), after: dataOf(after) };
  return { action, before: dataOf(before), after: null };
}
