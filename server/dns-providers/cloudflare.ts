import { z } from "zod";
import { apiAddress } from "./config-fields.ts";
import {
  cloudflareAddress,
  cloudflareLimits,
  CloudflareClient,
  saysZoneExists,
  type ServedZone,
} from "./cloudflare/client.ts";
import {
  apexCname,
  automaticTtl,
  sharedUnsupported,
  unsupported,
  ownReason,
  readRecord,
} from "./cloudflare/records.ts";
import {
  type ProviderKind,
  ProviderError,
  type ApplyOptions,
  type ApplyResult,
  type DnsProvider,
  type RecordChange,
  type ZoneRefusals,
} from "./provider.ts";
import { absoluteName, parseZoneName } from "../dns/names/names.ts";
import { recordKey, type RecordData } from "../dns/record.ts";
import { touchedNames } from "./applying/apply-to-records.ts";
import { listedZones } from "./listed-zones.ts";
import { lateSeconds } from "./vendor-api/calls.ts";
import { pagesOfNames } from "./vendor-api/pages.ts";
import { applyInBatches, servesProxied, type ReadRecord } from "./cloudflare/apply-changes.ts";

const configSchema = z.strictObject({
  apiToken: z
    .string("Enter an API token with the permissions Zone Read and DNS Edit.")
    .regex(/^[!-~]{1,500}$/, "The API token must be up to 500 characters of plain ASCII without spaces."),
  accountId: z
    .string()
    .regex(
      /^[0-9a-f]{32}$/,
      "The account id must be 32 hexadecimal digits, as in the address of Cloudflare's dashboard.",
    )
    .optional(),
  endpoint: apiAddress(cloudflareAddress).default(cloudflareAddress),
});

export type CloudflareConfig = z.infer<typeof configSchema>;

/** The smallest TTLs, in seconds (https://developers.cloudflare.com/dns/manage-dns-records/reference/ttl/). */
const smallestTtl = { enterprise: 30, others: 60 };

/** Cloudflare DNS. */
export const cloudflare: ProviderKind<CloudflareConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000005",
  kind: "cloudflare",
  name: "Cloudflare",
  recordTypes:
    "A AAAA CAA CERT CNAME DNSKEY DS HTTPS MX NAPTR NS OPENPGPKEY PTR SMIMEA SRV SSHFP SVCB TLSA TXT URI".split(" "),
  supportsProxied: true,
  apexCname,
  minTtl: smallestTtl.enterprise,
  anyZoneMinTtl: smallestTtl.others,
  maxTtl: 86_400,
  automaticTtl,
  automaticSeconds: 300,
  proxiedTtl: 1,
  unsupportedReason: unsupported,
  unsupportedRrset: sharedUnsupported,
  lowersCase: "names",
  turnsSigning: true,
  callLimits: cloudflareLimits,
  granularity: "record",
  adjust: ({ accountId }) => (accountId === undefined ? { createsZones: false } : {}),
  configFields: [
    { name: "apiToken", label: "API token", secret: true, required: true },
    { name: "accountId", label: "Account id", secret: false, required: false },
    { name: "endpoint", label: "API address", secret: false, required: false },
  ],
  addresses: ["endpoint"],
  configSchema,
  connect: (config, environment) => cloudflareProvider(new CloudflareClient(config, environment)),
};

/** Names whose records are queried one by one; for more names, the whole zone is read. */
const mostQueries = 3;
/** Records that a batch may touch (https://developers.cloudflare.com/dns/manage-dns-records/how-to/batch-record-changes/). */
const largestBatch = { free: 200, paid: 3_500 };
const paidPlans = new Set(["pro", "business", "enterprise"]);

/** Returns a provider for the zones of a Cloudflare token. */
function cloudflareProvider(client: CloudflareClient): DnsProvider {
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
    recordIds: (zone) => recordIds(client, zone),
    refusalsOf: (zone) => refusalsOf(client, zone),
    signing: {
      set: async (zone, enabled) => client.setSigning((await zoneAt(client, zone)).id, enabled),
      async keys(zone) {
        const key = await client.signingKey((await zoneAt(client, zone)).id);
        return key ? [key] : [];
      },
    },
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

async function recordIds(client: CloudflareClient, zone: string): Promise<ReadonlyMap<string, string>> {
  const { id } = await zoneAt(client, zone);
  const found = new Map<string, string>();
  for await (const page of client.records(id)) {
    for (const served of page) {
      const data = readRecord(zone, served);
      if (data && !found.has(recordKey(data))) found.set(recordKey(data), served.id);
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
