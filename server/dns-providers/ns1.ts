import { z } from "zod";
import { joinOctets, parseGeneric } from "../dns/values/character-strings.ts";
import { maxTtl } from "../dns/record.ts";
import { rdataFields } from "../dns/zone-file/record-data.ts";
import { apiAddress, credential, credentialFields } from "./config-fields.ts";
import type { LimitedRecord, ProviderKind, Unsupported } from "./provider.ts";
import type { RrsetAccount, RrsetContent, VendorRrset, Written } from "./rrset-api/account.ts";
import { rrsetAccountProvider } from "./rrset-api/provider.ts";
import { absoluteHost, quotedText } from "./single-record-api/rest-account.ts";
import { VendorCalls, type VendorEnvironment } from "./vendor-api/calls.ts";
import { JsonApi, nextLink, type JsonAnswer } from "./vendor-api/json-api.ts";
import { PageTurner } from "./vendor-api/pages.ts";
import { maybe } from "./vendor-api/text.ts";

// NS1's API v1, by its public clients. Read on 2026-11-27: DNSControl's ns1 of 2026-05-31 (types, a TXT as one text without quotes, a CAA without
// quotes, no empty TXT, records that are not DNS), lego's ns1 of 2026-07-21, NS1's own ns1-go (PUT creates, POST updates; pages by a Link header;
// messages for what is missing), and octodns-ns1 (hosts without a trailing dot; `tier` above 1 is a record with a filter chain). Read on 2026-11-30: "API rate
// limiting" of NS1's documentation. The range of TTLs was not read in the vendor's own reference (ns1.com/api).

const address = "https://api.nsone.net";

const recordTypes = ["A", "AAAA", "ALIAS", "CAA", "CNAME", "DNAME", "DS", "MX", "NS", "PTR", "SRV", "TLSA", "TXT"];
/** Types whose data ends with a host. */
const hostTypes = new Set(["ALIAS", "CNAME", "DNAME", "MX", "NS", "PTR", "SRV"]);
/** What NS1 lists beside the records of a zone: its own keys and signatures, and redirects of web pages. */
const notRecords = new Set(["DNSKEY", "NSEC", "NSEC3", "NSEC3PARAM", "REDIRECT", "RRSIG", "URLFWD"]);

const zoneEntry = z.object({
  zone: z.string(),
  link: maybe(z.string()),
  secondary: maybe(z.object({ enabled: maybe(z.boolean()) })),
});
const listed = z.object({
  domain: z.string(),
  type: z.string(),
  ttl: maybe(z.int()),
  link: maybe(z.string()),
  /** A number, or its digits. */
  tier: maybe(z.coerce.number()),
  short_answers: maybe(z.array(z.string())),
});
const zoneShown = z.object({ ttl: maybe(z.int()), records: maybe(z.array(listed)) });

const configSchema = z.strictObject({
  apiKey: credential("API key"),
  endpoint: apiAddress(address).default(address),
});

export type Ns1Config = z.infer<typeof configSchema>;

/** The zones of an NS1 account. */
export const ns1: ProviderKind<Ns1Config> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000013",
  kind: "ns1",
  name: "NS1",
  recordTypes,
  supportsProxied: false,
  minTtl: 1,
  maxTtl,
  cutsTexts: true,
  unsupportedReason,
  lowersCase: "owners",
  granularity: "rrset",
  configFields: credentialFields({ apiKey: "API key" }),
  addresses: ["endpoint"],
  configSchema,
  connect: (config, environment) => rrsetAccountProvider(ns1Account(config, environment)),
};

function unsupportedReason({ recordType, value }: LimitedRecord): Unsupported | null {
  if (parseGeneric(value)) return { field: "value", reason: "does not support data in generic form (RFC 3597)." };
  return recordType === "TXT" && value === "" ? { field: "value", reason: "does not allow an empty TXT value." } : null;
}

function ns1Account({ apiKey, endpoint }: Ns1Config, environment: VendorEnvironment): RrsetAccount {
  const calls = new VendorCalls({
    name: ns1.name,
    address: endpoint,
    environment,
    secrets: [apiKey],
    // Its answers state the period.
    refillSeconds: 300,
  });
  const base = `${endpoint.replace(/\/+$/, "").replace(/\/v1$/, "")}/v1`;
  const api = new JsonApi({
    calls,
    base,
    headers: () => ({ "x-nsone-key": apiKey }),
    credentials: "the API key",
    advice:
      "Check the key, its right to manage zones, the zones it is limited to, and the addresses it may be used from.",
  });

  async function* pages<T>(path: string, schema: z.ZodType<T>, zone?: string): AsyncGenerator<T> {
    const turner = new PageTurner(ns1.name);
    for (let query = ""; ;) {
      const page: { value: T; headers: Headers } = await api.read(`${path}${query}`, schema, zone);
      yield page.value;
      // Only the query: the link may name another scheme or host, which must not get the key.
      const next = URL.parse(nextLink(page.headers) ?? "", base)?.search ?? "";
      if (next === "") return;
      turner.turn(next);
      query = next;
    }
  }

  async function written(answer: JsonAnswer<unknown>, zone: string): Promise<Written> {
    if (answer.ok) return { ok: true };
    if (answer.status === 404) await api.read(`${pathOf(zone)}?records=false`, z.unknown(), zone);
    return { ok: false, message: answer.message, isStale: answer.status === 404 };
  }

  return {
    vendor: ns1.name,
    async *zones() {
      for await (const page of pages("/zones", z.array(zoneEntry))) {
        yield page
          .filter(({ link, secondary }) => link === undefined && secondary?.enabled !== true)
          .map(({ zone }) => zone);
      }
    },
    async createZone(zone) {
      const known = await api.send({ method: "GET", path: `${pathOf(zone)}?records=false` }, z.unknown());
      if (known.ok) return;
      const made = await api.send({ method: "PUT", path: pathOf(zone), body: { zone } }, z.unknown());
      if (!made.ok) throw calls.failure(`did not create the zone ${zone}: ${made.message}`, "none");
    },
    async *rrsets(zone) {
      for await (const { ttl, records = [] } of pages(pathOf(zone), zoneShown, zone)) {
        yield records.filter(({ type }) => !notRecords.has(type)).map((one) => readRrset(one, ttl ?? usualTtl));
      }
    },
    async put(zone, { name, recordType, before, after }) {
      const domain = domainOf(zone, name);
      const body = { zone, domain, type: recordType, ttl: after.ttl, answers: answersOf(recordType, after) };
      const path = pathOf(zone, domain, recordType);
      const call = before
        ? { method: "POST" as const, path, body }
        : { method: "PUT" as const, path, body: { ...body, filters: [] } };
      return await written(await api.send(call, z.looseObject({ domain: z.string() })), zone);
    },
    async remove(zone, { name, recordType }) {
      const path = pathOf(zone, domainOf(zone, name), recordType);
      return await written(await api.send({ method: "DELETE", path }, z.unknown()), zone);
    },
    // A query is for one name and one type, so the zone is read whole.
    mostQueries: 0,
    marksReadOnly: true,
  };
}

/** The TTL of records and zones that do not say theirs. */
const usualTtl = 3_600;

function pathOf(...parts: string[]): string {
  return `/zones/${parts.map(encodeURIComponent).join("/")}`;
}

function domainOf(zone: string, name: string): string {
  return name === "@" ? zone : `${name}.${zone}`;
}

function readRrset(
  { domain, type, ttl, link, tier, short_answers = [] }: z.infer<typeof listed>,
  zoneTtl: number,
): VendorRrset {
  return {
    name: `${domain}.`,
    recordType: type,
    ttl: ttl ?? zoneTtl,
    values: short_answers.map((answer) => printed(type, answer)),
    readOnly:
      link !== undefined || (tier ?? 1) > 1
        ? "steers these records by a filter chain or a link; change them there."
        : undefined,
  };
}

/** Returns an answer in master-file form. */
function printed(type: string, answer: string): string {
  if (type === "TXT") return quotedText(answer);
  const fields = answer.split(" ");
  if (type === "CAA") return [...fields.slice(0, 2), quotedText(fields.slice(2).join(" "))].join(" ");
  return hostTypes.has(type) ? [...fields.slice(0, -1), absoluteHost(fields.at(-1) ?? "")].join(" ") : answer;
}

/** Returns values as NS1 takes them: the fields of each, unquoted; a TXT as one field. */
function answersOf(recordType: string, { values }: RrsetContent): { answer: string[] }[] {
  return values.map((value) => {
    const raws = (rdataFields(recordType, value) ?? []).map(({ raw }) => raw);
    // A string may end within a character, so a text is joined before it is decoded.
    if (recordType === "TXT") return { answer: [unescaped(raws)] };
    return { answer: recordType === "CAA" ? [...raws.slice(0, 2), unescaped(raws.slice(2))] : raws };
  });
}

function unescaped(raws: readonly string[]): string {
  return joinOctets(raws)?.toString("utf8") ?? raws.join("");
}
