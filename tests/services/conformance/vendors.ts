import { harbour } from "../../../examples/provider-kind/harbour.ts";
import { knownKind, withAnyConfig } from "../../../server/dns-providers/kinds.ts";
import { kindOfZone } from "../../../server/zones/records/provider-limits.ts";
import { VendorAccounts } from "../../../server/dns-providers/vendor-api/accounts.ts";
import { createEgress } from "../../../server/platform/net/egress.ts";
import { Clock } from "../../support/clock.ts";
import { startAlidnsServer } from "../../support/vendors/alidns/server.ts";
import { startCloudflare as startCloudflareServer } from "../../support/vendors/cloudflare/server.ts";
import { startDigitalOcean as startDigitalOceanServer } from "../../support/vendors/digitalocean/server.ts";
import { startDnspodServer } from "../../support/vendors/dnspod/server.ts";
import { startExampleAdapter } from "../../support/vendors/example-adapters.ts";
import { recordDialects } from "../../support/vendors/records/dialects.ts";
import { startRecordVendor } from "../../support/vendors/records/server.ts";
import { rrsetDialects } from "../../support/vendors/rrsets/dialects.ts";
import { harbour as harbourDialect } from "../../support/vendors/rrsets/harbour.ts";
import { startRrsetVendor } from "../../support/vendors/rrsets/server.ts";
import { startRoute53 as startRoute53Server } from "../../support/vendors/route53/server.ts";
import { zone } from "./group.ts";
import type { Target } from "./group.ts";

// Simulated vendor APIs in this process, each with a new zone.

/** With a zone of the edition that takes every TTL. */
export async function startAlidns(): Promise<Target> {
  const server = await startAlidnsServer();
  const { url, accessKeyId, accessKeySecret } = server;
  return await withZone("alidns", { url, accessKeyId, accessKeySecret }, () => server.stop());
}

/** With a zone on the Free plan. */
export async function startCloudflare(): Promise<Target> {
  const server = await startCloudflareServer();
  const { token: apiToken, accountId, url: endpoint } = server;
  return await withZone("cloudflare", { apiToken, accountId, endpoint }, () => server.stop());
}

export async function startDigitalOcean(): Promise<Target> {
  const { token, url: endpoint, stop } = await startDigitalOceanServer();
  return await withZone("digitalocean", { token, endpoint }, stop);
}

/** With a zone of the package that takes every TTL. */
export async function startDnspod(): Promise<Target> {
  const server = await startDnspodServer();
  const { url, secretId, secretKey } = server;
  return await withZone("dnspod", { url, secretId, secretKey }, () => server.stop());
}

export async function startRoute53(): Promise<Target> {
  const { accessKeyId, secretAccessKey, url: endpoint, stop } = await startRoute53Server();
  return await withZone("route53", { accessKeyId, secretAccessKey, endpoint }, stop);
}

/** The kind of `examples/`, which is not offered. */
export async function startExampleKind(): Promise<Target> {
  const server = await startRrsetVendor(harbourDialect);
  return await withZone(harbour.kind, server.config, () => server.stop(), withAnyConfig(harbour));
}

/** An adapter of `examples/`. */
export async function startWebhook(language: Parameters<typeof startExampleAdapter>[0]): Promise<Target> {
  const adapter = await startExampleAdapter(language);
  return await withZone("webhook", adapter.config, () => adapter.stop());
}

/** The vendors whose APIs write RRsets. */
export const rrsetTargets = rrsetDialects.map((dialect) => {
  const start = async (): Promise<Target> => {
    const server = await startRrsetVendor(dialect);
    if (dialect.zonesComeWithDomains) server.store.addZone(zone);
    return await withZone(dialect.kind, server.config, () => server.stop());
  };
  return [dialect.name, start] as const;
});

/** The vendors whose APIs write single records, on the base for these. */
export const recordTargets = recordDialects.map((dialect) => {
  const start = async (): Promise<Target> => {
    const server = await startRecordVendor(dialect);
    if (dialect.zonesComeWithDomains) server.store.addZone(zone);
    return await withZone(dialect.kind, server.config, () => server.stop());
  };
  return [dialect.name, start] as const;
});

async function withZone(
  name: string,
  config: object,
  stop: () => Promise<void>,
  kind = knownKind(name),
): Promise<Target> {
  // Quotas, and actions that end later, are waited for in no time.
  const { now, pause } = new Clock();
  const egress = createEgress({ allow: ["127.0.0.1"], now });
  const accounts = new VendorAccounts({ now, pause });
  const provider = kind.connect?.(config, { zonesFolder: "/nowhere", now, egress, accounts });
  if (!provider) throw new Error(`${name} has no back end`);
  await provider.createZone(zone);
  return {
    kind: await kindOfZone({ providerZone: zone, kind, provider }, []),
    provider,
    async stop() {
      await egress.close();
      await stop();
    },
  };
}
