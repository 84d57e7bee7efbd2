import type { ResourceRecordSet } from "@aws-sdk/client-route-53";
import { readOwner } from "../../dns/names/names.ts";
import { recordKey, type RecordData } from "../../dns/record.ts";
import { fromOctal, readValue } from "./octal-text.ts";
import { isOwn, ownRecord } from "./own-records.ts";

/** An RRset of Route 53's, with its canonical records. */
export interface ServedRrset {
  /** As Route 53 has it, to be deleted by exactly that content. */
  set: ResourceRecordSet;
  /** Canonical, relative to the zone. */
  name: string;
  recordType: string;
  /** Whether it is an alias or has a routing policy, and so is read-only. */
  own: boolean;
  records: RecordData[];
}

/** Returns an RRset in canonical form; null for the SOA, which Route 53 manages. */
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
  // Two values of an RRset may be the same in canonical form.
  const unique = new Map(records.map((record) => [recordKey(record), record]));
  return { set, name, recordType, own: false, records: [...unique.values()] };
}
