import { ok, refuse, type Result } from "../../platform/result.ts";
import { escapeOctets, unescapeOctets } from "../names/escapes.ts";
import {
  genericValue,
  parseGeneric,
  printGeneric,
  readGeneric,
  defaultSplit,
  octetsOfStrings,
  readStrings,
  sameStrings,
  shownStrings,
  splitLongStrings,
  decodeText,
  splitStrings,
  unwantedPriority,
} from "./character-strings.ts";
import type { CanonicalValue, Door, ValueRule } from "./value-rule.ts";

/** Characters are Unicode code points. */
const longestText = 2048;

/**
 * TXT: the value is one logical string (RFC 1035 §3.3.14). `strings` holds its split into character-strings.
 *
 * A client's value is taken literally, quotes and backslashes included. The exception is a value in exact RFC 3597 generic form
 * (`\# 3 026869`), which stands for those octets: that is how content that is not text is stored.
 */
export const txtRule: ValueRule = {
  recordType: "TXT",
  write(value, priority, door = "api") {
    const unwanted = unwantedPriority("TXT", priority);
    if (unwanted) return unwanted;
    const fault = faultOf(value, door);
    if (fault !== null) return refuse(fault);
    const rdata = parseGeneric(value);
    if (rdata === null) return ok({ value, priority: null, warnings: quoteWarnings(value) });
    const meant = fromRdata(rdata);
    if (!meant.ok || parseGeneric(meant.value.value)) return meant;
    const inner = faultOf(meant.value.value, door);
    return inner === null ? meant : refuse(inner);
  },
  read(fields) {
    const generic = readGeneric(fields);
    if (generic) return generic.ok ? fromRdata(generic.value) : generic;
    if (fields.length === 0) return refuse('TXT data must have at least one string, such as "v=spf1 -all" in quotes.');
    const short = splitLongStrings("TXT", fields);
    const parts = short.fields.map((field) => unescapeOctets(field.raw));
    if (!parts.every((part) => part !== null))
      return refuse("The TXT data has an invalid escape; decimal escapes go from \\000 to \\255.");
    const read = fromParts(parts);
    return read.ok ? ok({ ...read.value, warnings: short.warnings }) : read;
  },
  print(value, strings = null) {
    if (strings === null && parseGeneric(value)) return value;
    const parts = strings ? octetsOfStrings(strings) : defaultSplit(Buffer.from(value, "utf8"));
    return parts.map((part) => `"${escapeOctets(part, '"\\')}"`).join(" ");
  },
};

/** Validates and canonicalizes a client's strings. A value given as well must equal their concatenation. */
export function writeStrings(
  strings: readonly string[],
  value: string | undefined,
  door: Door = "api",
): Result<CanonicalValue> {
  const parts = readStrings(strings);
  if (!parts.ok) return parts;
  const cut = fromParts(parts.value);
  if (!cut.ok) return cut;
  const fault = lengthFault(cut.value.value, door);
  if (fault !== null) return refuse(fault);
  if (value === undefined || value === cut.value.value) return cut;
  const rdata = parseGeneric(value);
  const stated = rdata && fromRdata(rdata);
  if (stated && !stated.ok) return stated;
  const agrees =
    stated?.value.value === cut.value.value &&
    ((stated.value.strings ?? null) === null || sameStrings(stated.value.strings ?? null, cut.value.strings ?? null));
  return agrees ? cut : refuse("`strings` and `value` differ. Make them agree, or omit one of them.");
}

/** Returns the text of a TXT split by default, whatever its strings were. */
export function splitByDefault(value: string): Result<CanonicalValue> {
  const octets = octetsOfValue(value);
  return fromParts(defaultSplit(octets));
}

function octetsOfValue(value: string): Buffer {
  const rdata = parseGeneric(value);
  return rdata ? Buffer.concat(splitStrings(rdata) ?? []) : Buffer.from(value, "utf8");
}

/** The limit is the API's. A zone may have longer texts, which the other doors bring. */
function lengthFault(value: string, door: Door): string | null {
  if (door === "dns") return null;
  // A code point is at most two code units, so a text this long needs no counting.
  if (value.length > 2 * longestText || Array.from(value).length > longestText) {
    return `The TXT value must be at most ${longestText} characters long, such as "v=spf1 -all".`;
  }
  return null;
}

function faultOf(value: string, door: Door): string | null {
  const long = lengthFault(value, door);
  if (long !== null) return long;
  if (!value.isWellFormed())
    return "The TXT value must be well-formed Unicode; it contains half of a character (a lone surrogate).";
  const control = /[^\P{Cc}\t\u0080-\u009f]/u.exec(value);
  if (control === null) return null;
  const code = control[0].charCodeAt(0);
  const hex = code.toString(16).padStart(4, "0");
  return `The TXT value must not contain line breaks or control characters. Remove U+${hex} at position ${control.index + 1}. To keep it, send \`strings\` with \\${String(code).padStart(3, "0")} in its place.`;
}

function quoteWarnings(value: string): string[] {
  return /^".*"$/s.test(value)
    ? ['The TXT value begins and ends with a quote ("); the quotes become part of the text.']
    : [];
}

/** Returns the value of the concatenated strings: text, or generic form if it is not text or would be mistaken for generic form. */
function fromParts(parts: readonly Buffer[]): Result<CanonicalValue> {
  const octets = Buffer.concat(parts);
  const text = decodeText(octets);
  const isText = text !== null && parseGeneric(text) === null;
  const strings = shownStrings(parts, isText);
  if (isText) return ok({ value: text, strings, priority: null, warnings: [] });
  const canonical = genericValue(Buffer.concat(defaultSplit(octets).flatMap((part) => [Buffer.of(part.length), part])));
  return canonical.ok ? ok({ ...canonical.value, strings }) : canonical;
}

function fromRdata(rdata: Buffer): Result<CanonicalValue> {
  const strings = splitStrings(rdata);
  return strings && strings.length > 0
    ? fromParts(strings)
    : refuse(
        `Generic TXT data must be strings, each prefixed by its length octet, such as "${printGeneric(Buffer.from("\u0002hi"))}".`,
      );
}
