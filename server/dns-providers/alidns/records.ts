import { isEditableType, type RecordData } from "../../dns/record.ts";
import { ruleFor } from "../../dns/record-types.ts";
import { canonicalOwner, canonicalValue } from "../one-by-one/vendor-values.ts";
import type { StoredRecord } from "../one-by-one/stored-records.ts";
import type { AlidnsRecord } from "./api.ts";

/** Types of records that only this vendor has: `ALIDNS_A` on a line of its own, `ALIDNS_REDIRECT_URL`. No IANA mnemonics. */
const ownTypes = "ALIDNS_";

export function isOwnType(recordType: string): boolean {
  return recordType.startsWith(ownTypes);
}

/** A record in our words. One that is more than its type, name, value and TTL becomes a record of an own type. */
export function readRecord(zone: string, served: AlidnsRecord): StoredRecord {
  const { RecordId: id, Type: type, Value: printed, TTL: ttl } = served;
  const name = canonicalOwner(served.RR, zone);
  const shared = { name, strings: null, ttl, proxied: false };
  const settings = settingsOf(served);
  if (settings.length > 0 || !isEditableType(type)) {
    const value = [...settings, served.Priority ?? [], printed].flat().join(" ");
    return { id, data: { ...shared, recordType: `${ownTypes}${type}`, value, priority: null } };
  }
  const { value, priority } = canonicalValue(type, printed, served.Priority);
  return { id, data: { ...shared, recordType: type, value, priority } };
}

/** What a record has that no other provider knows. */
function settingsOf({ Line: line, Status: status, LbaStatus: weighted, Weight: weight }: AlidnsRecord): string[] {
  return [
    ...(line === "default" ? [] : [`line=${line}`]),
    ...(weighted ? [`weight=${weight ?? 1}`] : []),
    ...(status.toUpperCase() === "ENABLE" ? [] : ["disabled"]),
  ];
}

/** The parameters that say a record. */
export function recordParameters(record: RecordData): Record<string, string | number> {
  const { recordType, name, value, ttl, priority } = record;
  const shared = { RR: name, Type: recordType, TTL: ttl, Line: "default" };
  if (recordType === "MX") return { ...shared, Value: value.slice(value.indexOf(" ") + 1), Priority: priority ?? 10 };
  return { ...shared, Value: recordType === "CAA" ? ruleFor("CAA").print(value) : value };
}
