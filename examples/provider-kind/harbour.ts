import { z } from "zod";
import { maxTtl } from "../../server/dns/record.ts";
import { apiAddress, credential, credentialFields } from "../../server/dns-providers/config-fields.ts";
import type { ProviderKind } from "../../server/dns-providers/provider.ts";
import type { RrsetAccount, Written } from "../../server/dns-providers/rrset-api/account.ts";
import { rrsetAccountProvider } from "../../server/dns-providers/rrset-api/provider.ts";
import { VendorCalls, type VendorEnvironment } from "../../server/dns-providers/vendor-api/calls.ts";
import { JsonApi, type JsonAnswer } from "../../server/dns-providers/vendor-api/json-api.ts";
import { plainNamesOnly } from "../../server/dns-providers/vendor-api/limits.ts";
import { readPages } from "../../server/dns-providers/vendor-api/pages.ts";

// Harbour DNS, an invented vendor, to copy from. Here a real kind names what was read of its vendor's API, with the date.

const address = "https://api.harbour.example";
/** Below 600 a minute, which all users of an account share. */
const limits = [{ calls: 500, seconds: 60 }];
const perPage = 100;

/** Only the fields in use. `data` is in master-file form. */
const rrset = z.object({ host: z.string(), type: z.string(), ttl: z.int(), data: z.array(z.string()) });

const configSchema = z.strictObject({
  token: credential("API token"),
  endpoint: apiAddress(address).default(address),
});

type HarbourConfig = z.infer<typeof configSchema>;

/** The domains of an account at Harbour DNS. */
export const harbour: ProviderKind<HarbourConfig> = {
  // A new one: domains are stored with it.
  id: "5a1f0c52-7d0e-4c1b-9d0a-0000000000ff",
  kind: "harbour",
  name: "Harbour DNS",
  recordTypes: ["A", "AAAA", "CAA", "CNAME", "MX", "NS", "SRV", "TXT"],
  supportsProxied: false,
  minTtl: 60,
  maxTtl,
  unsupportedReason: plainNamesOnly(({ recordType, value }) =>
    recordType !== "TXT" && value.startsWith("\\#") ? "does not support data in generic form (RFC 3597)." : null,
  ),
  lowersCase: "owners",
  granularity: "rrset",
  configFields: credentialFields({ token: "API token" }),
  addresses: ["endpoint"],
  configSchema,
  connect: (config, environment) => rrsetAccountProvider(harbourAccount(config, environment)),
};

function harbourAccount({ token, endpoint }: HarbourConfig, environment: VendorEnvironment): RrsetAccount {
  const { name: vendor } = harbour;
  const secrets = [token];
  const calls = new VendorCalls({ name: vendor, address: endpoint, environment, secrets, quotas: { address, limits } });
  const api = new JsonApi({
    calls,
    base: `${endpoint.replace(/\/+$/, "")}/v1`,
    headers: () => ({ authorization: `Bearer ${token}` }),
    credentials: "the token",
    advice: "Check the token, and that it may write DNS.",
  });

  /** Returns the pages of a list; `total` counts its entries. */
  function pages<T>(path: string, entry: z.ZodType<T>, idOf: (entry: T) => string, zone?: string) {
    const name = zone === undefined ? "The list of domains" : `The domain ${zone}`;
    const list = z.object({ entries: z.array(entry), total: z.int() });
    return readPages({ vendor, name, pageSize: perPage, idOf }, async (page) => {
      const { value } = await api.read(`${path}page=${page}&per_page=${perPage}`, list, zone);
      return { ...value, isLast: page * perPage >= value.total };
    });
  }

  async function written(answer: JsonAnswer<unknown>, zone: string): Promise<Written> {
    if (answer.ok) return { ok: true };
    if (answer.status !== 404) return { ok: false, message: answer.message };
    // The domain is missing, or the RRset is: somebody else deleted it.
    await api.read(`${pathOf(zone)}?page=1&per_page=1`, z.unknown(), zone);
    return { ok: false, message: answer.message, isStale: true };
  }

  return {
    vendor,
    async *zones() {
      const entry = z.object({ domain: z.string() });
      for await (const page of pages("/domains?", entry, ({ domain }) => domain)) {
        yield page.map(({ domain }) => domain);
      }
    },
    async createZone(zone) {
      const made = await api.send({ method: "POST", path: "/domains", body: { domain: zone } }, z.unknown());
      // 409: the account has it already.
      if (!made.ok && made.status !== 409) throw calls.failure(`did not create ${zone}: ${made.message}`, "none");
    },
    async *rrsets(zone, name) {
      const filter = name === undefined ? "" : `host=${encodeURIComponent(name)}&`;
      const path = `${pathOf(zone)}?${filter}`;
      for await (const page of pages(path, rrset, ({ host, type }) => `${host} ${type}`, zone)) {
        yield page.map(({ host, type, ttl, data }) => ({ name: host, recordType: type, ttl, values: data }));
      }
    },
    async put(zone, { name, recordType, after }) {
      const body = { host: name, type: recordType, ttl: after.ttl, data: after.values };
      return await written(await api.send({ method: "PUT", path: pathOf(zone), body }, z.unknown()), zone);
    },
    async remove(zone, { name, recordType }) {
      const path = `${pathOf(zone)}/${encodeURIComponent(name)}/${recordType}`;
      return await written(await api.send({ method: "DELETE", path }, z.unknown()), zone);
    },
    mostQueries: 5,
  };
}

function pathOf(zone: string): string {
  return `/domains/${encodeURIComponent(zone)}/rrsets`;
}
