import { ownerWithin, shown } from "../names/names.ts";
import { mapped, type Steps } from "../../platform/slices.ts";
import { readZoneFile } from "../zone-file/parse.ts";
import type { ZoneFileMessage } from "../zone-file/contents.ts";
import type { FormatOptions, FormatReading, FormatRecord } from "./format.ts";
import { dialectsOf, partOfDump, disabledLines } from "./dialects.ts";
import { ZoneFileMeaning } from "./zone-file-meaning.ts";

/** Reads a zone file as the software that wrote it means it. */
export function* readDialect(text: string, options: FormatOptions): Steps<FormatReading> {
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
  let index = 0;
  for (const record of read.records) {
    const line = (read.lines[index++] ?? 1) + part.linesBefore;
    const { proxied, comment } = meaning.said(record);
    records.push({ line, record, proxied, comment });
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
  const inside: { line: number; recordType: string; host: string; target: string }[] = [];
  for (const { line, record } of records) {
    yield;
    const { recordType, value } = record;
    if (!targetTypes.has(recordType)) continue;
    const host = value.slice(value.lastIndexOf(" ") + 1).toLowerCase();
    const target = ownerWithin(host, zone);
    if (target === null || !completeName.test(target)) continue;
    // That one is said where it is read.
    if (target === zone || target.endsWith(`.${zone}`)) continue;
    inside.push({ line, recordType, host, target });
  }
  if (inside.length === 0) return [];
  const owners = new Set(yield* mapped(records, ({ record }) => record.name.toLowerCase()));
  const found = new Map<string, ZoneFileMessage>();
  for (const { line, recordType, host, target } of inside) {
    yield;
    if (found.size === mostElsewhere) break;
    if (owners.has(target)) continue;
    const present = found.get(target);
    if (present) present.alsoLines = [...(present.alsoLines ?? []), line].slice(0, 9);
    else {
      const advice = /\d$/.test(target)
        ? `Put the address into an A record, and its name into the ${recordType} record.`
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
