import { isCommonType, nameOf, valueOf, type RecordData } from "../../dns/record.ts";
import { ruleFor } from "../../dns/record-types.ts";
import { canonicalOwner, canonicalValue } from "../single-record-api/vendor-values.ts";
import type { StoredRecord } from "../single-record-api/record-calls.ts";
import type { AlidnsRecord } from "./client.ts";

/**
 * Prefix of types for records that only this vendor has, such as `ALIDNS_A` on a line or `ALIDNS_REDIRECT_URL`. Not IANA mnemonics.
 */
const ownTypes = "ALIDNS_";

export function isOwnType(recordType: string): boolean {
  return recordType.startsWith(ownTypes);
}

/** Returns a record in canonical form. A record with vendor-specific settings gets one of the vendor's own types. */
export function readRecord(zone: string, served: AlidnsRecord): StoredRecord {
  const { RecordId: id, Type: type, Value: printed, TTL: ttl } = served;
  const shared = { ...canonicalOwner(served.RR, zone), strings: null, ttl, proxied: false };
  const settings = settingsOf(served);
  if (settings.length > 0 || !isCommonType(type)) {
    const value = [...settings, served.Priority ?? [], printed].flat().join(" ");
    return { id, data: { ...shared, recordType: `${ownTypes}${type}`, value, priority: null } };
  }
  return { id, data: { ...shared, recordType: type, ...canonicalValue(type, printed, served.Priority) } };
}

/** Returns the settings of a record that no other provider has. */
function settingsOf({ Line: line, Status: status, LbaStatus: weighted, Weight: weight }: AlidnsRecord): string[] {
  return [
    ...(line === "default" ? [] : [`line=${line}`]),
    // A listing may have a weight without saying that weights are on.
    ...(weighted || (weight ?? 1) > 1 ? [`weight=${weight ?? 1}`] : []),
    ...(status.toUpperCase() === "ENABLE" ? [] : ["disabled"]),
  ];
}

/** Returns the parameters that describe a record. */
export function recordParameters(record: RecordData): Record<string, string | number> {
  const { recordType, ttl, priority } = record;
  const value = valueOf(record);
  const shared = { RR: nameOf(record), Type: recordType, TTL: ttl, Line: "default" };
  if (recordType === "MX") return { ...shared, Value: value.slice(value.indexOf(" ") + 1), Priority: priority ?? 10 };
  return { ...shared, Value: recordType === "CAA" ? ruleFor("CAA").print(value) : value };
}
