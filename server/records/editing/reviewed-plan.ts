import { createHash } from "node:crypto";
import type { ZoneContext } from "../../changes/pipeline.ts";
import type { PlannedChange } from "../../dns/record.ts";
import { AppError, type Issue } from "../../platform/errors.ts";
import { inSlices, type Steps } from "../../platform/slices.ts";
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
      const message = "The plan changes this record twice. Combine both into one change.";
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

/** Returns a hash of the zone's revision and a plan's changes. The caller sends it back to apply the plan. */
export async function planHash(zone: ZoneContext, changes: readonly PlannedChange[]): Promise<string> {
  return revisionPart(zone) + (await inSlices(hashing(zone, changes)));
}

/** Refuses a plan made for another revision of the zone. @throws AppError CONFLICT */
export function refuseOtherRevision(hash: string, zone: ZoneContext): void {
  if (!hash.startsWith(revisionPart(zone))) throw outdatedPlan();
}

/** Refuses a plan whose changes differ from the reviewed ones. @throws AppError CONFLICT */
export async function refuseOtherPlan(
  hash: string,
  zone: ZoneContext,
  changes: readonly PlannedChange[],
): Promise<void> {
  if ((await planHash(zone, changes)) !== hash) throw outdatedPlan();
}

function* hashing(zone: ZoneContext, changes: readonly PlannedChange[]): Steps<string> {
  const hash = createHash("sha256").update(JSON.stringify(zone.id));
  for (const { action, id, before, after } of changes) {
    hash.update(JSON.stringify([action, action === "create" ? null : id, before?.version, after]));
    yield;
  }
  return hash.digest("base64url");
}

function revisionPart({ revision }: ZoneContext): string {
  return `${revision}.`;
}

function outdatedPlan(): AppError {
  return new AppError(
    "CONFLICT",
    "The plan is outdated: the zone has changed, or these are not the planned changes. Plan again.",
  );
}
