import { isApexNs } from "../../dns/record.ts";
import type { LimitedRecord, Unsupported } from "../provider.ts";
import { printValue } from "./octal-text.ts";
import { aliasType, routingType } from "./rrsets.ts";

/** The API's limit for a value in its own notation. */
const longestValue = 4_000;

/** The types that the API knows, except SOA, which Route 53 manages. */
export const recordTypes = [
  "A",
  "AAAA",
  "CAA",
  "CNAME",
  "DS",
  "HTTPS",
  "MX",
  "NAPTR",
  "NS",
  "PTR",
  "SPF",
  "SRV",
  "SSHFP",
  "SVCB",
  "TLSA",
  "TXT",
];

export function unsupportedReason(record: LimitedRecord): Unsupported | null {
  const { recordType, value, strings } = record;
  const text = printValue(recordType, value, strings);
  if (text === null)
    return { field: "value", reason: `does not support ${recordType} data in generic form (RFC 3597).` };
  if (text.length <= longestValue) return null;
  const cost = recordType === "TXT" ? ', counting four for each character written as \\ooo and two for " and \\' : "";
  return {
    field: "value",
    reason: `allows values of at most ${longestValue} characters${cost}; this one has ${text.length}.`,
  };
}

export function readOnlyReason(record: LimitedRecord): string | null {
  const { recordType } = record;
  if (recordType === aliasType) return "manages alias records in its own console; change them there.";
  if (recordType === routingType) return "manages records with a routing policy in its own console; change them there.";
  if (isApexNs(record)) {
    return "manages the name servers at the apex of a hosted zone, which it assigned.";
  }
  return null;
}
