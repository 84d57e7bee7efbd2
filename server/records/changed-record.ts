import type { ChangeResult } from "../changes/pipeline.ts";
import { asWritten, type PlannedChange } from "../dns/record.ts";
import { AppError } from "../platform/errors.ts";
import type { EditPlan } from "./editing/plan-edits.ts";
import { recordView } from "./list.ts";

/** Returns the record that a single edit left; null if it deleted the record. @throws AppError PROVIDER_ERROR when the provider refused the edit */
export function recordAfter({ planned, outcomes, at }: ChangeResult<EditPlan>) {
  const [edit] = planned.outcomes;
  if (!edit?.ok) return null;
  // Other changes align the TTL of the record's RRset; the history shows their outcomes.
  const index = planned.changes.findIndex(({ id }) => id === edit.id);
  const [change, outcome] = [planned.changes[index], outcomes[index]];
  if (!change) return edit.before && recordView(planned.zone.id, edit.before);
  if (!outcome?.ok) throw new AppError("PROVIDER_ERROR", outcome?.message ?? "refused");
  return afterChange(planned.zone.id, change, at);
}

/** Returns the record as a change leaves it. */
export function afterChange(domainId: string, { id, before, after }: PlannedChange, now: Date) {
  if (!after) return null;
  const version = (before?.version ?? 0) + 1;
  return {
    ...asWritten(after),
    id,
    domainId,
    version,
    serverManaged: false,
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
  };
}
