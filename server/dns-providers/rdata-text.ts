import { ruleFor } from "../dns/record-types.ts";
import { spellingOf, type RecordData } from "../dns/record.ts";
import type { RdataField } from "../dns/values/value-rule.ts";
import { joinParameters, logicalLines } from "../dns/zone-file/tokens.ts";

// RDATA in master-file form (RFC 1035 §5.1), as several providers print and take it.

/** Returns the fields of RDATA on one line; null for anything else. */
export function rdataFields(recordType: string, text: string): RdataField[] | null {
  const [line, ...others] = logicalLines(text);
  return line?.kind === "line" && others.length === 0 ? joinParameters(recordType, line.fields) : null;
}

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
