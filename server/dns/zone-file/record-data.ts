import { withEscapes } from "../names/names.ts";
import { isKnownType, longestRdata, rdataFromFields, rdataToText } from "../rdata/rdata.ts";
import { ruleFor } from "../record-types.ts";
import { isCommonType } from "../record.ts";
import { parseGeneric, readGeneric, longStringFault } from "../values/character-strings.ts";
import { readKnown, typesWithParameters } from "../values/uneditable.ts";
import type { CanonicalValue } from "../values/value-rule.ts";
import { ok, refuse, type Result } from "../../platform/result.ts";
import { joinParameters, logicalLines, type Field } from "./tokens.ts";
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
    const own = known.ok && recordType === "PTR" ? readValue(recordType, fields, origin) : known;
    return own.ok ? judged(recordType, own.value) : own;
  }
  const isGeneric = readGeneric(fields) !== null;
  if (isGeneric) {
    const rdata = rdataFromFields(recordType, fields, origin);
    if (!rdata.ok) return rdata;
  }
  if (!isGeneric && octetsAtLeast(fields) > longestRdata) {
    return tooLong(recordType);
  }
  const read = readValue(recordType, fields, origin);
  return read.ok ? judged(recordType, read.value) : read;
}

/** Types whose data is one name of any kind. */
const nameTypes = new Set(["CNAME", "PTR"]);
/** Types whose data ends in the name of a host. */
const hostTypes = new Set(["NS", "MX", "SRV"]);
/** Types with hashes whose length must be that of their kind. */
const hashTypes = new Set(["TLSA", "SMIMEA"]);

/** Refuses what clients may not write either, beyond the grammar of a master file. */
function judged(recordType: string, read: CanonicalValue): Result<CanonicalValue> {
  const value = clientsForm(recordType, read.value);
  const written = value === null ? ok(read) : ruleFor(recordType).write(value, null, "dns");
  return written.ok ? ok(read) : written;
}

/** Returns a value as a client would write it; null for a type that has no rules beyond its grammar. */
function clientsForm(recordType: string, value: string): string | null {
  if (value.startsWith("\\#") && parseGeneric(value)) return null;
  if (hashTypes.has(recordType)) return value;
  if (!nameTypes.has(recordType) && !hostTypes.has(recordType)) return null;
  // Which octets the name of a host may have is for the provider's name servers to say (host-names.ts).
  const name = nameTypes.has(recordType) ? withEscapes(value) : value.replaceAll(/\\\d{3}|\\.|[^\w.* -]/g, "x");
  // With a trailing dot, a name of one label is not taken for a relative one.
  return name.endsWith(".") ? name : `${name}.`;
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
  return text.ok && text.value !== "" ? fieldsOf(text.value) : fields;
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

/** Returns the fields of RDATA on one line; null for anything else. */
export function rdataFields(recordType: string, text: string): Field[] | null {
  const [line, ...others] = logicalLines(text);
  return line?.kind === "line" && others.length === 0 ? joinParameters(recordType, line.fields) : null;
}
