import { ok, refuse, type Result } from "../../platform/result.ts";
import { unescapeOctets } from "../names/escapes.ts";
import type { RdataField, CanonicalValue, ValueRule } from "./value-rule.ts";
import { foldName, parseDomainNameAsWritten, parseHostAsWritten, readHostAsWritten } from "../names/names.ts";

// The character-strings of a TXT record (RFC 1035 §3.3.14) as text, with `\\` for a backslash and `\ddd` (decimal) for control characters and
// each octet that is not part of well-formed UTF-8. `null` is the default split, at every 255 octets.

/** The maximum of one length octet (RFC 1035 §3.3). */
const longestString = 255;
/** RDLENGTH has 16 bits (RFC 1035 §3.2.1). */
const longestRdata = 65_535;

/** Splits octets as servers do by default: at least one string, each but the last of 255 octets. */
export function defaultSplit(octets: Buffer): Buffer[] {
  const count = Math.max(1, Math.ceil(octets.length / longestString));
  return Array.from({ length: count }, (_, index) =>
    octets.subarray(index * longestString, (index + 1) * longestString),
  );
}

/**
 * Returns the strings of a record as text, or null for the default split. A text with control characters, which cannot be written in a
 * value, always shows its strings.
 * @param isText whether the octets are text, and not stored in generic form
 */
export function shownStrings(parts: readonly Buffer[], isText: boolean): string[] | null {
  const isPlain = !isText || !parts.some((part) => part.some(isControl));
  return isPlain && isDefaultSplit(parts) ? null : parts.map(shown);
}

/** Returns the strings of a TXT value in generic form; null for a text. */
export function stringsOfGeneric(value: string): string[] | null {
  const rdata = value.startsWith("\\# ") ? parseGeneric(value) : null;
  return (rdata && splitStrings(rdata))?.map(shown) ?? null;
}

/** The control characters that a client cannot write in a value: all of ASCII's but the tab. */
function isControl(octet: number): boolean {
  return (octet < 0x20 && octet !== 0x09) || octet === 0x7f;
}

function isDefaultSplit(parts: readonly Buffer[]): boolean {
  const last = parts.length - 1;
  return parts.every(({ length }, index) =>
    index < last ? length === longestString : length <= longestString && (last === 0 || length > 0),
  );
}

function shown(octets: Buffer): string {
  const whole = octets.some(isControl) ? null : decodeText(octets);
  if (whole !== null) return whole.replaceAll("\\", "\\\\");
  let text = "";
  for (let position = 0; position < octets.length;) {
    const octet = octets.readUInt8(position);
    const character = isControl(octet) ? null : decodeText(octets.subarray(position, position + sequenceLength(octet)));
    if (character === null) text += `\\${String(octet).padStart(3, "0")}`;
    else text += character === "\\" ? "\\\\" : character;
    position += character === null ? 1 : sequenceLength(octet);
  }
  return text;
}

/** Returns the length in octets of a UTF-8 character that begins with this octet (RFC 3629 §3). */
function sequenceLength(lead: number): number {
  if (lead < 0xc0) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/**
 * Returns the octets of a record's strings, each at most 255. Takes anything that may be stored: a string that is too long is split, and one
 * with a wrong escape is taken literally, so that a zone that holds it can still be written.
 */
export function octetsOfStrings(strings: readonly string[]): Buffer[] {
  return strings.flatMap((string) => {
    const octets = octetsOf(string);
    return defaultSplit(octets.ok ? octets.value : Buffer.from(string, "utf8"));
  });
}

/** Parses strings written by a client into octets. */
export function readStrings(strings: readonly string[]): Result<Buffer[]> {
  if (strings.length === 0)
    return refuse("`strings` must have at least one string; an empty text is one empty string.");
  const parts: Buffer[] = [];
  let rdata = 0;
  for (const [index, string] of strings.entries()) {
    const octets = octetsOf(string);
    if (!octets.ok) return octets;
    const [control] = /[^\P{Cc}\t\u0080-\u009f]/u.exec(string) ?? [];
    if (control !== undefined) {
      const code = String(control.charCodeAt(0)).padStart(3, "0");
      return refuse(`String ${index + 1} has a control character; write it as \\${code}.`);
    }
    const { length } = octets.value;
    if (length > longestString) {
      return refuse(
        `String ${index + 1} has ${length} octets; a string can have at most ${longestString}. Split it into several.`,
      );
    }
    rdata += 1 + length;
    parts.push(octets.value);
  }
  if (rdata > longestRdata)
    return refuse(
      `The strings have ${rdata} octets including length octets; a record can hold at most ${longestRdata}.`,
    );
  return ok(parts);
}

function octetsOf(string: string): Result<Buffer> {
  if (!string.isWellFormed())
    return refuse("The strings must be well-formed Unicode; one contains half of a character (a lone surrogate).");
  if (!string.includes("\\")) return ok(Buffer.from(string, "utf8"));
  const parts: Buffer[] = [];
  for (const [part, digits] of string.matchAll(/\\(\d{3})|\\\\|[^\\]+|\\/gu)) {
    if (digits !== undefined && Number(digits) <= 255) parts.push(Buffer.of(Number(digits)));
    else if (part === "\\\\") parts.push(Buffer.from("\\"));
    else if (part.startsWith("\\"))
      return refuse(String.raw`In strings, write a backslash as \\ and an octet as \ddd, from \000 to \255.`);
    else parts.push(Buffer.from(part, "utf8"));
  }
  return ok(Buffer.concat(parts));
}

/** Returns whether two records are split into the same strings. */
export function sameStrings(one: readonly string[] | null, other: readonly string[] | null): boolean {
  if (one === null || other === null) return one === other;
  return one.length === other.length && one.every((string, index) => string === other[index]);
}

/** Decodes and concatenates character-strings (RFC 1035 §3.3.14). Returns null for an invalid escape. */
export function joinOctets(raws: readonly string[]): Buffer | null {
  const parts: Buffer[] = [];
  for (const raw of raws) {
    const octets = unescapeOctets(raw);
    if (octets === null) return null;
    parts.push(octets);
  }
  return Buffer.concat(parts);
}

/** Splits RDATA into its character-strings (RFC 1035 §3.3.14). Returns null if the last is cut off. */
export function splitStrings(rdata: Buffer): Buffer[] | null {
  const strings: Buffer[] = [];
  let offset = 0;
  while (offset < rdata.length) {
    const end = offset + 1 + rdata.readUInt8(offset);
    strings.push(rdata.subarray(offset + 1, end));
    offset = end;
  }
  return offset === rdata.length ? strings : null;
}

// A byte order mark is content, not metadata.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes octets as text. Returns null for malformed UTF-8 or a NUL, which no text column can hold. */
export function decodeText(octets: Uint8Array): string | null {
  if (octets.includes(0)) return null;
  try {
    return utf8.decode(octets);
  } catch {
    return null;
  }
}

/** The types whose data is one or more character-strings, so that a string may be split without changing the text. */
export const textTypes: ReadonlySet<string> = new Set(["TXT", "SPF", "NINFO", "AVC", "RESINFO", "WALLET"]);

/** Returns why data of a text type cannot be stored as given: it has a string over 255 octets. Null if it has none. */
export function longStringFault(recordType: string, fields: readonly RdataField[]): string | null {
  if (!mayBeSplit(recordType, fields)) return null;
  const index = fields.findIndex(isLong);
  if (index === -1) return null;
  const which = fields.length === 1 ? "this one" : `string ${index + 1}`;
  return `A string of a ${recordType} record has at most ${longestString} octets, and ${which} has ${octetsIn(fields[index])}; split it into several, each in quotes of its own.`;
}

/** Returns why a client's data of a text type is probably not what it means: without quotes each word is a string of its own. Null if it is. */
export function unquotedFault(recordType: string, fields: readonly RdataField[]): string | null {
  if (!mayBeSplit(recordType, fields) || fields.length < 2 || fields.every(({ quoted }) => quoted)) return null;
  return `The ${recordType} value must have its text in quotes, such as "v=spf1 -all"; without them, each word is a string of its own, and the blanks are lost.`;
}

/**
 * Splits the strings over 255 octets of data of a text type at every 255 octets, as PowerDNS does and as people mean it who write a whole
 * DKIM key in one pair of quotes. Data of other types stays as it is. Pure.
 * @returns the fields, and a warning if a string was split
 */
export function splitLongStrings<Given extends RdataField>(
  recordType: string,
  fields: readonly Given[],
): { fields: Given[]; warnings: string[] } {
  if (!mayBeSplit(recordType, fields) || !fields.some(isLong)) return { fields: [...fields], warnings: [] };
  return {
    fields: fields.flatMap((field) => (isLong(field) ? piecesOf(field) : [field])),
    warnings: [
      `A string of this ${recordType} record has more than ${longestString} octets, the most that one can have (RFC 1035 §3.3); it is split into strings of ${longestString} octets.`,
    ],
  };
}

/** Data in generic form (RFC 3597 §5) has no strings yet. */
function mayBeSplit(recordType: string, [first]: readonly RdataField[]): boolean {
  return textTypes.has(recordType) && !(first?.raw === "\\#" && !first.quoted);
}

function isLong(field: RdataField): boolean {
  return field.raw.length * 3 > longestString && octetsIn(field) > longestString;
}

function octetsIn(field: RdataField | undefined): number {
  return field === undefined ? 0 : (unescapeOctets(field.raw)?.length ?? 0);
}

/** Cuts between octets, never within an escape. */
function piecesOf<Given extends RdataField>(field: Given): Given[] {
  const octets = [...field.raw.matchAll(/\\(?:\d{3}|[ -~])|[ -~]|\\?([^])/gu)].flatMap(([written, other]) =>
    other === undefined ? [written] : [...Buffer.from(other)].map((octet) => `\\${String(octet).padStart(3, "0")}`),
  );
  return Array.from({ length: Math.ceil(octets.length / longestString) }, (_, index) => ({
    ...field,
    raw: octets.slice(index * longestString, (index + 1) * longestString).join(""),
  }));
}

// RDATA as `\# <octets> <hex>` (RFC 3597 §5), which can express any record, even of an unknown type.

/** Prints RDATA in generic form, in lower-case hexadecimal without whitespace. */
export function printGeneric(rdata: Uint8Array): string {
  return rdata.length === 0 ? "\\# 0" : `\\# ${rdata.length} ${Buffer.from(rdata).toString("hex")}`;
}

/** Returns the octets of a value in exactly the form that {@link printGeneric} writes, or null. */
export function parseGeneric(value: string): Buffer | null {
  if (!/^\\# \d+(?: [0-9a-f]+)?$/.test(value)) return null;
  const rdata = Buffer.from(value.split(" ")[2] ?? "", "hex");
  return printGeneric(rdata) === value ? rdata : null;
}

/**
 * Decodes RDATA fields in generic form; the hexadecimal may be upper-case and contain whitespace.
 * Returns null if the fields are not in generic form. Refuses them if the count and the digits disagree.
 */
export function readGeneric(fields: readonly RdataField[]): Result<Buffer> | null {
  const [token] = fields;
  if (token === undefined || token.quoted || token.raw !== "\\#") return null;
  const [, count, ...digits] = fields;
  const hex = digits.map((field) => field.raw).join("");
  const rdata = Buffer.from(hex, "hex");
  return rdata.length * 2 === hex.length && Number(count?.raw) === rdata.length
    ? ok(rdata)
    : refuse('Generic RDATA must have the form "\\# <octets> <hexadecimal>", such as "\\# 4 c0000201" (RFC 3597 §5).');
}

/** Returns RDATA as a canonical value in generic form. @param priority of an MX or SRV */
export function genericValue(rdata: Uint8Array, priority: number | null = null): Result<CanonicalValue> {
  return ok({ value: printGeneric(rdata), priority, warnings: [] });
}

/** Returns a value of numbers and names, given as written. */
export function namedValue(written: string, priority: number | null = null, warnings: string[] = []): CanonicalValue {
  const value = foldName(written);
  return { value, ...(value === written ? {} : { writtenValue: written }), priority, warnings };
}

/**
 * Checks a name written by a client and returns it as written, with a warning if it looks like a relative name.
 * @param form `host` for the name of a host, `any` for any domain name
 */
export function writeHost(
  input: string,
  subject: string,
  form: "host" | "any" = "host",
): Result<{ host: string; warnings: string[] }> {
  const host = (form === "host" ? parseHostAsWritten : parseDomainNameAsWritten)(input, subject);
  if (!host.ok) return host;
  const looksRelative = host.value !== "." && !host.value.includes(".") && !input.endsWith(".");
  const warning = `"${host.value}" is read as the full name "${host.value}.", not as a name within this zone.`;
  return ok({ host: host.value, warnings: looksRelative ? [warning] : [] });
}

/** Prints a value that ends in a host name for a master file, with the trailing dot. */
export function printHost(value: string): string {
  return /(?:^| )\.$/.test(value) ? value : `${value}.`;
}

/**
 * Returns the rule of a type whose value is one name.
 * @param form `host` for that of a host: NS (RFC 1035 §3.3.11). `any` for any domain name: CNAME (§3.3.1)
 */
export function hostRule(recordType: string, form: "host" | "any"): ValueRule {
  return {
    recordType,
    write(value, priority) {
      const unwanted = unwantedPriority(recordType, priority);
      if (unwanted) return unwanted;
      const written = writeHost(value.trim(), `The ${recordType} value`, form);
      if (!written.ok) return written;
      return ok(namedValue(written.value.host, null, written.value.warnings));
    },
    read(fields, origin) {
      const generic = readGeneric(fields);
      if (generic) return generic.ok ? genericValue(generic.value) : generic;
      const [field, ...others] = fields;
      if (field === undefined || others.length > 0) {
        return refuse(`${recordType} data must be one domain name, such as "www.example.com.".`);
      }
      const host = readHostAsWritten(field.raw, origin);
      return host.ok ? ok(namedValue(host.value)) : host;
    },
    print(value) {
      return parseGeneric(value) ? value : printHost(value);
    },
  };
}

/** Parses a decimal number from 0 to `max` (at most five digits), or returns null. */
export function parseInteger(text: string | undefined, max: number): number | null {
  if (text === undefined || !/^\d{1,5}$/.test(text)) return null;
  const number = Number(text);
  return number <= max ? number : null;
}

/** Refuses a priority for a type that has none. Returns null if none was given. */
export function unwantedPriority(recordType: string, priority: number | null | undefined) {
  if (priority === null || priority === undefined) return null;
  return refuse(`The priority must be omitted or null, because ${recordType} records have none; only MX and SRV do.`);
}

/** An MX or SRV value split into its priority (0-65535) and the remaining parts. */
interface Prioritised {
  priority: number;
  rest: string[];
}

/**
 * Splits a client's value of `<priority>` and `restLength` more parts. If the value has no priority, the `priority` field supplies it;
 * if both are given, they must agree.
 * @param form the value's form with an example, for refusals
 */
export function takePriority(
  value: string,
  restLength: number,
  priority: number | null | undefined,
  form: string,
): Result<Prioritised> {
  const parts = value.trim().split(/[ \t]+/);
  const given = priority ?? null;
  if (given !== null && !(Number.isInteger(given) && given >= 0 && given <= 65535)) {
    return refuse("The priority must be a whole number from 0 to 65535, such as 10.");
  }
  if (parts.length === restLength && parts[0] !== "") {
    return given === null
      ? refuse(`The value has no priority. Use the form ${form}, or set the "priority" field.`)
      : ok({ priority: given, rest: parts });
  }
  if (parts.length !== restLength + 1) return refuse(`The value must have the form ${form}.`);
  const own = parseInteger(parts[0], 65535);
  if (own === null) return refuse(`The priority must be a whole number from 0 to 65535. Use the form ${form}.`);
  if (given !== null && given !== own) {
    return refuse(`The value has priority ${own}, but the "priority" field is ${given}. Make them agree, or omit one.`);
  }
  return ok({ priority: own, rest: parts.slice(1) });
}
