import { rdataToText } from "../dns/rdata/rdata.ts";
import { printRdata, ruleFor } from "../dns/record-types.ts";
import { spellingOf, type RecordData } from "../dns/record.ts";
import { parseGeneric } from "../dns/values/character-strings.ts";
import { rdataFields } from "../dns/zone-file/record-data.ts";

// RDATA in master-file form (RFC 1035 §5.1), as several providers print and take it.

/** The fields of a record that come from its RDATA. */
export type RecordContent = Pick<RecordData, "value" | "writtenValue" | "strings" | "priority">;

/** Returns RDATA in canonical form; null if it cannot be read. @param origin completes names without a trailing dot */
export function canonicalRdata(recordType: string, text: string, origin = ""): RecordContent | null {
  const fields = rdataFields(recordType, text);
  const read = fields && ruleFor(recordType).read(fields, origin);
  if (!read?.ok) return null;
  const { value, writtenValue, strings = null, priority } = read.value;
  return { value, ...spellingOf({ writtenValue }), strings, priority };
}

/** Returns unreadable RDATA unchanged, so that nothing is lost. */
export function unreadContent(text: string): RecordContent {
  return { value: text, strings: null, priority: null };
}

/**
 * Returns a record's RDATA as most servers take it: without the dotted end of an IPv4-mapped address, and without generic form (RFC 3597) for
 * types that have a form of their own.
 */
export function printedRdata(record: RecordData): string {
  const { recordType, value, strings } = record;
  const rdata = strings === null ? parseGeneric(value) : null;
  const text = rdata && rdataToText(recordType, rdata);
  const printed = text?.ok && text.value !== "" ? text.value : printRdata(record);
  if (recordType !== "AAAA" || !printed.includes(".")) return printed;
  return URL.parse(`http://[${printed}]`)?.hostname.slice(1, -1) ?? printed;
}
