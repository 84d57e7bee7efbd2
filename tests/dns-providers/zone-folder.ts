import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { kindByName } from "../../server/dns-providers/kinds.ts";
import type { ApplyOptions, ChangeOutcome, DnsProvider, RecordChange } from "../../server/dns-providers/provider.ts";
import { createEgress } from "../../server/platform/net/egress.ts";
import type { RecordData } from "../../server/dns/record.ts";

export const zone = "example.com";
export const soaLine = "@ 60 IN SOA ns1 hostmaster 7 3600 900 1209600 300\n";

/** What a test has before it: a folder of its own, and a provider of zone files in it. */
export const there = { root: "", folder: "", provider: undefined as unknown as DnsProvider };

/** Makes the folder before each test of a file and deletes it after it. */
export function useZoneFolder(): void {
  beforeEach(async () => {
    there.root = await mkdtemp(join(tmpdir(), "zonewright-zonefile-"));
    there.folder = join(there.root, "zones");
    there.provider = connect({});
  });
  afterEach(async () => {
    await rm(there.root, { recursive: true, force: true });
  });
}

const now = () => new Date("2024-05-06T12:00:00Z");
const egress = createEgress({ allow: [], now });

export function connect(config: unknown): DnsProvider {
  const connected = kindByName("zonefile")?.connect?.(config, { zonesFolder: there.folder, now, egress });
  if (!connected) throw new Error("the kind zonefile is missing");
  return connected;
}

export function record(name: string, recordType: string, value: string, ttl = 300): RecordData {
  return { recordType, name, value, ttl, strings: null, priority: null, proxied: false };
}

export const create = (after: RecordData): RecordChange => ({ action: "create", before: null, after });
export const update = (before: RecordData, after: RecordData): RecordChange => ({ action: "update", before, after });
export const remove = (before: RecordData): RecordChange => ({ action: "delete", before, after: null });

/** Makes changes to the zone and returns the outcome of each. */
export async function outcomesOf(
  changes: RecordChange[],
  options?: ApplyOptions,
  provider = there.provider,
): Promise<ChangeOutcome[]> {
  return (await provider.applyChanges(zone, changes, options)).outcomes;
}

export async function batchesOf(name: string): Promise<RecordData[][]> {
  const batches: RecordData[][] = [];
  for await (const batch of there.provider.readZone(name)) batches.push(batch);
  return batches;
}

export async function recordsOf(name: string): Promise<RecordData[]> {
  return (await batchesOf(name)).flat();
}

export const fileOf = (name: string) => join(there.folder, name);
export const contentOf = (name = `${zone}.zone`) => readFile(fileOf(name), "utf8");

export async function serialOf(): Promise<number> {
  return Number(/(\d+) *; serial/.exec(await contentOf())?.[1]);
}

export async function place(name: string, content: string): Promise<void> {
  await mkdir(there.folder, { recursive: true });
  await writeFile(fileOf(name), content);
}
