import type { ProviderKind } from "../dns-providers/provider.ts";
import { planState } from "../dns/desired-state.ts";
import { sameData, type LiveRecord, type PlannedChange } from "../dns/live-record.ts";
import { keptReason } from "../records/provider-limits.ts";
import { recordKey, type RecordData } from "../dns/record.ts";
import { isProviderType } from "../dns/zone-file/type-names.ts";

/** Records with a TTL that their provider chooses get the one that it has chosen, where the target does not choose. */
export function withPlainTtls(
  { automaticTtl, automaticSeconds }: ProviderKind,
  target: ProviderKind,
  records: readonly LiveRecord[],
): readonly LiveRecord[] {
  if (automaticTtl === undefined || automaticSeconds === undefined || target.automaticTtl === automaticTtl)
    return records;
  return records.map((record) => withTtl(record, record.ttl === automaticTtl ? automaticSeconds : record.ttl));
}

function withTtl(record: LiveRecord, ttl: number): LiveRecord {
  return { ...record, ttl };
}

export interface MovePlan {
  /** Records of ours that are to be written there. */
  sent: LiveRecord[];
  /** Records that are there and are not the target's own. */
  others: RecordData[];
  /** Those of them that ours do not have just so: they are in the way. */
  foreign: RecordData[];
  /** Records of ours that are not there yet, name servers at the apex last. */
  missing: LiveRecord[];
  /** Whether those that are there say what ours say, so that nothing need be written. */
  same: boolean;
  /** What makes of our records those that the target will serve. */
  changes: PlannedChange[];
}

/** Records less those of a kind that the target keeps as its own, which it would not take. */
export function withoutOwnOf(kind: ProviderKind, records: readonly LiveRecord[]): LiveRecord[] {
  return records.filter((record) => keptReason(record, kind) === null);
}

/**
 * How a zone moves to where `present` is: the target's own records stay as they are, and ours of that kind give way to them. So do our name
 * servers at the apex where the target has some of its own, which serve the zone there; unless ours stand there beside other records of ours,
 * as after a move that was cut when it had written both. Pure.
 * @param kept those that only the target knows to be its own, by `recordKey`.
 * @param records ours as they are, and `wanted` as they are to be there.
 */
export function planMove(
  kind: ProviderKind,
  kept: ReadonlyMap<string, string>,
  move: { records: readonly LiveRecord[]; wanted: readonly LiveRecord[] },
  present: readonly RecordData[],
): MovePlan {
  const isKept = (record: RecordData) => keptReason(record, kind) !== null || kept.has(recordKey(record));
  const plan = planBeside(isKept, move, present);
  if (plan.same || !present.some(isApexNs) || wasCut(plan)) return plan;
  return planBeside((record) => isApexNs(record) || isKept(record), move, present);
}

function wasCut({ foreign, others }: MovePlan): boolean {
  return foreign.length === 0 && others.some((record) => !isApexNs(record));
}

/**
 * Records of ours of a type that only the target's kind has, as it keeps them to itself and takes none from elsewhere, and that are not there:
 * a move would lose them. Pure.
 */
export function lostAt(
  kind: ProviderKind,
  records: readonly LiveRecord[],
  present: readonly RecordData[],
): LiveRecord[] {
  const there = new Set(present.map(recordKey));
  return ownTyped(kind, records).filter((record) => !there.has(recordKey(record)));
}

/** Records of a type of the kind's own that nobody writes through it. */
export function ownTyped(kind: ProviderKind, records: readonly LiveRecord[]): LiveRecord[] {
  return records.filter((record) => isProviderType(record.recordType) && keptReason(record, kind) !== null);
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

function isApexNs({ recordType, name }: RecordData): boolean {
  return recordType === "NS" && name === "@";
}
