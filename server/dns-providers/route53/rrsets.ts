import type { ResourceRecordSet } from "@aws-sdk/client-route-53";
import { readOwner, type OwnerName } from "../../dns/names/names.ts";
import { recordKey, type RecordData } from "../../dns/record.ts";
import type { RecordContent } from "../rdata-text.ts";
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
  const { name } = owner.value;
  if (isOwn(set)) return { set, name, recordType, own: true, records: [ownRecord(name, set)] };
  const records = (set.ResourceRecords ?? []).map(({ Value = "" }): RecordData => {
    return recordOf(recordType, owner.value, readValue(recordType, Value), set.TTL ?? 0);
  });
  // Two values of an RRset may be the same in canonical form.
  const unique = new Map(records.map((record) => [recordKey(record), record]));
  return { set, name, recordType, own: false, records: [...unique.values()] };
}

function recordOf(recordType: string, owner: OwnerName, content: RecordContent, ttl: number): RecordData {
  return { recordType, ...owner, ...content, ttl, proxied: false };
}
