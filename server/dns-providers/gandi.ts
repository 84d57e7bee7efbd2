import { z } from "zod";
import { isApexNs } from "../dns/record.ts";
import { apiAddress, credential, credentialFields } from "./config-fields.ts";
import type { LimitedRecord, ProviderKind } from "./provider.ts";
import { apexAliasOnly } from "./vendor-api/limits.ts";
import type { RrsetAccount, VendorRrset, Written } from "./rrset-api/account.ts";
import { rrsetAccountProvider } from "./rrset-api/provider.ts";
import { VendorCalls, type VendorEnvironment } from "./vendor-api/calls.ts";
import { JsonApi, type JsonAnswer } from "./vendor-api/json-api.ts";
import { readPages } from "./vendor-api/pages.ts";
import { maybe } from "./vendor-api/text.ts";

// Gandi's LiveDNS API v5, by its public clients. Read on 2026-11-27: lego's gandiv5 (a name without records answers 404) and DNSControl's gandiv5
// of 2026-05-31 (the TTLs, ALIAS at the apex only, fixed name servers). Paging, the body of a new zone and the types were not read in the vendor's
// own reference (api.gandi.net/docs/livedns). DNSSEC, read on 2026-11-29: a copy of that reference's "DNSSEC keys" (a list shows DS records, not keys; a deleted
// key is listed as such), and go-gandi's livedns/keys.go (one key of flags 257 signs a domain). Not tried with an account.

const address = "https://api.gandi.net";
/** Below 1,000 a minute, which all callers behind one address share. */
const limits = [{ calls: 900, seconds: 60 }];
const perPage = 100;

const rrset = z.object({
  rrset_name: z.string(),
  rrset_type: z.string(),
  rrset_ttl: z.int(),
  rrset_values: z.array(z.string()),
});
const signingKey = z.object({ id: z.string(), flags: z.int(), ds: z.string(), deleted: maybe(z.boolean()) });
type SigningKey = z.infer<typeof signingKey>;
const keySigning = 257;

const recordTypes = [
  "A",
  "AAAA",
  "ALIAS",
  "CAA",
  "CDS",
  "CNAME",
  "DNAME",
  "DS",
  "LOC",
  "MX",
  "NAPTR",
  "NS",
  "OPENPGPKEY",
  "PTR",
  "RP",
  "SPF",
  "SRV",
  "SSHFP",
  "TLSA",
  "TXT",
];

const configSchema = z.strictObject({
  token: credential("personal access token", 16, 500),
  endpoint: apiAddress(address).default(address),
});

export type GandiConfig = z.infer<typeof configSchema>;

/** The domains of a Gandi account at LiveDNS. */
export const gandi: ProviderKind<GandiConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000011",
  kind: "gandi",
  name: "Gandi",
  recordTypes,
  supportsProxied: false,
  minTtl: 300,
  maxTtl: 2_592_000,
  turnsSigning: true,
  unsupportedReason: apexAliasOnly,
  readOnlyReason,
  lowersCase: "owners",
  callLimits: limits,
  granularity: "rrset",
  configFields: credentialFields({ token: "personal access token" }),
  addresses: ["endpoint"],
  configSchema,
  connect: (config, environment) => rrsetAccountProvider(gandiAccount(config, environment)),
};

function readOnlyReason(record: LimitedRecord): string | null {
  return isApexNs(record) ? "manages the name servers at the apex of a domain." : null;
}

function gandiAccount({ token, endpoint }: GandiConfig, environment: VendorEnvironment): RrsetAccount {
  const calls = new VendorCalls({
    name: gandi.name,
    address: endpoint,
    environment,
    secrets: [token],
    quotas: { address, limits },
  });
  const api = new JsonApi({
    calls,
    base: `${endpoint.replace(/\/+$/, "")}/v5/livedns`,
    headers: () => ({ authorization: `Bearer ${token}` }),
    credentials: "the token",
    advice: "Check the token, its expiry, and its right to manage domain name technical configurations.",
  });

  function pages<T>(path: string, schema: z.ZodType<T>, idOf: (entry: T) => string, zone?: string) {
    const name = zone === undefined ? "The list of domains" : `The domain ${zone}`;
    return readPages({ vendor: gandi.name, name, pageSize: perPage, idOf }, async (page) => {
      const { value, headers } = await api.read(`${path}?page=${page}&per_page=${perPage}`, z.array(schema), zone);
      const total = headers.get("total-count");
      return {
        entries: value,
        total: total === null ? null : Number(total),
        isLast: total === null ? value.length < perPage : page * perPage >= Number(total),
      };
    });
  }

  async function written(answer: JsonAnswer<unknown>, zone: string): Promise<Written> {
    if (answer.ok) return { ok: true };
    if (answer.status === 404) await api.read(`/domains/${encodeURIComponent(zone)}`, z.unknown(), zone);
    return { ok: false, message: answer.message };
  }

  /** Returns the keys of a domain that were not deleted. */
  async function keysOf(zone: string): Promise<SigningKey[]> {
    return (await api.read(keysPath(zone), z.array(signingKey), zone)).value.filter(({ deleted }) => deleted !== true);
  }

  async function setSigning(zone: string, enabled: boolean): Promise<void> {
    const path = keysPath(zone);
    const refused = (message: string, effect: "none" | "unknown") =>
      calls.failure(`did not turn DNSSEC ${enabled ? "on" : "off"} for ${zone}: ${message}`, effect);
    if (enabled) {
      const answer = await api.send({ method: "POST", path, body: { flags: keySigning } }, z.unknown());
      if (answer.ok) return;
      throw answer.status === 404 ? api.noZone(zone) : refused(answer.message, "none");
    }
    for (const [index, { id }] of (await keysOf(zone)).entries()) {
      const answer = await api.send({ method: "DELETE", path: `${path}/${encodeURIComponent(id)}` }, z.unknown());
      if (!answer.ok && answer.status !== 404) throw refused(answer.message, index > 0 ? "unknown" : "none");
    }
  }

  return {
    vendor: gandi.name,
    signing: {
      set: setSigning,
      async keys(zone) {
        const keys = await keysOf(zone);
        const marked = keys.filter(({ flags }) => flags === keySigning);
        return (marked.length > 0 ? marked : keys).map(({ ds }) => ds.replace(/^.*\sDS\s+/i, ""));
      },
    },
    async *zones() {
      for await (const page of pages("/domains", z.object({ fqdn: z.string() }), ({ fqdn }) => fqdn)) {
        yield page.map(({ fqdn }) => fqdn);
      }
    },
    async createZone(zone) {
      const known = await api.send({ method: "GET", path: `/domains/${encodeURIComponent(zone)}` }, z.unknown());
      if (known.ok) return;
      const made = await api.send({ method: "POST", path: "/domains", body: { fqdn: zone, zone: {} } }, z.unknown());
      if (!made.ok) throw calls.failure(`did not create the domain ${zone}: ${made.message}`, "none");
    },
    async *rrsets(zone, name) {
      const path = `/domains/${encodeURIComponent(zone)}/records`;
      if (name === undefined) {
        const idOf = (one: z.infer<typeof rrset>) => `${one.rrset_name} ${one.rrset_type}`;
        for await (const page of pages(path, rrset, idOf, zone)) yield page.map(readRrset);
        return;
      }
      const found = await api.send({ method: "GET", path: `${path}/${encodeURIComponent(name)}` }, z.array(rrset));
      if (found.ok) yield found.value.map(readRrset);
      else await written(found, zone);
    },
    async put(zone, { name, recordType, after }) {
      const body = { rrset_ttl: after.ttl, rrset_values: after.values };
      return await written(
        await api.send({ method: "PUT", path: pathOf(zone, name, recordType), body }, z.unknown()),
        zone,
      );
    },
    async remove(zone, { name, recordType }) {
      return await written(
        await api.send({ method: "DELETE", path: pathOf(zone, name, recordType) }, z.unknown()),
        zone,
      );
    },
    mostQueries: 2,
    readOnlyReason,
  };
}

function keysPath(zone: string): string {
  return `/domains/${encodeURIComponent(zone)}/keys`;
}

function pathOf(zone: string, name: string, recordType: string): string {
  return `/domains/${encodeURIComponent(zone)}/records/${encodeURIComponent(name)}/${recordType}`;
}

function readRrset(one: z.infer<typeof rrset>): VendorRrset {
  return { name: one.rrset_name, recordType: one.rrset_type, ttl: one.rrset_ttl, values: one.rrset_values };
}
