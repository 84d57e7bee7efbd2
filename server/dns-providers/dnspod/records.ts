import { isCommonType, nameOf, valueOf, type RecordData } from "../../dns/record.ts";
import { ruleFor } from "../../dns/record-types.ts";
import { canonicalOwner, canonicalValue } from "../single-record-api/vendor-values.ts";
import type { StoredRecord } from "../single-record-api/record-calls.ts";
import type { DnspodRecord } from "./client.ts";

/**
 * Prefix of types for records that only this vendor has, such as `DNSPOD_A` on a line or `DNSPOD_REDIRECT_URL`. Not IANA mnemonics.
 */
const ownTypes = "DNSPOD_";

/** Its types for redirects, plain and in a frame. */
const redirects: Readonly<Record<string, string>> = { 显性URL: "REDIRECT_URL", 隐性URL: "FORWARD_URL" };

export function isOwnType(recordType: string): boolean {
  return recordType.startsWith(ownTypes);
}

/** Returns a record in canonical form. A record with vendor-specific settings gets one of the vendor's own types. */
export function readRecord(zone: string, served: DnspodRecord): StoredRecord {
  const { Type: type, Value: printed, TTL: ttl, MX: mx } = served;
  const id = String(served.RecordId);
  const shared = { ...canonicalOwner(served.Name, zone), strings: null, ttl, proxied: false };
  const settings = settingsOf(served);
  if (settings.length > 0 || !isCommonType(type)) {
    const value = [...settings, ...(mx ? [mx] : []), printed].join(" ");
    return { id, data: { ...shared, recordType: `${ownTypes}${redirects[type] ?? type}`, value, priority: null } };
  }
  return { id, data: { ...shared, recordType: type, ...canonicalValue(type, printed, mx ?? 0) } };
}

/** Returns the settings of a record that no other provider has. */
function settingsOf({ Line: line, LineId: lineId, Weight: weight, Status: status }: DnspodRecord): string[] {
  return [
    ...(lineId === "0" ? [] : [`line=${line || lineId}`]),
    ...(weight ? [`weight=${weight}`] : []),
    ...(status.toUpperCase() === "ENABLE" ? [] : ["disabled"]),
  ];
}

/** Returns the parameters that describe a record, on the default line. */
export function recordParameters(record: RecordData): object {
  const { recordType, ttl, priority } = record;
  const value = valueOf(record);
  const shared = { SubDomain: nameOf(record), RecordType: recordType, RecordLine: "默认", RecordLineId: "0", TTL: ttl };
  if (recordType === "TXT") return { ...shared, Value: value };
  const printed = ruleFor(recordType).print(value);
  if (recordType !== "MX") return { ...shared, Value: printed };
  return { ...shared, Value: printed.slice(printed.indexOf(" ") + 1), MX: priority ?? 0 };
}
