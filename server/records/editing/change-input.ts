import { AppError, type Issue } from "../../platform/errors.ts";
import type { ChangeInput } from "../change-schemas.ts";
import type { Edit } from "./edits.ts";

/** Returns the edits that a plan's changes ask for. @throws AppError BAD_REQUEST when two of them name one record */
export function editsOf(changes: readonly ChangeInput[]): Edit[] {
  const issues: Issue[] = [];
  const seen = new Set<string>();
  const edits = changes.map((change, index): Edit => {
    if (change.action === "create") return { action: "create", input: change.record };
    const { recordId } = change;
    if (seen.has(recordId)) {
      const message = "This record is changed twice in one plan; make it one change.";
      issues.push({ path: ["changes", index, "recordId"], message });
    }
    seen.add(recordId);
    return change.action === "delete"
      ? { action: "delete", recordId }
      : { action: "update", recordId, patch: change.record };
  });
  const [first] = issues;
  if (first) throw new AppError("BAD_REQUEST", `${first.path.join(".")}: ${first.message}`, { issues });
  return edits;
}
