import type { RouterOutputs } from "@zonewright/client";
import type { Edit } from "./draft.ts";

type Plan = Pick<RouterOutputs["records"]["plan"], "creates" | "updates" | "deletes" | "revision">;
type Entry = RouterOutputs["records"]["history"]["entries"][number];
type ChangeSet = Pick<Entry, "actorId" | "tsigKey" | "creates" | "updates" | "deletes" | "changes">;

/** A draft that was sent, until its answer is there. */
export interface Sent {
  edits: readonly Edit[];
  /** What was to be applied. It can only be applied to the revision that it was made against. */
  plan: Plan;
}

const nameOf = ({ recordType, name, value }: Plan["creates"][number]) => JSON.stringify([recordType, name, value]);

/** Whether a change set is what a sent draft became. @param made the change set that led to the revision after the plan's */
export function isMadeBy({ plan }: Sent, made: ChangeSet, userId: string): boolean {
  if (made.actorId !== userId || made.tsigKey !== null) return false;
  // The name server may have deleted more by itself.
  if (made.creates !== plan.creates.length || made.updates !== plan.updates.length) return false;
  if (made.deletes < plan.deletes.length) return false;
  const created = new Set(plan.creates.map(nameOf));
  const updated = new Set(plan.updates.map(({ id }) => id));
  const deleted = new Set(made.changes.flatMap(({ action, recordId }) => (action === "delete" ? [recordId] : [])));
  // A large change set lists only its first changes.
  const isWhole = made.changes.length === made.creates + made.updates + made.deletes;
  if (isWhole && !plan.deletes.every(({ id }) => deleted.has(id))) return false;
  return made.changes.every(({ action, recordId, after }) => {
    if (action === "delete") return true;
    return action === "create" ? after !== null && created.has(nameOf(after)) : updated.has(recordId);
  });
}
