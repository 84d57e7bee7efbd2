import { absoluteName, parseZoneName } from "../../dns/names/names.ts";
import { recordKey, type RecordData } from "../../dns/record.ts";
import {
  ProviderError,
  type ApplyOptions,
  type ApplyResult,
  type DnsProvider,
  type RecordChange,
  type ZoneRefusals,
} from "../provider.ts";
import { touchedNames } from "../applying/apply-to-records.ts";
import { listedZones } from "../listed-zones.ts";
import { lateSeconds } from "../vendor-api/calls.ts";
import { pagesOfNames } from "../vendor-api/pages.ts";
import type { ServedZone } from "./api.ts";
import { applyInBatches, servesProxied } from "./apply-changes.ts";
import { saysZoneExists, type CloudflareClient } from "./client.ts";
import { ownReason, readRecord } from "./records.ts";
import type { ReadRecord } from "./steps.ts";

/** Names whose records are queried one by one; for more names, the whole zone is read. */
const mostQueries = 3;
/** Records that a batch may touch (https://developers.cloudflare.com/dns/manage-dns-records/how-to/batch-record-changes/). */
const largestBatch = { free: 200, paid: 3_500 };
/** The smallest TTLs, in seconds (https://developers.cloudflare.com/dns/manage-dns-records/reference/ttl/). */
export const smallestTtl = { enterprise: 30, others: 60 };
const paidPlans = new Set(["pro", "business", "enterprise"]);

/** Returns a provider for the zones of a Cloudflare token. */
export function cloudflareProvider(client: CloudflareClient): DnsProvider {
  return {
    settlesAfterSeconds: lateSeconds,
    async listZones() {
      const names: string[] = [];
      for await (const { name } of client.zones()) names.push(name);
      return listedZones(names);
    },
    createZone: (zone) => createZone(client, zone),
    readZone: (zone) => readZone(client, zone),
    applyChanges: (zone, changes, options = {}) => applyChanges(client, zone, changes, options),
    readOnlyRecords: (zone) => readOnlyRecords(client, zone),
    refusalsOf: (zone) => refusalsOf(client, zone),
    minTtl: async (zone) => smallestTtlOf(await zoneAt(client, zone)),
    // The API shows no SOA, and no fingerprint of a zone's content.
    readSoa: () => Promise.resolve(null),
    fingerprint: () => Promise.resolve(null),
  };
}

async function createZone(client: CloudflareClient, zone: string): Promise<void> {
  if (await findZone(client, zone)) return;
  const { accountId } = client;
  if (accountId === undefined) {
    throw new ProviderError(
      `Cloudflare has no zone ${zone} for this token. To create it, enter the account id in the provider configuration.`,
      "none",
    );
  }
  const answer = await client.makeZone(zone, accountId);
  if (answer.ok || (saysZoneExists(answer.refusal) && (await findZone(client, zone)))) return;
  throw new ProviderError(`Cloudflare did not create the zone ${zone}: ${answer.refusal.reason}`, "none");
}

/** Returns the zone of this name; an active one before those waiting for their delegation. */
async function findZone(client: CloudflareClient, zone: string): Promise<ServedZone | null> {
  const found: ServedZone[] = [];
  for await (const one of client.zones(zone)) {
    const name = parseZoneName(one.name);
    if (name.ok && name.value === zone) found.push(one);
  }
  const active = found.filter(({ status }) => status === "active");
  const [first, ...others] = active.length > 0 ? active : found;
  if (others.length === 0) return first ?? null;
  throw new ProviderError(
    `Cloudflare has ${others.length + 1} zones named ${zone} for this token. Enter the account id in the provider configuration.`,
    "none",
  );
}

async function zoneAt(client: CloudflareClient, zone: string): Promise<ServedZone> {
  const found = await findZone(client, zone);
  if (found) return found;
  // A token without Zone Read gets an empty list, not an error.
  if (await showsAny(client))
    throw new ProviderError(`Cloudflare has no zone ${zone} for this token.`, "none", { zoneMissing: true });
  throw new ProviderError(
    `Cloudflare shows this token no zones, not even ${zone}. Check that it still has the permission Zone Read for its zones.`,
    "none",
  );
}

async function showsAny(client: CloudflareClient): Promise<boolean> {
  const zones = client.zones();
  const { done } = await zones.next();
  await zones.return(undefined);
  return done !== true;
}

async function* readZone(client: CloudflareClient, zone: string): AsyncGenerator<RecordData[]> {
  const { id } = await zoneAt(client, zone);
  const seen = new Set<string>();
  for await (const page of client.records(id)) {
    // Cloudflare may hold a text twice, with and without quotes; both are the same record.
    const records = page.flatMap((served) => readRecord(zone, served) ?? []);
    const batch = records.filter((record) => !seen.has(recordKey(record)));
    for (const record of batch) seen.add(recordKey(record));
    if (batch.length > 0) yield batch;
  }
}

async function readOnlyRecords(client: CloudflareClient, zone: string): Promise<ReadonlyMap<string, string>> {
  const { id } = await zoneAt(client, zone);
  const found = new Map<string, string>();
  for await (const page of client.records(id)) {
    for (const served of page) {
      const reason = ownReason(served);
      const data = reason === null ? null : readRecord(zone, served);
      if (reason !== null && data) found.set(recordKey(data), reason);
    }
  }
  return found;
}

function isSecondary(zone: string): string {
  return `${zone} is a secondary zone at Cloudflare; change it at its primary server.`;
}

async function refusalsOf(client: CloudflareClient, zone: string): Promise<ZoneRefusals | null> {
  const { type } = await zoneAt(client, zone);
  if (type !== "secondary" && type !== "partial") return null;
  return {
    everything: type === "secondary" ? isSecondary(zone) : null,
    record: ({ proxied }) => (proxied ? null : { field: "value", reason: servesProxied }),
  };
}

async function applyChanges(
  client: CloudflareClient,
  zone: string,
  changes: readonly RecordChange[],
  { atomic = false, beforeCall }: ApplyOptions,
): Promise<ApplyResult> {
  const found = await zoneAt(client, zone);
  const { id, plan, type } = found;
  if (type === "secondary") {
    throw new ProviderError(isSecondary(zone), "none");
  }
  const records = await presentRecords(client, zone, id, changes);
  const largest = paidPlans.has(plan?.legacy_id ?? "") ? largestBatch.paid : largestBatch.free;
  const minTtl = smallestTtlOf(found);
  const outcomes = await applyInBatches(
    zone,
    records,
    changes,
    { atomic, largest, minTtl, servesProxiedOnly: type === "partial" },
    async (batch, does) => {
      await beforeCall?.(does);
      return await client.batch(id, batch);
    },
  );
  return { outcomes, before: null, after: null };
}

function smallestTtlOf({ plan }: ServedZone): number {
  return plan?.legacy_id === "enterprise" ? smallestTtl.enterprise : smallestTtl.others;
}

/** Returns the records at the names that the changes touch. */
async function presentRecords(
  client: CloudflareClient,
  zone: string,
  zoneId: string,
  changes: readonly RecordChange[],
): Promise<ReadRecord[]> {
  const names = touchedNames(changes);
  const pages = pagesOfNames(names, mostQueries, (name) =>
    client.records(zoneId, name === undefined ? undefined : absoluteName(name, zone)),
  );
  const found: ReadRecord[] = [];
  for await (const page of pages) {
    for (const served of page) {
      const data = readRecord(zone, served);
      if (data && names.has(data.name)) found.push({ served, data });
    }
  }
  return found;
}
