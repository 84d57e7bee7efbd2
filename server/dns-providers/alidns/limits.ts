import { isApexNs } from "../../dns/record.ts";
import { parseGeneric } from "../../dns/values/generic-form.ts";
import type { LimitedRecord, Unsupported } from "../provider.ts";
import { isOwnType } from "./records.ts";

/** "DNS record type format": shorter than 512 characters. */
const longestText = 511;

/** What it refuses, or takes and changes without a word. The reasons follow the vendor's name. */
export function unsupportedReason(record: LimitedRecord): Unsupported | null {
  const { recordType, name, value } = record;
  if (/[^a-z0-9_.*@-]/.test(name)) {
    return { field: "name", reason: "takes only letters, digits, hyphens and underscores in a name." };
  }
  if (name.startsWith("*") && ["NS", "TXT", "SRV"].includes(recordType)) {
    return { field: "name", reason: `takes no wildcard as the name of ${recordType} records.` };
  }
  const reason = valueReason(recordType, value);
  return reason === null ? null : { field: "value", reason };
}

function valueReason(recordType: string, value: string): string | null {
  if (recordType === "TXT") return textReason(value);
  if (parseGeneric(value)) return "takes no data in generic form.";
  if (recordType === "MX") {
    const priority = Number(value.split(" ")[0]);
    if (value === "0 .") return 'takes no MX record that says that a name has no mail ("0 .").';
    return priority >= 1 && priority <= 50 ? null : "takes a priority from 1 to 50 in MX records.";
  }
  return recordType === "SRV" && value.endsWith(" .") ? 'takes no SRV record whose target is ".".' : null;
}

function textReason(text: string): string | null {
  if (text === "") return "takes no empty TXT value.";
  if (text.length > longestText) return `takes at most ${longestText} characters in a TXT value.`;
  if (/["\\]/.test(text)) return "loses quotes and backslashes in a TXT value; leave them out.";
  if (!/^[ -~]*$/.test(text)) return "takes only printable ASCII characters in a TXT value.";
  return text.endsWith(" ") ? "loses blanks at the end of a TXT value; leave them out." : null;
}

/** Why a record is shown and not to be changed. */
export function keptReason(record: LimitedRecord): string | null {
  if (isOwnType(record.recordType)) {
    return "keeps this record for itself: it is disabled, has a line or weight, or a type that only its console edits.";
  }
  return isApexNs(record) ? "keeps the name servers at the apex for itself." : null;
}
