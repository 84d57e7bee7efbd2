import { basename } from "node:path";
import { inSlices, filtered, type Steps } from "../../platform/slices.ts";
import { readZoneFile, readZoneSoa, type ParsedZoneFile } from "../../dns/zone-file/parse.ts";
import type { Soa } from "../../dns/zone-file/soa.ts";
import { printingZoneFile, type ZoneFileContent } from "../../dns/zone-file/write.ts";
import { ProviderError, type RecordChange } from "../provider.ts";
import { includeFrom, type FoundFile } from "./folder.ts";

/** The content of a zone file. */
export type ReadZone = Pick<Extract<ParsedZoneFile, { ok: true }>, "records" | "soa" | "includedFiles">;

/** Bytes of zone files to cache. Parsed, they take about five times as much memory. */
const mostCachedBytes = 8_388_608;

/** Parsed zones by name and fingerprint, the most recently used last. The fingerprint identifies the content, so no entry is ever outdated. */
const cache = new Map<string, { zone: ReadZone; bytes: number }>();
let cachedBytes = 0;

/** Parses a zone file in slices. @throws ProviderError naming the first line that cannot be read */
export async function parseFile(folder: string, zone: string, found: FoundFile): Promise<ReadZone> {
  const parsed = await inSlices(readZoneFile(found.content, optionsFor(folder, zone)));
  return parsed.ok ? parsed : refuseFile(found, parsed.errors);
}

/** Reads the SOA of a zone file and nothing after it. @throws ProviderError if a line before it cannot be read */
export async function parseSoa(folder: string, zone: string, found: FoundFile): Promise<Soa | null> {
  const parsed = await inSlices(readZoneSoa(found.content, optionsFor(folder, zone)));
  return parsed.ok ? parsed.soa : refuseFile(found, parsed.errors);
}

/** Returns the zone in the file, from the cache if the file with this fingerprint was parsed or written before. @throws ProviderError */
export async function knownZone(
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
export async function cacheWritten(
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
