import { domainToASCII } from "node:url";
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const time = String.raw`(?:[ T]+(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:\.\d+)?)?)?`;
const zone = String.raw`(?: ?(?<zone>z|utc|gmt|[+-]\d{2}(?::?\d{2})?)(?![a-z\d]))?`;
const year = String.raw`(?<year>\d{4})`;
const month = String.raw`(?<month>\d{1,2})`;
const word = String.raw`(?<word>[a-z]{3})[a-z]*\.?`;
const day = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th)?`;
/** Separator between the parts of a date: one of these characters with an optional space, or a space. */
const gap = String.raw`(?:[-/.] ?| )`;

/** Date formats of registries and registrars. The first match wins. */
const forms = [
  // 2027-03-01T04:00:00Z, 2027/03/01, 2027. 03. 01.
  `${year}${gap}${month}${gap}${day}\\.?${time}${zone}`,
  // 2027-Mar-01
  `${year}${gap}${word}${gap}${day}\\.?${time}${zone}`,
  // 20270301, 20270301 10:00:00
  String.raw`(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})(?!\d)${time}${zone}`,
  // 20270301100000
  String.raw`(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})(?<hour>\d{2})(?<minute>\d{2})(?<second>\d{2})(?!\d)${zone}`,
  // 01-Mar-2027 04:00:00 UTC, 1st March 2027
  `(?:[a-z]{3},? )?${day}${gap}${word},?${gap}${year}${time}${zone}`,
  // 1.3.2027, 01/03/2027 04:00
  `${day}${gap}${month}${gap}${year}${time}${zone}`,
  // March 1, 2027
  `${word}${gap}${day},?${gap}${year}${time}${zone}`,
  // Mon Mar 1 04:00:00 GMT 2027
  String.raw`[a-z]{3} ${word} ${day} (?<hour>\d{1,2}):(?<minute>\d{2}):(?<second>\d{2}) (?:(?<zone>utc|gmt) )?${year}`,
].map((form) => new RegExp(`^${form}`, "i"));

/** Valid years. Some registries write 9999 for "never", and 0001 or 1970 for "none". */
const firstYear = 1985;
const lastYear = 2200;

/**
 * Parses a registry's date. Without a time zone it is UTC; without a time it is the start of the day. In ambiguous dates such as
 * 03/04/2027, the day comes first. @returns null if this is not a valid date, or if the year is a placeholder
 */
export function parseExpiryDate(text: string): Date | null {
  const plain = text.slice(0, 100).trim().replaceAll(/\s+/g, " ");
  for (const form of forms) {
    const groups = form.exec(plain)?.groups;
    const date = groups ? dateOf(groups, plain) : null;
    if (date) return date;
  }
  return null;
}

function dateOf(groups: Record<string, string | undefined>, plain: string): Date | null {
  const part = (name: string) => Number(groups[name] ?? 0);
  const [year, day, hour, minute, second] = [part("year"), part("day"), part("hour"), part("minute"), part("second")];
  const { word } = groups;
  const given = word === undefined ? part("month") : months.indexOf(word.toLowerCase()) + 1;
  // In 12/31/2027, the month must come first.
  const [month, dayOfMonth] = given > 12 && /^\d{1,2}\//.test(plain) ? [day, given] : [given, day];
  if (year < firstYear || year > lastYear || hour > 24 || minute > 59 || second > 60) return null;
  const dayStart = Date.UTC(year, month - 1, dayOfMonth);
  const read = new Date(dayStart);
  if (month < 1 || read.getUTCMonth() !== month - 1 || read.getUTCDate() !== dayOfMonth) return null;
  const offset = groups["zone"] === undefined ? offsetBehind(plain) : minutesOf(groups["zone"]);
  const timed = groups["hour"] !== undefined;
  return new Date(dayStart + (timed ? ((hour * 60 + minute - offset) * 60 + second) * 1_000 : 0));
}

/** Returns the offset from UTC in minutes for `+09`, `+0900` or `+09:00`; letters mean UTC. */
function minutesOf(zone: string): number {
  const [, sign = "+", hours = "0", minutes = "0"] = /^([+-])(\d{2}):?(\d{2})?/.exec(zone) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/** Returns the offset in minutes of a time zone that follows the date, such as `(UTC+8)` or `(JST)`. */
function offsetBehind(text: string): number {
  const [, sign, hours] = /\((?:utc|gmt) ?([+-])(\d{1,2})(?::00)?\)/i.exec(text) ?? [];
  if (hours !== undefined) return (sign === "-" ? -1 : 1) * Number(hours) * 60;
  return /\((?:jst|kst)\)/i.test(text) ? 9 * 60 : 0;
}

const longestText = 200;
/** More are ignored: no registry allows as many. */
const mostValues = 50;
const hostName = /^(?=.{1,253}$)(?:[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d])?\.)+[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/;

/** Returns the host names among texts from a registry, in lower-case A-labels, sorted and each once. */
export function readHostNames(texts: readonly string[]): string[] {
  const names = texts.flatMap((text) => {
    const name = domainToASCII(text.slice(0, 300).trim().replace(/\.$/, "")).toLowerCase();
    return hostName.test(name) ? name : [];
  });
  return distinct(names);
}

/** Returns DS records in the form of zone files (RFC 4034 §5.3), or null for a text that is none. */
export function readDs(text: string): string | null {
  const parts = text.slice(0, 500).trim().split(/\s+/);
  const [tag, algorithm, type, ...digest] = parts;
  const hex = digest.join("").toLowerCase();
  const numbers = [tag, algorithm, type].map((part) => (/^\d{1,5}$/.test(part ?? "") ? Number(part) : Infinity));
  const [keyTag = Infinity, ...octets] = numbers;
  if (keyTag > 65_535 || octets.some((octet) => octet > 255)) return null;
  return hex.length >= 40 && hex.length <= 128 && /^(?:[\da-f]{2})+$/.test(hex) ? `${numbers.join(" ")} ${hex}` : null;
}

/** Cleans registry text. Returns null for empty text and for placeholders such as "redacted". */
export function cleanRegistryText(text: string): string | null {
  const line = oneLine(text);
  return line === "" || /^(?:redacted|not disclosed|data protected|n\/a$)/i.test(line) ? null : line;
}

/** Sorts values and removes duplicates. */
export function distinct(values: readonly string[]): string[] {
  return [...new Set(values)].toSorted().slice(0, mostValues);
}

/** Makes untrusted text safe to store and display: a single line of limited length, without control characters. */
function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, longestText)
    .toWellFormed();
}
