import type { ProviderKind } from "../../dns-providers/provider.ts";
import { planState } from "../../dns/desired-state.ts";
import { readOnlyReason } from "../records/provider-limits.ts";
import {
  isApexNs,
  recordKey,
  sameData,
  type LiveRecord,
  type PlannedChange,
  type RecordData,
} from "../../dns/record.ts";
import { isProviderType } from "../../dns/zone-file/type-names.ts";

export interface MovePlan {
  /** Our records to write to the target. */
  sent: LiveRecord[];
  /** Records at the target that are not its own. */
  others: RecordData[];
  /** The subset of `others` that does not match our records exactly and blocks the move. */
  foreign: RecordData[];
  /** Our records not yet at the target, apex NS records last. */
  missing: LiveRecord[];
  /** Whether the target's records match ours, so nothing needs to be written. */
  same: boolean;
  /** The changes that turn our records into those the target will serve. */
  changes: PlannedChange[];
}

/** Returns the records without those of a kind that is read-only at the target. */
export function withoutOwnOf(kind: ProviderKind, records: readonly LiveRecord[]): LiveRecord[] {
  return records.filter((record) => readOnlyReason(record, kind) === null);
}

/**
 * Plans a move into a zone that holds `present`. The target's own records stay and replace ours of that kind. The target's apex NS records
 * also replace ours, because they serve the zone there. The exception: ours are already there beside other records of ours, as after an
 * interrupted move that had written both. Pure.
 * @param readOnly records that only the target knows to be its own, by `recordKey`.
 * @param move `records` are ours as they are now, `wanted` as they should be at the target.
 */
export function planMove(
  kind: ProviderKind,
  readOnly: ReadonlyMap<string, string>,
  move: { records: readonly LiveRecord[]; wanted: readonly LiveRecord[] },
  present: readonly RecordData[],
): MovePlan {
  const isReadOnly = (record: RecordData) => readOnlyReason(record, kind) !== null || readOnly.has(recordKey(record));
  const plan = planBeside(isReadOnly, move, present);
  if (plan.same || !present.some(isApexNs) || wasCut(plan)) return plan;
  return planBeside((record) => isApexNs(record) || isReadOnly(record), move, present);
}

function wasCut({ foreign, others }: MovePlan): boolean {
  return foreign.length === 0 && others.some((record) => !isApexNs(record));
}

/**
 * Returns our records that a move would lose. Their type is specific to the target's kind of provider and read-only there, and the target
 * does not have them. Pure.
 */
export function lostAt(
  kind: ProviderKind,
  records: readonly LiveRecord[],
  present: readonly RecordData[],
): LiveRecord[] {
  const there = new Set(present.map(recordKey));
  return ownTyped(kind, records).filter((record) => !there.has(recordKey(record)));
}

/** Returns the records of a provider-specific type that is read-only through this kind. */
export function ownTyped(kind: ProviderKind, records: readonly LiveRecord[]): LiveRecord[] {
  return records.filter((record) => isProviderType(record.recordType) && readOnlyReason(record, kind) !== null);
}

function planBeside(
  isOwn: (record: RecordData) => boolean,
  { records, wanted }: { records: readonly LiveRecord[]; wanted: readonly LiveRecord[] },
  present: readonly RecordData[],
): MovePlan {
  const sent = wanted.filter((record) => !isOwn(record));
  const others = present.filter((record) => !isOwn(record));
  const own = present.filter(isOwn);
  const there = new Map(others.map((record) => [recordKey(record), record]));
  const isThere = (record: RecordData) => {
    const other = there.get(recordKey(record));
    return other !== undefined && sameData(other, record);
  };
  const ours = new Map(sent.map((record) => [recordKey(record), record]));
  const missing = sent.filter((record) => !isThere(record));
  return {
    sent,
    others,
    foreign: others.filter((record) => {
      const one = ours.get(recordKey(record));
      return one === undefined || !sameData(one, record);
    }),
    missing: [...missing.filter((record) => !isApexNs(record)), ...missing.filter(isApexNs)],
    same: planState(sent, others).changes.length === 0,
    changes: planState(records, [...sent, ...own]).changes,
  };
}
