import { hostOf, pastedHost, unquoted, withoutInvisible } from "../../ui/pasted.ts";

/** Types whose value is a host name, with the number of words before it. */
const hostAt: Readonly<Record<string, number>> = { CNAME: 0, NS: 0, PTR: 0, ALIAS: 0, MX: 1, SRV: 3 };

type Correction = "url" | "port" | "quotes" | "strings" | "dot" | "line" | "order" | "zoneTwice";

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
  if (line !== null) return { value: understandValue(recordType, line, zone).value, correction: "line" };
  if (recordType === "TXT") return understandText(typed.trim());
  const spaced = withoutInvisible(typed).replace(/\s+/g, " ");
  const bare = unquoted(spaced);
  const value = bare ?? spaced;
  const meant = understandHosts(recordType, value, zone);
  return bare !== null && meant.correction === null ? { value, correction: "quotes" } : meant;
}

/** The data of a zone file's line of that type (RFC 1035 §5.1), or null. */
function dataOfLine(recordType: string, text: string): string | null {
  // A text may read like the beginning of a line; the quotes around its data tell.
  const start = recordType === "TXT" ? '"' : "";
  const line = String.raw`^(?:\S+\s+)?(?:\d+\s+IN|IN\s+\d+|IN|\d+)\s+${recordType}\s+(${start}.+)$`;
  return new RegExp(line, "is").exec(text)?.[1] ?? null;
}

function understandText(value: string): Understood {
  const strings = /^(?:"[^"\\]*"\s*){2,}$/.test(value) ? value.match(/"[^"\\]*"/g) : null;
  if (strings) return { value: strings.map((each) => each.slice(1, -1)).join(""), correction: "strings" };
  const inner = /\\/.test(value) ? null : unquoted(value);
  return inner === null ? { value, correction: null } : { value: inner, correction: "quotes" };
}

function understandHosts(recordType: string, value: string, zone: string): Understood {
  const before = hostAt[recordType];
  if (before !== undefined) {
    const [, host, priority] = /^(\S*[a-z]\S*) (\d{1,5})$/i.exec(value) ?? [];
    if (recordType === "MX" && host !== undefined && priority !== undefined) {
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
  let once = name.replace(/\.$/, "");
  const isTwice = () => `.${once.toLowerCase()}`.endsWith(`.${zone}.${zone}`);
  if (!isTwice()) return null;
  while (isTwice()) once = once.slice(0, -zone.length - 1);
  return once;
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
