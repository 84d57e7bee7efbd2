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
  /** Whether the service itself said that it failed. A provider may have made it even so. */
  isAnswered?: true;
}

type Data = Plan["creates"][number];

/** What a record says, without its TTL: a provider may have its own. */
const saysOf = ({ recordType, name, value, strings, proxied, status }: Data) =>
  JSON.stringify([recordType, name, value, strings, proxied, status]);

/** Whether a record became what an update was to make of it. The TTL counts where nothing else was to change. */
function isBecome({ before, after }: Plan["updates"][number], now: Data): boolean {
  return saysOf(now) === saysOf(after) && (now.ttl === after.ttl || saysOf(before) !== saysOf(after));
}

/** Whether a change set is what a sent draft became. @param made the change set that led to the revision after the plan's */
export function isMadeBy({ plan }: Sent, made: ChangeSet, userId: string): boolean {
  if (made.actorId !== userId || made.tsigKey !== null) return false;
  // The name server may have deleted more by itself.
  if (made.creates !== plan.creates.length || made.updates !== plan.updates.length) return false;
  if (made.deletes < plan.deletes.length) return false;
  const created = new Set(plan.creates.map(saysOf));
  const updated = new Map(plan.updates.map((update) => [update.id, update]));
  const deleted = new Set(made.changes.flatMap(({ action, recordId }) => (action === "delete" ? [recordId] : [])));
  // A large change set lists only its first changes.
  const isWhole = made.changes.length === made.creates + made.updates + made.deletes;
  if (isWhole && !plan.deletes.every(({ id }) => deleted.has(id))) return false;
  return made.changes.every(({ action, recordId, after }) => {
    if (action === "delete" || after === null) return action === "delete";
    const update = updated.get(recordId);
    return action === "create" ? created.has(saysOf(after)) : update !== undefined && isBecome(update, after);
  });
}
