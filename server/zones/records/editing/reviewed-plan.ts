import { createHash } from "node:crypto";
import type { ZoneContext } from "../../changes/zone-context.ts";
import type { PlannedChange, RecordDraft } from "../../../dns/record.ts";
import { AppError, badField, type Issue } from "../../../platform/errors.ts";
import { inSlices, mapped, sorted, type Steps } from "../../../platform/slices.ts";
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

/**
 * Returns a hash of the zone's revision and a plan's changes. The caller sends it back to apply the plan.
 * @param following the changes of other zones that the plan includes
 */
export async function planHash(
  zone: ZoneContext,
  changes: readonly PlannedChange[],
  following: readonly string[] = [],
): Promise<string> {
  return revisionPart(zone) + (await inSlices(hashing(zone, changes, following)));
}

/** Returns a hash of a plan's changes alone: other changes of the zone do not affect it. */
export async function changesHash(zone: { id: string }, changes: readonly PlannedChange[]): Promise<string> {
  return await inSlices(hashing(zone, changes, []));
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
  following: readonly string[] = [],
): Promise<void> {
  if ((await planHash(zone, changes, following)) !== hash) throw outdatedPlan();
}

/** A call that either plans a comparison of the whole zone or makes it, by the hash of a reviewed plan or without. */
interface Comparison {
  dryRun: boolean;
  planHash?: string | undefined;
}

/**
 * Returns a hash of the zone's revision and the changes of a comparison: an import, sync or rollback. Their order does not count, because
 * providers return records in any order.
 */
export async function comparisonHash(zone: ZoneContext, changes: readonly PlannedChange[]): Promise<string> {
  return revisionPart(zone) + (await inSlices(hashingUnordered(zone, changes)));
}

/** Refuses a comparison early: a hash with `dryRun`, or of another revision. @throws AppError BAD_REQUEST, CONFLICT */
export function refuseOtherZone({ dryRun, planHash: hash }: Comparison, zone: ZoneContext): void {
  if (hash === undefined) return;
  if (dryRun) throw badField(["planHash"], "`planHash` applies a plan. Omit it or `dryRun`.");
  refuseOtherRevision(hash, zone);
}

/** Refuses a comparison whose changes differ from the reviewed ones. @throws AppError CONFLICT */
export async function refuseOtherComparison(
  { planHash: hash }: Comparison,
  zone: ZoneContext,
  changes: readonly PlannedChange[],
): Promise<void> {
  if (hash !== undefined && (await comparisonHash(zone, changes)) !== hash) throw outdatedPlan();
}

function* hashing(
  zone: { id: string },
  changes: readonly PlannedChange[],
  following: readonly string[],
): Steps<string> {
  const hash = createHash("sha256").update(JSON.stringify(zone.id));
  for (const change of changes) {
    hash.update(textOf(change));
    yield;
  }
  for (const change of following) {
    hash.update(change);
    yield;
  }
  return hash.digest("base64url");
}

function* hashingUnordered(zone: ZoneContext, changes: readonly PlannedChange[]): Steps<string> {
  const hash = createHash("sha256").update(JSON.stringify(zone.id));
  const texts = yield* mapped(changes, textOf);
  for (const text of yield* sorted(texts, (one, other) => (one < other ? -1 : one > other ? 1 : 0))) {
    hash.update(text);
    yield;
  }
  return hash.digest("base64url");
}

/** New ids differ each time a plan is made. */
function textOf({ action, id, before, after }: PlannedChange): string {
  return JSON.stringify([action, action === "create" ? null : id, before?.version, after && withoutDefaults(after)]);
}

/** Leaves out the status of an active record and notes that it does not have, which hashes of earlier versions do not cover. */
function withoutDefaults({ status, locked, ownerId, reviewAt, ...draft }: RecordDraft): object {
  return {
    ...draft,
    ...(status === "active" ? {} : { status }),
    ...(locked ? { locked } : {}),
    ...(ownerId === null ? {} : { ownerId }),
    ...(reviewAt === null ? {} : { reviewAt }),
  };
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
