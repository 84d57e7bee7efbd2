import type { RecordData } from "../../dns/record.ts";
import { rcodes } from "../../dns/wire/messages.ts";
import type { Prerequisite, RrsetName } from "../../dns/wire/updates.ts";
import { isSameRecord, type PresentRecord } from "./same-record.ts";

/**
 * Returns the RCODE of the first prerequisite that the zone does not meet (RFC 2136 §3.2.5), or null if it meets all.
 * @param present all records of the names that the prerequisites name, the zone's SOA included
 */
export function failedPrerequisite(
  prerequisites: readonly Prerequisite[],
  present: readonly PresentRecord[],
): number | null {
  const atName = Map.groupBy(present, ({ name }) => name);
  const inRrset = Map.groupBy(present, keyOf);
  const wanted = new Map<string, Pick<RecordData, "recordType" | "name" | "value" | "strings">[]>();
  for (const prerequisite of prerequisites) {
    switch (prerequisite.kind) {
      case "nameInUse":
        if (!atName.has(prerequisite.name)) return rcodes.nxDomain;
        break;
      case "nameUnused":
        if (atName.has(prerequisite.name)) return rcodes.yxDomain;
        break;
      case "rrsetExists":
        if (!inRrset.has(keyOf(prerequisite))) return rcodes.nxRrset;
        break;
      case "rrsetAbsent":
        if (inRrset.has(keyOf(prerequisite))) return rcodes.yxRrset;
        break;
      case "rrsetHas": {
        const records = wanted.get(keyOf(prerequisite.record)) ?? [];
        if (!records.some((record) => isSameRecord(record, prerequisite.record))) records.push(prerequisite.record);
        wanted.set(keyOf(prerequisite.record), records);
      }
    }
  }
  for (const [key, records] of wanted) {
    const rrset = inRrset.get(key) ?? [];
    const isEqual =
      rrset.length === records.length && records.every((record) => rrset.some((other) => isSameRecord(other, record)));
    if (!isEqual) return rcodes.nxRrset;
  }
  return null;
}

function keyOf({ name, recordType }: RrsetName): string {
  return `${name} ${recordType}`;
}
