import { recordKey, textKey, type RecordData } from "../../dns/record.ts";

/** A record of the zone. `splitUnread` as in `LiveRecord`. */
export type PresentRecord = Pick<RecordData, "recordType" | "name" | "value" | "strings"> & { splitUnread?: true };

/** Returns whether two records have the same owner, type and data. How a TXT is split counts, unless nobody has read it. */
export function isSameRecord(one: PresentRecord, other: PresentRecord): boolean {
  return one.splitUnread || other.splitUnread ? textKey(one) === textKey(other) : recordKey(one) === recordKey(other);
}
