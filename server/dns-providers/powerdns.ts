import { z } from "zod";
import { maxTtl, recordKey, type ReadRecord, type RecordData } from "../dns/record.ts";
import { apiAddress, inMilliseconds, timeoutField, timeoutSeconds } from "./config-fields.ts";
import {
  powerdnsClient,
  zoneId,
  zoneKeys,
  zoneList,
  zoneMetadata,
  zoneState,
  zoneWithRrsets,
  type PowerdnsClient,
} from "./powerdns/client.ts";
import {
  type ProviderKind,
  ProviderError,
  type ApplyOptions,
  type ApplyResult,
  type DnsProvider,
  type ListedZones,
  type RecordChange,
} from "./provider.ts";
import { absoluteName, readHost } from "../dns/names/names.ts";
import { isServerManaged } from "../dns/zone-file/type-names.ts";
import { readSoa, type Soa } from "../dns/zone-file/contents.ts";
import { listedZones, readZoneName } from "./listed-zones.ts";
import { rdataFields } from "../dns/zone-file/record-data.ts";
import { isRaisedAlone } from "./applying/serial-fingerprints.ts";
import { touchedNames } from "./applying/apply-to-records.ts";
import { applyInCalls, readRrset, type ReadRrset } from "./powerdns/apply-changes.ts";

const configSchema = z.strictObject({
  url: apiAddress("http://127.0.0.1:8081"),
  apiKey: z
    .string("Enter the server's api-key.")
    .regex(/^[!-~]{1,500}$/, "The API key must be up to 500 characters of plain ASCII without spaces."),
  serverId: z
    .string()
    .regex(/^[\w.-]{1,100}$/, "The server id must be a word such as localhost.")
    .default("localhost"),
  timeoutSeconds,
});

export type PowerdnsConfig = z.infer<typeof configSchema>;

/** The PowerDNS Authoritative Server through its HTTP API (version 4.2 or newer). */
export const powerdns: ProviderKind<PowerdnsConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000004",
  kind: "powerdns",
  name: "PowerDNS",
  recordTypes: "any",
  vendorTypes: true,
  supportsProxied: false,
  minTtl: 0,
  maxTtl,
  signsZones: true,
  turnsSigning: true,
  lowersCase: "owners",
  granularity: "rrset",
  configFields: [
    { name: "url", label: "API address", secret: false, required: true },
    { name: "apiKey", label: "API key", secret: true, required: true },
    { name: "serverId", label: "Server id", secret: false, required: false },
    timeoutField,
  ],
  addresses: ["url"],
  configSchema,
  connect: ({ timeoutSeconds, ...access }, { egress, now }) =>
    powerdnsProvider(powerdnsClient({ ...access, timeoutMilliseconds: inMilliseconds(timeoutSeconds) }, egress), now),
};

const batchSize = 1_000;

/** Returns a provider for a PowerDNS Authoritative Server. Nothing is cached, so every result includes changes made elsewhere. */
function powerdnsProvider(client: PowerdnsClient, now: () => Date): DnsProvider {
  return {
    listZones: () => listZones(client),
    createZone: (zone) => createZone(client, zone),
    readZone: (zone) => readZone(client, zone),
    applyChanges: (zone, changes, options = {}) => applyChanges(client, zone, changes, options, now),
    readSoa: (zone) => readZoneSoa(client, zone),
    fingerprint: (zone) => fingerprint(client, zone),
    signs: async (zone) => isSigning(client, zone, await zoneAt(client, zone, "?rrsets=false", zoneState)),
    signing: {
      set: (zone, enabled) => setSigning(client, zone, enabled),
      keys: (zone) => publishedKeys(client, zone),
      idleKeys: async (zone) => (await idleKeys(client, zone)).length,
    },
  };
}

async function listZones(client: PowerdnsClient): Promise<ListedZones> {
  const answer = await client.get("/zones?dnssec=false", zoneList);
  if (!answer.ok) throw noServer(answer.refusal.status);
  return listedZones(
    answer.value.map(({ name }) => name),
    readZoneName,
  );
}

/** Creates a native zone. The server manages SOA and serial. */
async function createZone(client: PowerdnsClient, zone: string): Promise<void> {
  const answer = await client.send("POST", "/zones", { name: `${zone}.`, kind: "Native", nameservers: [] });
  if (answer.ok || answer.refusal.status === 409) return;
  const { status, reason } = answer.refusal;
  if (status === 404) throw noServer(status);
  // Older versions report an existing zone with 422.
  if (await client.get(`/zones/${zoneId(zone)}?rrsets=false`, zoneState).then(({ ok }) => ok)) return;
  throw new ProviderError(`PowerDNS did not create the zone ${zone}: ${reason}`, "none");
}

/** Returns whether the server signs the zone on the fly. Such signatures are neither in its database nor in this list. */
async function isSigning(
  client: PowerdnsClient,
  zone: string,
  { dnssec }: z.infer<typeof zoneState>,
): Promise<boolean> {
  if (!dnssec) return false;
  // The zone object does not show whether its signatures come from elsewhere.
  const presigned = await client.get(`/zones/${zoneId(zone)}/metadata/PRESIGNED`, zoneMetadata);
  return !(presigned.ok && presigned.value.metadata.includes("1"));
}

/** Has the server make keys with its own defaults, or delete them. */
async function setSigning(client: PowerdnsClient, zone: string, enabled: boolean): Promise<void> {
  const state = await zoneAt(client, zone, "?rrsets=false", zoneState);
  const signed = await isSigning(client, zone, state);
  if (state.dnssec && !signed) {
    throw new ProviderError(
      `${zone} has signatures from elsewhere at PowerDNS (PRESIGNED). Turn DNSSEC on or off where it is signed.`,
      "none",
    );
  }
  if (signed === enabled) {
    if (!enabled) await deleteIdleKeys(client, zone);
    return;
  }
  const answer = await client.send("PUT", `/zones/${zoneId(zone)}`, { dnssec: enabled });
  if (answer.ok) return;
  const { status, reason } = answer.refusal;
  throw new ProviderError(
    `PowerDNS did not turn DNSSEC ${enabled ? "on" : "off"} for ${zone} (${status}): ${reason} Check that its back end stores keys (such as gsqlite3-dnssec=yes).`,
    "none",
  );
}

/** Deletes the inactive and unpublished keys of a zone that is not signed, one by one: the server's switch is off already. */
async function deleteIdleKeys(client: PowerdnsClient, zone: string): Promise<void> {
  let deleted = 0;
  for (const { id } of await idleKeys(client, zone)) {
    const answer = await client.send("DELETE", `/zones/${zoneId(zone)}/cryptokeys/${id}`);
    if (!answer.ok && answer.refusal.status !== 404) {
      const { status, reason } = answer.refusal;
      const message = `PowerDNS did not delete the inactive key ${id} of ${zone} (${status}): ${reason}`;
      throw new ProviderError(message, deleted > 0 ? "unknown" : "none");
    }
    deleted++;
  }
}

async function idleKeys(client: PowerdnsClient, zone: string): Promise<z.infer<typeof zoneKeys>> {
  return (await keysOf(client, zone)).filter((key) => !isServed(key));
}

function isServed({ active, published }: z.infer<typeof zoneKeys>[number]): boolean {
  return active && published;
}

async function publishedKeys(client: PowerdnsClient, zone: string): Promise<Buffer[]> {
  return (await keysOf(client, zone)).filter(isServed).map(({ dnskey }) => {
    const [flags, protocol, algorithm, ...key] = dnskey.split(" ");
    const head = Buffer.from([0, 0, Number(protocol), Number(algorithm)]);
    head.writeUInt16BE(Number(flags) & 0xff_ff);
    return Buffer.concat([head, Buffer.from(key.join(""), "base64")]);
  });
}

async function keysOf(client: PowerdnsClient, zone: string): Promise<z.infer<typeof zoneKeys>> {
  const answer = await client.get(`/zones/${zoneId(zone)}/cryptokeys`, zoneKeys);
  if (!answer.ok) {
    const { status, reason } = answer.refusal;
    throw new ProviderError(`PowerDNS did not show the keys of ${zone} (${status}): ${reason}`, "none");
  }
  return answer.value;
}

async function* readZone(client: PowerdnsClient, zone: string): AsyncGenerator<ReadRecord[]> {
  const state = await zoneAt(client, zone, "", zoneWithRrsets);
  const signed = await isSigning(client, zone, state);
  let batch: ReadRecord[] = [];
  for (const rrset of state.rrsets) {
    const served = readRrset(zone, rrset)?.records.filter(({ disabled }) => !disabled) ?? [];
    for (const record of unique(served.map(({ data }) => data))) {
      batch.push(signed && isServerManaged(record) ? { ...record, serverManaged: true } : record);
    }
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Returns each record once: two contents of an RRset may be the same in canonical form. */
function unique(records: readonly RecordData[]): RecordData[] {
  return records.length < 2
    ? [...records]
    : [...new Map(records.map((record) => [recordKey(record), record])).values()];
}

async function applyChanges(
  client: PowerdnsClient,
  zone: string,
  changes: readonly RecordChange[],
  { atomic = false, beforeCall }: ApplyOptions,
  now: () => Date,
): Promise<ApplyResult> {
  const before = await fingerprint(client, zone);
  const present = await presentRrsets(client, zone, changes);
  const { outcomes, calls } = await applyInCalls(zone, present, changes, atomic, async (rrsets, does) => {
    await beforeCall?.(does);
    return await client.send("PATCH", `/zones/${zoneId(zone)}`, { rrsets });
  });
  if (calls === 0) return { outcomes, before, after: before };
  // The serial after our calls is the only fingerprint of what they made.
  const after = await fingerprint(client, zone).catch(() => null);
  const ours = before !== null && after !== null && isRaisedAlone(serialIn(before), serialIn(after), calls, now());
  return { outcomes, before, after: ours ? after : null };
}

async function readZoneSoa(client: PowerdnsClient, zone: string): Promise<Soa | null> {
  const { rrsets } = await zoneAt(client, zone, "", zoneWithRrsets);
  const soa = rrsets.find(({ type }) => type === "SOA");
  const fields = rdataFields("SOA", soa?.records[0]?.content ?? "");
  const read = fields && readSoa(fields, zone);
  return soa && read?.ok ? { ...read.value, ttl: soa.ttl } : null;
}

/**
 * Returns the RRsets that the changes touch. Reads the whole zone, because a filter by name would hide disabled records, and a
 * write would then lose them.
 */
async function presentRrsets(
  client: PowerdnsClient,
  zone: string,
  changes: readonly RecordChange[],
): Promise<ReadRrset[]> {
  const names = new Set([...touchedNames(changes)].map((name) => absoluteName(name, zone)));
  const { kind, rrsets } = await zoneAt(client, zone, "", zoneWithRrsets);
  if (/^(?:slave|secondary|consumer)$/i.test(kind)) {
    throw new ProviderError(`${zone} is a secondary zone at PowerDNS; change it at its primary server.`, "none");
  }
  return rrsets.filter(({ name }) => names.has(nameIn(name))).flatMap((rrset) => readRrset(zone, rrset) ?? []);
}

/** Returns a name that the server prints in canonical form. */
function nameIn(printed: string): string {
  const name = readHost(printed, "");
  return name.ok ? name.value : printed;
}

/** Returns the serial; null if the server does not raise it with every change through the API. */
async function fingerprint(client: PowerdnsClient, zone: string): Promise<string | null> {
  const state = await zoneAt(client, zone, "?rrsets=false", zoneState);
  const { kind, serial, soa_edit_api: raised } = state;
  if (raised === "") return null;
  return `${kind} ${serial}${(await isSigning(client, zone, state)) ? " signed" : ""}`;
}

/** Returns the serial in a fingerprint such as `Native 2026073101`. */
function serialIn(fingerprint: string): number {
  return Number(fingerprint.split(" ")[1]);
}

async function zoneAt<T>(client: PowerdnsClient, zone: string, query: string, schema: z.ZodType<T>): Promise<T> {
  const answer = await client.get(`/zones/${zoneId(zone)}${query}`, schema);
  if (answer.ok) return answer.value;
  const { status, reason } = answer.refusal;
  if (status === 404) throw new ProviderError(`PowerDNS has no zone ${zone}.`, "none", { zoneMissing: true });
  throw new ProviderError(`PowerDNS did not show the zone ${zone} (${status}): ${reason}`, "none");
}

function noServer(status: number): ProviderError {
  return new ProviderError(
    `There is no PowerDNS API at this address, or no server with this id (${status}). Check both, and that the server has api=yes.`,
    "none",
  );
}
