import { isApexNs } from "../../dns/record.ts";
import { parseGeneric } from "../../dns/values/character-strings.ts";
import type { LimitedRecord, Unsupported } from "../provider.ts";
import { foreignName } from "../single-record-api/vendor-values.ts";
import { isOwnType } from "./records.ts";

/** Octets, as others found with real accounts (DNSControl #4581: "a 256-byte TXT"). */
const longestText = 255;

/** The vendor's own name servers, free and paid. */
const ownNameServer = /\.(?:dnspod\.net|dnsv\d\.com)$/;

/** Returns why the vendor rejects a record or would change it silently, or null. The reason follows the vendor's name. */
export function unsupportedReason(record: LimitedRecord): Unsupported | null {
  const { recordType, name, value } = record;
  if (/[^a-z0-9_.*@-]/.test(name)) {
    return { field: "name", reason: "allows only letters, digits, hyphens and underscores in a name." };
  }
  const reason = valueReason(recordType, value);
  return reason === null ? foreignName(record) : { field: "value", reason };
}

function valueReason(recordType: string, value: string): string | null {
  if (parseGeneric(value)) return "does not support data in generic form (RFC 3597).";
  if (recordType === "MX" && value === "0 .") return 'does not support null MX records ("0 .", RFC 7505).';
  if (recordType === "MX" && !/^(?:[1-9]|1\d|20) /.test(value)) return "allows MX priorities from 1 to 20.";
  if (recordType === "SRV" && value.endsWith(" .")) return 'does not support SRV records with the target ".".';
  if (recordType !== "TXT") return null;
  if (value === "") return "does not allow an empty TXT value.";
  const octets = Buffer.byteLength(value);
  if (octets > longestText) return `allows at most ${longestText} octets in a TXT value; this one has ${octets}.`;
  if (/["'\\]/.test(value))
    return "rejects or changes quotes, single quotes and backslashes in a TXT value; leave them out.";
  return value.endsWith(" ") ? "drops spaces at the end of a TXT value; leave them out." : null;
}

/** Returns why a record is read-only, or null. The reason follows the vendor's name. */
export function readOnlyReason(record: LimitedRecord): string | null {
  if (isOwnType(record.recordType)) {
    return "manages this record only in its console: it is disabled, or has a line, a weight or a type that Zonewright does not edit.";
  }
  const own = isApexNs(record) && ownNameServer.test(record.value);
  return own ? "manages its own name servers at the apex." : null;
}
