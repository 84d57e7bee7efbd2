import { startHookServer } from "../notifications/channels/hook-server.ts";
import { startOpenIdProvider } from "../support/identity/openid-provider.ts";
import type { InPlace } from "../support/pages/page-examples.ts";
import { startAlidnsServer } from "../support/vendors/alidns/server.ts";
import { startCloudflare } from "../support/vendors/cloudflare/server.ts";
import { startDigitalOcean } from "../support/vendors/digitalocean/server.ts";
import { startDnspodServer } from "../support/vendors/dnspod/server.ts";
import { recordDialects } from "../support/vendors/records/dialects.ts";
import { startRecordVendor } from "../support/vendors/records/server.ts";
import { startRoute53 } from "../support/vendors/route53/server.ts";
import { rrsetDialects } from "../support/vendors/rrsets/dialects.ts";
import { startRrsetVendor } from "../support/vendors/rrsets/server.ts";

/** Stand-ins for the servers that pages name, each vendor's with the zone `example.net`. */
export interface StandIns {
  /** What replaces a reader's own credentials and addresses in the examples of a page. */
  of(page: string): InPlace;
  stop(): Promise<void>;
}

export async function useStandIns(): Promise<StandIns> {
  const [cloudflare, route53, digitalOcean, alidns, dnspod, hooks, openId] = await Promise.all([
    startCloudflare(),
    startRoute53(),
    startDigitalOcean(),
    startAlidnsServer(),
    startDnspodServer(),
    startHookServer(),
    startOpenIdProvider("https://dns.example.com/oauth/oidc"),
  ]);
  const recordVendors = await Promise.all(recordDialects.map(startRecordVendor));
  const rrsetVendors = await Promise.all(rrsetDialects.map(startRrsetVendor));
  const zone = "example.net";
  for (const { store } of [...rrsetVendors, ...recordVendors]) store.addZone(zone);
  cloudflare.addZone(zone);
  route53.addZone(zone);
  digitalOcean.addDomain(zone);
  alidns.account.addDomain(zone);
  dnspod.account.addDomain(zone);
  const inPlace: Record<string, InPlace> = {
    "docs/guide/dnssec.md": {
      '"the token"': `"${cloudflare.token}","endpoint":"${cloudflare.url}","accountId":"${cloudflare.accountId}"`,
    },
    "docs/providers/cloudflare.md": {
      '"the token"': `"${cloudflare.token}","endpoint":"${cloudflare.url}"`,
      "the account id": cloudflare.accountId,
    },
    "docs/providers/route53.md": {
      "the id": route53.accessKeyId,
      '"the secret"': `"${route53.secretAccessKey}","endpoint":"${route53.url}"`,
    },
    "docs/providers/digitalocean.md": { '"the token"': `"${digitalOcean.token}","endpoint":"${digitalOcean.url}"` },
    "docs/providers/alidns.md": {
      "the id": alidns.accessKeyId,
      '"the secret"': `"${alidns.accessKeySecret}","url":"${alidns.url}"`,
    },
    "docs/providers/dnspod.md": {
      "the id": dnspod.secretId,
      '"the key"': `"${dnspod.secretKey}","url":"${dnspod.url}"`,
    },
    // Their pages write each credential as `"the <field>"`, the last of them before the address.
    ...Object.fromEntries(
      [...rrsetVendors, ...recordVendors].map(({ dialect, config }) => [
        `docs/providers/${dialect.kind}.md`,
        credentialsIn(dialect.secret, config),
      ]),
    ),
    "docs/identity-providers.md": { "https://id.example.com/.well-known/openid-configuration": openId.wellKnownUrl },
    // As many zones would take most of a minute.
    "docs/guide/replace.md": { "300": "6", "600": "12" },
    "docs/guide/channels.md": { "https://hooks.example.com": hooks.url },
  };
  const servers = [cloudflare, route53, digitalOcean, alidns, dnspod, hooks, openId, ...rrsetVendors, ...recordVendors];
  return {
    of: (page) => inPlace[page] ?? {},
    stop: async () => void (await Promise.all(servers.map((server) => server.stop()))),
  };
}

/** Replaces `"the <field>"` by each field's value, and adds the address to the secret, or replaces the one that the page has. */
function credentialsIn(secret: string, { endpoint, ...fields }: Record<string, string>): InPlace {
  return Object.fromEntries(
    Object.entries(fields).map(([field, value]) => {
      if (field === "url") return ["http://127.0.0.1:8053", value];
      const written = JSON.stringify(value);
      return [
        `"the ${field}"`,
        field === secret && endpoint !== undefined ? `${written},"endpoint":${JSON.stringify(endpoint)}` : written,
      ];
    }),
  );
}
