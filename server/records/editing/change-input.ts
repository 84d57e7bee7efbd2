import { AppError, type Issue } from "../../errors.ts";
import { inputError } from "../../input-error.ts";
import { recordInput } from "../schemas.ts";
import type { RecordInput } from "./drafts.ts";
import type { Edit } from "./edits.ts";

/** One change of a plan as a client gives it. */
export interface ChangeInput {
  action: "create" | "update" | "delete";
  recordId?: string | undefined;
  record?: Partial<RecordInput> | undefined;
}

/** Plan and apply take loose changes; here each gets what its action needs, and nothing else. @throws AppError BAD_REQUEST with `issues` */
export function editsOf(changes: readonly ChangeInput[]): Edit[] {
  const issues: Issue[] = [];
  const seen = new Set<string>();
  const edits = changes.flatMap((change, index): Edit[] => {
    const at = (field: string, message: string) => issues.push({ path: ["changes", index, field], message });
    if (change.action === "create") {
      if (change.recordId !== undefined) at("recordId", "A record that is created has no id yet; leave it out.");
      const parsed = recordInput.safeParse(change.record);
      if (parsed.success) return [{ action: "create", input: parsed.data }];
      for (const { path, message } of inputError(parsed.error).issues ?? [])
        issues.push({ path: ["changes", index, "record", ...path], message });
      return [];
    }
    if (change.recordId === undefined) {
      at("recordId", `Say which record to ${change.action}.`);
      return [];
    }
    if (seen.has(change.recordId)) at("recordId", "This record is changed twice in one plan; make it one change.");
    seen.add(change.recordId);
    if (change.action === "delete") {
      if (change.record !== undefined) at("record", "A record that is deleted needs no fields; leave them out.");
      return [{ action: "delete", recordId: change.recordId }];
    }
    return [{ action: "update", recordId: change.recordId, patch: change.record ?? {} }];
  });
  const [first] = issues;
  if (first) throw new AppError("BAD_REQUEST", `${first.path.join(".")}: ${first.message}`, { issues });
  return edits;
}
