import { z } from "zod";
import { apiAddress, credential, credentialFields } from "./config-fields.ts";
import type { LimitedRecord, ProviderKind, Unsupported } from "./provider.ts";
import type { RrsetAccount, RrsetStep, VendorRrset, Written } from "./rrset-api/account.ts";
import { rrsetAccountProvider } from "./rrset-api/provider.ts";
import { VendorCalls, type VendorEnvironment } from "./vendor-api/calls.ts";
import { unusualName } from "./vendor-api/limits.ts";
import { JsonApi, nextLink } from "./vendor-api/json-api.ts";
import { PageTurner } from "./vendor-api/pages.ts";
import { parsedJson } from "./vendor-api/text.ts";

// deSEC's API v1. Read on 2026-11-27: https://desec.readthedocs.io ("Retrieving and Creating DNS Records", "Domain Management", "Rate
// Limits"), and what the service itself checks (github.com/desec-io/desec-stack of 2026-08-18, models/records.py and dns.py). "Rate Limits" again on 2026-11-30:
// its last row, `user`.

const address = "https://desec.io";
/** All calls of an account, somewhat fewer than its 2,000, which others share. Any 24 hours count. */
const dayLimits = [{ calls: 1_900, seconds: 86_400 }];
/** Reads of an account; writes are limited for each domain. */
const readLimits = [
  { calls: 10, seconds: 1 },
  { calls: 50, seconds: 60 },
];
const writeLimits = [
  { calls: 2, seconds: 1 },
  { calls: 15, seconds: 60 },
  { calls: 100, seconds: 3_600 },
  { calls: 300, seconds: 86_400 },
];
/** The smallest TTL of a domain without an exception, in seconds. */
const usualFloorSeconds = 3_600;

const rrset = z.object({ subname: z.string(), type: z.string(), ttl: z.int(), records: z.array(z.string()) });
const domain = z.object({ name: z.string(), minimum_ttl: z.int().nullish() });

/** The types that deSEC names, without those whose content it manages. */
const recordTypes = [
  "A",
  "AAAA",
  "AFSDB",
  "APL",
  "CAA",
  "CERT",
  "CNAME",
  "DHCID",
  "DNAME",
  "DS",
  "EUI48",
  "EUI64",
  "HINFO",
  "HTTPS",
  "KX",
  "LOC",
  "MX",
  "NAPTR",
  "NS",
  "OPENPGPKEY",
  "PTR",
  "RP",
  "SMIMEA",
  "SPF",
  "SRV",
  "SSHFP",
  "SVCB",
  "TLSA",
  "TXT",
  "URI",
];

const configSchema = z.strictObject({
  token: credential("API token"),
  endpoint: apiAddress(address).default(address),
});

export type DesecConfig = z.infer<typeof configSchema>;

/** The domains of a deSEC account. */
export const desec: ProviderKind<DesecConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000010",
  kind: "desec",
  name: "deSEC",
  recordTypes,
  supportsProxied: false,
  minTtl: 1,
  maxTtl: 86_400,
  anyZoneMinTtl: usualFloorSeconds,
  unsupportedReason,
  lowersCase: "owners",
  callLimits: [...readLimits, ...dayLimits],
  granularity: "rrset",
  configFields: credentialFields({ token: "API token" }),
  addresses: ["endpoint"],
  configSchema,
  connect: (config, environment) => rrsetAccountProvider(desecAccount(config, environment)),
};

const hostTypes = new Set(["MX", "NS", "SRV"]);

function unsupportedReason({ recordType, name, value }: LimitedRecord): Unsupported | null {
  const unusual = unusualName(name);
  if (unusual) return unusual;
  if (name.length > 178)
    return { field: "name", reason: "allows names of at most 178 characters before the domain's." };
  const target = value.split(" ").at(-1) ?? "";
  if (
    hostTypes.has(recordType) &&
    target !== "." &&
    !target
      .replace(/\.$/, "")
      .split(".")
      .every((label) => /^[a-z\d](?:[a-z\d-]*[a-z\d])?$/i.test(label))
  ) {
    return {
      field: "value",
      reason: `allows only letters, digits and inner hyphens in the host of ${recordType} records.`,
    };
  }
  if (recordType === "CNAME" && !/^[\w*-]+(?:\.[\w*-]+)*\.?$/.test(value)) {
    return {
      field: "value",
      reason: "allows only letters, digits, hyphens, underscores and * in the target of a CNAME.",
    };
  }
  if (recordType !== "TXT" && value.startsWith("\\#"))
    return { field: "value", reason: "does not support data in generic form (RFC 3597)." };
  return null;
}

function desecAccount({ token, endpoint }: DesecConfig, environment: VendorEnvironment): RrsetAccount {
  const base = `${endpoint.replace(/\/+$/, "").replace(/\/api\/v1$/, "")}/api/v1`;
  const apiOf = (limits: typeof readLimits, account: string) =>
    new JsonApi({
      calls: new VendorCalls({
        name: desec.name,
        address: endpoint,
        environment,
        secrets: [token],
        account,
        quotas: { address, limits },
        also: [{ by: "day", account: token, limits: dayLimits }],
      }),
      base,
      headers: () => ({ authorization: `Token ${token}` }),
      credentials: "the token",
      advice: "Check the token, and that its policies allow to write these RRsets.",
      // 403 is also the answer to more domains than the account may have.
      isForbidden: ({ status, text }) => status === 401 || (status === 403 && !/limit exceeded/i.test(text)),
      messageOf: messageIn,
    });
  const api = apiOf(readLimits, token);

  async function* pages<T>(path: string, schema: z.ZodType<T>, zone?: string): AsyncGenerator<T> {
    const turner = new PageTurner(desec.name);
    // Without a cursor, a list of more than one page is refused.
    for (let query = `${path.includes("?") ? "&" : "?"}cursor=`; ;) {
      const page: { value: T; headers: Headers } = await api.read(`${path}${query}`, schema, zone);
      yield page.value;
      const cursor = URL.parse(nextLink(page.headers) ?? "")?.searchParams.get("cursor");
      if (cursor === null || cursor === undefined) return;
      query = `${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}`;
      turner.turn(cursor);
    }
  }

  return {
    vendor: desec.name,
    async *zones() {
      for await (const page of pages("/domains/", z.array(domain))) yield page.map(({ name }) => name);
    },
    async createZone(zone) {
      const known = await api.send({ method: "GET", path: pathOf(zone) }, domain);
      if (known.ok) return;
      const made = await api.send({ method: "POST", path: "/domains/", body: { name: zone } }, domain);
      if (!made.ok) throw api.calls.failure(`did not create the domain ${zone}: ${made.message}`, "none");
    },
    async *rrsets(zone, name) {
      const filter = name === undefined ? "" : `?subname=${encodeURIComponent(name === "@" ? "" : name)}`;
      for await (const page of pages(`${pathOf(zone)}rrsets/${filter}`, z.array(rrset), zone))
        yield page.map(readRrset);
    },
    async apply(zone, steps) {
      const body = steps.map(({ name, recordType, before, after }) => ({
        subname: name === "@" ? "" : name,
        type: recordType,
        ttl: (after ?? before)?.ttl,
        records: after?.values ?? [],
      }));
      const writing = apiOf(writeLimits, `${token} ${zone}`);
      const answer = await writing.send({ method: "PUT", path: `${pathOf(zone)}rrsets/`, body }, z.unknown());
      if (answer.ok) return { ok: true };
      if (answer.status === 404) throw api.noZone(zone);
      return refused(steps, answer, (said) => api.calls.plain(said));
    },
    // The size of a request is not documented.
    callLimits: {
      sizesOf: ({ after }) => [1, JSON.stringify(after?.values ?? []).length],
      most: [1_000, 500_000],
      words: "500,000 characters",
    },
    mostQueries: 1,
    ttlFloor: {
      setBy: "the domain",
      highestSeconds: usualFloorSeconds,
      async ofZone(zone) {
        const { value } = await api.read(pathOf(zone), domain, zone);
        return value.minimum_ttl ?? usualFloorSeconds;
      },
    },
  };
}

function pathOf(zone: string): string {
  return `/domains/${encodeURIComponent(zone)}/`;
}

function readRrset({ subname, type, ttl, records }: z.infer<typeof rrset>): VendorRrset {
  return { name: subname === "" ? "@" : subname, recordType: type, ttl, values: records };
}

/** Returns the refusal of a bulk request: a list with an entry for each part, empty for those without a fault. */
function refused(
  steps: readonly RrsetStep[],
  { text, message }: { text: string; message: string },
  plain: (said: string) => string,
): Written {
  const parsed = z.array(z.unknown()).safeParse(parsedJson(text));
  const entries = parsed.success && parsed.data.length === steps.length ? parsed.data : [];
  const faults = steps.flatMap((step, index): [RrsetStep, string][] => {
    const said = plain(sentencesIn(entries[index]).join(" "));
    return said === "" ? [] : [[step, said]];
  });
  return { ok: false, message, faults: new Map(faults) };
}

/** Returns all texts in an error body, whose fields are named for what they refuse. */
function sentencesIn(body: unknown): string[] {
  if (typeof body === "string") return [body];
  return typeof body === "object" && body !== null ? Object.values(body).flatMap(sentencesIn) : [];
}

function messageIn(text: string): string {
  const body = parsedJson(text);
  return body === null ? text : [...new Set(sentencesIn(body))].join(" ");
}
