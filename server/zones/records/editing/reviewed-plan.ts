import { createHash } from "node:crypto";
import type { ZoneContext } from "../../changes/zone-context.ts";
import type { ZoneSize } from "../../changes/state/live-queries.ts";
import {
  type PlannedChange,
  type RecordDraft,
  type StatedData,
  changedFields,
  changedNotes,
  countActions,
  statedDataOf,
  type Differences,
  type LiveRecord,
  isActive,
  recordKey,
} from "../../../dns/record.ts";
import { AppError, badField, type Issue } from "../../../platform/errors.ts";
import { inSlices, mapped, sorted, type Steps, flatMapped } from "../../../platform/slices.ts";
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
 * Returns a hash of the zone's revision and the changes of a comparison: an import, sync, push or rollback. Their order does not count, because
 * providers return records in any order.
 * @param use what the changes are for, if another call plans the same ones for something else
 */
export async function comparisonHash(zone: ZoneContext, changes: readonly PlannedChange[], use = ""): Promise<string> {
  return revisionPart(zone) + (await inSlices(hashingUnordered(zone, changes, use)));
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
  use = "",
): Promise<void> {
  if (hash !== undefined && (await comparisonHash(zone, changes, use)) !== hash) throw outdatedPlan();
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

function* hashingUnordered(zone: ZoneContext, changes: readonly PlannedChange[], use: string): Steps<string> {
  const hash = createHash("sha256").update(use + JSON.stringify(zone.id));
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

/** Returns planned changes as answers show them. */
export async function planView(changes: readonly PlannedChange[]) {
  return await viewOf(changes, statedDataOf);
}

/** Returns planned changes with the comments that records get. */
export async function commentedPlanView(changes: readonly PlannedChange[]) {
  return await viewOf(changes, (draft) => ({ ...statedDataOf(draft), comment: draft.comment }));
}

async function viewOf<Shown extends object>(changes: readonly PlannedChange[], shown: (draft: RecordDraft) => Shown) {
  return {
    creates: await inSlices(flatMapped(changes, (change) => (change.action === "create" ? [shown(change.after)] : []))),
    updates: await inSlices(
      flatMapped(changes, ({ action, id, before, after }) =>
        action === "update"
          ? [{ id, before: statedDataOf(before), after: shown(after), changes: fieldChanges(before, after) }]
          : [],
      ),
    ),
    deletes: await inSlices(
      flatMapped(changes, (change) =>
        change.action === "delete" ? [{ id: change.id, ...statedDataOf(change.before) }] : [],
      ),
    ),
  };
}

/** Returns the fields that an update changes, notes included. */
function fieldChanges(before: LiveRecord, after: RecordDraft): Differences<RecordDraft> {
  return { ...changedFields(before, after), ...changedNotes(before, after) };
}

/** Returns the number of changes of each kind, as answers show it. */
export function countsView(changes: readonly PlannedChange[]) {
  const { creates, updates, deletes } = countActions(changes);
  return { created: creates, updated: updates, deleted: deletes };
}

/** Smaller zones are guarded only against being emptied. */
const guardedRecords = 10;
/** The share of a zone that may be lost without `force`. */
const guardedShare = 0.3;

/**
 * What counts toward the threshold. `losses`: records that go or are disabled, and records whose name, type or value is replaced. `differences`: also
 * creates and other updates, for plans that compare a zone with a reading of it or with a snapshot.
 */
type Counted = "losses" | "differences";

/** How many records a zone has: one number if none of them is disabled. */
type Size = number | ZoneSize;

/**
 * Returns why a change of many records needs `force`, or null: it would lose or change more than 30 % of a zone of ten or more records, or
 * empty a zone. Disabled records do not make a zone larger: what the zone serves is measured by itself first. Every path that can delete many
 * records at once calls this.
 * @param size how many records the zone has now
 */
export function lossWarning(changes: readonly PlannedChange[], size: Size, counted: Counted = "losses"): string | null {
  for (const measured of measures(changes, size, counted)) {
    const { of, gone, disabled, creates, updates, deletes } = measured;
    if (isEmptied(measured)) {
      const verb = disabled === 0 ? "delete" : disabled === gone ? "disable" : "delete or disable";
      return `This would ${verb} all ${gone} ${measured.name} of the zone. ${advice}`;
    }
    const counts = { create: counted === "differences" ? creates : 0, change: updates, delete: deletes };
    const total = counts.create + counts.change + counts.delete;
    if (of < guardedRecords || total <= of * guardedShare) continue;
    const parts = Object.entries(counts).flatMap(([verb, count]) => (count === 0 ? [] : [`${verb} ${count}`]));
    const last = parts.pop();
    const done = parts.length === 0 ? last : `${parts.join(", ")} and ${last}`;
    return `This would ${done} ${measured.name} in a zone of ${of}, more than ${guardedShare * 100} %. ${advice}`;
  }
  return null;
}

/** Returns what `lossWarning` judges, in percent of the zone's records; 0 for zones guarded only against being emptied, which is 100. */
export function lossPercent(changes: readonly PlannedChange[], size: Size): number {
  const percents = measures(changes, size, "losses").map((measured) => {
    if (isEmptied(measured)) return 100;
    return measured.of < guardedRecords ? 0 : (100 * (measured.updates + measured.deletes)) / measured.of;
  });
  return Math.max(...percents);
}

/** What changes do to a number of records. */
interface Measured {
  /** How many records there are, and what they are called. */
  of: number;
  name: string;
  creates: number;
  updates: number;
  deletes: number;
  /** How many are no longer there afterwards, and how many of these stay as disabled ones. */
  gone: number;
  disabled: number;
  /** How many are there that were not. */
  come: number;
}

function isEmptied({ of, gone, come }: Measured): boolean {
  return of > 0 && gone === of && come === 0;
}

/** Measures changes against the records that a zone serves, and against all that it has, if these are more. */
function measures(changes: readonly PlannedChange[], size: Size, counted: Counted): Measured[] {
  const { records, active } = typeof size === "number" ? { records: size, active: size } : size;
  const first = tallied(changes, counted, isServed);
  if (records === active) return [{ of: active, name: "records", ...first }];
  const stored = tallied(changes, counted, (record) => record !== null);
  return [
    { of: active, name: "active records", ...first },
    { of: records, name: "records", ...stored },
  ];
}

function isServed(record: StatedData | null): boolean {
  return record !== null && isActive(record);
}

function tallied(
  changes: readonly PlannedChange[],
  counted: Counted,
  isThere: (record: StatedData | null) => boolean,
): Omit<Measured, "of" | "name"> {
  const counts = { creates: 0, updates: 0, deletes: 0, gone: 0, disabled: 0, come: 0 };
  for (const change of changes) {
    const [was, is] = [isThere(change.before), isThere(change.after)];
    if (!was && !is) continue;
    if (was && !is) counts.gone++;
    if (is && !was) counts.come++;
    if (change.action === "delete") counts.deletes++;
    else if (change.action === "create") counts.creates++;
    else {
      if (was && !is) counts.disabled++;
      if (countsAsUpdate(change, counted)) counts.updates++;
    }
  }
  return counts;
}

/** @throws AppError CONFIRMATION_REQUIRED if `lossWarning` warns and `force` is not given */
export function refuseLoss(
  changes: readonly PlannedChange[],
  size: Size,
  { force, counted = "losses" }: { force: boolean; counted?: Counted },
): void {
  const reason = force ? null : lossWarning(changes, size, counted);
  if (reason !== null) throw new AppError("CONFIRMATION_REQUIRED", reason);
}

/** Refuses a plan over several zones of which some need `force`. @throws AppError CONFIRMATION_REQUIRED that names the first of them */
export function refuseLosses(zones: readonly { domainName: string; needsForce: boolean }[]): void {
  const losing = zones.filter(({ needsForce }) => needsForce);
  if (losing.length === 0) return;
  const names = losing.slice(0, 3).map(({ domainName }) => domainName);
  const more = losing.length > names.length ? ` and ${losing.length - names.length} more` : "";
  throw new AppError(
    "CONFIRMATION_REQUIRED",
    `This would delete or replace more than 30 % of the records of ${names.join(", ")}${more}. ${advice}`,
  );
}

const advice = "Review the plan, then repeat the call with force: true.";

function countsAsUpdate({ before, after }: PlannedChange & { action: "update" }, counted: Counted): boolean {
  const isDisabled = isActive(before) && !isActive(after);
  return counted === "differences" || isDisabled || recordKey(before) !== recordKey(after);
}
