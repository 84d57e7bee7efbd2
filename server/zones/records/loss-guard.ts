import { AppError } from "../../platform/errors.ts";
import { isActive, recordKey, type PlannedChange } from "../../dns/record.ts";

/** Smaller zones are guarded only against being emptied. */
const guardedRecords = 10;
/** The share of a zone that may be lost without `force`. */
const guardedShare = 0.3;

/**
 * What counts toward the threshold. `losses`: records that go or are disabled, and records whose name, type or value is replaced. `differences`: also
 * creates and other updates, for plans that compare a zone with a reading of it or with a snapshot.
 */
type Counted = "losses" | "differences";

/**
 * Returns why a change of many records needs `force`, or null: it would lose or change more than 30 % of a zone of ten or more records, or
 * empty a zone. Every path that can delete many records at once calls this.
 * @param recordCount how many records the zone has now
 */
export function lossWarning(
  changes: readonly PlannedChange[],
  recordCount: number,
  counted: Counted = "losses",
): string | null {
  const { creates, updates, deletes } = countsOf(changes, counted);
  if (recordCount > 0 && deletes === recordCount && creates === 0) {
    return `This would delete all ${recordCount} records of the zone. ${advice}`;
  }
  const counts = { create: counted === "differences" ? creates : 0, change: updates, delete: deletes };
  const total = counts.create + counts.change + counts.delete;
  if (recordCount < guardedRecords || total <= recordCount * guardedShare) return null;
  const parts = Object.entries(counts).flatMap(([verb, count]) => (count === 0 ? [] : [`${verb} ${count}`]));
  const last = parts.pop();
  const done = parts.length === 0 ? last : `${parts.join(", ")} and ${last}`;
  return `This would ${done} records in a zone of ${recordCount}, more than ${guardedShare * 100} %. ${advice}`;
}

/** Returns what `lossWarning` judges, in percent of the zone's records; 0 for zones guarded only against being emptied, which is 100. */
export function lossPercent(changes: readonly PlannedChange[], recordCount: number): number {
  const { creates, updates, deletes } = countsOf(changes, "losses");
  if (recordCount > 0 && deletes === recordCount && creates === 0) return 100;
  return recordCount < guardedRecords ? 0 : (100 * (updates + deletes)) / recordCount;
}

function countsOf(changes: readonly PlannedChange[], counted: Counted) {
  const counts = { creates: 0, updates: 0, deletes: 0 };
  for (const change of changes) {
    if (change.action === "create") counts.creates++;
    else if (change.action === "delete") counts.deletes++;
    else if (countsAsUpdate(change, counted)) counts.updates++;
  }
  return counts;
}

/** @throws AppError CONFIRMATION_REQUIRED if `lossWarning` warns and `force` is not given */
export function refuseLoss(
  changes: readonly PlannedChange[],
  recordCount: number,
  { force, counted = "losses" }: { force: boolean; counted?: Counted },
): void {
  const reason = force ? null : lossWarning(changes, recordCount, counted);
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
