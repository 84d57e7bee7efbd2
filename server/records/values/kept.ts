import { ok, refuse, type Result } from "../../result.ts";
import { escapeOctets, unescapeOctets } from "../../names/escapes.ts";
import { readHost } from "../../names/names.ts";
import { keepGeneric, readGeneric } from "./generic-form.ts";
import { printHost } from "./host.ts";
import { unwantedPriority } from "./priority.ts";
import type { CanonicalValue, RdataField, ValueRule } from "./value-rule.ts";

/** Which fields of a type's RDATA are domain names, counted from 0. */
const nameFields: ReadonlyMap<string, readonly number[]> = new Map<string, readonly number[]>([
  ...["PTR", "DNAME", "ALIAS", "ANAME", "MB", "MG", "MR", "NSEC"].map((type) => [type, [0]] as const),
  ...["SOA", "RP", "MINFO", "TALINK"].map((type) => [type, [0, 1]] as const),
  ...["AFSDB", "RT", "KX", "LP", "SVCB", "HTTPS"].map((type) => [type, [1]] as const),
  ["PX", [1, 2]],
  ["DSYNC", [3]],
  ["NAPTR", [5]],
  ["RRSIG", [7]],
]);

/** Where a type's RDATA ends in one blob that may be written in pieces: the blob's first field. */
const hexFrom: ReadonlyMap<string, number> = new Map([
  ["SSHFP", 2],
  ...["DS", "CDS", "DLV", "TLSA", "SMIMEA", "ZONEMD"].map((type) => [type, 3] as const),
]);
const base64From: ReadonlyMap<string, number> = new Map([
  ...["OPENPGPKEY", "DHCID"].map((type) => [type, 0] as const),
  ...["DNSKEY", "CDNSKEY", "KEY", "CERT"].map((type) => [type, 3] as const),
  ["RRSIG", 8],
]);

/** Types whose fields may be `key="text"` in one piece (RFC 9460 §2.1); elsewhere a quote begins a field of its own. */
export const typesWithParameters: ReadonlySet<string> = new Set(["SVCB", "HTTPS"]);
const quotedParameter = /^([^"]*=)"((?:[^"\\]|\\[^])*)"$/;
const plainField = / *(?:"((?:[^"\\]|\\.)*)"|((?:[^ "\\]|\\.)+)|$)/;
const parameterField = / *(?:"((?:[^"\\]|\\.)*)"|((?:[^ "\\]|\\.)+(?:(?<==)"(?:[^"\\]|\\.)*")?)|$)/;

/**
 * The rule of a type that is kept, shown and exported but not edited. Its value is RDATA as in a master file: single
 * blanks, names absolute and lower-case with a trailing dot, quoted fields quoted, blobs in one piece, so that equal data is
 * equal text. Data of an unknown type stays as written, or in generic form (RFC 3597 §5).
 */
export function keptRule(recordType: string): ValueRule {
  const read = (fields: RdataField[], origin: string) => canonical(recordType, fields, origin);
  return {
    recordType,
    write(value, priority) {
      const unwanted = unwantedPriority(recordType, priority);
      if (unwanted) return unwanted;
      const fields = /\p{Cc}/u.test(value) ? null : splitFields(recordType, value);
      return fields === null
        ? refuse(`The ${recordType} value must be its data as in a zone file, on one line and with every quote closed.`)
        : read(fields, "");
    },
    read,
    print(value) {
      return value;
    },
  };
}

function canonical(recordType: string, fields: RdataField[], origin: string): Result<CanonicalValue> {
  const generic = readGeneric(fields);
  if (generic) return generic.ok ? keepGeneric(generic.value) : generic;
  if (fields.length === 0)
    return refuse(`The ${recordType} data must not be empty; write no data as "\\# 0" (RFC 3597).`);
  const names = nameFields.get(recordType) ?? [];
  const texts: string[] = [];
  for (const [index, field] of fields.entries()) {
    const name = names.includes(index) ? readHost(field.raw, origin) : null;
    if (name && !name.ok) return name;
    const text = name ? printHost(name.value) : fieldText(recordType, field);
    if (text === null) return refuse(`The ${recordType} data must not have escapes other than \\000 to \\255.`);
    texts.push(text);
  }
  return ok({ value: joinBlob(recordType, texts).join(" "), priority: null, warnings: [] });
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

function joinBlob(recordType: string, texts: string[]): string[] {
  const hex = hexFrom.get(recordType);
  const start = hex ?? base64From.get(recordType);
  if (start === undefined || texts.length <= start) return texts;
  const pieces = texts.slice(start);
  if (!pieces.every((piece) => /^[A-Za-z0-9+/=]+$/.test(piece))) return texts;
  const blob = pieces.join("");
  return [...texts.slice(0, start), hex === undefined ? blob : blob.toLowerCase()];
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
