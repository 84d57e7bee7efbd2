import { ownerWithin, shown } from "../names/names.ts";
import type { RecordData } from "../record.ts";
import type { Steps } from "../../platform/slices.ts";
import { readZoneFile } from "../zone-file/parse.ts";
import type { OutOfZone, ZoneFileMessage } from "../zone-file/contents.ts";
import type { Soa } from "../zone-file/soa.ts";
import { dialectsOf, partOfDump, disabledLines } from "./dialects.ts";
import { ZoneFileMeaning } from "./zone-file-meaning.ts";

/** The formats that zones can be read from. `auto` recognizes one by its content. */
export const readableFormats = ["auto", "zonefile"] as const;

export interface FormatOptions {
  /** Canonical zone name: lower-case A-labels, no trailing dot. */
  zone: string;
  /** Skips records outside the zone instead of refusing the text. */
  ignoreOutOfZone?: boolean;
  /** Splits strings that are too long, and keeps data that breaks a rule, each with a warning. */
  lenient?: boolean;
  /** Seconds for records without a TTL. Default: 3600. */
  defaultTtl?: number;
  /** The TTL that stands for an automatic one where the records go to. Without it, an automatic TTL becomes the default. */
  automaticTtl?: number | undefined;
  /** Whether records can be proxied where they go to. Default: false. */
  supportsProxied?: boolean;
}

/** A record and what the text says about it beside its data. */
export interface FormatRecord {
  /** The 1-based line that it begins on. */
  line: number;
  record: RecordData;
  /** Whether it is proxied; null if the text does not say. */
  proxied: boolean | null;
  /** Its comment; null if there is none that belongs to it. */
  comment: string | null;
}

/** What a reader found. With errors, nothing of the text may be used. */
export type FormatReading =
  | {
      ok: true;
      records: readonly FormatRecord[];
      /** Records that an export of Zonewright's own has as disabled. */
      disabled: readonly FormatRecord[];
      soa: Soa | null;
      /** Every reading that is not literal, and what is legal but rarely intended. */
      warnings: ZoneFileMessage[];
      outOfZone: OutOfZone[];
    }
  | { ok: false; errors: ZoneFileMessage[] };

/** Reads records from text in one of the {@link readableFormats}. Pure. */
export function* readFormat(
  text: string,
  _format: (typeof readableFormats)[number],
  options: FormatOptions,
): Steps<FormatReading> {
  const foreign = foreignFormat(text);
  if (foreign !== null) {
    const message = `This is ${foreign}, not a zone file. Export the zone as a zone file, often called BIND format.`;
    return { ok: false, errors: [{ line: 1, message }] };
  }
  return yield* readDialect(text, options);
}

/** Reads a zone file as the software that wrote it means it. */
function* readDialect(text: string, options: FormatOptions): Steps<FormatReading> {
  const { zone, ignoreOutOfZone = false, lenient = false, defaultTtl = 3600 } = options;
  const part = yield* partOfDump(text, zone);
  const meaning = new ZoneFileMeaning(dialectsOf(part.text), options);
  const read = yield* readZoneFile(part.text, {
    zone,
    ignoreOutOfZone,
    defaultTtl,
    splitLongStrings: lenient,
    keepBadData: lenient ? "in its format" : false,
    meaning,
  });
  const inText = <Message extends ZoneFileMessage>(message: Message): Message => ({
    ...message,
    line: message.line + part.linesBefore,
    ...(message.alsoLines ? { alsoLines: message.alsoLines.map((line) => line + part.linesBefore) } : {}),
  });
  if (!read.ok) return { ok: false, errors: read.errors.map(inText) };
  const records: FormatRecord[] = [];
  for (const [index, record] of read.records.entries()) {
    records.push({ line: (read.lines[index] ?? 1) + part.linesBefore, record, ...meaning.said(record) });
    yield;
  }
  const { disabled, warnings } = yield* readDisabled(part.text, options);
  const elsewhere = yield* targetsElsewhere(records, zone);
  return {
    ok: true,
    records,
    disabled,
    soa: read.soa,
    warnings: [...part.warnings, ...read.warnings.map(inText), ...elsewhere, ...warnings],
    outOfZone: read.outOfZone.map(({ line, name }) => ({ line: line + part.linesBefore, name })),
  };
}

/** Types whose data ends with the name of a host. */
const targetTypes = new Set(["CNAME", "DNAME", "NS", "PTR", "MX", "SRV", "AFSDB", "KX"]);
/** What ends a name elsewhere rather than one within a zone: a common top-level domain, one of a country, or an address. */
const completeName = /\.(?:com|net|org|info|biz|edu|gov|mil|int|io|dev|app|cloud|[a-z]{2}|\d{1,3}\.\d{1,3}\.\d{1,3})$/;
const mostElsewhere = 20;

/** Warns of targets such as `mail.google.com` without a final dot: literal, but within this zone they name nothing. */
function* targetsElsewhere(records: readonly FormatRecord[], zone: string): Steps<ZoneFileMessage[]> {
  const owners = new Set<string>();
  for (const { record } of records) {
    owners.add(record.name.toLowerCase());
    yield;
  }
  const found = new Map<string, ZoneFileMessage>();
  for (const { line, record } of records) {
    yield;
    if (found.size === mostElsewhere) break;
    if (!targetTypes.has(record.recordType)) continue;
    const host = record.value.slice(record.value.lastIndexOf(" ") + 1).toLowerCase();
    const target = ownerWithin(host, zone);
    if (target === null || !completeName.test(target) || owners.has(target)) continue;
    // That one is said where it is read.
    if (target === zone || target.endsWith(`.${zone}`)) continue;
    const present = found.get(target);
    if (present) present.alsoLines = [...(present.alsoLines ?? []), line].slice(0, 9);
    else {
      const advice = /\d$/.test(target)
        ? `Put the address into an A record, and its name into the ${record.recordType} record.`
        : `Write ${shown(`${target}.`)} with its final dot if you mean that name.`;
      const message = `${shown(`${host}.`)} has no records in this file. ${advice}`;
      found.set(target, { line, message });
    }
  }
  return [...found.values()];
}

const mostUnreadable = 20;

function* readDisabled(text: string, { zone, defaultTtl = 3600 }: FormatOptions) {
  const disabled: FormatRecord[] = [];
  const warnings: ZoneFileMessage[] = [];
  for (const { line, text: entry } of yield* disabledLines(text)) {
    // No server serves it, so it may be of any type that can be stored here.
    const read = yield* readZoneFile(entry, { zone, defaultTtl, keepBadData: true });
    if (read.ok) disabled.push(...read.records.map((record) => ({ line, record, proxied: null, comment: null })));
    else if (warnings.length < mostUnreadable) {
      warnings.push({ line, message: `This disabled record is not imported. ${read.errors[0]?.message ?? ""}` });
    }
  }
  return { disabled, warnings };
}

/** Returns a message as text, with the lines that it is about. */
export function located({ line, alsoLines = [], moreLines = 0, message }: ZoneFileMessage): string {
  const lines = [line, ...alsoLines].map(String);
  const last = moreLines > 0 ? `${moreLines} more` : lines.pop();
  return lines.length === 0 ? `Line ${last}: ${message}` : `Lines ${lines.join(", ")} and ${last}: ${message}`;
}

/** Returns the name of another format that the text is in, or null. */
function foreignFormat(text: string): string | null {
  const start = text.slice(0, 1000).trimStart();
  if (/^[{[]\s*(?:["{[\]}]|$)/.test(start)) return "JSON";
  if (/^<(?:!doctype|html|\?xml)/i.test(start)) return "HTML or XML";
  return /^---\s*\n/.test(start) ? "YAML" : null;
}
