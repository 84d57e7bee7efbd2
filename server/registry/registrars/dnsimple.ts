import { z } from "zod";
import { apiAddress, credential, credentialFields } from "../../dns-providers/config-fields.ts";
import { readPages } from "../../dns-providers/vendor-api/pages.ts";
import { maybe } from "../../dns-providers/vendor-api/text.ts";
import type { VendorEnvironment } from "../../dns-providers/vendor-api/calls.ts";
import { messageOf } from "../../dns-providers/dnsimple.ts";
import { parseExpiryDate, distinct, readDs, readHostNames } from "../expiry/dates.ts";
import {
  dsOfKey,
  dsSteps,
  dsStepsToSend,
  inSteps,
  keyRefusals,
  keysToSend,
  RegistrarApi,
  type RegistrarAccount,
  type RegistrarKind,
} from "./registrar.ts";

// DNSimple's API v2. Read on 2026-11-29: the vendor's own pages "Domains", "DNSSEC", "Delegation", "Domain auto-renewal" and "Domain transfer lock", its
// OpenAPI description and its recorded answers (dnsimple-developer of 2026-07-21), and its support page "API Access Token".

const address = "https://api.dnsimple.com";
/** Slightly below 2,400 calls an hour, which DNS providers of the same account share. */
const limits = [{ calls: 2_300, seconds: 3_600 }];
const pageSize = 100;

const configSchema = z.strictObject({
  token: credential("account access token"),
  endpoint: apiAddress(address).default(address),
});
type DnsimpleConfig = z.infer<typeof configSchema>;

const dataOf = <T>(data: z.ZodType<T>) => z.object({ data });
const pageOf = <T>(entry: z.ZodType<T>) =>
  z.object({
    data: z.array(entry),
    pagination: z.object({ total_pages: z.int(), total_entries: z.int() }),
  });
const account = dataOf(z.object({ account: maybe(z.object({ id: z.int() })) }));
/** `hosted` names have only their zone here, and are registered elsewhere. */
const domain = z.object({
  name: z.string(),
  state: z.string(),
  auto_renew: maybe(z.boolean()),
  expires_at: maybe(z.string()),
  expires_on: maybe(z.string()),
});
const numeral = maybe(z.coerce.number());
/** Registries take either DS records or keys; what they do not take is null. */
const signer = z.object({
  id: z.int(),
  algorithm: numeral,
  keytag: numeral,
  digest_type: numeral,
  digest: maybe(z.string()),
  public_key: maybe(z.string()),
});
const tld = dataOf(z.object({ dnssec_interface_type: maybe(z.string()) }));
const anything = z.unknown();

/** The domains of a DNSimple account. */
export const dnsimple: RegistrarKind<DnsimpleConfig> = {
  kind: "dnsimple",
  name: "DNSimple",
  configFields: credentialFields({ token: "account access token" }),
  addresses: ["endpoint"],
  configSchema,
  changes: ["nameServers", "ds", "locked", "autoRenew"],
  connect: (config, environment) => dnsimpleAccount(config, environment),
};

function dnsimpleAccount({ token, endpoint }: DnsimpleConfig, environment: VendorEnvironment): RegistrarAccount {
  const base = `${endpoint.replace(/\/+$/, "").replace(/\/v2$/, "")}/v2`;
  const api = new RegistrarApi(
    { name: dnsimple.name, address: endpoint, environment, secrets: [token], quotas: { address, limits } },
    { authorization: `Bearer ${token}` },
    {
      base,
      messageOf,
      advice: "Check that the token is an account token, and that it may read and write the domains to change.",
    },
  );
  let accountId: number | undefined;

  /** Returns the path of the account that the token is of. @throws ProviderError if it is a user's token */
  async function ofAccount(path: string): Promise<string> {
    accountId ??= (await api.call({ method: "GET", path: "/whoami", schema: account })).data.account?.id;
    if (accountId === undefined) throw api.forbidden("This token belongs to a user, not to an account.");
    return `/${accountId}${path}`;
  }
  const atDomain = (name: string, part = "") => ofAccount(`/domains/${encodeURIComponent(name)}${part}`);
  const atRegistrar = (name: string, part: string) =>
    ofAccount(`/registrar/domains/${encodeURIComponent(name)}/${part}`);

  async function* pages<T>(name: string, path: string, entry: z.ZodType<T>, idOf: (one: T) => string) {
    const list = { vendor: dnsimple.name, name, pageSize, idOf };
    yield* readPages(list, async (page) => {
      const schema = pageOf(entry);
      const { data, pagination } = await api.call({
        method: "GET",
        path: `${path}?page=${page}&per_page=${pageSize}`,
        schema,
      });
      return { entries: data, total: pagination.total_entries, isLast: page >= pagination.total_pages };
    });
  }

  async function signersOf(name: string): Promise<{ ds: string; id: number }[]> {
    const found: { ds: string; id: number }[] = [];
    const path = await atDomain(name, "/ds_records");
    for await (const page of pages(`The list of DS records of ${name}`, path, signer, ({ id }) => String(id))) {
      for (const { id, algorithm = 0, keytag, digest_type: type, digest, public_key: publicKey } of page) {
        const ds = digest
          ? readDs(`${keytag} ${algorithm} ${type} ${digest}`)
          : dsOfKey(name, { flags: 257, algorithm, publicKey: publicKey ?? "" });
        if (ds !== null) found.push({ ds, id });
      }
    }
    return found;
  }

  const send = (method: "PUT" | "POST" | "DELETE", path: string, body?: object) =>
    api.call({ method, path, schema: anything, ...(body && { body }) });

  /** Returns whether the registry of a name takes keys instead of DS records. */
  async function takesKeys(name: string): Promise<boolean> {
    const path = `/tlds/${encodeURIComponent(name.slice(name.indexOf(".") + 1))}`;
    const found = await api.find({ method: "GET", path, schema: tld });
    return found?.value.data.dnssec_interface_type === "key";
  }

  return {
    async domains() {
      const names: string[] = [];
      const path = await ofAccount("/domains");
      for await (const page of pages("The list of domains", path, domain, ({ name }) => name))
        names.push(...page.filter(({ state }) => state !== "hosted").map(({ name }) => name.toLowerCase()));
      return names;
    },
    async read(name) {
      const found = await api.find({ method: "GET", path: await atDomain(name), schema: dataOf(domain) });
      if (found === null || found.value.data.state === "hosted") return null;
      const { auto_renew: autoRenew, expires_at: at, expires_on: on } = found.value.data;
      const expires = at ?? on;
      const lock = dataOf(z.object({ enabled: z.boolean() }));
      const path = await atRegistrar(name, "delegation");
      const servers = await api.call({ method: "GET", path, schema: dataOf(z.array(z.string())) });
      const locked = await api.find({ method: "GET", path: await atRegistrar(name, "transfer_lock"), schema: lock });
      return {
        name: found.value.data.name,
        expiresAt: expires === undefined ? null : parseExpiryDate(expires),
        autoRenew: autoRenew ?? null,
        locked: locked?.value.data.enabled ?? null,
        nameServers: readHostNames(servers.data),
        ds: distinct((await signersOf(name)).map(({ ds }) => ds)),
      };
    },
    async refusals(name, { ds }) {
      const added = ds ? dsSteps(await signersOf(name), ds).added : [];
      return added.length > 0 && (await takesKeys(name)) ? keyRefusals(dnsimple.name, added) : [];
    },
    async change(name, { nameServers, ds, locked, autoRenew }) {
      if (nameServers) await send("PUT", await atRegistrar(name, "delegation"), nameServers);
      if (locked !== undefined) await send(locked ? "POST" : "DELETE", await atRegistrar(name, "transfer_lock"));
      if (autoRenew !== undefined) await send(autoRenew ? "PUT" : "DELETE", await atRegistrar(name, "auto_renewal"));
      if (!ds) return;
      const path = await atDomain(name, "/ds_records");
      const { added, removed } = dsStepsToSend(dnsimple.name, await signersOf(name), ds);
      const asKeys = added.length > 0 && (await takesKeys(name));
      const bodies = asKeys
        ? keysToSend(dnsimple.name, added).map(({ algorithm, publicKey }) => ({
            algorithm: String(algorithm),
            public_key: publicKey,
          }))
        : added.map((one) => {
            const [keytag, algorithm, digestType, digest] = one.ds.split(" ");
            return { algorithm, keytag, digest_type: digestType, digest };
          });
      await inSteps([
        ...bodies.map((body) => () => send("POST", path, body)),
        ...removed.map((one) => () => send("DELETE", `${path}/${one.id}`)),
      ]);
    },
  };
}
