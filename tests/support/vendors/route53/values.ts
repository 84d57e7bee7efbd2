import { isIPv4, isIPv6 } from "node:net";
import { printedName } from "./names.ts";

/** Types with one form of value each; others are not checked. */
const forms: Readonly<Record<string, (value: string) => boolean>> = {
  A: isIPv4,
  AAAA: isIPv6,
  CNAME: isHost,
  NS: isHost,
  PTR: isHost,
  MX: (value) => isNumbersAndHost(value, 1),
  SRV: (value) => isNumbersAndHost(value, 3),
  CAA: (value) =>
    /^(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5]) [a-z0-9]+ "(?:[^"\\]|\\["\\]|\\[0-3][0-7]{2})*"$/i.test(value),
  TXT: isTexts,
  SPF: isTexts,
  DS: (value) => /^\d+ \d+ \d+ [0-9a-f]+$/i.test(value),
  NAPTR: (value) => /^\d+ \d+ ".*" ".*" ".*" \S+$/.test(value),
  SSHFP: (value) => /^\d+ \d+ [0-9a-f]+$/i.test(value),
  TLSA: (value) => /^\d+ \d+ \d+ [0-9a-f]+$/i.test(value),
  SVCB: (value) => /^\d+ \S+( .*)?$/.test(value),
  HTTPS: (value) => /^\d+ \S+( .*)?$/.test(value),
};

/** Why a value is invalid for its type, in the API's words; null if it is valid. */
export function checkValue(type: string, value: string): string | null {
  if (value.length > 4_000)
    return `Invalid Resource Record: FATAL problem: ValueTooLong (Value exceeds 4000 characters)`;
  if (!/^[ -~]+$/.test(value)) return refused("UnsupportedCharacter (Value contains unsupported characters)", value);
  const [, long] = /"((?:[^"\\]|\\[0-3][0-7]{2}|\\(?![0-3][0-7]{2})[^]){256,})"/.exec(value) ?? [];
  if (long !== undefined) return refused("CharacterStringTooLong (Value is too long)", value);
  const isForm = forms[type];
  if (!isForm) return `Invalid Resource Record: unknown type ${type}`;
  if (isForm(value)) return null;
  if (type === "TXT" && !value.startsWith('"')) {
    return refused("InvalidCharacterString (Value should be enclosed in quotation marks)", value);
  }
  return refused(`${type}RRDATAIllegal (Value is not valid for ${type})`, value);
}

function refused(problem: string, value: string): string {
  return `Invalid Resource Record: 'FATAL problem: ${problem} encountered with '${value.slice(0, 80)}''`;
}

function isTexts(value: string): boolean {
  return /^"(?:[^"\\]|\\["\\]|\\[0-3][0-7]{2})*"(?: +"(?:[^"\\]|\\["\\]|\\[0-3][0-7]{2})*")*$/.test(value);
}

function isHost(value: string): boolean {
  return value !== "." && printedName(value) !== null;
}

function isNumbersAndHost(value: string, count: number): boolean {
  const fields = value.split(" ");
  const numbers = fields.slice(0, count);
  const host = fields[count] ?? "";
  return (
    fields.length === count + 1 &&
    numbers.every((number) => /^\d{1,5}$/.test(number) && Number(number) <= 65_535) &&
    (host === "." || printedName(host) !== null)
  );
}
