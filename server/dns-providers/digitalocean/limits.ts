import { parseGeneric } from "../../dns/values/generic-form.ts";
import type { LimitedRecord, Unsupported } from "../provider.ts";

export const recordTypes = ["A", "AAAA", "CAA", "CNAME", "MX", "NS", "SRV", "TXT"];

/** Half a minute; the reference names no greatest TTL. */
export const minTtl = 30;

/** What its check of 512 octets leaves of a text in the form in which it is stored, found out by others. */
const longestText = 509;
const caaTags = new Set(["issue", "issuewild", "iodef"]);

export function unsupportedReason(record: LimitedRecord): Unsupported | null {
  const reason = parseGeneric(record.value) ? "takes no data in generic form." : reasonAgainst(record);
  return reason === null ? null : { field: "value", reason };
}

function reasonAgainst({ recordType, value }: LimitedRecord): string | null {
  switch (recordType) {
    case "TXT":
      return reasonAgainstText(value);
    case "MX":
      return value.endsWith(" .") ? "takes no MX without a mail server (null MX, RFC 7505)." : null;
    case "CAA":
      return reasonAgainstCaa(value);
    default:
      return null;
  }
}

function reasonAgainstText(value: string): string | null {
  if (value === "") return "takes no empty TXT.";
  if (value.includes("\\")) return "does not keep backslashes in TXT.";
  const octets = Buffer.byteLength(value);
  const stored = octets + value.split('"').length - 1 + 3 * Math.ceil(octets / 255) - 1;
  return stored > longestText
    ? `takes a TXT of up to ${longestText} characters as it stores it, in quotes for each 255 and with one more for each quote; this one has ${stored}.`
    : null;
}

function reasonAgainstCaa(value: string): string | null {
  const [, tag = "", ...rest] = value.split(" ");
  const text = rest.join(" ");
  if (!caaTags.has(tag)) return `takes the CAA tags ${[...caaTags].join(", ")} only.`;
  if (/[\s;]/.test(text)) return 'takes no CAA with blanks or ";" in its value.';
  return text.endsWith(".") ? "takes no CAA whose value ends in a dot." : null;
}
