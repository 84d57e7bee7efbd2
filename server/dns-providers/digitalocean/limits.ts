import { parseGeneric } from "../../dns/values/character-strings.ts";
import type { LimitedRecord, Unsupported } from "../provider.ts";

export const recordTypes = ["A", "AAAA", "CAA", "CNAME", "MX", "NS", "SRV", "TXT"];

/** 30 seconds. The reference gives no largest TTL. */
export const minTtl = 30;

/** The longest stored form of a text that passes its check of 512 octets, found by experiment. */
const longestText = 509;
const caaTags = new Set(["issue", "issuewild", "iodef"]);

export function unsupportedReason(record: LimitedRecord): Unsupported | null {
  const reason = parseGeneric(record.value)
    ? "does not support data in generic form (RFC 3597)."
    : reasonAgainst(record);
  return reason === null ? null : { field: "value", reason };
}

function reasonAgainst({ recordType, value }: LimitedRecord): string | null {
  switch (recordType) {
    case "TXT":
      return reasonAgainstText(value);
    case "MX":
      return value.endsWith(" .") ? "does not support null MX records (RFC 7505)." : null;
    case "SRV":
      return value.split(" ")[2] === "0" ? "allows SRV ports from 1." : null;
    case "CAA":
      return reasonAgainstCaa(value);
    default:
      return null;
  }
}

function reasonAgainstText(value: string): string | null {
  if (value === "") return "does not allow an empty TXT value.";
  if (value.includes("\\")) return "drops backslashes from a TXT value; leave them out.";
  const octets = Buffer.byteLength(value);
  const stored = octets + value.split('"').length - 1 + 3 * Math.ceil(octets / 255) - 1;
  return stored > longestText
    ? `stores a TXT in at most ${longestText} characters, with quotes around every 255 and one more character per quote; this one needs ${stored}.`
    : null;
}

function reasonAgainstCaa(value: string): string | null {
  const [, tag = "", ...rest] = value.split(" ");
  const text = rest.join(" ");
  if (!caaTags.has(tag)) return `supports only the CAA tags ${[...caaTags].join(", ")}.`;
  if (/[\s;]/.test(text)) return 'does not allow spaces or ";" in a CAA value.';
  if (/["\\]/.test(text)) return "does not allow quotes or backslashes in a CAA value, nor an empty one.";
  return tag !== "iodef" && text.endsWith(".") ? "does not allow a CAA value that ends in a dot." : null;
}
