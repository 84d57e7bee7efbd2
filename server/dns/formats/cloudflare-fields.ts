import { escapeOctets, unescapeOctets } from "../names/escapes.ts";
import { ruleFor } from "../record-types.ts";
import type { RdataField } from "../values/value-rule.ts";
import { decodeText } from "../values/character-strings.ts";
import { rdataFields } from "../zone-file/record-data.ts";

/**
 * The form of an RDATA field in `data`: a number, a word, a name without trailing dot, a text without quotes and escapes, or all
 * remaining fields.
 */
type FieldForm = "number" | "word" | "name" | "text" | "rest";

type Shape = readonly (readonly [field: string, form: FieldForm])[];

const certificate: Shape = [
  ["usage", "number"],
  ["selector", "number"],
  ["matching_type", "number"],
  ["certificate", "word"],
];
const service: Shape = [
  ["priority", "number"],
  ["target", "name"],
  ["value", "rest"],
];

/** The types that Cloudflare takes field by field, in RDATA order. */
const shapes: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  [
    "CAA",
    [
      ["flags", "number"],
      ["tag", "word"],
      ["value", "text"],
    ],
  ],
  [
    "CERT",
    [
      ["type", "number"],
      ["key_tag", "number"],
      ["algorithm", "number"],
      ["certificate", "word"],
    ],
  ],
  [
    "DNSKEY",
    [
      ["flags", "number"],
      ["protocol", "number"],
      ["algorithm", "number"],
      ["public_key", "word"],
    ],
  ],
  [
    "DS",
    [
      ["key_tag", "number"],
      ["algorithm", "number"],
      ["digest_type", "number"],
      ["digest", "word"],
    ],
  ],
  ["HTTPS", service],
  [
    "NAPTR",
    [
      ["order", "number"],
      ["preference", "number"],
      ["flags", "text"],
      ["service", "text"],
      ["regex", "text"],
      ["replacement", "name"],
    ],
  ],
  ["SMIMEA", certificate],
  [
    "SRV",
    [
      ["priority", "number"],
      ["weight", "number"],
      ["port", "number"],
      ["target", "name"],
    ],
  ],
  [
    "SSHFP",
    [
      ["algorithm", "number"],
      ["type", "number"],
      ["fingerprint", "word"],
    ],
  ],
  ["SVCB", service],
  ["TLSA", certificate],
  [
    "URI",
    [
      ["priority", "number"],
      ["weight", "number"],
      ["target", "text"],
    ],
  ],
]);

export type RecordFields = Readonly<Record<string, string | number>>;

/** Returns whether Cloudflare takes the type field by field. */
export function hasFields(recordType: string): boolean {
  return shapes.has(recordType);
}

/** Returns the fields of a canonical value; null if it cannot be split into them. */
export function fieldsOf(recordType: string, value: string): RecordFields | null {
  const shape = shapes.get(recordType);
  const raws = rdataFields(recordType, ruleFor(recordType).print(value));
  if (!shape || !raws) return null;
  const fields: Record<string, string | number> = {};
  for (const [index, [name, form]] of shape.entries()) {
    const field = form === "rest" ? { raw: restOf(raws.slice(index)), quoted: false } : raws[index];
    const given = field ? valueIn(form, field) : null;
    if (given === null) return null;
    fields[name] = given;
  }
  return shape.at(-1)?.[1] === "rest" || raws.length === shape.length ? fields : null;
}

function restOf(fields: readonly RdataField[]): string {
  return fields.map(({ raw }) => raw).join(" ");
}

function valueIn(form: FieldForm, { raw }: RdataField): string | number | null {
  if (form === "number") return /^\d{1,5}$/.test(raw) ? Number(raw) : null;
  if (form === "name") return raw === "." ? raw : raw.replace(/\.$/, "");
  if (form !== "text") return raw;
  const octets = unescapeOctets(raw);
  return octets && decodeText(octets);
}

/** Returns RDATA in master-file form from the fields that Cloudflare prints; null if they are not those of the type. */
export function textOf(recordType: string, fields: Readonly<Record<string, unknown>>): string | null {
  const texts: string[] = [];
  for (const [name, form] of shapes.get(recordType) ?? []) {
    const given = fields[name];
    if (typeof given !== "string" && typeof given !== "number") return null;
    texts.push(printed(form, String(given)));
  }
  return texts.length === 0 ? null : texts.join(" ").trimEnd();
}

function printed(form: FieldForm, given: string): string {
  if (form === "text") return `"${escapeOctets(Buffer.from(given, "utf8"), '"\\')}"`;
  return form === "name" && !given.endsWith(".") ? `${given}.` : given;
}
