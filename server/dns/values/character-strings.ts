import { ok, refuse, type Result } from "../../platform/result.ts";
import { decodeText } from "./text.ts";

// The character-strings of a TXT record (RFC 1035 §3.3.14) as records carry them: text, with `\\` for a backslash and `\ddd` (decimal) for
// NUL and each octet that is not part of well-formed UTF-8. `null` stands for the default split, at every 255 octets.

/** A character-string has one length octet (RFC 1035 §3.3). */
const longestString = 255;
/** RDLENGTH has 16 bits (RFC 1035 §3.2.1). */
const longestRdata = 65_535;

/** Cuts octets where a server would by default: at least one string, each but the last of 255 octets. */
export function defaultSplit(octets: Buffer): Buffer[] {
  const count = Math.max(1, Math.ceil(octets.length / longestString));
  return Array.from({ length: count }, (_, index) =>
    octets.subarray(index * longestString, (index + 1) * longestString),
  );
}

/** The strings as a record carries them; null where they are the default split. */
export function shownStrings(parts: readonly Buffer[]): string[] | null {
  return isDefaultSplit(parts) ? null : parts.map(shown);
}

function isDefaultSplit(parts: readonly Buffer[]): boolean {
  const last = parts.length - 1;
  return parts.every(({ length }, index) =>
    index < last ? length === longestString : length <= longestString && (last === 0 || length > 0),
  );
}

function shown(octets: Buffer): string {
  const whole = decodeText(octets);
  if (whole !== null) return whole.replaceAll("\\", "\\\\");
  let text = "";
  for (let position = 0; position < octets.length;) {
    const octet = octets.readUInt8(position);
    const character = decodeText(octets.subarray(position, position + sequenceLength(octet)));
    if (character === null) text += `\\${String(octet).padStart(3, "0")}`;
    else text += character === "\\" ? "\\\\" : character;
    position += character === null ? 1 : sequenceLength(octet);
  }
  return text;
}

/** How many octets a character has in UTF-8 that begins with this one (RFC 3629 §3). */
function sequenceLength(lead: number): number {
  if (lead < 0xc0) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/** The octets of strings that a record carries. @throws Error for strings that `readStrings` refuses */
export function octetsOfStrings(strings: readonly string[]): Buffer[] {
  const read = readStrings(strings);
  if (!read.ok) throw new Error(read.message);
  return read.value;
}

/** The octets of strings as a client writes them. */
export function readStrings(strings: readonly string[]): Result<Buffer[]> {
  if (strings.length === 0) return refuse("A TXT record has at least one string; an empty text is one empty string.");
  const parts: Buffer[] = [];
  let rdata = 0;
  for (const [index, string] of strings.entries()) {
    const octets = octetsOf(string);
    if (!octets.ok) return octets;
    const { length } = octets.value;
    if (length > longestString) {
      return refuse(
        `String ${index + 1} has ${length} octets; a string has at most ${longestString}. Cut it into several.`,
      );
    }
    rdata += 1 + length;
    parts.push(octets.value);
  }
  if (rdata > longestRdata)
    return refuse(`The strings have ${rdata} octets with their lengths; at most ${longestRdata} fit in a record.`);
  return ok(parts);
}

function octetsOf(string: string): Result<Buffer> {
  if (!string.isWellFormed())
    return refuse("The strings must be well-formed Unicode; one contains half of a character.");
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

/** Whether two records are cut alike. */
export function sameStrings(one: readonly string[] | null, other: readonly string[] | null): boolean {
  if (one === null || other === null) return one === other;
  return one.length === other.length && one.every((string, index) => string === other[index]);
}
