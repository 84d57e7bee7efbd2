import { planState, withOneTtl } from "../dns/desired-state.ts";
import { dataOf, isApexNs, recordKey, type LiveRecord, type PlannedChange, type RecordData } from "../dns/record.ts";
import type { ProviderKind } from "../dns-providers/provider.ts";
import { newId } from "../platform/ids.ts";
import { limitIssues, readOnlyReason } from "../records/provider-limits.ts";

/** What brings a mirror to the records of its domain. */
export interface MirrorPlan {
  /** The changes that make it the same, without those of foreign records. */
  changes: PlannedChange[];
  /** Deletions of records there that were never the domain's. */
  foreign: PlannedChange[];
  /** Records of the domain that its provider cannot store, with the reason. */
  unsupported: { record: RecordData; reason: string }[];
  /** How many records it has that a mirror is about. */
  present: number;
}

/** A domain's records, as its mirror should have them, and what is there. */
interface Sides {
  zone: string;
  kind: ProviderKind;
  wanted: readonly RecordData[];
  present: readonly RecordData[];
  /** Records that only the provider knows to be its own, by `recordKey`. */
  readOnly: ReadonlyMap<string, string>;
}

/**
 * Plans a mirror. The provider's own records stay, and replace the domain's of that kind. Where the domain has no apex NS records, those of
 * the mirror stay. Pure.
 * @param wasOurs which of the records that only the mirror has were the domain's at some time, by `recordKey`
 */
export function planMirror({ zone, kind, wanted, present, readOnly }: Sides, wasOurs: ReadonlySet<string>): MirrorPlan {
  const unsupported: MirrorPlan["unsupported"] = [];
  const isOwn = ownRecords({ kind, wanted, readOnly });
  const sent = wanted.filter((record) => {
    if (isOwn(record)) return false;
    const [issue] = limitIssues(record, kind, zone);
    if (issue) unsupported.push({ record, reason: issue.message });
    return !issue;
  });
  const others = present.filter((record) => !isOwn(record)).map(asLive);
  const { changes } = planState(others, sent.map(dataOf));
  const isForeign = ({ action, before }: PlannedChange) => action === "delete" && !wasOurs.has(recordKey(before));
  return {
    changes: withOneTtl(
      others.filter((record) => !wasOurs.has(recordKey(record))),
      changes.filter((change) => !isForeign(change)),
    ),
    foreign: changes.filter(isForeign),
    unsupported,
    present: others.length,
  };
}

/** Returns the records of a mirror that its domain does not have, and that may have been the domain's once. Pure. */
export function extraRecords({ kind, wanted, present, readOnly }: Sides): RecordData[] {
  const isOwn = ownRecords({ kind, wanted, readOnly });
  const ours = new Set(wanted.map(recordKey));
  return present.filter((record) => !isOwn(record) && !ours.has(recordKey(record)));
}

function ownRecords({ kind, wanted, readOnly }: Pick<Sides, "kind" | "wanted" | "readOnly">) {
  const hasApexNs = wanted.some(isApexNs);
  return (record: RecordData) =>
    readOnlyReason(record, kind) !== null || readOnly.has(recordKey(record)) || (!hasApexNs && isApexNs(record));
}

function asLive(record: RecordData): LiveRecord {
  const never = new Date(0);
  return {
    ...dataOf(record),
    id: newId(),
    version: 1,
    status: "active",
    comment: null,
    createdAt: never,
    updatedAt: never,
  };
}
