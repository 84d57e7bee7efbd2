import { mkdir, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { withKeyedMutex } from "../../platform/keyed-mutex.ts";
import { parseZoneName } from "../../dns/names/names.ts";
import type { RecordData } from "../../dns/record.ts";
import { isPlaceholder } from "../../dns/zone-file/contents.ts";
import type { ServerRules } from "../../dns/server-rules/rules.ts";
import { nextSerial } from "../../dns/zone-file/serial.ts";
import { initialSoa, withLoadableMailbox } from "../../dns/zone-file/soa.ts";
import { inSlices, takeTurns } from "../../platform/slices.ts";
import { printingZoneFile, printZoneFile } from "../../dns/zone-file/write.ts";
import { applyingToRecords, type RecordStore } from "../applying/apply-to-records.ts";
import { allOrNone } from "../applying/change-outcomes.ts";
import {
  ProviderError,
  type ApplyOptions,
  type ApplyResult,
  type DnsProvider,
  type RecordChange,
} from "../provider.ts";
import { markOf } from "./content-mark.ts";
import { fileError, isMissing } from "./file-errors.ts";
import { fileNamesOf, zoneOfFile } from "./file-names.ts";
import { findZoneFile, readInFolder, type FoundFile } from "./folder.ts";
import { keepWritten, knownZone, parseFile, parseSoa } from "./parsed-zones.ts";
import { replaceFile } from "./replace-file.ts";
import { startsAuthority } from "./starts-authority.ts";
import { watchFolder } from "./watch-folder.ts";

export interface ZoneFolder {
  /** Absolute. */
  folder: string;
  /** Whether a missing folder is an empty one: the embedded folder comes into being with the first zone. */
  mayBeMissing: boolean;
  hostmaster: string | undefined;
  /** What the servers that load the files refuse a zone for. */
  rules: ServerRules;
  now: () => Date;
}

const batchSize = 1000;
// Reads at once while listing: many small files are slow one by one, and a process has only so many handles.
const readsAtOnce = 32;
const headBytes = 65_536;

export const zoneFileStore: RecordStore = {
  place: "the zone file",
  refusal: (record) =>
    isPlaceholder(record) ? `${record.value} stands in for a missing name server and cannot be a record.` : null,
};

/**
 * A folder of master files as a DNS provider. Each call reads the disk anew, so edits made by hand are part of every answer. Large files
 * are parsed and printed in slices.
 */
export function zoneFolderProvider(settings: ZoneFolder): DnsProvider {
  return {
    listZones: () => listZones(settings),
    createZone: (zone) => withKeyedMutex(turnOf(settings, zone), () => createZone(settings, zone)),
    readZone: (zone) => readZone(settings, zone),
    applyChanges: (zone, changes, options = {}) =>
      withKeyedMutex(turnOf(settings, zone), () => applyChanges(settings, zone, changes, options)),
    readSoa: async (zone) => await parseSoa(settings.folder, zone, await mustFind(settings.folder, zone)),
    watch: (onChange) =>
      watchFolder(settings.folder, (file) => {
        const zone = zoneOfFile(file);
        if (zone !== null) onChange(zone);
      }),
    fingerprint: async (zone) => await markOf((await mustFind(settings.folder, zone)).content),
  };
}

function turnOf({ folder }: ZoneFolder, zone: string): string {
  return join(folder, fileNamesOf(zone)[0] ?? "");
}

async function listZones({ folder, mayBeMissing }: ZoneFolder): Promise<string[]> {
  let files: string[];
  try {
    files = await readdir(folder);
  } catch (error) {
    if (mayBeMissing && isMissing(error)) return [];
    throw fileError(error, "list the zone folder", folder);
  }
  const candidates = files.filter((file) => isZoneName(zoneOfFile(file)));
  const zones = new Set<string>();
  for (let start = 0; start < candidates.length; start += readsAtOnce) {
    const some = candidates.slice(start, start + readsAtOnce);
    const heads = await Promise.all(some.map((file) => readInFolder(folder, file, headBytes).catch(() => null)));
    some.forEach((file, index) => {
      const head = heads[index];
      const zone = zoneOfFile(file);
      // Latin-1 reads any bytes; the SOA itself is ASCII.
      if (zone !== null && head && startsAuthority(head.content.toString("latin1"))) zones.add(zone);
    });
  }
  return [...zones].toSorted();
}

function isZoneName(zone: string | null): boolean {
  if (zone === null) return false;
  const parsed = parseZoneName(zone);
  return parsed.ok && parsed.value === zone;
}

async function createZone({ folder, hostmaster, rules, now }: ZoneFolder, zone: string): Promise<void> {
  const [name] = fileNamesOf(zone);
  if (name === undefined || !isZoneName(zone)) throw new ProviderError(`"${zone}" is not a zone name.`, "none");
  if ((await findZoneFile(folder, zone)) !== null) return;
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw fileError(error, "make the zone folder", folder);
  }
  const soa = initialSoa(zone, now(), { hostmaster, checkNames: rules.checkNames });
  await replaceFile(join(folder, name), printZoneFile({ zone, soa, records: [] }), null);
}

async function* readZone({ folder }: ZoneFolder, zone: string): AsyncGenerator<RecordData[]> {
  const { records } = await parseFile(folder, zone, await mustFind(folder, zone));
  for (let start = 0; start < records.length; start += batchSize) {
    yield records.slice(start, start + batchSize);
    await takeTurns();
  }
}

async function applyChanges(
  { folder, hostmaster, rules, now }: ZoneFolder,
  zone: string,
  changes: readonly RecordChange[],
  { together = false, plannedOn = null, beforeCall }: ApplyOptions,
): Promise<ApplyResult> {
  const found = await mustFind(folder, zone);
  const before = await markOf(found.content);
  const present = await knownZone(folder, zone, found, before);
  if (present.includedFiles.length > 0) {
    throw new ProviderError(
      `${basename(found.path)} is put together by hand with $INCLUDE; write it as one file before it is changed here.`,
      "none",
    );
  }
  const store = { ...zoneFileStore, rules };
  const judged = before !== null && before === plannedOn;
  const applied = await inSlices(applyingToRecords(present.records, changes, store, judged));
  const outcomes = together ? allOrNone(applied.outcomes) : applied.outcomes;
  if (!outcomes.some((outcome) => outcome.ok)) return { outcomes, before, after: before };
  const mailbox = { hostmaster, checkNames: rules.checkNames };
  const soa = present.soa
    ? { ...withLoadableMailbox(present.soa, zone, mailbox), serial: nextSerial(present.soa.serial, now()) }
    : initialSoa(zone, now(), mailbox);
  const written = { zone, soa, records: applied.records, vendorTypes: true };
  const content = Buffer.from(await inSlices(printingZoneFile(written)));
  await beforeCall?.(changes.filter((_, index) => outcomes[index]?.ok));
  await replaceFile(found.path, content, found.stats);
  // Of the bytes at hand: what lies there by now may have been edited by hand again.
  const after = await markOf(content);
  await keepWritten(written, changes, after, content.length);
  return { outcomes, before, after };
}

async function mustFind(folder: string, zone: string): Promise<FoundFile> {
  const found = await findZoneFile(folder, zone);
  if (found) return found;
  throw new ProviderError(`There is no zone file for ${zone} in the zone folder.`, "none", { zoneMissing: true });
}
