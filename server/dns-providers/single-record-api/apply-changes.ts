import { applyToRecords, allOrNone, notDone, type RecordStore } from "../applying/apply-to-records.ts";
import type { BeforeCall, ChangeOutcome, RecordChange } from "../provider.ts";
import { announced } from "./announced-calls.ts";
import { carryOut } from "./carry-out.ts";
import { planGroups } from "./plan-steps.ts";
import type { RecordCalls, StoredRecord } from "./stored-records.ts";

/** Calls in flight at once, unless an account says otherwise. */
const usualConcurrency = 4;

export interface ChangesToApply {
  /** All records of the names that the changes touch, without read-only ones. */
  present: readonly StoredRecord[];
  changes: readonly RecordChange[];
  /** Whether one refusal refuses all changes and undoes those already made. */
  atomic: boolean;
  store: RecordStore;
  calls: RecordCalls;
  concurrency?: number | undefined;
  beforeCall?: BeforeCall | undefined;
}

/**
 * Applies changes one record per call, for APIs without transactions. Changes that the present records rule out are refused before
 * anything is sent. @throws ProviderError as `carryOut` does
 */
export async function applyOneByOne(given: ChangesToApply): Promise<ChangeOutcome[]> {
  const { present, changes, atomic, store, calls, concurrency = usualConcurrency } = given;
  const judged = applyToRecords(
    present.map(({ data }) => data),
    changes,
    store,
  ).outcomes;
  const outcomes = atomic ? allOrNone(judged) : judged;
  const accepted = changes.filter((_change, index) => outcomes[index]?.ok);
  const groups = planGroups(present, accepted, atomic);
  const beforeCall = given.beforeCall ?? (() => Promise.resolve());
  const refusals = await carryOut(groups, announced(calls, present, beforeCall), concurrency);
  const messages = new Map<RecordChange, string>();
  for (const [group, { reason, steps }] of refusals) {
    const refused = new Set([...steps].flatMap((step) => step.changes));
    for (const change of group.changes) {
      messages.set(change, refused.size === 0 || refused.has(change) ? reason : notDone(reason));
    }
  }
  return outcomes.map((outcome, index) => {
    const change = changes[index];
    const message = change && messages.get(change);
    return message === undefined ? outcome : { ok: false, message };
  });
}
