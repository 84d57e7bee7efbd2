import { aligningTtls, planningState } from "../../dns/desired-state.ts";
import {
  dataOf,
  isApexNs,
  noNotes,
  recordKey,
  type LiveRecord,
  type PlannedChange,
  type RecordData,
} from "../../dns/record.ts";
import type { ProviderKind } from "../../dns-providers/provider.ts";
import { newId } from "../../platform/ids.ts";
import { filtered, flatMapped, mapped, type Steps } from "../../platform/slices.ts";
import { limitIssues, readOnlyReason } from "../records/provider-limits.ts";

type Deletion = PlannedChange & { action: "delete" };

/** What brings a mirror to the records of its domain. */
export interface MirrorPlan {
  /** The changes that make it the same, without those of foreign records. */
  changes: PlannedChange[];
  /** Deletions of records there that were never the domain's. */
  foreign: Deletion[];
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
 * Plans a mirror, in steps. The provider's own records stay, and replace the domain's of that kind. Where the domain has no apex NS records,
 * those of the mirror stay. Pure.
 * @param wasOurs which of the records that only the mirror has were the domain's at some time, by `recordKey`
 */
export function* planningMirror(
  { zone, kind, wanted, present, readOnly }: Sides,
  wasOurs: ReadonlySet<string>,
): Steps<MirrorPlan> {
  const unsupported: MirrorPlan["unsupported"] = [];
  const isOwn = ownRecords({ kind, wanted, readOnly });
  const sent = yield* filtered(wanted, (record) => {
    if (isOwn(record)) return false;
    const [issue] = limitIssues(record, kind, zone);
    if (issue) unsupported.push({ record, reason: issue.message });
    return !issue;
  });
  const others = yield* mapped(yield* filtered(present, (record) => !isOwn(record)), asLive);
  const { changes } = yield* planningState(others, yield* mapped(sent, dataOf));
  const foreign: Deletion[] = [];
  const ours = yield* flatMapped(changes, (change): PlannedChange[] => {
    const { before, after } = change;
    // The records of a mirror that are the domain's, too, are updated at most in their TTL.
    if (before === null || wasOurs.has(recordKey(before))) return [change];
    if (after !== null && recordKey(after) === recordKey(before)) return [change];
    foreign.push({ action: "delete", id: before.id, before, after: null });
    return after === null ? [] : [{ action: "create", id: newId(), before: null, after }];
  });
  return { changes: ours, foreign, unsupported, present: others.length };
}

/** Returns the changes of a plan where foreign records stay, in steps: records of one name and type share a TTL, theirs too. Pure. */
export function* besideForeign({ changes, foreign }: MirrorPlan): Steps<PlannedChange[]> {
  return yield* aligningTtls(yield* mapped(foreign, ({ before }) => before), changes);
}

/** Returns the records of a mirror that its domain does not have, in steps. They may have been the domain's once. Pure. */
export function* extraRecords({ kind, wanted, present, readOnly }: Sides): Steps<RecordData[]> {
  const isOwn = ownRecords({ kind, wanted, readOnly });
  const ours = new Set(yield* mapped(wanted, recordKey));
  return yield* filtered(present, (record) => !ours.has(recordKey(record)) && !isOwn(record));
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
    ...noNotes,
    createdAt: never,
    updatedAt: never,
  };
}
