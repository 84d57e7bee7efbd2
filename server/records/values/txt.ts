import { ok, refuse, type Result } from "../../result.ts";
import { escapeOctets } from "../../names/escapes.ts";
import { keepGeneric, parseGeneric, printGeneric, readGeneric } from "./generic-form.ts";
import { unwantedPriority } from "./priority.ts";
import { decodeText, joinOctets, splitStrings } from "./text.ts";
import type { CanonicalValue, ValueRule } from "./value-rule.ts";

/** Characters are Unicode code points. */
const longestText = 2048;
/** A character-string has one length octet (RFC 1035 §3.3). */
const longestString = 255;

/**
 * TXT: one logical string (RFC 1035 §3.3.14), cut into character-strings only when it is printed.
 *
 * What a client writes is the content, quotes and backslashes included. The one exception is a value that is exactly RFC
 * 3597 generic form (`\# 3 026869`): it stands for those octets, because that is how content that is no text is stored.
 */
export const txtRule: ValueRule = {
  recordType: "TXT",
  write(value, priority) {
    const unwanted = unwantedPriority("TXT", priority);
    if (unwanted) return unwanted;
    const fault = faultOf(value);
    if (fault !== null) return refuse(fault);
    const rdata = parseGeneric(value);
    if (rdata === null) return ok({ value, priority: null, warnings: quoteWarnings(value) });
    const meant = fromRdata(rdata);
    if (!meant.ok || parseGeneric(meant.value.value)) return meant;
    const inner = faultOf(meant.value.value);
    return inner === null ? meant : refuse(inner);
  },
  read(fields) {
    const generic = readGeneric(fields);
    if (generic) return generic.ok ? fromRdata(generic.value) : generic;
    if (fields.length === 0) return refuse('TXT data must be at least one string, such as "v=spf1 -all" in quotes.');
    const octets = joinOctets(fields.map((field) => field.raw));
    return octets === null ? refuse("TXT data must not have escapes other than \\000 to \\255.") : fromOctets(octets);
  },
  print(value) {
    if (parseGeneric(value)) return value;
    return chunksOf(Buffer.from(value, "utf8"))
      .map((chunk) => `"${escapeOctets(chunk, '"\\')}"`)
      .join(" ");
  },
};

function faultOf(value: string): string | null {
  // Every code point is one or two code units, so far too long a text need not be counted.
  if (value.length > 2 * longestText || Array.from(value).length > longestText) {
    return `The TXT value must be at most ${longestText} characters long, such as "v=spf1 -all".`;
  }
  if (!value.isWellFormed()) return "The TXT value must be well-formed Unicode; it contains half of a character.";
  const control = /[^\P{Cc}\t\u007f-\u009f]/u.exec(value);
  if (control === null) return null;
  const code = control[0].charCodeAt(0).toString(16).padStart(4, "0");
  return `The TXT value must not contain line breaks or control characters: remove U+${code} at position ${control.index + 1}.`;
}

function quoteWarnings(value: string): string[] {
  return /^".*"$/s.test(value) ? ['The TXT value begins and ends with ": the quotes become part of the text.'] : [];
}

/** The value for the joined content: text, or generic form where it is none or would be mistaken for generic form. */
function fromOctets(octets: Buffer): Result<CanonicalValue> {
  const text = decodeText(octets);
  if (text !== null && parseGeneric(text) === null) return ok({ value: text, priority: null, warnings: [] });
  return keepGeneric(Buffer.concat(chunksOf(octets).flatMap((chunk) => [Buffer.of(chunk.length), chunk])));
}

function fromRdata(rdata: Buffer): Result<CanonicalValue> {
  const strings = splitStrings(rdata);
  return strings && strings.length > 0
    ? fromOctets(Buffer.concat(strings))
    : refuse(
        `Generic TXT data must be strings with their length in front, such as "${printGeneric(Buffer.from("\u0002hi"))}".`,
      );
}

/** At least one chunk, each of at most 255 octets; cut before escaping, so that no escape is split. */
function chunksOf(octets: Buffer): Buffer[] {
  const count = Math.max(1, Math.ceil(octets.length / longestString));
  return Array.from({ length: count }, (_, index) =>
    octets.subarray(index * longestString, (index + 1) * longestString),
  );
}
