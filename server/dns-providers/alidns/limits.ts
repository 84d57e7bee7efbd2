import { isApexNs } from "../../dns/record.ts";
import { parseGeneric } from "../../dns/values/character-strings.ts";
import type { LimitedRecord, Unsupported } from "../provider.ts";
import { foreignName } from "../single-record-api/vendor-values.ts";
import { isOwnType } from "./records.ts";

/** The vendor's "DNS record type format" says: shorter than 512 characters. */
const longestText = 511;

/**
 * The vendor's own name servers. DescribeDomainRecords does not list them at the apex, where others can be added and removed
 * (DNSControl's ALIDNS provider; "DNS record conflict rules").
 */
const ownNameServer = /\.(?:hichina|alidns)\.com$/;

/** Returns why the vendor rejects a record or would change it silently, or null. The reason follows the vendor's name. */
export function unsupportedReason(record: LimitedRecord): Unsupported | null {
  const { recordType, name, value } = record;
  if (/[^a-z0-9_.*@-]/.test(name)) {
    return { field: "name", reason: "allows only letters, digits, hyphens and underscores in a name." };
  }
  if (name.startsWith("*") && ["NS", "TXT", "SRV"].includes(recordType)) {
    return { field: "name", reason: `does not allow wildcard names for ${recordType} records.` };
  }
  const reason = valueReason(recordType, value);
  return reason === null ? foreignName(record) : { field: "value", reason };
}

function valueReason(recordType: string, value: string): string | null {
  if (recordType === "TXT") return textReason(value);
  if (parseGeneric(value)) return "does not support data in generic form (RFC 3597).";
  if (recordType === "MX") {
    const priority = Number(value.split(" ")[0]);
    if (value === "0 .") return 'does not support null MX records ("0 .", RFC 7505).';
    return priority >= 1 && priority <= 50 ? null : "allows MX priorities from 1 to 50.";
  }
  return recordType === "SRV" && value.endsWith(" .") ? 'does not support SRV records with the target ".".' : null;
}

function textReason(text: string): string | null {
  if (text === "") return "does not allow an empty TXT value.";
  if (text.length > longestText) return `allows at most ${longestText} characters in a TXT value.`;
  if (/["\\]/.test(text)) return "drops quotes and backslashes from a TXT value; leave them out.";
  if (!/^[ -~]*$/.test(text)) return "allows only printable ASCII characters in a TXT value.";
  return text.endsWith(" ") ? "drops spaces at the end of a TXT value; leave them out." : null;
}

/** Returns why a record is read-only, or null. The reason follows the vendor's name. */
export function readOnlyReason(record: LimitedRecord): string | null {
  if (isOwnType(record.recordType)) {
    return "manages this record only in its console: it is disabled, or has a line, a weight or a type that Zonewright does not edit.";
  }
  const own = isApexNs(record) && ownNameServer.test(record.value);
  return own ? "manages its own name servers at the apex." : null;
}
