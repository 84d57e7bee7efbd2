import { printRdata } from "../record-types.ts";
import { isApexNs, nameOf, type RecordData, type StatedData } from "../record.ts";
import { isPlaceholder, placeholderNameServer, type Soa } from "./contents.ts";
import { atOnce, mapped, sorted, type Steps } from "../../platform/slices.ts";
import { logicalLines, joinParameters } from "./tokens.ts";
import { isProviderType, typeNumber } from "./type-names.ts";
import { rdataFromFields } from "../rdata/rdata.ts";
import { OctetSource } from "../rdata/field.ts";
import { readParameters } from "../rdata/service-parameters.ts";
import { printGeneric } from "../values/character-strings.ts";
import { typesWithParameters } from "../values/uneditable.ts";

export interface ZoneFileContent {
  /** Canonical zone name: lower-case A-labels, no trailing dot. */
  zone: string;
  /** Null for a text that people edit and no server loads: without SOA, and without a placeholder for a missing name server. */
  soa: Soa | null;
  /** Why the SOA is not the one that the zone's provider serves; written above it as a comment. */
  soaNote?: string | undefined;
  /** Disabled ones are written as comments. */
  records: readonly PrintedRecord[];
  /** Seconds for $TTL. Default: 3600. Every record still has its own TTL. */
  defaultTtl?: number;
  /** Writes ALIAS, ANAME and LUA, which only some servers load, as records rather than comments. */
  vendorTypes?: boolean;
  /** Whether the records are only part of the zone. */
  isPart?: boolean;
}

/** A record, active unless it says otherwise. */
type PrintedRecord = RecordData & Partial<Pick<StatedData, "status">>;

/** What stands before a disabled record in a file whose first line has {@link writtenHere}. */
export const disabledMark = "; disabled: ";
/** What the first line of every file has. */
export const writtenHere = ", written by Zonewright.";

// Longer owners widen only their own line.
const widestOwner = 32;

/**
 * Prints a master file (RFC 1035 §5) that BIND, NSD and Knot load. The output does not depend on the order of the records: the SOA comes
 * first, then the apex, then other owners in canonical order, one record per line, names as written. `parseZoneFile` reads it back.
 */
export function printZoneFile(content: ZoneFileContent): string {
  return atOnce(printingZoneFile(content));
}

/** {@link printZoneFile} in steps. */
export function* printingZoneFile(content: ZoneFileContent): Steps<string> {
  return (yield* printingInPieces(content)).join("");
}

/** Characters of a piece; the last line may exceed them. */
const pieceCharacters = 65_536;

/** {@link printZoneFile} in steps, as pieces that follow one another: joining a large file would take long. */
export function* printingInPieces({
  zone,
  soa,
  soaNote,
  records,
  defaultTtl = 3600,
  vendorTypes = false,
  isPart = false,
}: ZoneFileContent): Steps<string[]> {
  const ordered = yield* inOrder(records);
  let width = 1;
  for (const { name } of ordered) {
    width = Math.min(widestOwner, Math.max(width, name.length));
    yield;
  }
  const head = [
    `; Zone ${zone}${writtenHere} Records added by hand are kept, comments are not.`,
    `$ORIGIN ${zone}.`,
    `$TTL ${defaultTtl}`,
    ...(soaNote === undefined ? [] : [`; ${soaNote}`]),
    ...(soa === null ? [] : printSoa(soa, width)),
  ];
  if (soa !== null && !ordered.some((record) => isApexNs(record) && isServed(record) && !isPlaceholder(record))) {
    head.push(
      isPart
        ? "; This file has only some hosts of the zone, without its name servers. The next line is a placeholder."
        : "; This zone has no name server, but needs one to load. The next line is a placeholder.",
    );
    head.push(printLine("@", soa.ttl, "NS", `${placeholderNameServer}.`, width));
  }
  const pieces: string[] = [];
  let piece = `${head.join("\n")}\n`;
  for (const record of ordered) {
    yield;
    if (isPlaceholder(record)) continue;
    const { ttl, recordType } = record;
    const [type, data] = inFile(recordType, printRdata(record));
    const line = printLine(nameOf(record), ttl, type, data, width);
    const comment = line.replaceAll(/\p{Cc}+/gu, " ");
    const isComment = isCommented(recordType, vendorTypes) || !isOneEntry(type, data);
    piece += `${isServed(record) ? (isComment ? `; ${comment}` : line) : `${disabledMark}${comment}`}\n`;
    if (piece.length < pieceCharacters) continue;
    pieces.push(piece);
    piece = "";
  }
  return [...pieces, piece];
}

/** Returns whether a file has a record as an entry rather than a comment, so that it says something if the entry is missing. */
export function isEntry(record: RecordData): boolean {
  const [type, data] = inFile(record.recordType, printRdata(record));
  return !isPlaceholder(record) && !isCommented(record.recordType, false) && isOneEntry(type, data);
}

function isServed({ status = "active" }: PrintedRecord): boolean {
  return status === "active";
}

function printSoa(soa: Soa, width: number): string[] {
  const numbers: [number, string][] = [
    [soa.serial, "serial"],
    [soa.refresh, "refresh"],
    [soa.retry, "retry"],
    [soa.expire, "expire"],
    [soa.minimum, "minimum"],
  ];
  return [
    printLine("@", soa.ttl, "SOA", `${absolute(soa.mname)} ${absolute(soa.rname)} (`, width),
    ...numbers.map(([number, meaning]) => `${" ".repeat(8)}${String(number).padEnd(11)}; ${meaning}`),
    `${" ".repeat(8)})`,
  ];
}

function printLine(name: string, ttl: number, recordType: string, rdata: string, width: number): string {
  return `${name.padEnd(width)} ${String(ttl).padEnd(6)} IN ${recordType.padEnd(6)} ${rdata}`;
}

/** Returns whether a type is a vendor's and has no number, such as ALIAS, so that no zone file of another server can have it. */
export function isVendorType(recordType: string): boolean {
  return !isProviderType(recordType) && typeNumber(recordType) === null;
}

/** Returns whether a type is written as a comment because name servers and imports do not accept it. */
function isCommented(recordType: string, vendorTypes: boolean): boolean {
  return isProviderType(recordType) || (!vendorTypes && isVendorType(recordType));
}

/**
 * Returns whether data ends with its line. A value that no reader understood is stored as its provider sent it, and an open quote or
 * parenthesis in it would swallow the records after it.
 */
function isOneEntry(recordType: string, data: string): boolean {
  if (recordType === "TXT" || recordType === "CAA" || !/["()\\;\p{Cc}]/u.test(data)) return true;
  const [line, ...others] = logicalLines(`${data}\n`);
  return line?.kind === "line" && !line.leadingBlank && others.length === 0 && !/\p{Cc}/u.test(data);
}

function absolute(host: string): string {
  return host === "." ? host : `${host}.`;
}

/** Sorts by owner, NS first, then type, value and TXT split. */
export function* inOrder<Written extends PrintedRecord>(records: readonly Written[]): Steps<Written[]> {
  const keys = new Map<string, string>();
  const keyed = yield* mapped(records, (record) => {
    let key = keys.get(record.name);
    if (key === undefined) {
      key = nameOrderKey(record.name);
      keys.set(record.name, key);
    }
    return { key, type: record.recordType === "NS" ? "" : record.recordType, record };
  });
  const ordered = yield* sorted(
    keyed,
    (one, other) =>
      compare(one.key, other.key) ||
      compare(one.type, other.type) ||
      compare(one.record.value, other.record.value) ||
      compare(splitOf(one.record), splitOf(other.record)),
  );
  return yield* mapped(ordered, ({ record }) => record);
}

function splitOf({ strings }: RecordData): string {
  return strings === null ? "" : JSON.stringify(strings);
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/**
 * Returns the sort key of a relative name in canonical DNS order (RFC 4034 §6.1): by labels from the right, a name before those below it.
 * `@` comes first. Labels may contain escaped dots.
 */
function nameOrderKey(name: string): string {
  if (name === "@") return "";
  // NUL sorts below every label character, so `a` comes before `b.a`, and `b.a` before `a-b`.
  return splitLabels(name).toReversed().join("\u0000");
}

function splitLabels(name: string): string[] {
  if (!name.includes("\\")) return name.split(".");
  const labels: string[] = [];
  let start = 0;
  for (let position = 0; position < name.length; position++) {
    if (name[position] === "\\") position++;
    else if (name[position] === ".") {
      labels.push(name.slice(start, position));
      start = position + 1;
    }
  }
  labels.push(name.slice(start));
  return labels;
}

/** Types whose mnemonic BIND 9.18, Knot 3.2, NSD 4.6 or CoreDNS does not recognize, or no longer does. */
const poorlySupported: ReadonlySet<string> = new Set(
  (
    "NULL WKS X25 ISDN RT NSAP NSAP-PTR SIG PX GPOS NXT EID NIMLOC ATMA A6 SINK IPSECKEY HIP NINFO RKEY TALINK DSYNC HHIT BRID AVC DOA " +
    "AMTRELAY RESINFO WALLET TA DLV MB MG MR"
  ).split(" "),
);

/** Number of service parameters printed by name: those of RFC 9460 §14.3.2, without later ones. */
const namedParameters = 7;

/**
 * Returns type and data in a form that any name server loads: types that not every server recognizes in generic form (RFC 3597), and
 * later service parameters by number.
 */
function inFile(recordType: string, printed: string): [recordType: string, data: string] {
  if (poorlySupported.has(recordType)) {
    const rdata = octetsOf(recordType, printed);
    return rdata === null ? [recordType, printed] : [`TYPE${typeNumber(recordType)}`, printGeneric(rdata)];
  }
  if (typesWithParameters.has(recordType) && /dohpath|ohttp/.test(printed)) {
    const rdata = octetsOf(recordType, printed);
    if (rdata !== null) return [recordType, printService(rdata)];
  }
  return [recordType, printed];
}

function octetsOf(recordType: string, printed: string): Buffer | null {
  const [line] = logicalLines(printed);
  if (line?.kind !== "line") return null;
  const rdata = rdataFromFields(recordType, joinParameters(recordType, line.fields), "");
  return rdata.ok ? rdata.value : null;
}

function printService(rdata: Buffer): string {
  const octets = new OctetSource(rdata);
  return [octets.number(2), octets.name(), ...readParameters(octets.rest(), namedParameters)].join(" ");
}
