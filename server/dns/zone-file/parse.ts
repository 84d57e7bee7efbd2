import { ownerNameWithin, plainOwner, readHostAsWritten, shown, type OwnerName } from "../names/names.ts";
import { shortened } from "../rdata/field.ts";
import { type RecordData, parseTtl, looksLikeTtl } from "../record.ts";
import { ok, refuse, type Result } from "../../platform/result.ts";
import { splitLongStrings } from "../values/character-strings.ts";
import {
  addRecord,
  addSoa,
  recordsOf,
  readingOf,
  type EntryPlace,
  type MeantEntry,
  type OutOfZone,
  type Owner,
  type Reading,
  type ZoneFileMessage,
  type ZoneFileOptions,
  readSoa,
  type Soa,
} from "./contents.ts";
import { plainFields, readData, readInFormat, readLeniently } from "./record-data.ts";
import { logicalLines, scannedEntries, type Field, type LogicalLine } from "./tokens.ts";
import type { RdataField } from "../values/value-rule.ts";
import { canonicalType, isVendorType, unstorableReason } from "./type-names.ts";

export type { ZoneFileOptions } from "./contents.ts";

export type ParsedZoneFile =
  | {
      ok: true;
      records: RecordData[];
      /** The line of each record. */
      lines: number[];
      soa: Soa | null;
      warnings: ZoneFileMessage[];
      outOfZone: OutOfZone[];
      includedFiles: string[];
    }
  | { ok: false; errors: ZoneFileMessage[] };

const mostErrors = 20;
/** Limits the warnings, because a file can have one on every line. */
const mostWarnings = 100;
const mostAlsoLines = 9;
const deepestInclude = 10;
// Nested files that each include others many times would take exponential time.
const mostIncludes = 1000;

/**
 * Parses a master file (RFC 1035 §5, $TTL of RFC 2308 §4, unknown types of RFC 3597) into canonical records. Returns the SOA separately
 * and omits the placeholder name server. Pure except for `include`. Returns up to 20 errors, not just the first.
 */
export function parseZoneFile(source: string | Buffer, options: ZoneFileOptions): ParsedZoneFile {
  const steps = readZoneFile(source, options);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** {@link parseZoneFile} in steps of one entry each, for callers that yield to other work in between. */
export function* readZoneFile(source: string | Buffer, options: ZoneFileOptions): Generator<void, ParsedZoneFile> {
  const reading = readingOf(options);
  yield* readText(reading, source);
  return yield* resultOf(reading);
}

/** Returns what was read: the errors, or else the zone. */
export function* resultOf(reading: Reading): Generator<void, ParsedZoneFile> {
  if (reading.errors.length > 0) return { ok: false, errors: reading.errors };
  const { contents, warnings, notes, furtherWarnings, outOfZone, includedFiles } = reading;
  const last = warnings.at(-1) ?? [...notes.values()].at(-1);
  if (last && furtherWarnings > 0) {
    const { line, file } = last;
    const message = `${furtherWarnings} more warnings are not listed.`;
    warnings.push(file === undefined ? { line, message } : { line, file, message });
  }
  const records = yield* recordsOf(contents);
  const { soa, lines } = contents;
  return { ok: true, records, lines, soa, warnings: [...notes.values(), ...warnings], outOfZone, includedFiles };
}

/**
 * Parses only up to the zone's SOA, in steps of one entry each.
 * @returns the SOA, or null if the file has none; or the errors in the lines before it
 */
export function* readZoneSoa(
  source: string | Buffer,
  options: ZoneFileOptions,
): Generator<void, { ok: true; soa: Soa | null } | { ok: false; errors: ZoneFileMessage[] }> {
  const reading = { ...readingOf(options), soaOnly: true };
  yield* readText(reading, source);
  if (reading.errors.length > 0) return { ok: false, errors: reading.errors };
  return { ok: true, soa: reading.contents.soa };
}

function* readText(reading: Reading, source: string | Buffer): Generator<void> {
  const octets = octetText(source);
  for (const line of scannedEntries(octets.text)) {
    yield;
    if (line === null) continue;
    if (line.kind === "error") report(reading, line.line, line.message);
    else if (octets.isPlain || areReadable(reading, line, octets)) {
      const included = readLine(reading, line, octets.isPlain ? line.fields : line.fields.map(inAscii));
      if (included !== null) yield* included;
    }
    if (reading.errors.length >= mostErrors || (reading.soaOnly && reading.contents.soa !== null)) return;
  }
}

/** Returns whether every octet of the fields is readable, and reports the first that is not. */
function areReadable(reading: Reading, line: LogicalLine, octets: OctetText): boolean {
  for (const field of line.fields) {
    const fault = octetFault(field, octets);
    if (fault === null) continue;
    // Suppresses follow-up errors in lines that inherit this owner.
    if (!line.leadingBlank) reading.owner = { kind: "refused" };
    report(reading, field.line, fault);
    return false;
  }
  return true;
}

/** Reads an entry. @param givenFields its fields in ASCII @returns the further steps of a directive, which may include a file */
function readLine(reading: Reading, given: LogicalLine, givenFields: Field[]): Generator<void> | null {
  const { meaning } = reading.options;
  const inText: MeantEntry = given.fields === givenFields ? given : { ...given, fields: givenFields };
  const line = meaning ? meaning.entry(inText, placeOf(reading, given)) : inText;
  const { fields } = line;
  const [first] = fields;
  const isDirective = !line.leadingBlank && first?.quoted === false && first.raw.startsWith("$");
  if (isDirective) return line.isLeftOut ? null : readingDirective(reading, line, given.fields);
  const message = readEntry(reading, line);
  if (message !== null) report(reading, line.line, message);
  return null;
}

function* readingDirective(reading: Reading, { line, fields }: LogicalLine, inOctets: Field[]): Generator<void> {
  const message = yield* readDirective(reading, fields, inOctets);
  if (message !== null) report(reading, line, message);
}

function placeOf(reading: Reading, { line }: LogicalLine): EntryPlace {
  return {
    zone: reading.options.zone,
    origin: reading.origin,
    defaultTtl: reading.zoneTtl ?? reading.options.defaultTtl ?? 3600,
    note: (message) => note(reading, line, message),
  };
}

/** Warns about a reading that is not literal. Equal messages are listed once, with their lines. */
export function note(reading: Reading, line: number, message: string): void {
  const key = `${reading.files.at(-1)} ${message}`;
  const known = reading.notes.get(key);
  if (known === undefined) {
    if (reading.notes.size < mostWarnings) reading.notes.set(key, located(reading, line, message));
    else reading.furtherWarnings++;
    return;
  }
  const { alsoLines = [], moreLines = 0 } = known;
  if (alsoLines.length < mostAlsoLines) known.alsoLines = [...alsoLines, line];
  else known.moreLines = moreLines + 1;
}

/** Refuses the text because of a line. @returns whether reading on may find more errors that are worth listing */
export function report(reading: Reading, line: number, message: string): boolean {
  reading.errors.push(located(reading, line, message));
  return reading.errors.length < mostErrors;
}

function located(reading: Reading, line: number, message: string): ZoneFileMessage {
  const file = reading.files.at(-1);
  return file === undefined ? { line, message } : { line, file, message };
}

/** Reads one record. Like the functions below, returns an error message, or null. */
function readEntry(reading: Reading, line: MeantEntry): string | null {
  const [first] = line.fields;
  if (line.isLeftOut) {
    if (!line.leadingBlank && first) reading.owner = ownerLeftOut(reading, first);
    return null;
  }
  if (!line.leadingBlank && first) {
    const owner = readOwner(reading, first);
    reading.owner = owner.ok ? owner.value : { kind: "refused" };
    if (!owner.ok) return owner.message;
  }
  const { owner } = reading;
  if (owner === null)
    return "This line begins with whitespace, but there is no previous record whose owner it could inherit.";
  if (owner.kind === "refused") return null;
  const header = readHeader(line.fields, line.leadingBlank ? 0 : 1);
  if (!header.ok) return header.message;
  if (header.value.ttl !== null) reading.lastTtl = header.value.ttl;
  if (owner.kind === "outside") {
    reading.outOfZone.push({ line: line.line, name: owner.name });
    return null;
  }
  const rdata = line.fields.slice(header.value.rdata);
  if (header.value.recordType === "SOA") return takeSoa(reading, owner.name, header.value.ttl, rdata);
  return takeRecord(reading, owner, header.value, rdata, line);
}

function readOwner({ origin, options }: Reading, { raw, quoted }: Field): Result<Owner> {
  if (quoted) return refuse("An owner name must not be quoted.");
  const plain = origin === options.zone ? plainOwner(raw, options.zone) : null;
  if (plain !== null) return ok({ kind: "within", name: plain.name, writtenName: plain.writtenName });
  const host = readHostAsWritten(raw, origin);
  if (!host.ok) return host;
  const owner = ownerNameWithin(host.value, options.zone);
  if (owner !== null) return ok({ kind: "within", ...owner });
  if (options.ignoreOutOfZone) return ok({ kind: "outside", name: host.value });
  return refuse(`The name ${shown(host.value)} is outside the zone ${options.zone}.`);
}

/** Returns the owner that the lines after an entry that is left out may inherit. */
function ownerLeftOut(reading: Reading, field: Field): Owner {
  const owner = readOwner(reading, field);
  if (owner.ok) return owner.value;
  const host = readHostAsWritten(field.raw, reading.origin);
  return host.ok ? { kind: "outside", name: host.value } : { kind: "refused" };
}

function takeSoa(reading: Reading, name: string, ttl: number | null, rdata: Field[]): string | null {
  const soa = readSoa(plainFields("SOA", rdata), reading.origin);
  if (!soa.ok) return soa.message;
  const known = ttl ?? inheritedTtl(reading);
  // As in BIND: if no TTL precedes the SOA, its minimum becomes the zone's default.
  if (known === null) reading.zoneTtl = soa.value.minimum;
  return addSoa(reading.contents, name, { ...soa.value, ttl: known ?? soa.value.minimum });
}

/** Adds a record with its data in fields. Returns an error message, or null. */
export function takeRecord(
  reading: Reading,
  { name, writtenName }: OwnerName,
  { recordType, ttl }: Pick<RecordHeader, "recordType" | "ttl">,
  given: Field[],
  line: LogicalLine,
): string | null {
  const warn = (message: string) => {
    if (reading.warnings.length < mostWarnings) reading.warnings.push(located(reading, line.line, message));
    else reading.furtherWarnings++;
  };
  const rdata = shortStrings(reading.options, recordType, given, warn);
  const strict = isApexDs(name, recordType)
    ? refuse("A DS record belongs to the parent zone; the apex of this zone cannot have one.")
    : reading.options.vendorTypes === true && isVendorType(recordType)
      ? readLeniently(recordType, rdata, reading.origin)
      : readData(recordType, rdata, reading.origin);
  const { keepBadData = false, meaning } = reading.options;
  const lenient = keepBadData === "in its format" ? readInFormat : readLeniently;
  const value = strict.ok || !keepBadData ? strict : lenient(recordType, rdata, reading.origin);
  if (!value.ok) return value.message;
  if (!strict.ok) warn(`${strict.message} It is stored unchanged.`);
  for (const warning of value.value.warnings) warn(warning);
  if (line.abruptComment && recordType === "TXT") {
    warn("The text after the ; is a comment; put the whole text in quotes to include it.");
  }
  const record: RecordData = {
    recordType,
    name,
    value: value.value.value,
    strings: value.value.strings ?? null,
    ttl: ttl ?? inheritedTtl(reading) ?? reading.contents.soa?.minimum ?? reading.options.defaultTtl ?? 3600,
    priority: value.value.priority,
    proxied: false,
  };
  if (writtenName !== undefined) record.writtenName = writtenName;
  if (value.value.writtenValue !== undefined) record.writtenValue = value.value.writtenValue;
  const meant = meaning ? meaning.record(record, line, placeOf(reading, line)) : record;
  const odd = addRecord(reading.contents, meant, line.line);
  if (odd !== null) warn(odd);
  return null;
}

function shortStrings(
  { keepBadData = false, splitLongStrings: splits = keepBadData !== false }: ZoneFileOptions,
  recordType: string,
  given: Field[],
  warn: (message: string) => void,
): Field[] {
  if (!splits) return given;
  const { fields, warnings } = splitLongStrings(recordType, given);
  for (const warning of warnings) warn(warning);
  return fields;
}

/** RFC 4035 §2.4. */
function isApexDs(name: string, recordType: string): boolean {
  return name === "@" && recordType === "DS";
}

function inheritedTtl(reading: Reading): number | null {
  return reading.zoneTtl ?? reading.lastTtl;
}

function* readDirective(
  reading: Reading,
  fields: readonly Field[],
  inOctets: readonly Field[],
): Generator<void, string | null> {
  const [directive, ...given] = fields.map(({ raw }) => raw);
  const [argument, second] = given;
  switch (directive?.toUpperCase()) {
    case "$ORIGIN":
      if (argument === undefined || given.length > 1) return "$ORIGIN takes exactly one name.";
      return setOrigin(reading, argument);
    case "$TTL":
      if (argument === undefined || given.length > 1) return "$TTL takes exactly one time.";
      return setTtl(reading, argument);
    case "$INCLUDE":
      if (argument === undefined || given.length > 2) return "$INCLUDE takes a file name and an optional origin.";
      return yield* includeFile(reading, fileName(inOctets[1]), second);
    case "$GENERATE":
      return "$GENERATE is a BIND extension and is not supported. Expand it with named-compilezone, then try again.";
    default:
      return `${shortened(directive ?? "")} is not a known directive. Write an owner name that begins with $ as \\$.`;
  }
}

/** Splits data in master-file form, on one line, into its fields. */
export function dataFields(text: string): Result<Field[]> {
  const octets = octetText(text);
  const [line, ...others] = logicalLines(octets.text);
  if (line === undefined) return ok([]);
  if (line.kind === "error") return refuse(line.message);
  if (line.comment !== null)
    return refuse("The data has a ; outside quotes, where a comment would begin. Put the text in quotes.");
  if (others.length > 0 || /[\n\r]/.test(text)) return refuse("The data must be on one line.");
  for (const field of line.fields) {
    const fault = octets.isPlain ? null : octetFault(field, octets);
    if (fault !== null) return refuse(fault);
  }
  return ok(octets.isPlain ? line.fields : line.fields.map(inAscii));
}

/** File names are UTF-8. */
function fileName(field: Field | undefined): string {
  return Buffer.from(field?.raw ?? "", "latin1").toString("utf8");
}

function setOrigin(reading: Reading, raw: string): string | null {
  const origin = readHostAsWritten(raw, reading.origin);
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

function* includeFile(reading: Reading, path: string, originRaw: string | undefined): Generator<void, string | null> {
  const { origin, owner } = reading;
  const { include } = reading.options;
  if (!include) return "$INCLUDE is not supported here; replace it with the file's lines.";
  if (reading.files.length >= deepestInclude) return `$INCLUDE is nested more than ${deepestInclude} deep.`;
  if (reading.includedFiles.length >= mostIncludes) return `The zone includes more than ${mostIncludes} files.`;
  const text = include(path);
  if (!text.ok) return text.message;
  const start = originRaw === undefined ? ok(origin) : readHostAsWritten(originRaw, origin);
  if (!start.ok) return start.message;

  reading.origin = start.value;
  reading.files.push(path);
  reading.includedFiles.push(path);
  yield* readText(reading, text.value);
  reading.files.pop();
  // RFC 1035 §5.1: an included file does not change the origin of its parent.
  reading.origin = origin;
  reading.owner = owner;
  return null;
}

/** The fields between owner and RDATA. */
interface RecordHeader {
  /** Seconds; null if the entry has none. */
  ttl: number | null;
  recordType: string;
  /** Index of the first RDATA field. */
  rdata: number;
}

/** Reads `[TTL] [class] type` or `[class] [TTL] type` (RFC 1035 §5.1), starting at `fields[start]`. Accepts only class IN. */
function readHeader(fields: readonly RdataField[], start: number): Result<RecordHeader> {
  let ttl: number | null = null;
  let classSeen = false;
  for (let index = start; ; index++) {
    const field = fields[index];
    if (field === undefined) return refuse("This entry has no record type.");
    if (field.quoted) return refuse(`Expected a record type, not "${shortened(field.raw)}" in quotes.`);
    if (ttl === null && looksLikeTtl(field.raw)) {
      const parsed = parseTtl(field.raw);
      if (!parsed.ok) return parsed;
      ttl = parsed.value;
    } else if (!classSeen && isClass(field.raw)) {
      if (!isInternet(field.raw)) return refuse(`Class ${field.raw} is not supported; use IN.`);
      classSeen = true;
    } else {
      const recordType = readType(field.raw);
      return recordType.ok ? ok({ ttl, recordType: recordType.value, rdata: index + 1 }) : recordType;
    }
  }
}

/** Reads a record type by name or as `TYPE65280`. */
export function readType(raw: string): Result<string> {
  const recordType = canonicalType(raw);
  if (recordType !== null) return ok(recordType);
  const reason = unstorableReason(raw);
  return refuse(
    reason === null ? `"${shortened(raw)}" is not a known record type.` : `${raw.toUpperCase()} ${reason}.`,
  );
}

function isClass(text: string): boolean {
  return /^(?:in|ch|hs|cs|any|none|class\d{1,5})$/i.test(text);
}

function isInternet(text: string): boolean {
  const name = text.toUpperCase();
  return name === "IN" || name === "CLASS1";
}

/**
 * A master file decoded as one character per octet. RFC 1035 §5.1 defines no encoding: a comment may contain any octet, and in a name or
 * text an octet is just that octet.
 */
interface OctetText {
  text: string;
  /** Whether the text consists of printable ASCII, tabs and line ends only. */
  isPlain: boolean;
  /** Whether the source was already decoded, so that U+FFFD stands for octets that could not be decoded. */
  wasDecoded: boolean;
}

function octetText(source: string | Buffer): OctetText {
  const wasDecoded = typeof source === "string";
  const isAscii = wasDecoded && /^\p{ASCII}*$/u.test(source);
  const text = isAscii ? source : (wasDecoded ? Buffer.from(source, "utf8") : source).toString("latin1");
  return {
    text: text.startsWith("\u00ef\u00bb\u00bf") ? text.slice(3) : text,
    isPlain: !/[^\t\n\r -~]/.test(text),
    wasDecoded,
  };
}

/** Returns what is wrong with a field's non-printable octets, or null. */
function octetFault({ raw }: Field, { wasDecoded }: OctetText): string | null {
  const [control] = /[^ -~\t\u0080-\u00ff]/.exec(raw) ?? [];
  if (control !== undefined) {
    const code = control.charCodeAt(0);
    const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    return `The control character ${name} is not allowed here; write it as \\${String(code).padStart(3, "0")} or remove it.`;
  }
  if (wasDecoded && raw.includes("\u00ef\u00bf\u00bd")) {
    return "A byte here was not valid UTF-8 and was lost in decoding (U+FFFD). Write it as \\ and its three decimal digits.";
  }
  return null;
}

/** Returns the field with each non-ASCII octet as `\DDD`. */
function inAscii(field: Field): Field {
  const raw = field.raw.replaceAll(/\\[^\u0080-\u00ff]|\\?[\u0080-\u00ff]/g, (part) => {
    const octet = part.charCodeAt(part.length - 1);
    return octet < 0x80 ? part : `\\${octet}`;
  });
  return raw === field.raw ? field : { ...field, raw };
}
