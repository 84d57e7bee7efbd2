import { ok, refuse, type Result } from "../../platform/result.ts";
import { escapeOctets, unescapeOctets } from "../names/escapes.ts";
import { foldName, readHostAsWritten } from "../names/names.ts";
import { isKnownType, rdataFromFields, rdataToValue } from "../rdata/rdata.ts";
import {
  genericValue,
  readGeneric,
  longStringFault,
  splitLongStrings,
  unquotedFault,
  printHost,
  unwantedPriority,
} from "./character-strings.ts";
import type { CanonicalValue, RdataField, ValueRule } from "./value-rule.ts";

/** Vendor-specific types whose value is one host name. */
const vendorHosts: ReadonlySet<string> = new Set(["ALIAS", "ANAME"]);

/** Types whose fields may have the form `key="text"` (RFC 9460 §2.1). For other types, a quote begins a new field. */
export const typesWithParameters: ReadonlySet<string> = new Set(["SVCB", "HTTPS"]);
const quotedParameter = /^([^"]*=)"((?:[^"\\]|\\[^])*)"$/;
const plainField = / *(?:"((?:[^"\\]|\\.)*)"|((?:[^ "\\]|\\.)+)|$)/;
const parameterField = / *(?:"((?:[^"\\]|\\.)*)"|((?:[^ "\\]|\\.)+(?:(?<==)"(?:[^"\\]|\\.)*")?)|$)/;

/**
 * Returns the rule of a type without rules of its own, beyond its grammar. Its value is RDATA as in a master file, normalized:
 * single spaces, names absolute with a trailing dot, lower-case in the canonical value, blobs without whitespace. Equal data is equal text. Data of an
 * unknown type is in generic form (RFC 3597 §5). `write` enforces the grammar of the type; `read` also accepts malformed data, because
 * a server may serve it.
 */
export function uneditableRule(recordType: string): ValueRule {
  return {
    recordType,
    write(value, priority) {
      const unwanted = unwantedPriority(recordType, priority);
      if (unwanted) return unwanted;
      const fields = /\p{Cc}/u.test(value) ? null : splitFields(recordType, value);
      if (fields === null) {
        return refuse(
          `The ${recordType} value must be its data as in a zone file, on one line, with all quotes closed.`,
        );
      }
      const fault = longStringFault(recordType, fields) ?? unquotedFault(recordType, fields);
      if (fault !== null) return refuse(fault);
      return vendorHosts.has(recordType) ? readVerbatim(recordType, fields, "") : readKnown(recordType, fields, "");
    },
    read(given, origin) {
      const { fields, warnings } = splitLongStrings(recordType, given);
      const known = readKnown(recordType, fields, origin);
      const read = known.ok ? known : readVerbatim(recordType, fields, origin);
      return read.ok ? ok({ ...read.value, warnings: [...warnings, ...read.value.warnings] }) : read;
    },
    print(value) {
      return value;
    },
  };
}

/** Reads a value by the grammar of its type. Refuses malformed data, and data of an unknown type that is not in generic form. */
export function readKnown(recordType: string, fields: readonly RdataField[], origin: string): Result<CanonicalValue> {
  const rdata = rdataFromFields(recordType, fields, origin);
  if (!rdata.ok) return rdata;
  const text = isKnownType(recordType) ? rdataToValue(recordType, rdata.value) : ok({ value: "" });
  if (!text.ok) return text;
  return text.value.value === "" ? genericValue(rdata.value) : ok({ ...text.value, priority: null, warnings: [] });
}

/** Reads data that is malformed, or of a type without a grammar, field by field. */
export function readVerbatim(
  recordType: string,
  fields: readonly RdataField[],
  origin: string,
): Result<CanonicalValue> {
  const generic = readGeneric(fields);
  if (generic) return generic.ok ? genericValue(generic.value) : generic;
  if (fields.length === 0)
    return refuse(`The ${recordType} data must not be empty. Write "\\# 0" for no data (RFC 3597 §5).`);
  const texts: string[] = [];
  const written: string[] = [];
  for (const [index, field] of fields.entries()) {
    const name = index === 0 && vendorHosts.has(recordType) ? readHostAsWritten(field.raw, origin) : null;
    if (name && !name.ok) return name;
    const text = name ? printHost(name.value) : fieldText(recordType, field);
    if (text === null)
      return refuse(`The ${recordType} data has an invalid escape; decimal escapes go from \\000 to \\255.`);
    texts.push(name ? foldName(text) : text);
    written.push(text);
  }
  const [value, writtenValue] = [texts.join(" "), written.join(" ")];
  return ok({ value, ...(value === writtenValue ? {} : { writtenValue }), priority: null, warnings: [] });
}

function fieldText(recordType: string, field: RdataField): string | null {
  if (field.quoted) {
    const octets = unescapeOctets(field.raw);
    return octets === null ? null : `"${escapeOctets(octets, '"\\')}"`;
  }
  const parameter = typesWithParameters.has(recordType) ? quotedParameter.exec(field.raw) : null;
  if (parameter === null) return bareText(field.raw);
  const [, key = "", content = ""] = parameter;
  // Removes unnecessary quotes, because servers differ in quoting parameters.
  const plain = /^[!#-'*-:<-[\]-~]+$/.test(content);
  return bareText(key) + (plain ? content : `"${printable(content)}"`);
}

/** Prints an unquoted field: keeps its escapes, and escapes every other character that would end the field or its line. */
function bareText(raw: string): string {
  const closed = raw.replaceAll(/\\[^]|[;()"\\ ]/g, (part) =>
    part.length > 1 ? part : escapeOctets(Buffer.from(part), ' ;()"\\'),
  );
  return printable(closed);
}

function printable(text: string): string {
  return text.replaceAll(/[^ -~]+/gu, (part) => escapeOctets(Buffer.from(part), ""));
}

/** Splits one line of RDATA into fields. Returns null if a quote is not closed. */
export function splitFields(recordType: string, text: string): RdataField[] | null {
  const fields: RdataField[] = [];
  const pattern = new RegExp(typesWithParameters.has(recordType) ? parameterField : plainField, "suy");
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (match === null) return null;
    const [, quoted, bare] = match;
    if (quoted !== undefined) fields.push({ raw: quoted, quoted: true });
    else if (bare !== undefined) fields.push({ raw: bare, quoted: false });
  }
  return fields;
}
