import { hostOf, pastedHost, unquoted, withoutInvisible } from "../../ui/pasted.ts";

/** Types whose value is a host name, with the number of words before it. */
const hostAt: Readonly<Record<string, number>> = { CNAME: 0, NS: 0, PTR: 0, ALIAS: 0, MX: 1, SRV: 3 };

type Correction = "url" | "port" | "quotes" | "strings" | "lines" | "dot" | "line" | "order" | "zoneTwice";

/** What was understood of a typed value, and which correction was made. */
export interface Understood {
  value: string;
  correction: Correction | null;
}

/**
 * Understands a value as people paste it: spaces and quotes around it, a line of a zone file, a URL where a host name belongs, an address
 * with a port or a trailing dot, the zone's name twice. What it does not understand stays as it is, for the rules to explain.
 * @param zone the zone's name
 */
export function understandValue(recordType: string, typed: string, zone: string): Understood {
  const line = dataOfLine(recordType, withoutInvisible(typed));
  if (line === null) return understandData(recordType, typed, zone);
  return { value: understandData(recordType, line, zone).value, correction: "line" };
}

function understandData(recordType: string, typed: string, zone: string): Understood {
  if (recordType === "TXT") return understandText(typed.trim());
  const spaced = withoutInvisible(typed).replace(/\s+/g, " ");
  const bare = unquoted(spaced);
  const value = bare ?? spaced;
  const meant = understandHosts(recordType, value, zone);
  return bare !== null && meant.correction === null ? { value, correction: "quotes" } : meant;
}

/** The data of a zone file's line of that type (RFC 1035 §5.1), with or without owner, TTL and class; null for anything else. */
function dataOfLine(recordType: string, text: string): string | null {
  // A text may read like the beginning of a line; the quotes around its data tell.
  const start = recordType === "TXT" ? '["(]' : "";
  const before = String.raw`(?:\S+\s+)?(?:\d+\s+IN|IN\s+\d+|IN|\d+)\s+|\S+\s+`;
  const data = new RegExp(String.raw`^(?:${before})?${recordType}\s+(${start}.+)$`, "is").exec(text)?.[1] ?? null;
  // A mail server may have the name of its type: `mx 10`.
  return data !== null && recordType === "MX" && !/\s/.test(data) ? null : data;
}

/** The quoted strings of a text, which may be in parentheses over several lines and have a comment behind it. */
const quotedStrings = /^(?:\(\s*((?:"[^"\\]*"\s*)+)\)\s*|((?:"[^"\\]*"\s*)+))(?:;[^"]*)?$/;

function understandText(value: string): Understood {
  const [, inParentheses, bare = ""] = quotedStrings.exec(value) ?? [];
  const strings = (inParentheses ?? bare).match(/"[^"\\]*"/g) ?? [];
  // One string in parentheses may be a text in quotes.
  if (strings.length > 1 || (strings.length === 1 && value.includes("\n")))
    return { value: strings.map((each) => each.slice(1, -1)).join(""), correction: "strings" };
  if (/[\r\n]/.test(value)) {
    // Between the lines of a key nothing is missing (RFC 6376 §3.6.1), between those of other texts a blank.
    const between = /^v=DKIM1\b/i.test(value) ? "" : " ";
    return { value: value.replace(/(?<![ \t\r\n])[ \t]*[\r\n][ \t\r\n]*/g, between), correction: "lines" };
  }
  const inner = /\\/.test(value) ? null : unquoted(value);
  return inner === null ? { value, correction: null } : { value: inner, correction: "quotes" };
}

function understandHosts(recordType: string, value: string, zone: string): Understood {
  const before = hostAt[recordType];
  if (before !== undefined) {
    const [, host, priority] = /^(\S+) (\d{1,5})$/.exec(value) ?? [];
    if (recordType === "MX" && host !== undefined && priority !== undefined && /[a-z]/i.test(host)) {
      return { value: `${priority} ${understandHosts("CNAME", host, zone).value}`, correction: "order" };
    }
    const words = value.split(" ");
    if (words.length !== before + 1) return { value, correction: null };
    const meant = understandTarget(words[before] ?? "", zone);
    return { value: words.with(before, meant.value).join(" "), correction: meant.correction };
  }
  if (recordType === "A" || recordType === "AAAA") {
    const found = hostOf(value);
    if (found) return { value: found.host, correction: found.from };
    if (/[\da-f]\.$/i.test(value)) return { value: value.slice(0, -1), correction: "dot" };
  }
  return { value, correction: null };
}

function understandTarget(target: string, zone: string): Understood {
  const found = hostOf(target);
  if (found) return { value: found.host, correction: found.from };
  const once = withZoneOnce(target, zone);
  return once === null ? { value: target, correction: null } : { value: once, correction: "zoneTwice" };
}

/** Returns a name that ends in the zone's name twice or more with the zone's name once, or null. */
function withZoneOnce(name: string, zone: string): string | null {
  const plain = name.replace(/\.$/, "");
  const low = `.${plain.toLowerCase()}`;
  let excess = 0;
  while (low.endsWith(`.${zone}.${zone}`, low.length - excess)) excess += zone.length + 1;
  return excess === 0 ? null : plain.slice(0, -excess);
}

/** What was understood of a typed name. */
export interface UnderstoodName {
  name: string;
  correction: "url" | "port" | "quotes" | "zoneTwice" | null;
}

/**
 * Understands a name as people paste it: spaces and quotes around it, a URL, the zone's name twice (`www.example.com.example.com`).
 * @param zone the zone's name
 */
export function understandName(typed: string, zone: string): UnderstoodName {
  const { name, correction } = pastedHost(typed);
  const once = withZoneOnce(name, zone);
  return once === null ? { name, correction } : { name: once, correction: "zoneTwice" };
}

/** A record as a line of a zone file says it. */
interface RecordLine {
  name: string;
  recordType: string;
  /** Null if the line has none. */
  ttl: number | null;
  value: string;
}

/** Reads a whole line of a zone file (RFC 1035 §5.1) with its owner, as people paste it into the field of the name; null for anything else. */
export function understandLine(typed: string, types: readonly string[], zone: string): RecordLine | null {
  const line = withoutInvisible(typed);
  const [, name = "", first, second, type = "", data = ""] =
    /^(\S+)\s+(?:(\d{1,10})\s+(?:IN\s+)?|IN\s+(?:(\d{1,10})\s+)?)?([a-z][a-z\d-]*)\s+(\S.*)$/is.exec(line) ?? [];
  const recordType = types.find((each) => each === type.toUpperCase());
  // Several lines are several records, except for the strings of a text.
  if (recordType === undefined || (recordType !== "TXT" && /[\r\n]/.test(data))) return null;
  const ttl = first ?? second;
  const { value } = understandValue(recordType, data, zone);
  return { name: understandName(name, zone).name, recordType, ttl: ttl === undefined ? null : Number(ttl), value };
}
