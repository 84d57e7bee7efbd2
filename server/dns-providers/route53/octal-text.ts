import { escapeOctets } from "../../dns/names/escapes.ts";
import { parseGeneric, splitStrings } from "../../dns/values/character-strings.ts";
import { ruleFor } from "../../dns/record-types.ts";
import { canonicalRdata, unreadContent, type RecordContent } from "../rdata-text.ts";

// Route 53 writes names and values as a master file does, except that `\DDD` is an octet in octal; RFC 1035 §5.1 has it in decimal
// (Developer Guide, "DNS domain name format" and "Supported DNS record types").

/** Returns a name or value of Route 53's as master-file text. */
export function fromOctal(text: string): string {
  return text.replaceAll(/\\([0-3][0-7]{2})|\\[^]/g, (escape, digits?: string) =>
    digits === undefined ? escape : `\\${String(Number.parseInt(digits, 8)).padStart(3, "0")}`,
  );
}

/**
 * Returns master-file text as Route 53 takes it. In quotes `\"` and `\\` stay; in names, which have no other escapes, all become
 * octal.
 */
export function toOctal(text: string): string {
  return text.replaceAll(/"(?:[^"\\]|\\[^])*"|(?:[^"\\]|\\[^])+/g, (part) =>
    part.replaceAll(/\\(\d{3}|[^])/g, (escape, escaped: string) => {
      if (escaped.length === 3) return octal(Number(escaped));
      return part.startsWith('"') ? escape : octal(escaped.charCodeAt(0));
    }),
  );
}

function octal(code: number): string {
  return `\\${code.toString(8).padStart(3, "0")}`;
}

/** Returns a value of Route 53's in canonical form; unchanged if it cannot be read, so that nothing is lost. */
export function readValue(recordType: string, text: string): RecordContent {
  return canonicalRdata(recordType, fromOctal(text)) ?? unreadContent(text);
}

/**
 * Returns a canonical value as Route 53 takes it; null for data in generic form, which it does not know. @param strings how a TXT
 * is split
 */
export function printValue(recordType: string, value: string, strings: readonly string[] | null = null): string | null {
  const rdata = strings === null ? parseGeneric(value) : null;
  if (rdata === null) return toOctal(ruleFor(recordType).print(value, strings));
  return recordType === "TXT" ? toOctal(characterStrings(rdata)) : null;
}

/** Returns a TXT that is not text, and is stored in generic form, as character-strings. */
function characterStrings(rdata: Buffer): string {
  return (splitStrings(rdata) ?? []).map((octets) => `"${escapeOctets(octets, '"\\')}"`).join(" ");
}
