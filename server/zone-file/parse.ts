import { readHost, readOwner } from "../names/names.ts";
import { ruleFor } from "../records/record-types.ts";
import type { RecordData } from "../records/record.ts";
import { ok, refuse, type Result } from "../result.ts";
import { addRecord, addSoa, emptyContents, type Contents } from "./contents.ts";
import { readHeader, type RecordHeader } from "./header.ts";
import { joinParameters } from "./service-parameters.ts";
import { readSoa, type Soa } from "./soa.ts";
import { controlCharacters, logicalLines, type Field, type LineMessage, type LogicalLine } from "./tokens.ts";
import { parseTtl } from "./ttl.ts";

export interface ZoneFileOptions {
  /** Canonical zone name: lower-case A-labels, no trailing dot. */
  zone: string;
  /** Where relative names begin, in the same form; the zone when left out. */
  origin?: string;
  /** Seconds for records that get no TTL from the file at all; 3600 when left out. */
  defaultTtl?: number;
  /** Gives the text of an included file, named as in the file. Without it $INCLUDE is an error. */
  include?: (path: string) => Result<string>;
}

interface ZoneFileMessage extends LineMessage {
  /** The included file that the line is in. */
  file?: string;
}

export type ParsedZoneFile =
  | { ok: true; records: RecordData[]; soa: Soa | null; warnings: ZoneFileMessage[]; includedFiles: string[] }
  | { ok: false; errors: ZoneFileMessage[] };

const mostErrors = 20;
const deepestInclude = 10;
// Ten levels that each include a file many times would never end.
const mostIncludes = 1000;

/**
 * Reads a master file (RFC 1035 §5, $TTL of RFC 2308 §4, unknown types of RFC 3597) into canonical records. The SOA comes apart from
 * them, and the placeholder name server is left out. Pure but for `include`. Answers with up to 20 errors rather than with the first.
 */
export function parseZoneFile(text: string, options: ZoneFileOptions): ParsedZoneFile {
  const reading: Reading = {
    options,
    origin: options.origin ?? options.zone,
    owner: null,
    zoneTtl: null,
    lastTtl: null,
    contents: emptyContents(),
    warnings: [],
    errors: [],
    files: [],
    includedFiles: [],
  };
  readText(reading, text);
  if (reading.errors.length > 0) return { ok: false, errors: reading.errors };
  const { contents, warnings, includedFiles } = reading;
  return { ok: true, records: contents.records, soa: contents.soa, warnings, includedFiles };
}

interface Reading {
  options: ZoneFileOptions;
  origin: string;
  /** Of the record before; refused when it could not be read. Null where there is none. */
  owner: Result<string> | null;
  /** From $TTL. */
  zoneTtl: number | null;
  /** The last one that a record named itself. */
  lastTtl: number | null;
  contents: Contents;
  warnings: ZoneFileMessage[];
  errors: ZoneFileMessage[];
  /** Included files that are being read, outermost first. */
  files: string[];
  includedFiles: string[];
}

function readText(reading: Reading, text: string): void {
  const controls = controlCharacters(text, mostErrors - reading.errors.length);
  for (const { line, message } of controls) report(reading, line, message);
  if (controls.length > 0) return;
  for (const line of logicalLines(text)) {
    if (line.kind === "error") report(reading, line.line, line.message);
    else {
      const message = isDirective(line) ? readDirective(reading, line) : readEntry(reading, line);
      if (message !== null) report(reading, line.line, message);
    }
    if (reading.errors.length >= mostErrors) return;
  }
}

function report(reading: Reading, line: number, message: string): void {
  reading.errors.push(located(reading, line, message));
}

function located(reading: Reading, line: number, message: string): ZoneFileMessage {
  const file = reading.files.at(-1);
  return file === undefined ? { line, message } : { line, file, message };
}

/** Reads one record. Answers with what is wrong with it, else null; so do the functions below. */
function readEntry(reading: Reading, line: LogicalLine): string | null {
  const [first] = line.fields;
  if (!line.leadingBlank && first) {
    reading.owner = first.quoted
      ? refuse("An owner name cannot stand in quotes.")
      : readOwner(first.raw, reading.origin, reading.options.zone);
    if (!reading.owner.ok) return reading.owner.message;
  }
  const { owner } = reading;
  if (owner === null)
    return "This line begins with a blank, but there is no record before it whose owner it could share.";
  // The owner's error has been told where it stands.
  if (!owner.ok) return null;
  const header = readHeader(line.fields, line.leadingBlank ? 0 : 1);
  if (!header.ok) return header.message;
  if (header.value.ttl !== null) reading.lastTtl = header.value.ttl;
  const rdata = line.fields.slice(header.value.rdata);
  if (header.value.recordType === "SOA") return takeSoa(reading, owner.value, header.value.ttl, rdata);
  return takeRecord(reading, owner.value, header.value, rdata, line);
}

function takeSoa(reading: Reading, name: string, ttl: number | null, rdata: Field[]): string | null {
  const soa = readSoa(rdata, reading.origin);
  if (!soa.ok) return soa.message;
  return addSoa(reading.contents, name, { ...soa.value, ttl: ttl ?? inheritedTtl(reading) ?? soa.value.minimum });
}

function takeRecord(
  reading: Reading,
  name: string,
  { recordType, ttl }: RecordHeader,
  rdata: Field[],
  line: LogicalLine,
): string | null {
  const value = ruleFor(recordType).read(joinParameters(recordType, rdata), reading.origin);
  if (!value.ok) return value.message;
  for (const warning of value.value.warnings) reading.warnings.push(located(reading, line.line, warning));
  if (line.abruptComment && recordType === "TXT") {
    reading.warnings.push(
      located(reading, line.line, "What follows the ; is a comment; put the text in quotes to keep it."),
    );
  }
  const odd = addRecord(reading.contents, {
    recordType,
    name,
    value: value.value.value,
    strings: value.value.strings ?? null,
    ttl: ttl ?? inheritedTtl(reading) ?? reading.contents.soa?.minimum ?? reading.options.defaultTtl ?? 3600,
    priority: value.value.priority,
    proxied: false,
  });
  if (odd !== null) reading.warnings.push(located(reading, line.line, odd));
  return null;
}

function inheritedTtl(reading: Reading): number | null {
  return reading.zoneTtl ?? reading.lastTtl;
}

function isDirective(line: LogicalLine): boolean {
  const [first] = line.fields;
  return !line.leadingBlank && first !== undefined && !first.quoted && first.raw.startsWith("$");
}

function readDirective(reading: Reading, { fields }: LogicalLine): string | null {
  const [directive, ...given] = fields.map((field) => field.raw);
  const [argument, second] = given;
  switch (directive?.toUpperCase()) {
    case "$ORIGIN":
      if (argument === undefined || given.length > 1) return "$ORIGIN needs one name.";
      return setOrigin(reading, argument);
    case "$TTL":
      if (argument === undefined || given.length > 1) return "$TTL needs one time.";
      return setTtl(reading, argument);
    case "$INCLUDE":
      if (argument === undefined || given.length > 2) return "$INCLUDE needs a file and, if any, an origin.";
      return includeFile(reading, argument, second);
    case "$GENERATE":
      return "$GENERATE is an extension of BIND; write its records out (named-compilezone does) and try again.";
    default:
      return `There is no directive ${directive}; an owner name that begins with $ is written \\$.`;
  }
}

function setOrigin(reading: Reading, raw: string): string | null {
  const origin = readHost(raw, reading.origin);
  if (!origin.ok) return origin.message;
  reading.origin = origin.value;
  return null;
}

function setTtl(reading: Reading, raw: string): string | null {
  const ttl = parseTtl(raw);
  if (!ttl.ok) return ttl.message;
  reading.zoneTtl = ttl.value;
  return null;
}

function includeFile(reading: Reading, path: string, originRaw: string | undefined): string | null {
  const { origin, owner } = reading;
  const { include } = reading.options;
  if (!include) return "$INCLUDE is not accepted here; put the file's lines in its place.";
  if (reading.files.length >= deepestInclude) return `$INCLUDE is nested more than ${deepestInclude} deep.`;
  if (reading.includedFiles.length >= mostIncludes) return `The zone includes more than ${mostIncludes} files.`;
  const text = include(path);
  if (!text.ok) return text.message;
  const start = originRaw === undefined ? ok(origin) : readHost(originRaw, origin);
  if (!start.ok) return start.message;

  reading.origin = start.value;
  reading.files.push(path);
  reading.includedFiles.push(path);
  readText(reading, text.value);
  reading.files.pop();
  // RFC 1035 §5.1: whatever the included file did to the origin ends with it.
  reading.origin = origin;
  reading.owner = owner;
  return null;
}
