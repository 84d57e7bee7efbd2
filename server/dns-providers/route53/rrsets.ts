import type { ResourceRecordSet } from "@aws-sdk/client-route-53";
import { readOwner } from "../../dns/names/names.ts";
import { recordKey, type RecordData } from "../../dns/record.ts";
import { fromOctal, readValue } from "./octal-text.ts";
import { isOwn, ownRecord } from "./own-records.ts";

/** An RRset of Route 53's with what it says in our words. */
export interface ServedRrset {
  /** As Route 53 has it, to be named to it again exactly so. */
  set: ResourceRecordSet;
  /** Canonical, relative to the zone. */
  name: string;
  recordType: string;
  /** Whether it is an alias or one of several to choose from, which nobody changes here. */
  own: boolean;
  records: RecordData[];
}

/** Null for the SOA, which is Route 53's own. */
export function readRrset(zone: string, set: ResourceRecordSet): ServedRrset | null {
  const recordType = set.Type ?? "";
  const owner = readOwner(fromOctal(set.Name ?? ""), "", zone);
  if (recordType === "SOA" || !owner.ok) return null;
  const name = owner.value;
  if (isOwn(set)) return { set, name, recordType, own: true, records: [ownRecord(name, set)] };
  const records = (set.ResourceRecords ?? []).map(({ Value = "" }): RecordData => {
    const { value, strings, priority } = readValue(recordType, Value);
    return { recordType, name, value, strings, ttl: set.TTL ?? 0, priority, proxied: false };
  });
  // Two values of an RRset may say the same, which is one record.
  const unique = new Map(records.map((record) => [recordKey(record), record]));
  return { set, name, recordType, own: false, records: [...unique.values()] };
}
