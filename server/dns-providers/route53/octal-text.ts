import { escapeOctets } from "../../dns/names/escapes.ts";
import { parseGeneric } from "../../dns/values/generic-form.ts";
import { splitStrings } from "../../dns/values/text.ts";
import { ruleFor } from "../../dns/record-types.ts";
import { canonicalRdata, unreadContent, type RecordContent } from "../rdata-text.ts";

// Route 53 writes names and values as a master file does, but for one thing: `\DDD` is an octet in octal, where RFC 1035 §5.1
// has it in decimal (Developer Guide, "DNS domain name format" and "Supported DNS record types").

/** A name or value of Route 53's as master-file text. */
export function fromOctal(text: string): string {
  return text.replaceAll(/\\([0-3][0-7]{2})|\\[^]/g, (escape, digits?: string) =>
    digits === undefined ? escape : `\\${String(Number.parseInt(digits, 8)).padStart(3, "0")}`,
  );
}

/** Master-file text for Route 53. In quotes `\"` and `\\` stay; in names, where it knows no other escapes, all become octal. */
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

/** A value of Route 53's in canonical form; as it stands where it cannot be read, so that nothing is lost. */
export function readValue(recordType: string, text: string): RecordContent {
  return canonicalRdata(recordType, fromOctal(text)) ?? unreadContent(text);
}

/** A canonical value as Route 53 takes it; null for data in generic form, which it does not know. `strings`: how a TXT is cut. */
export function printValue(recordType: string, value: string, strings: readonly string[] | null = null): string | null {
  const rdata = strings === null ? parseGeneric(value) : null;
  if (rdata === null) return toOctal(ruleFor(recordType).print(value, strings));
  return recordType === "TXT" ? toOctal(characterStrings(rdata)) : null;
}

/** TXT whose content is no text, which is kept in generic form. */
function characterStrings(rdata: Buffer): string {
  return (splitStrings(rdata) ?? []).map((octets) => `"${escapeOctets(octets, '"\\')}"`).join(" ");
}
