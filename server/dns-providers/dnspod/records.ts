import { isEditableType, type RecordData } from "../../dns/record.ts";
import { ruleFor } from "../../dns/record-types.ts";
import { canonicalOwner, canonicalValue } from "../one-by-one/vendor-values.ts";
import type { StoredRecord } from "../one-by-one/stored-records.ts";
import type { DnspodRecord } from "./api.ts";

/** Types of records that only this vendor has: `DNSPOD_A` on a line of its own, `DNSPOD_REDIRECT_URL`. No IANA mnemonics. */
const ownTypes = "DNSPOD_";

/** Its names for redirects in the open and in a frame. */
const redirects: Readonly<Record<string, string>> = { 显性URL: "REDIRECT_URL", 隐性URL: "FORWARD_URL" };

export function isOwnType(recordType: string): boolean {
  return recordType.startsWith(ownTypes);
}

/** A record in our words. One that is more than its type, name, value and TTL becomes a record of an own type. */
export function readRecord(zone: string, served: DnspodRecord): StoredRecord {
  const { Type: type, Value: printed, TTL: ttl, MX: mx } = served;
  const id = String(served.RecordId);
  const shared = { name: canonicalOwner(served.Name, zone), strings: null, ttl, proxied: false };
  const settings = settingsOf(served);
  if (settings.length > 0 || !isEditableType(type)) {
    const value = [...settings, ...(mx ? [mx] : []), printed].join(" ");
    return { id, data: { ...shared, recordType: `${ownTypes}${redirects[type] ?? type}`, value, priority: null } };
  }
  const { value, priority } = canonicalValue(type, printed, mx ?? 0);
  return { id, data: { ...shared, recordType: type, value, priority } };
}

/** What a record has that no other provider knows. */
function settingsOf({ Line: line, LineId: lineId, Weight: weight, Status: status }: DnspodRecord): string[] {
  return [
    ...(lineId === "0" ? [] : [`line=${line || lineId}`]),
    ...(weight ? [`weight=${weight}`] : []),
    ...(status.toUpperCase() === "ENABLE" ? [] : ["disabled"]),
  ];
}

/** The parameters that say a record, on the default line. */
export function recordParameters({ recordType, name, value, ttl, priority }: RecordData): object {
  const shared = { SubDomain: name, RecordType: recordType, RecordLine: "默认", RecordLineId: "0", TTL: ttl };
  if (recordType === "TXT") return { ...shared, Value: value };
  const printed = ruleFor(recordType).print(value);
  if (recordType !== "MX") return { ...shared, Value: printed };
  return { ...shared, Value: printed.slice(printed.indexOf(" ") + 1), MX: priority ?? 0 };
}
