import { basename } from "node:path";
import { inSlices, filtered, type Steps } from "../../slices.ts";
import { readZoneFile, readZoneSoa, type ParsedZoneFile } from "../../zone-file/parse.ts";
import type { Soa } from "../../zone-file/soa.ts";
import { printingZoneFile, type ZoneFileContent } from "../../zone-file/write.ts";
import { ProviderError, type RecordChange } from "../provider.ts";
import { includeFrom, type FoundFile } from "./folder.ts";

/** What a zone file says. */
export type ReadZone = Pick<Extract<ParsedZoneFile, { ok: true }>, "records" | "soa" | "includedFiles">;

/** In bytes of files. What is parsed from them takes about five times as much memory. */
const mostKeptBytes = 8_388_608;

/** By zone and mark, the one that was used last at the end. The mark tells the content, so nothing here is ever outdated. */
const kept = new Map<string, { zone: ReadZone; bytes: number }>();
let keptBytes = 0;

/** Parses a zone file in slices. @throws ProviderError with the first line that cannot be read */
export async function parseFile(folder: string, zone: string, found: FoundFile): Promise<ReadZone> {
  const parsed = await inSlices(readZoneFile(found.content, optionsFor(folder, zone)));
  return parsed.ok ? parsed : refuseFile(found, parsed.errors);
}

/** Reads the SOA of a zone file, and nothing after it. @throws ProviderError when a line before it cannot be read */
export async function parseSoa(folder: string, zone: string, found: FoundFile): Promise<Soa | null> {
  const parsed = await inSlices(readZoneSoa(found.content, optionsFor(folder, zone)));
  return parsed.ok ? parsed.soa : refuseFile(found, parsed.errors);
}

/** What the file with this mark says: as it was parsed or written before, if that is kept. @throws ProviderError */
export async function knownZone(
  folder: string,
  zone: string,
  found: FoundFile,
  mark: string | null,
): Promise<ReadZone> {
  const key = `${zone} ${mark}`;
  const known = mark === null ? undefined : kept.get(key);
  const read = known?.zone ?? (await parseFile(folder, zone, found));
  if (mark !== null) keep(key, read, found.content.length);
  return read;
}

/** Keeps what was written, so that the next edit has nothing to parse. @param mark that of the file @param bytes its length */
export async function keepWritten(
  content: ZoneFileContent,
  changes: readonly RecordChange[],
  mark: string | null,
  bytes: number,
): Promise<void> {
  const read = mark === null ? null : await inSlices(readingWritten(content, changes));
  if (read !== null) keep(`${content.zone} ${mark}`, read, bytes);
}

/** What the written file says. Only names that were changed can read otherwise than their records were given; null: they do not read. */
function* readingWritten(content: ZoneFileContent, changes: readonly RecordChange[]): Steps<ReadZone | null> {
  const names = new Set(changes.map(({ after }) => after?.name));
  const changed = yield* filtered(content.records, ({ name }) => names.has(name));
  const others = yield* filtered(content.records, ({ name }) => !names.has(name));
  const text = yield* printingZoneFile({ ...content, records: changed });
  const read = yield* readZoneFile(text, { zone: content.zone, keepBadData: true });
  return read.ok ? { records: others.concat(read.records), soa: read.soa, includedFiles: [] } : null;
}

function keep(key: string, zone: ReadZone, bytes: number): void {
  forget(key);
  if (bytes > mostKeptBytes) return;
  kept.set(key, { zone, bytes });
  keptBytes += bytes;
  for (const oldest of kept.keys()) {
    if (keptBytes <= mostKeptBytes) return;
    forget(oldest);
  }
}

function forget(key: string): void {
  keptBytes -= kept.get(key)?.bytes ?? 0;
  kept.delete(key);
}

function optionsFor(folder: string, zone: string) {
  return { zone, include: includeFrom(folder), keepBadData: true };
}

function refuseFile({ path }: FoundFile, errors: Extract<ParsedZoneFile, { ok: false }>["errors"]): never {
  const [first, ...others] = errors;
  const more = others.length > 0 ? ` (${others.length} more after it)` : "";
  throw new ProviderError(`${first?.file ?? basename(path)}, line ${first?.line}: ${first?.message}${more}`, "none");
}
