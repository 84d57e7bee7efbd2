import { startGandi, startPorkbun } from "./account.ts";
import { startCloudflareRegistrar } from "./cloudflare.ts";
import { startDnsimple } from "./dnsimple.ts";
import { startEppWebhook } from "./epp-webhook.ts";
import { startInwx } from "./inwx.ts";
import { startOvh } from "./ovh.ts";
import { startRoute53Domains } from "./route53domains.ts";

const starts = {
  porkbun: startPorkbun,
  gandi: startGandi,
  dnsimple: startDnsimple,
  inwx: startInwx,
  ovh: startOvh,
  cloudflare: startCloudflareRegistrar,
  route53domains: startRoute53Domains,
  "epp-webhook": startEppWebhook,
};

export type RegistrarKindName = keyof typeof starts;

/** Every kind of registrar, in the order offered to people. */
export const registrarKinds = Object.keys(starts) as RegistrarKindName[];

/** A simulated account of every kind. */
export type Registrars = { [Kind in RegistrarKindName]: Awaited<ReturnType<(typeof starts)[Kind]>> };

export async function startRegistrars(): Promise<Registrars> {
  const accounts = await Promise.all(registrarKinds.map(async (kind) => [kind, await starts[kind]()] as const));
  return Object.fromEntries(accounts) as Registrars;
}
