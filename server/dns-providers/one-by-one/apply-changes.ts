import { applyToRecords, type RecordStore } from "../applying/apply-to-records.ts";
import { allOrNone, notDone } from "../applying/change-outcomes.ts";
import type { BeforeCall, ChangeOutcome, RecordChange } from "../provider.ts";
import { carryOut } from "./carry-out.ts";
import { planSteps } from "./plan-steps.ts";
import type { RecordCalls, StoredRecord } from "./stored-records.ts";
import { watched } from "./watched-calls.ts";

export interface OneByOneChanges {
  /** Records of all names that the changes touch, without those that the vendor keeps as its own. */
  present: readonly StoredRecord[];
  changes: readonly RecordChange[];
  /** One refusal refuses all; what was done by then is taken back. */
  together: boolean;
  store: RecordStore;
  calls: RecordCalls;
  beforeCall?: BeforeCall | undefined;
}

/**
 * Changes for a vendor that takes one record at a time and knows no transaction. What the records that are there forbid is refused
 * before anything is sent. @throws ProviderError as `carryOut` does
 */
export async function applyOneByOne(given: OneByOneChanges): Promise<ChangeOutcome[]> {
  const { present, changes, together, store, calls, beforeCall = () => Promise.resolve() } = given;
  const judged = applyToRecords(
    present.map(({ data }) => data),
    changes,
    store,
  ).outcomes;
  const outcomes = together ? allOrNone(judged) : judged;
  const standing = changes.filter((_change, index) => outcomes[index]?.ok);
  const refused = await carryOut(planSteps(present, standing), watched(calls, present, beforeCall), together);
  const [first] = refused.values();
  if (first === undefined) return outcomes;
  const reasons = new Map([...refused].flatMap(([{ changes }, reason]) => changes.map((change) => [change, reason])));
  return outcomes.map((outcome, index) => {
    const change = changes[index];
    const reason = change && reasons.get(change);
    if (reason !== undefined) return { ok: false, message: reason };
    return outcome.ok && together ? { ok: false, message: notDone(first) } : outcome;
  });
}
