/** A `key: value` line of a WHOIS answer. The key is in lower case, with single spaces between words. */
export interface Pair {
  key: string;
  value: string;
}

/** Further lines of a block that are read. */
const mostBelow = 20;
const mostLines = 5_000;
const longestLine = 500;

/**
 * Returns the pairs in an answer. WHOIS defines no format (RFC 3912 §2): most servers write `key: value`, some `[key] value`, and some
 * put the value, or a block about it, on the lines below the key.
 */
export function readPairs(text: string): Pair[] {
  const lines = text.split(/\r\n|\r|\n/, mostLines).map((line) => line.slice(0, longestLine).trimEnd());
  return lines.flatMap((line, index) => {
    const pair = pairOf(line);
    if (!pair) return [];
    if (pair.value !== "")
      return [pair.value, ...hostsBelow(lines, index)].map((text) => ({ key: pair.key, value: text }));
    const value = valueBelow(lines, index);
    if (value === "") return [];
    return [value, ...moreBelow(lines, index)].map((text) => ({ key: pair.key, value: text }));
  });
}

function pairOf(line: string): Pair | null {
  if (/^\s*(?:[%#;]|>>>|--)/.test(line)) return null;
  const [, bracketed, behind] = /^\s*(?:[a-z](?:\.| ) *)?\[([^\]]{1,60})\](.*)$/i.exec(line) ?? [];
  if (bracketed !== undefined) return { key: keyOf(bracketed), value: (behind ?? "").trim() };
  // "Record expires on 2027-05-31 23:59:59 (UTC+8)"
  const [, sentence, date] = /^\s*((?:record )?expires on)\s+(\d.*)$/i.exec(line) ?? [];
  if (sentence !== undefined) return { key: keyOf(sentence), value: date ?? "" };
  // A colon within a URL does not end a key.
  const [, key, value] = /^\s*([^:]{1,60}?)[.\s]*:(?!\/\/)(.*)$/.exec(line) ?? [];
  return key === undefined ? null : { key: keyOf(key), value: (value ?? "").trim() };
}

function keyOf(text: string): string {
  return text
    .replaceAll(/[._\s]+/g, " ")
    .trim()
    .toLowerCase();
}

/** Returns the first line of the block below a key. If that line is itself a name's pair, returns its value. */
function valueBelow(lines: readonly string[], index: number): string {
  const next = lines[index + 1];
  if (next === undefined || next.trim() === "" || indent(next) <= indent(lines[index] ?? "")) return "";
  const below = pairOf(next);
  if (below && below.value !== "" && /^(?:name|organi[sz]ation(?: name)?)$/.test(below.key)) return below.value;
  return below && /^[\w ]{1,30}$/.test(below.key) && below.value !== "" ? "" : next.trim();
}

/** Returns host names aligned below the value of a pair, as lists of name servers have them. */
function hostsBelow(lines: readonly string[], index: number): string[] {
  const below = lines.slice(index + 1, index + 1 + mostBelow);
  const end = below.findIndex((line) => !/^\s{8,}[\w-]+(?:\.[\w-]+)+\.?(?:\s|$)/.test(line));
  return below.slice(0, end === -1 ? below.length : end).map((line) => line.trim());
}

/** Returns the other lines of a block that is a list, such as one of name servers. */
function moreBelow(lines: readonly string[], index: number): string[] {
  const depth = indent(lines[index + 1] ?? "");
  const more: string[] = [];
  for (const line of lines.slice(index + 2, index + 2 + mostBelow)) {
    if (line.trim() === "" || indent(line) !== depth || pairOf(line)) break;
    more.push(line.trim());
  }
  return more;
}

function indent(line: string): number {
  return line.length - line.trimStart().length;
}
