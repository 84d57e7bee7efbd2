import { isApexNs } from "../../dns/record.ts";
import type { LimitedRecord, Unsupported } from "../provider.ts";

// What several vendors refuse alike, in the words of the message that names the vendor before it.

/** Returns why a vendor that takes plain names only refuses a record's name; null if it takes it. */
export function unusualName(name: string): Unsupported | null {
  return /^(?:@|(?:\*|[\w-]+)(?:\.[\w-]+)*)$/.test(name)
    ? null
    : { field: "name", reason: "allows only letters, digits, hyphens, underscores and a leading * in names." };
}

/** Of a vendor that takes plain names only: what it does not store. @param valueReason why it refuses a value; null if it takes it */
export function plainNamesOnly(valueReason: (record: LimitedRecord) => string | null) {
  return (record: LimitedRecord): Unsupported | null => {
    const unusual = unusualName(record.name);
    if (unusual) return unusual;
    const reason = valueReason(record);
    return reason === null ? null : { field: "value", reason };
  };
}

/** Of a vendor that takes an ALIAS at the apex only, and no data in generic form: what it does not store. */
export function apexAliasOnly({ recordType, name, value }: LimitedRecord): Unsupported | null {
  if (recordType === "ALIAS" && name !== "@")
    return { field: "name", reason: "allows ALIAS at the apex only; use a CNAME." };
  const isGeneric = recordType !== "TXT" && value.startsWith("\\#");
  return isGeneric ? { field: "value", reason: "does not support data in generic form (RFC 3597)." } : null;
}

/** Of a vendor with records that only its console edits: why a record is read-only. @param ownNameServer matches the vendor's name servers */
export function onlyInConsole(
  record: LimitedRecord,
  isOwnType: (recordType: string) => boolean,
  ownNameServer: RegExp,
): string | null {
  if (isOwnType(record.recordType)) {
    return "manages this record only in its console: it is disabled, or has a line, a weight or a type that Zonewright does not edit.";
  }
  const own = isApexNs(record) && ownNameServer.test(record.value);
  return own ? "manages its own name servers at the apex." : null;
}

/** Returns why a vendor that prints a CAA record without quotes refuses its value; null if it takes it. */
export function spacedCaa(value: string): string | null {
  const text = value.split(" ").slice(2).join(" ");
  return /^[^\s"\\]+$/.test(text)
    ? null
    : "does not allow spaces, quotes or backslashes in a CAA value, nor an empty one.";
}
