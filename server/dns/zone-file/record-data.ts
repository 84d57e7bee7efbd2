import { isKnownType, longestRdata, rdataFromFields, rdataToText } from "../rdata/rdata.ts";
import { ruleFor } from "../record-types.ts";
import { isCommonType } from "../record.ts";
import { readGeneric } from "../values/generic-form.ts";
import { longStringFault } from "../values/long-strings.ts";
import { readKnown, typesWithParameters } from "../values/uneditable.ts";
import type { CanonicalValue } from "../values/value-rule.ts";
import { refuse, type Result } from "../../platform/result.ts";
import { joinParameters } from "./service-parameters.ts";
import { logicalLines, type Field } from "./tokens.ts";
import { unstorableReason } from "./type-names.ts";

/** `\DDD` is one octet. */
const longestEscape = 4;
/** An octet is at least two digits, possibly in separate fields; a service parameter is at least four octets (RFC 9460 §2.2). */
const mostFields = 2 * longestRdata + 16;
const mostParameters = longestRdata / 4 + 16;

/** Types whose rule parses generic form itself, because their data may not be text. */
const takesGeneric = new Set(["TXT", "CAA"]);

/**
 * Reads a record's fields strictly, by the grammar of its type. Refuses data for which a name server would refuse the whole zone.
 * @param origin completes relative names
 */
export function readData(recordType: string, given: Field[], origin: string): Result<CanonicalValue> {
  const reason = unstorableReason(recordType);
  if (reason !== null) return refuse(`${recordType} ${reason}.`);
  if (given.length > (typesWithParameters.has(recordType) ? mostParameters : mostFields)) return tooLong(recordType);
  const fields = joinParameters(recordType, given);
  const fault = longStringFault(recordType, fields);
  if (fault !== null) return refuse(fault);
  if (!isCommonType(recordType)) {
    const known = readKnown(recordType, fields, origin);
    // A PTR's own rule writes host names without a trailing dot.
    return known.ok && recordType === "PTR" ? readValue(recordType, fields, origin) : known;
  }
  const isGeneric = readGeneric(fields) !== null;
  if (isGeneric) {
    const rdata = rdataFromFields(recordType, fields, origin);
    if (!rdata.ok) return rdata;
  }
  if (!isGeneric && octetsAtLeast(fields) > longestRdata) {
    return tooLong(recordType);
  }
  return readValue(recordType, fields, origin);
}

function tooLong(recordType: string): Result<never> {
  return refuse(`The ${recordType} data is too long; a record can hold at most ${longestRdata} octets.`);
}

/** Like {@link readData}, but keeps malformed data unchanged if its fields can be parsed. */
export function readLeniently(recordType: string, given: Field[], origin: string): Result<CanonicalValue> {
  return readValue(recordType, joinParameters(recordType, given), origin);
}

/** Like {@link readLeniently}, but refuses what the format of the type cannot hold. */
export function readInFormat(recordType: string, given: Field[], origin: string): Result<CanonicalValue> {
  const read = readLeniently(recordType, given, origin);
  if (!read.ok) return read;
  const printed = ruleFor(recordType).print(read.value.value, read.value.strings);
  const rdata = rdataFromFields(recordType, fieldsOf(printed), "");
  return rdata.ok ? read : rdata;
}

function readValue(recordType: string, fields: Field[], origin: string): Result<CanonicalValue> {
  const rule = ruleFor(recordType);
  return rule.read(takesGeneric.has(recordType) ? fields : plainFields(recordType, fields), origin);
}

/** Converts fields of a known type from generic form (RFC 3597 §5) to the type's own form. Returns other fields unchanged. */
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

/** Returns a lower bound of the fields' length as character-strings, exact if near the limit. */
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
