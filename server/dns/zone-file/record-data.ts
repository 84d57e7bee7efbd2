import { isKnownType, longestRdata, rdataFromFields, rdataToText } from "../rdata/rdata.ts";
import { ruleFor } from "../record-types.ts";
import { isEditableType } from "../record.ts";
import { readGeneric } from "../values/generic-form.ts";
import { readKnown, typesWithParameters } from "../values/kept.ts";
import type { CanonicalValue } from "../values/value-rule.ts";
import { refuse, type Result } from "../../platform/result.ts";
import { joinParameters } from "./service-parameters.ts";
import { logicalLines, type Field } from "./tokens.ts";
import { unstorableReason } from "./type-names.ts";

/** `\DDD` is one octet. */
const longestEscape = 4;
/** The shortest form of an octet is two digits, which may stand apart; a service parameter has four octets (RFC 9460 §2.2). */
const mostFields = 2 * longestRdata + 16;
const mostParameters = longestRdata / 4 + 16;

/** Types whose own rule takes generic form apart, because not all of their data is text. */
const takesGeneric = new Set(["TXT", "CAA"]);

/**
 * The canonical value of a record's fields, held to the grammar of its type. Refused is what a name server would refuse the whole zone for.
 * @param origin completes relative names
 */
export function readData(recordType: string, given: Field[], origin: string): Result<CanonicalValue> {
  const reason = unstorableReason(recordType);
  if (reason !== null) return refuse(`${recordType} ${reason}.`);
  if (given.length > (typesWithParameters.has(recordType) ? mostParameters : mostFields)) return tooLong(recordType);
  const fields = joinParameters(recordType, given);
  if (!isEditableType(recordType)) return readKnown(recordType, fields, origin);
  const isGeneric = readGeneric(fields) !== null;
  if (isGeneric) {
    const rdata = rdataFromFields(recordType, fields, origin);
    if (!rdata.ok) return rdata;
  }
  if (!isGeneric && octetsAtLeast(fields) > longestRdata) {
    return tooLong(recordType);
  }
  return readKept(recordType, fields, origin);
}

function tooLong(recordType: string): Result<never> {
  return refuse(`The ${recordType} data is longer than the ${longestRdata} octets that a record can hold.`);
}

/** The same, but what breaks the grammar of its type is kept as it stands, as long as it can be told what it says. */
export function readLeniently(recordType: string, given: Field[], origin: string): Result<CanonicalValue> {
  return readKept(recordType, joinParameters(recordType, given), origin);
}

function readKept(recordType: string, fields: Field[], origin: string): Result<CanonicalValue> {
  const rule = ruleFor(recordType);
  return rule.read(takesGeneric.has(recordType) ? fields : plainFields(recordType, fields), origin);
}

/** The fields of known data in its own form where they are in generic form (RFC 3597 §5), else the fields themselves. */
export function plainFields(recordType: string, fields: Field[]): Field[] {
  const generic = readGeneric(fields);
  if (!generic?.ok || !isKnownType(recordType)) return fields;
  const text = rdataToText(recordType, generic.value);
  return text.ok ? fieldsOf(text.value) : fields;
}

function fieldsOf(text: string): Field[] {
  const [line] = logicalLines(text);
  return line?.kind === "line" ? line.fields : [];
}

/** Not more than the octets of the fields as character-strings; exactly as many where that may decide. */
function octetsAtLeast(fields: readonly Field[]): number {
  let length = 0;
  let least = 0;
  for (const { raw } of fields) {
    length += raw.length + 1;
    least += Math.ceil(raw.length / longestEscape) + 1;
    if (least > longestRdata) return least;
  }
  if (length <= longestRdata) return 0;
  return fields.reduce((sum, { raw }) => sum + 1 + raw.replaceAll(/\\(?:\d{3}|[^])/g, "x").length, 0);
}
