import { cloudflare } from "./cloudflare.ts";
import { azure } from "./azure.ts";
import { desec } from "./desec.ts";
import { digitalocean } from "./digitalocean.ts";
import { alidns } from "./alidns.ts";
import { dnsimple } from "./dnsimple.ts";
import { bunny } from "./bunny.ts";
import { gandi } from "./gandi.ts";
import { gcloud } from "./gcloud.ts";
import { huaweicloud } from "./huaweicloud.ts";
import { hetzner } from "./hetzner.ts";
import { ns1 } from "./ns1.ts";
import { dnspod } from "./dnspod.ts";
import { inwx } from "./inwx.ts";
import { linode } from "./linode.ts";
import { manual } from "./manual.ts";
import { ovh } from "./ovh.ts";
import { porkbun } from "./porkbun.ts";
import { powerdns } from "./powerdns.ts";
import { primary } from "./primary.ts";
import type { ProviderKind } from "./provider.ts";
import { rfc2136 } from "./rfc2136.ts";
import { route53 } from "./route53.ts";
import { scaleway } from "./scaleway.ts";
import { vultr } from "./vultr.ts";
import { webhook } from "./webhook.ts";
import { zonefile } from "./zonefile.ts";

/** Every kind of provider, in the order offered to people. */
export const providerKinds: readonly ProviderKind[] = [
  withAnyConfig(zonefile),
  withAnyConfig(rfc2136),
  withAnyConfig(powerdns),
  withAnyConfig(primary),
  withAnyConfig(cloudflare),
  withAnyConfig(route53),
  withAnyConfig(gcloud),
  withAnyConfig(azure),
  withAnyConfig(digitalocean),
  withAnyConfig(desec),
  withAnyConfig(gandi),
  withAnyConfig(hetzner),
  withAnyConfig(ns1),
  withAnyConfig(scaleway),
  withAnyConfig(alidns),
  withAnyConfig(dnspod),
  withAnyConfig(huaweicloud),
  withAnyConfig(linode),
  withAnyConfig(vultr),
  withAnyConfig(porkbun),
  withAnyConfig(dnsimple),
  withAnyConfig(bunny),
  withAnyConfig(ovh),
  withAnyConfig(inwx),
  withAnyConfig(webhook),
  withAnyConfig(manual),
];

/** Returns a kind by its short name, such as `zonefile`; null if there is none. */
export function kindByName(name: string): ProviderKind | null {
  return providerKinds.find(({ kind }) => kind === name) ?? null;
}

/** Returns the kind of a stored configuration. @throws Error if this version does not know it. */
export function knownKind(name: string): ProviderKind {
  const kind = kindByName(name);
  if (!kind) throw new Error(`The provider kind ${name} is not known to this version.`);
  return kind;
}

/** Returns a kind whose functions validate a stored configuration first. @throws ZodError from each */
export function withAnyConfig<Config>(kind: ProviderKind<Config>): ProviderKind {
  const { adjust, connect, initialRecords, ...rest } = kind;
  const schema = kind.storedConfigSchema ?? kind.configSchema;
  return {
    ...rest,
    ...(adjust && { adjust: (config: unknown) => adjust(schema.parse(config)) }),
    ...(initialRecords && {
      initialRecords: (config: unknown) => initialRecords(schema.parse(config)),
    }),
    connect: connect && ((config, environment) => connect(schema.parse(config), environment)),
  };
}
