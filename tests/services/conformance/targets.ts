import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DnsProvider, ProviderKind } from "../../../server/dns-providers/provider.ts";
import { knownKind } from "../../../server/dns-providers/kinds.ts";
import { startBind } from "../../support/name-servers/bind.ts";
import { checkZone } from "../../support/name-servers/checkzone.ts";
import { startKnot } from "../../support/name-servers/knot.ts";
import { startNamed } from "../../support/name-servers/named.ts";
import { startPowerdns as startPowerdnsWithApi } from "../../support/name-servers/powerdns-api.ts";
import { startPowerdns } from "../../support/name-servers/powerdns.ts";
import type { UpdateServer } from "../../support/name-servers/update-server.ts";
import { presentedRecords } from "../../support/records/presentation.ts";
import { startZonewright } from "../../support/zonewright.ts";
import { PowerdnsClient, powerdnsKey } from "../../dns-service/update-clients/powerdns-api/client.ts";
import { zone, type Target, type TargetName } from "./group.ts";
import {
  recordTargets,
  rrsetTargets,
  startAlidns,
  startCloudflare,
  startDigitalOcean,
  startDnspod,
  startExampleKind,
  startRoute53,
  startWebhook,
} from "./vendors.ts";
import { createEgress } from "../../../server/platform/net/egress.ts";

const egress = createEgress({ allow: [], now: () => new Date() });

export type Targets = readonly (readonly [TargetName, () => Promise<Target>])[];

/** By the name of the file that tests them. */
export const targets = {
  "zone-files": [["zone files", startZoneFiles]],
  updates: [
    ["BIND", () => throughUpdates(startBind([zone]))],
    ["Knot", () => throughUpdates(startKnot([zone]))],
    ["PowerDNS", () => throughUpdates(startPowerdns([zone]))],
  ],
  "powerdns-api": [
    ["PowerDNS by HTTP", startPowerdnsApi],
    ["Zonewright by PowerDNS's API", startZonewrightApi],
  ],
  vendors: [
    ["Cloudflare", startCloudflare],
    ["Route 53", startRoute53],
    ["DigitalOcean", startDigitalOcean],
    ["Alibaba Cloud DNS", startAlidns],
    ["DNSPod", startDnspod],
    ...rrsetTargets,
    ...recordTargets,
    ["Harbour DNS", startExampleKind],
    ["Webhook adapter in TypeScript", () => startWebhook("typescript")],
    ["Webhook adapter in Python", () => startWebhook("python")],
  ],
} satisfies Record<string, Targets>;

/** A folder of zone files that BIND serves. */
async function startZoneFiles(): Promise<Target> {
  const folder = await mkdtemp(join(tmpdir(), "zonewright-conformance-"));
  const file = join(folder, `${zone}.zone`);
  const { kind, provider } = connect("zonefile", { folder });
  await provider.createZone(zone);
  const named = await startNamed({ [zone]: file });
  return {
    kind,
    provider,
    async served() {
      const { serial } = await checkZone(zone, file);
      await named.reload(zone, serial);
      const records = await named.transfer(zone);
      return records.filter(({ rdata }) => !rdata.startsWith("placeholder."));
    },
    async stop() {
      await named.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function throughUpdates(starting: Promise<UpdateServer>): Promise<Target> {
  const server = await starting;
  return {
    ...connect("rfc2136", server.config),
    served: () => server.transfer(zone),
    stop: () => server.stop(),
  };
}

async function startPowerdnsApi(): Promise<Target> {
  const server = await startPowerdnsWithApi();
  const { kind, provider } = connect("powerdns", { url: server.url, apiKey: server.apiKey });
  await provider.createZone(zone);
  return {
    kind,
    provider,
    served: () => server.transfer(zone),
    stop: () => server.stop(),
  };
}

/** A zone that another Zonewright holds, reached as if that were a PowerDNS. */
async function startZonewrightApi(): Promise<Target> {
  const zw = await startZonewright();
  const { body: config } = await zw.admin.post("/api/provider-configs", { kind: "manual", name: "By hand" });
  await zw.admin.post("/api/domains", { name: zone, providerConfigId: config.id });
  const apiKey = await powerdnsKey(zw.admin);
  const { kind, provider } = connect("powerdns", { url: `${zw.url}/pdns`, apiKey });
  await provider.createZone(zone);
  return {
    kind,
    provider,
    async served() {
      const { body } = await new PowerdnsClient(zw.url, apiKey).get(`/zones/${zone}./export`, { accept: "text/plain" });
      return presentedRecords(body)
        .filter(({ type }) => type !== "SOA")
        .map(({ name, ttl, type, rdata }) => ({
          name,
          ttl,
          type,
          rdata: type === "LOC" ? withoutDecimals(rdata) : rdata,
        }));
    },
    stop: () => zw.stop(),
  };
}

/** PowerDNS prints the sizes of LOC with decimals, name servers without. */
function withoutDecimals(rdata: string): string {
  return rdata.replaceAll(/(?<=m \d+)\.00(?=m)/g, "");
}

export function connect(name: string, config: unknown): { kind: ProviderKind; provider: DnsProvider } {
  const kind = knownKind(name);
  const provider = kind.connect?.(config, { zonesFolder: "/nowhere", now: () => new Date(), egress });
  if (!provider) throw new Error(`${name} has no back end`);
  return { kind, provider };
}
