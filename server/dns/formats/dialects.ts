import type { LogicalLine } from "../zone-file/tokens.ts";
import type { Steps } from "../../platform/slices.ts";
import type { ZoneFileMessage } from "../zone-file/contents.ts";
import { proxiable } from "../record.ts";
import { disabledMark, writtenHere } from "../zone-file/write.ts";

/** Which software wrote a zone file. More than one can be true of a file that went through several hands. */
export interface Dialects {
  cloudflare: boolean;
  goDaddy: boolean;
  microsoft: boolean;
  route53: boolean;
  cPanel: boolean;
}

/** Headers and the SOA are near the beginning. */
const headLength = 16_384;

/** Recognizes who wrote a zone file, by its header, its SOA and what no other software writes. */
export function dialectsOf(text: string): Dialects {
  const head = text.slice(0, headLength);
  // No expressions over the whole text, which may have 16 MiB: they would take too long for one turn.
  const has = (sign: string) => text.includes(sign);
  // A comment may speak of an SOA.
  const primary = /\sSOA\s+(\S{1,255})/i.exec(head.replaceAll(/;[^\n]*/g, ""))?.[1] ?? "";
  const exported = /^;+[ \t]*Domain:.*\n;+[ \t]*Exported(.*)$/im.exec(head);
  const isGoDaddy = exported?.[1]?.startsWith(" (y-m-d") === true;
  return {
    cloudflare: (exported !== null && !isGoDaddy) || has("cf_tags=") || /\.ns\.cloudflare\.com\.?$/i.test(primary),
    goDaddy: isGoDaddy || /\.domaincontrol\.com\.?$/i.test(primary),
    microsoft: /^;[ \t]*Database file \S+ for .*zone/im.test(head) || has("[AGE:") || has("[Aging:"),
    route53: /\.awsdns-\d+\./i.test(primary) || has("; AWS routing=") || has("\tAWS\tALIAS\t") || has(" AWS ALIAS "),
    cPanel: /^;[ \t]*cPanel /im.test(head) || /^;[ \t]*Zone file for /im.test(head),
  };
}

/** The lines of a dump that belong to one zone. */
interface PartOfDump {
  text: string;
  /** Number of lines of the whole text before the part. */
  linesBefore: number;
  warnings: ZoneFileMessage[];
}

const dumpMark = "; Zone dump of '";
const longestHead = 2_000;

/**
 * Returns the part of `rndc dumpdb -zones` that has the zone, or the whole text if it is no such dump or does not have it. Takes one step per
 * zone of the dump.
 */
export function* partOfDump(text: string, zone: string): Steps<PartOfDump> {
  const whole = { text, linesBefore: 0, warnings: [] };
  let own: number | null = null;
  let count = 0;
  for (let at = text.indexOf(dumpMark); at !== -1; at = text.indexOf(dumpMark, at + 1)) {
    yield;
    if (at > 0 && text[at - 1] !== "\n") continue;
    count++;
    if (own !== null) return yield* partFrom(text.slice(0, at), own, zone);
    const [, name = ""] = /^([^'/]+)\/IN(?:\/[^']*)?'/i.exec(text.slice(at + dumpMark.length, at + longestHead)) ?? [];
    if (name.toLowerCase().replace(/\.$/, "") === zone) own = at;
  }
  return own === null || count === 1 ? whole : yield* partFrom(text, own, zone);
}

function* partFrom(text: string, start: number, zone: string): Steps<PartOfDump> {
  let linesBefore = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < start; at = text.indexOf("\n", at + 1)) {
    linesBefore++;
    if (linesBefore % 128 === 0) yield;
  }
  const message = `Only the zone dump of ${zone} that begins here is read.`;
  return { text: text.slice(start), linesBefore, warnings: [{ line: linesBefore + 1, message }] };
}

/** Returns why an entry of a dump is no record, or null. @param type the field where the type is expected */
export function dumpNote({ leadingBlank, fields }: LogicalLine, type: string): string | null {
  const [first] = fields;
  if (!leadingBlank && first?.raw.startsWith("$") && first.raw.toUpperCase() === "$DATE")
    return "$DATE, the time of a dump, is left out.";
  // A cache marks the absence of a type with a backslash: `\-AAAA`.
  return type.startsWith("\\-") ? "A negative answer from a cache is left out." : null;
}

/** A disabled record as one line of a zone file. */
interface DisabledLine {
  /** The 1-based line of the whole text. */
  line: number;
  text: string;
}

const longestFirstLine = 400;

/** Returns the records that one of Zonewright's own files has as comments because they are disabled; none for files of others. */
export function* disabledLines(text: string): Steps<DisabledLine[]> {
  const [head = ""] = text.slice(0, longestFirstLine).split("\n", 1);
  if (!head.startsWith("; Zone ") || !head.includes(writtenHere)) return [];
  const found: DisabledLine[] = [];
  let start = 0;
  for (let line = 1; start < text.length; line++) {
    const feed = text.indexOf("\n", start);
    const end = feed === -1 ? text.length : feed;
    if (text.startsWith(disabledMark, start)) found.push({ line, text: text.slice(start + disabledMark.length, end) });
    start = end + 1;
    yield;
  }
  return found;
}

/** TTL that stands for "automatic". */
export const cloudflareAutomatic = 1;

/** Cloudflare's comment behind a record: free text, then its tags. */
interface CloudflareComment {
  /** Null if the comment does not say. */
  proxied: boolean | null;
  flattened: boolean;
  /** Tags that people gave. */
  tags: string[];
  text: string | null;
}

/** Reads the comment of an exported record, such as `; Main site cf_tags=team:web,cf-proxied:true`. */
export function readComment(comment: string, recordType: string): CloudflareComment {
  // Zone files are read as octets.
  const decoded = /[^\p{ASCII}]/u.test(comment) ? Buffer.from(comment, "latin1").toString("utf8") : comment;
  const [, text = "", list = ""] = /^([^]*?)(?:(?:^|\s)cf_tags=([^]*))?$/.exec(decoded.trim()) ?? [];
  const tags = list
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
  const proxied = tags
    .map((tag) => /^cf-proxied:(true|false)$/.exec(tag)?.[1])
    .findLast((state) => state !== undefined);
  return {
    proxied: proxied === undefined || !proxiable.has(recordType) ? null : proxied === "true",
    flattened: tags.some((tag) => tag.startsWith("cf-flatten-cname") && !tag.endsWith(":false")),
    tags: tags.filter((tag) => !tag.startsWith("cf-")),
    text: text.trim() === "" ? null : text.trim().replaceAll(/\p{Cc}+/gu, " "),
  };
}

/** Returns whether a name server is what earlier exports have in place of the real ones. */
export function isPlaceholderServer(raw: string): boolean {
  return /^REPL?ACE&ME\$WITH\^YOUR@NAMESERVER\.?$/i.test(raw);
}

interface OctalEscape {
  escape: string;
  /** What it stands for, if that can be printed. */
  character: string | null;
}

/**
 * Returns text whose escapes are octal, as Route 53 and Microsoft DNS write them, with decimal ones (RFC 1035 §5.1). An escape that would
 * be a control character in octal only is left alone: people edit such files.
 */
export function fromOctalEscapes(text: string, found: (escape: OctalEscape) => void): string {
  return text.replaceAll(/\\([0-3][0-7]{2})|\\[^]/g, (escape, digits?: string) => {
    if (digits === undefined) return escape;
    const octet = Number.parseInt(digits, 8);
    if (octet < 0x20 && Number(digits) >= 0x20) return escape;
    if (octet === Number(digits)) return escape;
    found({ escape, character: octet > 0x20 && octet < 0x7f ? String.fromCharCode(octet) : null });
    return `\\${String(octet).padStart(3, "0")}`;
  });
}
