import { isAbsolute, basename, join } from "node:path";
import { z } from "zod";
import { maxTtl, type RecordData } from "../dns/record.ts";
import type { ServerRules } from "../dns/zone-rules.ts";
import {
  ProviderError,
  type ProviderKind,
  type ApplyOptions,
  type ApplyResult,
  type DnsProvider,
  type ListedZones,
  type RecordChange,
} from "./provider.ts";
import {
  fileNamesOf,
  zoneFolder,
  fileError,
  isMissing,
  findZoneFile,
  readInFolder,
  includeFrom,
  replaceFile,
  isBesideZones,
  readFileName,
  zoneOfFile,
  type FoundFile,
  watchFolder,
} from "./zonefile/folder.ts";
import { mkdir, readdir } from "node:fs/promises";
import { createHash } from "node:crypto";
import { withKeyedMutex, inSlices, takeTurns, filtered, type Steps } from "../platform/slices.ts";
import { zoneNameOf } from "../dns/names/names.ts";
import { isPlaceholder, nextSerial, initialSoa, withLoadableMailbox, type Soa } from "../dns/zone-file/contents.ts";
import { logicalLines, type Field } from "../dns/zone-file/tokens.ts";
import { printingZoneFile, printZoneFile, type ZoneFileContent } from "../dns/zone-file/write.ts";
import { applyingToRecords, allOrNone, type RecordStore } from "./applying/apply-to-records.ts";
import { listedZones } from "./listed-zones.ts";
import { readZoneFile, readZoneSoa, type ParsedZoneFile } from "../dns/zone-file/parse.ts";

const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
/** Matches a mailbox at a host name, `host.master@example.com`, or the same as a name: `hostmaster.example.com`. */
const hostmasterForm = new RegExp(`^(?:[a-z0-9._+-]{1,63}@${label}|[a-z0-9_-]{1,63})(?:\\.${label})+$`, "i");
/** Up to 0.2.0 any name could follow the `@`. New zones then get a placeholder mailbox. */
const storedHostmasterForm = /^(?:[a-z0-9._+-]{1,63}@)?[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+$/i;

/** The limit of common file systems, in octets; file names are ASCII. */
const longestFileName = 255;
/** The default of BIND's `max-records-per-type` and `max-types-per-name`. */
const defaultLimit = 100;
const mostLimit = 1_000_000;

function limit() {
  const message = `Enter a whole number from 0 (no limit) to ${mostLimit}; BIND's default is ${defaultLimit}.`;
  return z.int(message).min(0, message).max(mostLimit, message).optional();
}

function hostmaster(form: RegExp) {
  const message = "Enter a mailbox at a host name, such as hostmaster@example.com.";
  return z.string().max(200, message).regex(form, message).optional();
}

const configSchema = z.strictObject({
  folder: z.string().min(1).optional(),
  hostmaster: hostmaster(hostmasterForm),
  checkNames: z.enum(["bind", "off"], "Enter bind or off.").optional(),
  maxRecordsPerType: limit(),
  maxTypesPerName: limit(),
});

const storedConfigSchema = configSchema.extend({ hostmaster: hostmaster(storedHostmasterForm) });

export type ZonefileConfig = z.infer<typeof configSchema>;

/** RFC 1035 master files in a folder, for BIND, NSD, Knot or CoreDNS to load. */
export const zonefile: ProviderKind<ZonefileConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000002",
  kind: "zonefile",
  name: "Zone files",
  recordTypes: "any",
  // Files of PowerDNS and others have them; they are kept, and written back.
  restoresVendorTypes: true,
  supportsProxied: false,
  minTtl: 0,
  maxTtl,
  granularity: "zone",
  watchesZones: true,
  separatesViews: true,
  zoneFault: (zone) =>
    (fileNamesOf(zone)[0]?.length ?? 0) > longestFileName
      ? `The zone file's name would be longer than ${longestFileName} characters. Choose a shorter view.`
      : null,
  configFields: [
    { name: "folder", label: "Folder", secret: false, required: false },
    { name: "hostmaster", label: "Hostmaster", secret: false, required: false },
    { name: "checkNames", label: "Host name check (bind, off)", secret: false, required: false },
    {
      name: "maxRecordsPerType",
      label: "Most records per name and type (100)",
      secret: false,
      required: false,
    },
    { name: "maxTypesPerName", label: "Most types per name (100)", secret: false, required: false },
  ],
  addresses: [],
  configSchema,
  storedConfigSchema,
  settings: ["hostmaster", "checkNames", "maxRecordsPerType", "maxTypesPerName"],
  adjust: (config) => ({ serverRules: rulesOf(config) }),
  connect: ({ folder, hostmaster, ...rules }, { zonesFolder, zonesFolderFault, now }) => {
    const fault = folder !== undefined && isAbsolute(folder) ? null : (zonesFolderFault?.() ?? null);
    if (fault !== null) throw new ProviderError(fault, "none");
    return zoneFolderProvider({
      rules: rulesOf(rules),
      folder: zoneFolder(zonesFolder, folder),
      mayBeMissing: folder === undefined,
      hostmaster,
      now,
    });
  },
};

type Settings = Pick<ZonefileConfig, "checkNames" | "maxRecordsPerType" | "maxTypesPerName">;

function rulesOf({ checkNames, maxRecordsPerType, maxTypesPerName }: Settings): ServerRules {
  return {
    checkNames: checkNames !== "off",
    maxRecordsPerType: maxRecordsPerType ?? defaultLimit,
    maxTypesPerName: maxTypesPerName ?? defaultLimit,
  };
}

interface ZoneFolder {
  /** Absolute path. */
  folder: string;
  /** Whether a missing folder counts as empty: the embedded folder is created with the first zone. */
  mayBeMissing: boolean;
  hostmaster: string | undefined;
  /** What the servers that load the files reject a zone for. */
  rules: ServerRules;
  now: () => Date;
}

const batchSize = 1000;
// Files read at once while listing: small files are slow one by one, and a process has a limited number of handles.
const readsAtOnce = 32;
const headBytes = 65_536;
// Owner, TTL and class may precede the type.
const mostBeforeType = 3;
// MNAME, RNAME and five numbers.
const soaRdataFields = 7;

export const zoneFileStore: RecordStore = {
  place: "the zone file",
  refusal: (record) =>
    isPlaceholder(record) ? `${record.value} stands in for a missing name server and cannot be a record.` : null,
};

/**
 * Returns a provider for a folder of master files. A zone is named with its view, because each view has a file: `example.com!internal`. Each call reads from disk, so manual edits are always included. Large files are
 * parsed and printed in slices.
 */
function zoneFolderProvider(settings: ZoneFolder): DnsProvider {
  return {
    listZones: () => listZones(settings),
    createZone: (zone) => withKeyedMutex(turnOf(settings, zone), () => createZone(settings, zone)),
    readZone: (zone) => readZone(settings, zone),
    applyChanges: (zone, changes, options = {}) =>
      withKeyedMutex(turnOf(settings, zone), () => applyChanges(settings, zone, changes, options)),
    readSoa: async (zone) =>
      await parseSoa(settings.folder, zoneNameOf(zone), await requireFile(settings.folder, zone)),
    watch: (onChange) =>
      watchFolder(settings.folder, (file) => {
        const zone = zoneOfFile(file);
        if (zone !== null) onChange(zone);
      }),
    fingerprint: async (zone) => await fingerprintOf((await requireFile(settings.folder, zone)).content),
  };
}

function turnOf({ folder }: ZoneFolder, zone: string): string {
  return join(folder, fileNamesOf(zone)[0] ?? "");
}

async function listZones({ folder, mayBeMissing }: ZoneFolder): Promise<ListedZones> {
  let files: string[];
  try {
    files = await readdir(folder);
  } catch (error) {
    if (mayBeMissing && isMissing(error)) return listedZones([]);
    throw fileError(error, "list the zone folder", folder);
  }
  const candidates = files.filter((file) => !isBesideZones(file));
  const zones: string[] = [];
  for (let start = 0; start < candidates.length; start += readsAtOnce) {
    const some = candidates.slice(start, start + readsAtOnce);
    const heads = await Promise.all(some.map((file) => readInFolder(folder, file, headBytes).catch(() => null)));
    some.forEach((file, index) => {
      const head = heads[index];
      // Latin-1 decodes any bytes; the SOA itself is ASCII.
      if (head && hasSoa(head.content.toString("latin1"))) zones.push(file);
    });
  }
  const all = new Set(files);
  return listedZones(zones, (file) => readFileName(file, all));
}

/**
 * Returns whether the head of a file contains an SOA, which distinguishes zone files from other files in the folder. Reads no
 * further.
 */
function hasSoa(head: string): boolean {
  for (const line of logicalLines(head)) {
    if (line.kind === "line" && isSoa(line.fields)) return true;
  }
  return false;
}

function isSoa(fields: readonly Field[]): boolean {
  const type = fields.findIndex((field) => !field.quoted && field.raw.toUpperCase() === "SOA");
  return type !== -1 && type <= mostBeforeType && fields.length - type - 1 === soaRdataFields;
}

async function createZone({ folder, hostmaster, rules, now }: ZoneFolder, zone: string): Promise<void> {
  const [name] = fileNamesOf(zone);
  if (name === undefined || !readFileName(name, new Set()).ok)
    throw new ProviderError(`"${zone}" is not a zone name.`, "none");
  if ((await findZoneFile(folder, zone)) !== null) return;
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw fileError(error, "create the zone folder", folder);
  }
  const origin = zoneNameOf(zone);
  const soa = initialSoa(origin, now(), { hostmaster, checkNames: rules.checkNames });
  await replaceFile(join(folder, name), printZoneFile({ zone: origin, soa, records: [] }), null);
}

async function* readZone({ folder }: ZoneFolder, zone: string): AsyncGenerator<RecordData[]> {
  const { records } = await parseFile(folder, zoneNameOf(zone), await requireFile(folder, zone));
  for (let start = 0; start < records.length; start += batchSize) {
    yield records.slice(start, start + batchSize);
    await takeTurns();
  }
}

async function applyChanges(
  { folder, hostmaster, rules, now }: ZoneFolder,
  qualified: string,
  changes: readonly RecordChange[],
  { atomic = false, plannedOn = null, beforeCall }: ApplyOptions,
): Promise<ApplyResult> {
  const zone = zoneNameOf(qualified);
  const found = await requireFile(folder, qualified);
  const before = await fingerprintOf(found.content);
  const present = await knownZone(folder, zone, found, before);
  if (present.includedFiles.length > 0) {
    throw new ProviderError(
      `${basename(found.path)} uses $INCLUDE; merge it into one file before changing it here.`,
      "none",
    );
  }
  const store = { ...zoneFileStore, rules };
  const isPlanCurrent = before !== null && before === plannedOn;
  const applied = await inSlices(applyingToRecords(present.records, changes, store, isPlanCurrent));
  const outcomes = atomic ? allOrNone(applied.outcomes) : applied.outcomes;
  if (!outcomes.some((outcome) => outcome.ok)) return { outcomes, before, after: before };
  const mailbox = { hostmaster, checkNames: rules.checkNames };
  const soa = present.soa
    ? { ...withLoadableMailbox(present.soa, zone, mailbox), serial: nextSerial(present.soa.serial, now()) }
    : initialSoa(zone, now(), mailbox);
  const written = { zone, soa, records: applied.records, vendorTypes: true };
  const content = Buffer.from(await inSlices(printingZoneFile(written)));
  await beforeCall?.(changes.filter((_, index) => outcomes[index]?.ok));
  await replaceFile(found.path, content, found.stats);
  // Computed from the bytes at hand, because the file may have been edited again.
  const after = await fingerprintOf(content);
  await cacheWritten(written, changes, after, content.length);
  return { outcomes, before, after };
}

async function requireFile(folder: string, zone: string): Promise<FoundFile> {
  const found = await findZoneFile(folder, zone);
  if (found) return found;
  throw new ProviderError(`There is no zone file for ${zone} in the zone folder.`, "none", { zoneMissing: true });
}

const chunkBytes = 16_384;
const newline = 10;
const carriageReturn = 13;
const directive = "$INCLUDE";

/** Returns the fingerprint of a zone file's content; null for a file with $INCLUDE, whose own bytes stay the same when an included file changes. */
async function fingerprintOf(content: Buffer): Promise<string | null> {
  return await inSlices(hashing(content));
}

function* hashing(content: Buffer): Steps<string | null> {
  const hash = createHash("sha256");
  for (let start = 0; start < content.length; start += chunkBytes) {
    const end = Math.min(content.length, start + chunkBytes);
    for (let at = content.indexOf("$", start); at !== -1 && at < end; at = content.indexOf("$", at + 1)) {
      if (includesAt(content, at)) return null;
    }
    hash.update(content.subarray(start, end));
    yield;
  }
  return hash.digest("hex");
}

function includesAt(content: Buffer, at: number): boolean {
  const before = content[at - 1];
  if (before !== undefined && before !== newline && before !== carriageReturn) return false;
  return content.toString("latin1", at, at + directive.length).toUpperCase() === directive;
}

/** The content of a zone file. */
type ReadZone = Pick<Extract<ParsedZoneFile, { ok: true }>, "records" | "soa" | "includedFiles">;

/** Bytes of zone files to cache. Parsed, they take about five times as much memory. */
const mostCachedBytes = 8_388_608;

/** Parsed zones by name and fingerprint, the most recently used last. The fingerprint identifies the content, so no entry is ever outdated. */
const cache = new Map<string, { zone: ReadZone; bytes: number }>();
let cachedBytes = 0;

/** Parses a zone file in slices. @throws ProviderError naming the first line that cannot be read */
async function parseFile(folder: string, zone: string, found: FoundFile): Promise<ReadZone> {
  const parsed = await inSlices(readZoneFile(found.content, optionsFor(folder, zone)));
  return parsed.ok ? parsed : refuseFile(found, parsed.errors);
}

/** Reads the SOA of a zone file and nothing after it. @throws ProviderError if a line before it cannot be read */
async function parseSoa(folder: string, zone: string, found: FoundFile): Promise<Soa | null> {
  const parsed = await inSlices(readZoneSoa(found.content, optionsFor(folder, zone)));
  return parsed.ok ? parsed.soa : refuseFile(found, parsed.errors);
}

/** Returns the zone in the file, from the cache if the file with this fingerprint was parsed or written before. @throws ProviderError */
async function knownZone(
  folder: string,
  zone: string,
  found: FoundFile,
  fingerprint: string | null,
): Promise<ReadZone> {
  const key = `${zone} ${fingerprint}`;
  const known = fingerprint === null ? undefined : cache.get(key);
  const read = known?.zone ?? (await parseFile(folder, zone, found));
  if (fingerprint !== null) store(key, read, found.content.length);
  return read;
}

/** Caches the written zone, so that the next edit has nothing to parse. @param fingerprint of the file @param bytes its length */
async function cacheWritten(
  content: ZoneFileContent,
  changes: readonly RecordChange[],
  fingerprint: string | null,
  bytes: number,
): Promise<void> {
  const read = fingerprint === null ? null : await inSlices(readingWritten(content, changes));
  if (read !== null) store(`${content.zone} ${fingerprint}`, read, bytes);
}

/**
 * Returns the content of the written file; null if it cannot be read. Only names that were changed may read differently from the
 * records given.
 */
function* readingWritten(content: ZoneFileContent, changes: readonly RecordChange[]): Steps<ReadZone | null> {
  const names = new Set(changes.map(({ after }) => after?.name));
  const changed = yield* filtered(content.records, ({ name }) => names.has(name));
  const others = yield* filtered(content.records, ({ name }) => !names.has(name));
  const text = yield* printingZoneFile({ ...content, records: changed });
  const read = yield* readZoneFile(text, { zone: content.zone, keepBadData: true });
  return read.ok ? { records: others.concat(read.records), soa: read.soa, includedFiles: [] } : null;
}

function store(key: string, zone: ReadZone, bytes: number): void {
  forget(key);
  if (bytes > mostCachedBytes) return;
  cache.set(key, { zone, bytes });
  cachedBytes += bytes;
  for (const oldest of cache.keys()) {
    if (cachedBytes <= mostCachedBytes) return;
    forget(oldest);
  }
}

function forget(key: string): void {
  cachedBytes -= cache.get(key)?.bytes ?? 0;
  cache.delete(key);
}

function optionsFor(folder: string, zone: string) {
  return { zone, include: includeFrom(folder), keepBadData: true };
}

function refuseFile({ path }: FoundFile, errors: Extract<ParsedZoneFile, { ok: false }>["errors"]): never {
  const [first, ...others] = errors;
  const more = others.length > 0 ? ` (${others.length} more below)` : "";
  throw new ProviderError(`${first?.file ?? basename(path)}, line ${first?.line}: ${first?.message}${more}`, "none");
}
