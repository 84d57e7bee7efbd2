import { ok, refuse, type Result } from "../../platform/result.ts";
import { escapeOctets, unescapeOctets } from "../names/escapes.ts";
import { readHost } from "../names/names.ts";
import { isKnownType, rdataFromFields, rdataToText } from "../rdata/rdata.ts";
import { keepGeneric, readGeneric } from "./generic-form.ts";
import { printHost } from "./host.ts";
import { unwantedPriority } from "./priority.ts";
import type { CanonicalValue, RdataField, ValueRule } from "./value-rule.ts";

/** Types of single vendors whose value is one host name. */
const vendorHosts: ReadonlySet<string> = new Set(["ALIAS", "ANAME"]);

/** Types whose fields may be `key="text"` in one piece (RFC 9460 §2.1); elsewhere a quote begins a field of its own. */
export const typesWithParameters: ReadonlySet<string> = new Set(["SVCB", "HTTPS"]);
const quotedParameter = /^([^"]*=)"((?:[^"\\]|\\[^])*)"$/;
const plainField = / *(?:"((?:[^"\\]|\\.)*)"|((?:[^ "\\]|\\.)+)|$)/;
const parameterField = / *(?:"((?:[^"\\]|\\.)*)"|((?:[^ "\\]|\\.)+(?:(?<==)"(?:[^"\\]|\\.)*")?)|$)/;

/**
 * The rule of a type that is kept, shown and exported but not edited. Its value is RDATA as in a master file: single
 * blanks, names absolute and lower-case with a trailing dot, quoted fields quoted, blobs in one piece, so that equal data is
 * equal text. Data of an unknown type is in generic form (RFC 3597 §5). `write` holds a value to the grammar of its type;
 * `read` takes what breaks it as it stands, for a server may serve it.
 */
export function keptRule(recordType: string): ValueRule {
  return {
    recordType,
    write(value, priority) {
      const unwanted = unwantedPriority(recordType, priority);
      if (unwanted) return unwanted;
      const fields = /\p{Cc}/u.test(value) ? null : splitFields(recordType, value);
      if (fields === null) {
        return refuse(
          `The ${recordType} value must be its data as in a zone file, on one line and with every quote closed.`,
        );
      }
      return vendorHosts.has(recordType) ? asItStands(recordType, fields, "") : readKnown(recordType, fields, "");
    },
    read(fields, origin) {
      const known = readKnown(recordType, fields, origin);
      return known.ok ? known : asItStands(recordType, fields, origin);
    },
    print(value) {
      return value;
    },
  };
}

/** The value by the grammar of its type; refused where it breaks that, or is not in generic form though its type is not understood. */
export function readKnown(recordType: string, fields: readonly RdataField[], origin: string): Result<CanonicalValue> {
  const rdata = rdataFromFields(recordType, fields, origin);
  if (!rdata.ok) return rdata;
  const text = isKnownType(recordType) ? rdataToText(recordType, rdata.value) : ok("");
  if (!text.ok) return text;
  return text.value === "" ? keepGeneric(rdata.value) : ok({ value: text.value, priority: null, warnings: [] });
}

/** The value of data that breaks the grammar of its type, or that has none. */
function asItStands(recordType: string, fields: readonly RdataField[], origin: string): Result<CanonicalValue> {
  const generic = readGeneric(fields);
  if (generic) return generic.ok ? keepGeneric(generic.value) : generic;
  if (fields.length === 0)
    return refuse(`The ${recordType} data must not be empty; write no data as "\\# 0" (RFC 3597).`);
  const texts: string[] = [];
  for (const [index, field] of fields.entries()) {
    const name = index === 0 && vendorHosts.has(recordType) ? readHost(field.raw, origin) : null;
    if (name && !name.ok) return name;
    const text = name ? printHost(name.value) : fieldText(recordType, field);
    if (text === null) return refuse(`The ${recordType} data must not have escapes other than \\000 to \\255.`);
    texts.push(text);
  }
  return ok({ value: texts.join(" "), priority: null, warnings: [] });
}

function fieldText(recordType: string, field: RdataField): string | null {
  if (field.quoted) {
    const octets = unescapeOctets(field.raw);
    return octets === null ? null : `"${escapeOctets(octets, '"\\')}"`;
  }
  const parameter = typesWithParameters.has(recordType) ? quotedParameter.exec(field.raw) : null;
  if (parameter === null) return bareText(field.raw);
  const [, key = "", content = ""] = parameter;
  // Servers differ in quoting parameters: without a need, no quotes.
  const plain = /^[!#-'*-:<-[\]-~]+$/.test(content);
  return bareText(key) + (plain ? content : `"${printable(content)}"`);
}

/** A field without quotes: its escapes stay, and whatever else would end the field or its line is escaped. */
function bareText(raw: string): string {
  const closed = raw.replaceAll(/\\[^]|[;()"\\ ]/g, (part) =>
    part.length > 1 ? part : escapeOctets(Buffer.from(part), ' ;()"\\'),
  );
  return printable(closed);
}

function printable(text: string): string {
  return text.replaceAll(/[^ -~]+/gu, (part) => escapeOctets(Buffer.from(part), ""));
}

/** The fields of RDATA on one line; null where a quote stays open. */
function splitFields(recordType: string, text: string): RdataField[] | null {
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
