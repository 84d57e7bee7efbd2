import { isApexNs } from "../../dns/record.ts";
import { parseGeneric } from "../../dns/values/generic-form.ts";
import type { LimitedRecord, Unsupported } from "../provider.ts";
import { isOwnType } from "./records.ts";

/** The vendor's own name servers, free and paid. */
const ownNameServer = /\.(?:dnspod\.net|dnsv\d\.com)$/;

/** What it refuses, or takes and changes without a word. The reasons follow the vendor's name. */
export function unsupportedReason({ recordType, name, value }: LimitedRecord): Unsupported | null {
  if (/[^a-z0-9_.*@-]/.test(name)) {
    return { field: "name", reason: "takes only letters, digits, hyphens and underscores in a name." };
  }
  const reason = valueReason(recordType, value);
  return reason === null ? null : { field: "value", reason };
}

function valueReason(recordType: string, value: string): string | null {
  if (parseGeneric(value)) return "takes no data in generic form.";
  if (recordType === "MX" && value === "0 .") return 'takes no MX record that says that a name has no mail ("0 .").';
  if (recordType === "MX" && !/^(?:[1-9]|1\d|20) /.test(value)) return "takes a priority from 1 to 20 in MX records.";
  if (recordType === "SRV" && value.endsWith(" .")) return 'takes no SRV record whose target is ".".';
  if (recordType !== "TXT") return null;
  if (value === "") return "takes no empty TXT value.";
  if (/["'\\]/.test(value)) return "takes no quotes, single quotes and backslashes in a TXT value, or changes them.";
  return value.endsWith(" ") ? "loses blanks at the end of a TXT value; leave them out." : null;
}

/** Why a record is shown and not to be changed. */
export function keptReason(record: LimitedRecord): string | null {
  if (isOwnType(record.recordType)) {
    return "keeps this record for itself: it is disabled, has a line or weight, or a type that only its console edits.";
  }
  const own = isApexNs(record) && ownNameServer.test(record.value);
  return own ? "keeps its own name servers at the apex." : null;
}
