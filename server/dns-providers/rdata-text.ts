import { ruleFor } from "../dns/record-types.ts";
import { spellingOf, type RecordData } from "../dns/record.ts";
import { rdataFields } from "../dns/zone-file/record-data.ts";

// RDATA in master-file form (RFC 1035 §5.1), as several providers print and take it.

/** The fields of a record that come from its RDATA. */
export type RecordContent = Pick<RecordData, "value" | "writtenValue" | "strings" | "priority">;

/** Returns RDATA in canonical form; null if it cannot be read. */
export function canonicalRdata(recordType: string, text: string): RecordContent | null {
  const fields = rdataFields(recordType, text);
  const read = fields && ruleFor(recordType).read(fields, "");
  if (!read?.ok) return null;
  const { value, writtenValue, strings = null, priority } = read.value;
  return { value, ...spellingOf({ writtenValue }), strings, priority };
}

/** Returns unreadable RDATA unchanged, so that nothing is lost. */
export function unreadContent(text: string): RecordContent {
  return { value: text, strings: null, priority: null };
}
