import type { DnsRecord, RouterOutputs } from "@zonewright/client";
import { uniqueText } from "../../ui/unique-text.ts";
import { sameFields, type Draft, type Edit, type Fields } from "./draft.ts";

type Planned = Pick<RouterOutputs["records"]["plan"], "creates" | "updates" | "deletes">;

/** Why a plan does not fit into a draft: a record is no longer as the plan saw it, or the draft has other plans for it. */
export type Misfit = "outdated" | "edited";

/**
 * Returns a draft with the changes of a plan, for a person to go on with. What the draft has already is not added twice.
 * @param present the records that the plan is about, by their id
 */
export function withPlan(draft: Draft, plan: Planned, present: ReadonlyMap<string, DnsRecord>): Draft | Misfit {
  const edits = new Map(draft.edits.map((edit) => [edit.key, edit]));
  const added: Edit[] = [];
  for (const { id, before, after } of plan.updates) {
    const record = present.get(id);
    if (record?.value !== before.value || record.ttl !== before.ttl) return "outdated";
    added.push({ kind: "update", key: id, before: record, fields: plannedFields(after, record.comment) });
  }
  for (const { id, value, ttl } of plan.deletes) {
    const record = present.get(id);
    if (record?.value !== value || record.ttl !== ttl) return "outdated";
    added.push({ kind: "delete", key: id, before: record });
  }
  if (added.some((edit) => !isCompatible(edits.get(edit.key), edit))) return "edited";
  for (const edit of added) edits.set(edit.key, edit);
  for (const planned of plan.creates) {
    const fields = plannedFields(planned, null);
    const isThere = draft.edits.some((edit) => edit.kind === "create" && sameFields(edit.fields, fields));
    if (isThere) continue;
    const key = `new:${uniqueText()}`;
    edits.set(key, { kind: "create", key, fields });
  }
  return { edits: [...edits.values()] };
}

function plannedFields(planned: Planned["creates"][number], comment: string | null): Fields {
  const { recordType, name, value, strings, ttl, status, proxied } = planned;
  return { recordType, name, value, strings, ttl, comment, ...(status === "disabled" && { disabled: true }), proxied };
}

/** Whether a planned edit takes nothing away that the draft says of the record. */
function isCompatible(present: Edit | undefined, planned: Edit): boolean {
  if (!present) return true;
  if (present.kind === "delete" || planned.kind === "delete") return present.kind === planned.kind;
  return sameFields(present.fields, planned.fields);
}
