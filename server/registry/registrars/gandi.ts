import { z } from "zod";
import { apiAddress, credential, credentialFields } from "../../dns-providers/config-fields.ts";
import { readPages } from "../../dns-providers/vendor-api/pages.ts";
import { maybe } from "../../dns-providers/vendor-api/text.ts";
import type { VendorEnvironment } from "../../dns-providers/vendor-api/calls.ts";
import { parseExpiryDate, distinct, readDs, readHostNames } from "../expiry/dates.ts";
import {
  dsStepsToSend,
  inSteps,
  keysToSend,
  RegistrarApi,
  type RegistrarAccount,
  type RegistrarKind,
} from "./registrar.ts";

// The parts of Gandi's Domain API (v5) in use. Gandi takes DNSKEYs and makes the DS records itself.

const address = "https://api.gandi.net/v5";
const configSchema = z.strictObject({
  token: credential("personal access token", 10, 200),
  endpoint: apiAddress(address).default(address),
});
type GandiConfig = z.infer<typeof configSchema>;

const details = z.object({
  fqdn: maybe(z.string()),
  autorenew: maybe(z.object({ enabled: maybe(z.boolean()) })),
  dates: maybe(z.object({ registry_ends_at: maybe(z.string()) })),
  nameservers: maybe(z.array(z.string())),
  status: maybe(z.array(z.string())),
});
const dnsKey = z.object({
  id: z.union([z.number(), z.string()]),
  keytag: z.number(),
  algorithm: z.number(),
  digest_type: z.number(),
  digest: z.string(),
});
const listPage = z.array(z.object({ fqdn: z.string() }));
/** What Gandi says of a change that it accepted. */
const accepted = z.unknown();
const lock = "clientTransferProhibited";
const pageSize = 100;
/** Slightly below 1,000 calls a minute, because other users of the token share these. */
const limits = [{ calls: 900, seconds: 60 }];

/** The domains of a Gandi account. */
export const gandi: RegistrarKind<GandiConfig> = {
  kind: "gandi",
  name: "Gandi",
  configFields: credentialFields({ token: "personal access token" }),
  addresses: ["endpoint"],
  configSchema,
  changes: ["nameServers", "ds", "locked", "autoRenew"],
  makesDs: true,
  connect: (config, environment) => gandiAccount(config, environment),
};

function at(name: string): string {
  return `/domain/domains/${encodeURIComponent(name)}`;
}

function gandiAccount({ token, endpoint }: GandiConfig, environment: VendorEnvironment): RegistrarAccount {
  const quotas = { address, limits };
  const api = new RegistrarApi(
    { name: "Gandi", address: endpoint, environment, secrets: [token], quotas },
    { authorization: `Bearer ${token}` },
  );
  async function keysOf(name: string): Promise<{ ds: string; id: number | string }[]> {
    const keys = await api.call({ method: "GET", path: `${at(name)}/dnskeys`, schema: z.array(dnsKey) });
    return keys.flatMap(({ id, keytag, algorithm, digest_type: digestType, digest }) => {
      const ds = readDs(`${keytag} ${algorithm} ${digestType} ${digest}`);
      return ds === null ? [] : [{ ds, id }];
    });
  }

  return {
    async domains() {
      const list = { vendor: "Gandi", name: "The list of domains", pageSize, idOf: (name: string) => name };
      const names: string[] = [];
      const pages = readPages(list, async (page) => {
        const path = `/domain/domains?page=${page}&per_page=${pageSize}`;
        const found = await api.find({ method: "GET", path, schema: listPage });
        const entries = found?.value.map(({ fqdn }) => fqdn.toLowerCase()) ?? [];
        const total = Number(found?.headers.get("total-count") ?? Number.NaN);
        return { entries, total: Number.isInteger(total) ? total : null, isLast: entries.length < pageSize };
      });
      for await (const page of pages) names.push(...page);
      return names;
    },
    async read(name) {
      const found = await api.find({ method: "GET", path: at(name), schema: details });
      if (found === null) return null;
      const { fqdn, autorenew, dates, nameservers, status } = found.value;
      const endsAt = dates?.registry_ends_at;
      return {
        name: fqdn ?? null,
        expiresAt: endsAt === undefined ? null : parseExpiryDate(endsAt),
        autoRenew: autorenew?.enabled ?? null,
        locked: status?.includes(lock) ?? null,
        nameServers: nameservers ? readHostNames(nameservers) : null,
        ds: distinct((await keysOf(name)).map(({ ds }) => ds)),
      };
    },
    async change(name, { nameServers, ds, locked, autoRenew }) {
      const send = (method: "PUT" | "PATCH" | "POST" | "DELETE", path: string, body?: object) =>
        api.call({ method, path: `${at(name)}${path}`, schema: accepted, ...(body && { body }) });
      if (nameServers) await send("PUT", "/nameservers", { nameservers: nameServers });
      if (locked !== undefined) await send("PATCH", "/status", { [lock]: locked });
      if (autoRenew !== undefined) await send("PATCH", "/autorenew", { enabled: autoRenew });
      if (!ds) return;
      const { added, removed } = dsStepsToSend(gandi.name, await keysOf(name), ds);
      await inSteps([
        ...keysToSend(gandi.name, added).map(({ flags, algorithm, publicKey }) => () => {
          const type = (flags & 1) === 1 ? "ksk" : "zsk";
          return send("POST", "/dnskeys", { algorithm, type, public_key: publicKey });
        }),
        ...removed.map((one) => () => send("DELETE", `/dnskeys/${one.id}`)),
      ]);
    },
  };
}
