import { foldName, ownerWithin, type OwnerName, readHost, readHostAsWritten } from "../names/names.ts";
import { isApexNs, recordKey, recordLabel, ttlKey, type RecordData, parseTtl } from "../record.ts";
import { mapped, type Steps } from "../../platform/slices.ts";
import { type Result, ok, refuse } from "../../platform/result.ts";
import type { LineMessage, LogicalLine } from "./tokens.ts";
import { shortened } from "../rdata/field.ts";
import { isMailbox } from "../server-rules/host-names.ts";
import type { RdataField } from "../values/value-rule.ts";

/** The start of authority (RFC 1035 §3.3.13). Names are absolute, as written, without a trailing dot; times are seconds. */
export interface Soa {
  /** The primary name server. */
  mname: string;
  /** Mailbox of the person responsible for the zone, with its `@` written as a dot. */
  rname: string;
  serial: number;
  refresh: number;
  retry: number;
  expire: number;
  /** Negative-caching TTL in seconds (RFC 2308 §4). */
  minimum: number;
  ttl: number;
}

/**
 * Placeholder name server for a zone without one. Servers do not load a zone without an apex NS, and `.invalid` is reserved (RFC 2606).
 */
export const placeholderNameServer = "placeholder.invalid";

/** Options for the mailbox of generated SOAs. */
interface MailboxChoice {
  /** A mailbox in DNS form or with `@`. Default: `hostmaster.<zone>`. */
  hostmaster?: string | undefined;
  /** Whether the servers refuse a zone whose mailbox is not at a host name, like BIND's `check-names`. Default: true. */
  checkNames?: boolean;
}

/** The part of a zone read so far. Adding a record takes constant time. */
interface Contents {
  records: RecordData[];
  /** The line of each record. */
  lines: number[];
  soa: Soa | null;
  /** The run of each owner that has one record so far; null for owners with more, which `keys` and `ttls` have. */
  lone: Map<string, Run | null>;
  keys: Set<string>;
  ttls: RrsetTtls;
}

interface RrsetTtls {
  /** Canonical zone name. */
  zone: string;
  /** The current run, and the run of glue records within it. */
  run: Run;
  glue: Run | null;
  /** The effective TTL of each RRset so far, and the run that it was last in. Not those of lone records. */
  all: Map<string, { ttl: number; run: Run }>;
  /** RRsets whose records differ in TTL, with the TTL of the last warning. */
  mixed: Map<string, number>;
}

/** Consecutive records of one owner. */
interface Run {
  owner: string | null;
  first: RecordData | null;
  /** The in-zone targets of their NS records, as owners; null for none. */
  servers: Set<string> | null;
}

function emptyContents(zone: string): Contents {
  return {
    records: [],
    lines: [],
    soa: null,
    lone: new Map(),
    keys: new Set(),
    ttls: { zone, run: runOf(null), glue: null, all: new Map(), mixed: new Map() },
  };
}

/** Adds a record. Returns a warning about it, or null. */
export function addRecord(contents: Contents, record: RecordData, line: number): string | null {
  if (isPlaceholder(record)) return null;
  const { lone, keys, ttls } = contents;
  const run = runOfRecord(ttls, record);
  let odd: string | null = null;
  // Most owners have one record. Looking these up by name alone costs much less than by what identifies a record.
  const other = lone.get(record.name);
  if (other === undefined) {
    run.first = record;
    lone.set(record.name, run);
  } else {
    if (other?.first) {
      keys.add(recordKey(other.first));
      ttls.all.set(ttlKey(other.first), { ttl: other.first.ttl, run: other });
      lone.set(record.name, null);
    }
    odd = takeTtl(ttls, record, run);
    const key = recordKey(record);
    if (keys.has(key)) return `${recordLabel(record)} is a duplicate and is ignored.`;
    keys.add(key);
  }
  contents.records.push(record);
  contents.lines.push(line);
  return odd;
}

/** Adds the SOA. Returns why it is refused, or null. Accepts an identical second SOA, as at the end of a zone transfer. */
export function addSoa(contents: Contents, name: string, soa: Soa): string | null {
  if (name !== "@") return `The SOA must be at the zone's apex, not at ${name}.`;
  if (contents.soa && !sameSoa(contents.soa, soa)) return "The zone already has a different SOA.";
  contents.soa ??= soa;
  return null;
}

/** Returns the records with one TTL per RRset, in one step per record. */
export function* recordsOf({ records, ttls }: Contents): Steps<RecordData[]> {
  if (ttls.mixed.size === 0) return records;
  return yield* mapped(records, (record) => {
    const rrset = ttlKey(record);
    return ttls.mixed.has(rrset) ? { ...record, ttl: ttls.all.get(rrset)?.ttl ?? record.ttl } : record;
  });
}

/** Returns whether a record is the placeholder NS that `printZoneFile` adds, which is not part of the zone. */
export function isPlaceholder(record: Pick<RecordData, "recordType" | "name" | "value">): boolean {
  return isApexNs(record) && record.value === placeholderNameServer;
}

/**
 * RFC 2181 §5.2 requires one TTL per RRset but not which. This follows BIND, so resolvers see the same TTL as before: the first TTL in a
 * run of consecutive records of one owner counts, and a later run overrides an earlier one. Glue for the run's name servers does not end
 * it.
 */
function takeTtl(ttls: RrsetTtls, record: RecordData, run: Run): string | null {
  const rrset = ttlKey(record);
  const before = ttls.all.get(rrset);
  const ttl = before?.run === run ? before.ttl : record.ttl;
  ttls.all.set(rrset, { ttl, run });
  if (ttl === record.ttl && (before === undefined || before.ttl === ttl)) return null;
  if (ttls.mixed.get(rrset) === ttl) return null;
  ttls.mixed.set(rrset, ttl);
  return `${record.name} ${record.recordType} has records with different TTLs; ${ttl} is used for all of them, as in BIND (RFC 2181 §5.2).`;
}

/** Returns the run that a record belongs to. */
function runOfRecord(ttls: RrsetTtls, { recordType, name, value }: RecordData): Run {
  const run = runFor(ttls, name);
  if (recordType === "NS") {
    const server = ownerWithin(value, ttls.zone);
    if (server !== null) (run.servers ??= new Set()).add(server);
  }
  return run;
}

/** Returns the run that the next record of `owner` belongs to. */
function runFor(ttls: RrsetTtls, owner: string): Run {
  if (ttls.glue?.owner === owner) return ttls.glue;
  ttls.glue = null;
  if (ttls.run.owner === owner) return ttls.run;
  if (ttls.run.servers?.has(owner)) return (ttls.glue = runOf(owner));
  return (ttls.run = runOf(owner));
}

function runOf(owner: string | null): Run {
  return { owner, first: null, servers: null };
}

function sameSoa(one: Soa, other: Soa): boolean {
  return (
    foldName(one.mname) === foldName(other.mname) &&
    foldName(one.rname) === foldName(other.rname) &&
    one.serial === other.serial &&
    one.refresh === other.refresh &&
    one.retry === other.retry &&
    one.expire === other.expire &&
    one.minimum === other.minimum
  );
}

export interface ZoneFileOptions {
  /** Canonical zone name: lower-case A-labels, no trailing dot. */
  zone: string;
  /** The initial origin, in the same form. Default: the zone. */
  origin?: string;
  /** Seconds for records without any TTL from the file. Default: 3600. */
  defaultTtl?: number;
  /** Returns the content of an included file; `path` is the name in the $INCLUDE. Without it, $INCLUDE is an error. */
  include?: (path: string) => Result<string | Buffer>;
  /** Skips records outside the zone instead of refusing the file. */
  ignoreOutOfZone?: boolean;
  /**
   * Keeps malformed data unchanged, with a warning: for an existing zone, whose records must be visible to be repaired. `in its format`
   * keeps only what the type's format can hold.
   */
  keepBadData?: boolean | "in its format";
  /** Splits strings over 255 octets, with a warning, instead of refusing them. `keepBadData` does, too. */
  splitLongStrings?: boolean;
  /** Reads ALIAS, ANAME and LUA, which standard name servers do not load, instead of refusing them. */
  vendorTypes?: boolean;
  /** Reads entries as their author meant them, see `formats/`. Without it, every entry is read literally. */
  meaning?: EntryMeaning;
}

/** Where an entry stands, for {@link EntryMeaning}. */
export interface EntryPlace {
  zone: string;
  /** What completes the entry's relative names. */
  origin: string;
  /** Seconds for a record without a TTL of its own. */
  defaultTtl: number;
  /** Warns about a reading that is not literal. Equal messages are listed once, with their lines. */
  note: (message: string) => void;
}

/** An entry as its author meant it. */
export interface MeantEntry extends LogicalLine {
  /** Whether it has nothing to read but the owner that the next lines may inherit. */
  isLeftOut?: true;
}

/** How the entries of a dialect are meant. */
export interface EntryMeaning {
  /** Returns the entry as a literal reader understands it. */
  entry(line: LogicalLine, place: EntryPlace): MeantEntry;
  /** Returns the record of an entry as it is meant. */
  record(record: RecordData, line: LogicalLine, place: EntryPlace): RecordData;
}

export interface ZoneFileMessage extends LineMessage {
  /** The included file that contains the line. */
  file?: string;
  /** Further lines with the same message, the first nine. */
  alsoLines?: number[];
  /** Number of lines with the same message beyond those. */
  moreLines?: number;
}

/** A record skipped because of `ignoreOutOfZone`. */
export interface OutOfZone {
  line: number;
  name: string;
}

/** The state of reading a master file. */
export interface Reading {
  options: ZoneFileOptions;
  origin: string;
  /** Owner of the previous record, or null. */
  owner: Owner | null;
  /** From $TTL, or from an SOA without a TTL. */
  zoneTtl: number | null;
  /** The last explicit TTL of a record. */
  lastTtl: number | null;
  contents: Contents;
  /** Whether to stop at the SOA. */
  soaOnly: boolean;
  warnings: ZoneFileMessage[];
  /** Warnings about readings that are not literal, by message. */
  notes: Map<string, ZoneFileMessage>;
  /** Number of warnings beyond the first hundred. */
  furtherWarnings: number;
  errors: ZoneFileMessage[];
  outOfZone: OutOfZone[];
  /** Included files being read, outermost first. */
  files: string[];
  includedFiles: string[];
}

/** Within the zone; outside it and skipped; or refused, and already reported. */
export type Owner = ({ kind: "within" } & OwnerName) | { kind: "outside"; name: string } | { kind: "refused" };

/** Returns the initial state. */
export function readingOf(options: ZoneFileOptions): Reading {
  return {
    options,
    origin: options.origin ?? options.zone,
    owner: null,
    zoneTtl: null,
    lastTtl: null,
    contents: emptyContents(options.zone),
    soaOnly: false,
    warnings: [],
    notes: new Map(),
    furtherWarnings: 0,
    errors: [],
    outOfZone: [],
    files: [],
    includedFiles: [],
  };
}

/** Returns the SOA of a zone that never had one. Uses the placeholder mailbox if the chosen one is too long or would be refused. */
export function initialSoa(zone: string, now: Date, choice: MailboxChoice = {}): Soa {
  return {
    mname: placeholderNameServer,
    rname: loadableMailbox(chosenMailbox(zone, choice), choice),
    serial: nextSerial(0, now),
    refresh: 3600,
    retry: 900,
    expire: 1_209_600,
    minimum: 300,
    ttl: 3600,
  };
}

/** Replaces a mailbox that an earlier version generated and servers refuse. */
export function withLoadableMailbox(soa: Soa, zone: string, choice: MailboxChoice): Soa {
  const ours = [chosenMailbox(zone, choice), chosenMailbox(zone, {})].map(foldName);
  const isOurs = ours.includes(foldName(soa.rname));
  return isOurs ? { ...soa, rname: loadableMailbox(soa.rname, choice) } : soa;
}

/** Reads the seven RDATA fields of an SOA. The times may carry units (`1h30m`). */
export function readSoa(fields: readonly RdataField[], origin: string): Result<Omit<Soa, "ttl">> {
  const [mnameField, rnameField, serialField, ...times] = fields;
  if (!mnameField || !rnameField || !serialField || times.length !== 4) {
    return refuse(
      "An SOA must have seven fields: primary server, mailbox, serial, refresh, retry, expire and minimum.",
    );
  }
  const mname = readHostAsWritten(mnameField.raw, origin);
  if (!mname.ok) return mname;
  const rname = readHostAsWritten(rnameField.raw, origin);
  if (!rname.ok) return rname;
  const serial = readSerial(serialField.raw);
  if (!serial.ok) return serial;
  const seconds: number[] = [];
  for (const field of times) {
    const time = parseTtl(field.raw);
    if (!time.ok) return time;
    seconds.push(time.value);
  }
  const [refresh = 0, retry = 0, expire = 0, minimum = 0] = seconds;
  return ok({ mname: mname.value, rname: rname.value, serial: serial.value, refresh, retry, expire, minimum });
}

function readSerial(raw: string): Result<number> {
  const serial = Number(raw);
  if (!/^\d{1,10}$/.test(raw) || serial >= 2 ** 32) {
    return refuse(`"${shortened(raw)}" is not a serial; use a number from 0 to 4294967295.`);
  }
  return ok(serial);
}

const placeholderMailbox = `hostmaster.${placeholderNameServer}`;

function chosenMailbox(zone: string, { hostmaster }: MailboxChoice): string {
  if (hostmaster !== undefined) return mailboxName(hostmaster);
  const mailbox = readHost("hostmaster", zone);
  return mailbox.ok ? mailbox.value : placeholderMailbox;
}

function loadableMailbox(mailbox: string, { checkNames = true }: MailboxChoice): string {
  return checkNames && !isMailbox(mailbox) ? placeholderMailbox : mailbox;
}

/** `john.doe@example.com` → `john\.doe.example.com` (RFC 1035 §8). */
export function mailboxName(mailbox: string): string {
  const at = mailbox.lastIndexOf("@");
  if (at === -1) return mailbox;
  return `${mailbox.slice(0, at).replaceAll(".", "\\.")}.${mailbox.slice(at + 1)}`;
}

const modulus = 2 ** 32;

/**
 * Returns the serial after `current`: `YYYYMMDD00` of `now` (UTC) if that is an increase by RFC 1982 §3.2, otherwise `current` + 1,
 * wrapping after 2^32-1. Never returns 0, which some servers read as "none".
 */
export function nextSerial(current: number, now: Date): number {
  const dated = ((now.getUTCFullYear() * 100 + now.getUTCMonth() + 1) * 100 + now.getUTCDate()) * 100;
  if (dated < modulus && isAdvance(current, dated)) return dated;
  const next = (current + 1) % modulus;
  return next === 0 ? 1 : next;
}

/** Returns whether a secondary at serial `from` considers `to` newer. */
function isAdvance(from: number, to: number): boolean {
  const distance = (to - from + modulus) % modulus;
  return distance > 0 && distance < modulus / 2;
}
