import { beforeAll, expect, expectTypeOf, test } from "vitest";
import { createClient, type Client, type RouterInputs, type RouterOutputs } from "../../client-sdk/src/index.ts";
import type { ProviderConfigInputs } from "../../server/dns-providers/config-inputs.ts";
import type { AlidnsConfig } from "../../server/dns-providers/alidns.ts";
import type { CloudflareConfig } from "../../server/dns-providers/cloudflare.ts";
import type { DigitalOceanConfig } from "../../server/dns-providers/digitalocean.ts";
import type { AzureConfig } from "../../server/dns-providers/azure.ts";
import type { DesecConfig } from "../../server/dns-providers/desec.ts";
import type { DnsimpleConfig } from "../../server/dns-providers/dnsimple.ts";
import type { BunnyConfig } from "../../server/dns-providers/bunny.ts";
import type { GandiConfig } from "../../server/dns-providers/gandi.ts";
import type { GcloudConfig } from "../../server/dns-providers/gcloud.ts";
import type { HetznerConfig } from "../../server/dns-providers/hetzner.ts";
import type { Ns1Config } from "../../server/dns-providers/ns1.ts";
import type { ScalewayConfig } from "../../server/dns-providers/scaleway.ts";
import type { DnspodConfig } from "../../server/dns-providers/dnspod.ts";
import type { HuaweicloudConfig } from "../../server/dns-providers/huaweicloud.ts";
import type { InwxConfig } from "../../server/dns-providers/inwx.ts";
import type { OvhConfig } from "../../server/dns-providers/ovh.ts";
import type { PorkbunConfig } from "../../server/dns-providers/porkbun.ts";
import { providerKinds } from "../../server/dns-providers/kinds.ts";
import type { LinodeConfig } from "../../server/dns-providers/linode.ts";
import type { PowerdnsConfig } from "../../server/dns-providers/powerdns.ts";
import type { PrimaryConfig } from "../../server/dns-providers/primary.ts";
import type { Rfc2136Config } from "../../server/dns-providers/rfc2136.ts";
import type { Route53Config } from "../../server/dns-providers/route53.ts";
import type { VultrConfig } from "../../server/dns-providers/vultr.ts";
import type { WebhookConfig } from "../../server/dns-providers/webhook.ts";
import type { ZonefileConfig } from "../../server/dns-providers/zonefile.ts";
import { adminPassword, useZonewright } from "../support/zonewright.ts";
import { failure } from "./failure.ts";

const zw = useZonewright();
let client: Client;
beforeAll(async () => {
  client = createClient({ url: zw.url });
  await client.signIn({ username: "admin", password: adminPassword });
});

/** The fields of each kind. The compiler requires every kind and every field here. */
const fields: { [Kind in keyof ProviderConfigInputs]: Record<keyof ProviderConfigInputs[Kind], true> } = {
  zonefile: { folder: true, hostmaster: true, checkNames: true, maxRecordsPerType: true, maxTypesPerName: true },
  rfc2136: {
    server: true,
    port: true,
    tsigName: true,
    tsigAlgorithm: true,
    tsigSecret: true,
    zones: true,
    timeoutSeconds: true,
  },
  powerdns: { url: true, apiKey: true, serverId: true, timeoutSeconds: true },
  primary: {
    nameServers: true,
    contact: true,
    primaryName: true,
    notify: true,
    allowTransfer: true,
    tsigKeys: true,
    catalogZone: true,
    signingSecondaries: true,
    refreshSeconds: true,
    retrySeconds: true,
    expireSeconds: true,
    negativeTtlSeconds: true,
    defaultTtl: true,
  },
  cloudflare: { apiToken: true, accountId: true, endpoint: true },
  route53: { accessKeyId: true, secretAccessKey: true, hostedZoneIds: true, delegationSetId: true, endpoint: true },
  digitalocean: { token: true, endpoint: true },
  gcloud: { serviceAccountKey: true, projectId: true, endpoint: true },
  azure: {
    tenantId: true,
    clientId: true,
    clientSecret: true,
    subscriptionId: true,
    resourceGroup: true,
    endpoint: true,
  },
  desec: { token: true, endpoint: true },
  gandi: { token: true, endpoint: true },
  hetzner: { token: true, endpoint: true },
  ns1: { apiKey: true, endpoint: true },
  scaleway: { secretKey: true, projectId: true, endpoint: true },
  alidns: { accessKeyId: true, accessKeySecret: true, url: true },
  dnspod: { secretId: true, secretKey: true, url: true },
  huaweicloud: { accessKey: true, secretKey: true, endpoint: true },
  linode: { token: true, endpoint: true },
  vultr: { apiKey: true, endpoint: true },
  porkbun: { apiKey: true, secretKey: true, endpoint: true },
  dnsimple: { token: true, endpoint: true },
  bunny: { apiKey: true, endpoint: true },
  inwx: { username: true, password: true, sharedSecret: true, endpoint: true },
  ovh: { applicationKey: true, applicationSecret: true, consumerKey: true, endpoint: true },
  webhook: { url: true, token: true, clientCertificate: true, clientKey: true, timeoutSeconds: true },
  manual: {},
};

test("the configuration types have the fields that the server accepts for each kind", () => {
  expectTypeOf<keyof ProviderConfigInputs["zonefile"]>().toEqualTypeOf<keyof ZonefileConfig>();
  expectTypeOf<keyof ProviderConfigInputs["rfc2136"]>().toEqualTypeOf<keyof Rfc2136Config>();
  expectTypeOf<keyof ProviderConfigInputs["powerdns"]>().toEqualTypeOf<keyof PowerdnsConfig>();
  expectTypeOf<keyof ProviderConfigInputs["primary"]>().toEqualTypeOf<keyof PrimaryConfig>();
  expectTypeOf<keyof ProviderConfigInputs["cloudflare"]>().toEqualTypeOf<keyof CloudflareConfig>();
  expectTypeOf<keyof ProviderConfigInputs["route53"]>().toEqualTypeOf<keyof Route53Config>();
  expectTypeOf<keyof ProviderConfigInputs["digitalocean"]>().toEqualTypeOf<keyof DigitalOceanConfig>();
  expectTypeOf<keyof ProviderConfigInputs["desec"]>().toEqualTypeOf<keyof DesecConfig>();
  expectTypeOf<keyof ProviderConfigInputs["azure"]>().toEqualTypeOf<keyof AzureConfig>();
  expectTypeOf<keyof ProviderConfigInputs["gcloud"]>().toEqualTypeOf<keyof GcloudConfig>();
  expectTypeOf<keyof ProviderConfigInputs["gandi"]>().toEqualTypeOf<keyof GandiConfig>();
  expectTypeOf<keyof ProviderConfigInputs["hetzner"]>().toEqualTypeOf<keyof HetznerConfig>();
  expectTypeOf<keyof ProviderConfigInputs["ns1"]>().toEqualTypeOf<keyof Ns1Config>();
  expectTypeOf<keyof ProviderConfigInputs["scaleway"]>().toEqualTypeOf<keyof ScalewayConfig>();
  expectTypeOf<keyof ProviderConfigInputs["alidns"]>().toEqualTypeOf<keyof AlidnsConfig>();
  expectTypeOf<keyof ProviderConfigInputs["dnspod"]>().toEqualTypeOf<keyof DnspodConfig>();
  expectTypeOf<keyof ProviderConfigInputs["linode"]>().toEqualTypeOf<keyof LinodeConfig>();
  expectTypeOf<keyof ProviderConfigInputs["vultr"]>().toEqualTypeOf<keyof VultrConfig>();
  expectTypeOf<keyof ProviderConfigInputs["porkbun"]>().toEqualTypeOf<keyof PorkbunConfig>();
  expectTypeOf<keyof ProviderConfigInputs["ovh"]>().toEqualTypeOf<keyof OvhConfig>();
  expectTypeOf<keyof ProviderConfigInputs["inwx"]>().toEqualTypeOf<keyof InwxConfig>();
  expectTypeOf<keyof ProviderConfigInputs["huaweicloud"]>().toEqualTypeOf<keyof HuaweicloudConfig>();
  expectTypeOf<keyof ProviderConfigInputs["dnsimple"]>().toEqualTypeOf<keyof DnsimpleConfig>();
  expectTypeOf<keyof ProviderConfigInputs["bunny"]>().toEqualTypeOf<keyof BunnyConfig>();
  expectTypeOf<keyof ProviderConfigInputs["webhook"]>().toEqualTypeOf<keyof WebhookConfig>();
  const offered = providerKinds.map(({ kind, configFields }) => [
    kind,
    configFields.map(({ name }) => name).toSorted(),
  ]);
  const typed = Object.entries(fields).map(([kind, names]) => [kind, Object.keys(names).toSorted()]);
  expect(new Map(offered as [string, string[]][])).toEqual(new Map(typed as [string, string[]][]));
});

test("a configuration is created with its kind's fields, and one with another kind's fields does not compile", async () => {
  const made = await client.providerConfigs.create.mutate({ kind: "manual", name: "By hand" });
  expect(made).toMatchObject({ kind: "manual", config: {} });
  const server = await client.providerConfigs.create.mutate({
    kind: "rfc2136",
    name: "BIND",
    config: { server: "ns1.example.com", tsigName: "zonewright", tsigSecret: "c2VjcmV0LXNlY3JldA==", port: 5353 },
  });
  expect(server.config).toMatchObject({ server: "ns1.example.com", port: 5353 });
  const wrong: RouterInputs["providerConfigs"]["create"][] = [
    // @ts-expect-error -- a required field is missing.
    { kind: "rfc2136", name: "a", config: { server: "ns1.example.com" } },
    // @ts-expect-error -- a field of another kind.
    { kind: "cloudflare", name: "b", config: { apiToken: "x", folder: "zones" } },
    // @ts-expect-error -- this kind does not exist.
    { kind: "bind", name: "c" },
  ];
  for (const input of wrong) {
    expect(await failure(client.providerConfigs.create.mutate(input))).toMatchObject({ code: "BAD_REQUEST" });
  }
});

test("the kind of a configuration in an answer determines the type of its settings, which can be sent back", async () => {
  const made = await client.providerConfigs.create.mutate({
    kind: "zonefile",
    name: "Typed",
    config: { folder: "typed", maxRecordsPerType: 10 },
  });
  const { configs } = await client.providerConfigs.list.query();
  const config = configs.find(({ id }) => id === made.id);
  if (config?.kind !== "zonefile") throw new Error("It has another kind.");
  expectTypeOf(config.config).toEqualTypeOf<Partial<ProviderConfigInputs["zonefile"]>>();
  expect([config.config.folder, config.config.maxRecordsPerType]).toEqual(["typed", 10]);
  // @ts-expect-error -- a field of another kind.
  expect(config.config.tsigName).toBeUndefined();
  const again = await client.providerConfigs.update.mutate({ id: made.id, config: config.config });
  expect(again).toEqual(config);
  type Settings = Extract<RouterOutputs["providerConfigs"]["create"], { kind: "rfc2136" }>["config"];
  expectTypeOf<Settings["port"]>().toEqualTypeOf<number | undefined>();
});
