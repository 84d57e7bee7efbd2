import { unescapeOctets } from "../names/escapes.ts";
import type { RdataField } from "./value-rule.ts";

/** The maximum of one length octet (RFC 1035 §3.3). */
const longestString = 255;

/** The types whose data is one or more character-strings, so that a string may be split without changing the text. */
const textTypes: ReadonlySet<string> = new Set(["TXT", "SPF", "NINFO", "AVC", "RESINFO", "WALLET"]);

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
