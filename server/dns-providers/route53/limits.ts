import { isApexNs } from "../../dns/record.ts";
import type { LimitedRecord, Unsupported } from "../provider.ts";
import { printValue } from "./octal-text.ts";
import { aliasType, routingType } from "./own-records.ts";

/** The API's own limit for a value, as it is written there. */
const longestValue = 4_000;

/** The types that the API knows, without SOA, which is Route 53's own. */
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
    return { field: "value", reason: `takes ${recordType} data in its own form only, not in generic form.` };
  if (text.length <= longestValue) return null;
  const cost =
    recordType === "TXT" ? ', with four for each character that must be written as \\ooo and two for " and \\' : "";
  return {
    field: "value",
    reason: `takes values of up to ${longestValue} characters${cost}; this one has ${text.length}.`,
  };
}

export function keeps(record: LimitedRecord): string | null {
  const { recordType } = record;
  if (recordType === aliasType) return "keeps alias records as they are; change them in its console.";
  if (recordType === routingType) return "keeps records with a routing policy as they are; change them in its console.";
  if (isApexNs(record)) {
    return "keeps the name servers at the apex of a hosted zone: they are those that it assigned to it.";
  }
  return null;
}
