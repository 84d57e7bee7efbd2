import { ok, refuse, type Result } from "../../platform/result.ts";
import { parseGeneric } from "./generic-form.ts";
import { decodeText, splitStrings } from "./text.ts";

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
