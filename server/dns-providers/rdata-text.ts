import { ruleFor } from "../records/record-types.ts";
import type { RdataField } from "../records/values/value-rule.ts";
import { joinParameters } from "../zone-file/service-parameters.ts";
import { logicalLines } from "../zone-file/tokens.ts";

// RDATA in master-file form (RFC 1035 §5.1), as several providers print it and take it.

/** The fields of RDATA on one line; null where it is not just that. */
export function rdataFields(recordType: string, text: string): RdataField[] | null {
  const [line, ...others] = logicalLines(text);
  return line?.kind === "line" && others.length === 0 ? joinParameters(recordType, line.fields) : null;
}

/** RDATA as a canonical value; null where it cannot be read. */
export function canonicalRdata(recordType: string, text: string): { value: string; priority: number | null } | null {
  const fields = rdataFields(recordType, text);
  const read = fields && ruleFor(recordType).read(fields, "");
  return read?.ok ? read.value : null;
}
