import { z } from "zod";
import { nameOf, valueOf, type RecordData, maxTtl } from "../dns/record.ts";
import { parseGeneric } from "../dns/values/character-strings.ts";
import { apiAddress, credential, credentialFields } from "./config-fields.ts";
import type { LimitedRecord, ProviderKind } from "./provider.ts";
import { recordAccountProvider, type RecordAccount } from "./single-record-api/provider.ts";
import type { StoredRecord } from "./single-record-api/record-calls.ts";
import {
  absoluteHost,
  cursorPages,
  printedFields,
  printedRecord,
  quotedText,
  restRecords,
} from "./single-record-api/rest-account.ts";
import { VendorCalls, type VendorEnvironment } from "./vendor-api/calls.ts";
import { spacedCaa, plainNamesOnly } from "./vendor-api/limits.ts";
import { JsonApi } from "./vendor-api/json-api.ts";
import { maybe } from "./vendor-api/text.ts";

// Vultr's API v2. Read on 2026-11-27: the pages of its command line at docs.vultr.com (of 2025-11-07), and what others found with real accounts
// (DNSControl's VULTR provider of 2025-02: quotes around a TXT and none within, hosts in Unicode, no null MX, no spaces in a CAA).
// Paging and the quota were not read in the vendor's own reference.

const address = "https://api.vultr.com";
/** Slightly below 30 calls a second from one address. */
const limits = [{ calls: 25, seconds: 1 }];
const onPage = 500;

const recordTypes = ["A", "AAAA", "CAA", "CNAME", "MX", "NS", "SRV", "SSHFP", "TXT"];

const vultrRecord = z.object({
  id: z.string(),
  type: z.string(),
  name: z.string(),
  data: z.string(),
  priority: z.int().nullish(),
  ttl: z.int().nullish(),
});
type VultrRecord = z.infer<typeof vultrRecord>;
const domain = z.object({ domain: z.string() });
const meta = maybe(z.object({ links: maybe(z.object({ next: maybe(z.string()) })) }));
const domainPage = z.object({ domains: z.array(domain), meta });
const recordPage = z.object({ records: z.array(vultrRecord), meta });
const cursorOf = (page: { meta?: z.infer<typeof meta> }) => page.meta?.links?.next;

const configSchema = z.strictObject({
  apiKey: credential("API key"),
  endpoint: apiAddress(address).default(address),
});

export type VultrConfig = z.infer<typeof configSchema>;

/** The DNS domains of a Vultr account. */
export const vultr: ProviderKind<VultrConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000031",
  kind: "vultr",
  name: "Vultr",
  recordTypes,
  supportsProxied: false,
  minTtl: 1,
  maxTtl,
  cutsTexts: true,
  unsupportedReason: plainNamesOnly(valueReason),
  lowersCase: "owners",
  callLimits: limits,
  granularity: "record",
  configFields: credentialFields({ apiKey: "API key" }),
  addresses: ["endpoint"],
  configSchema,
  connect: (config, environment) => recordAccountProvider(vultrAccount(config, environment)),
};

function valueReason({ recordType, value }: LimitedRecord): string | null {
  if (parseGeneric(value)) return "does not support data in generic form (RFC 3597).";
  if (recordType === "MX" && value.endsWith(" .")) return "does not support null MX records (RFC 7505).";
  if (recordType === "TXT") {
    if (value === "") return "does not allow an empty TXT value.";
    return /["\\]/.test(value) ? "does not allow quotes or backslashes in a TXT value; leave them out." : null;
  }
  return recordType === "CAA" ? spacedCaa(value) : null;
}

function vultrAccount({ apiKey, endpoint }: VultrConfig, environment: VendorEnvironment): RecordAccount {
  const calls = new VendorCalls({
    name: vultr.name,
    address: endpoint,
    environment,
    secrets: [apiKey],
    quotas: { address, limits },
  });
  const api = new JsonApi({
    calls,
    base: `${endpoint.replace(/\/+$/, "").replace(/\/v2$/, "")}/v2`,
    headers: () => ({ authorization: `Bearer ${apiKey}` }),
    credentials: "the API key",
    advice: "Check the key, that its user may manage DNS, and that its access control allows this machine's address.",
  });
  return {
    vendor: vultr.name,
    async *zones() {
      for await (const page of cursorPages(api, `/domains?per_page=${onPage}`, domainPage, { cursorOf })) {
        yield page.domains.map(({ domain: name }) => name);
      }
    },
    async createZone(zone) {
      const known = await api.send({ method: "GET", path: pathOf(zone) }, z.object({ domain }));
      if (known.ok) return;
      // Without an address the domain has its name servers only.
      const made = await api.send({ method: "POST", path: "/domains", body: { domain: zone } }, z.object({ domain }));
      if (!made.ok) throw calls.failure(`did not create the domain ${zone}: ${made.message}`, "none");
    },
    async *records(zone) {
      const path = `${pathOf(zone)}/records?per_page=${onPage}`;
      for await (const page of cursorPages(api, path, recordPage, { cursorOf, zone })) {
        yield page.records.filter(({ type }) => type !== "SOA").map((record) => readRecord(zone, record));
      }
    },
    ...restRecords(api, {
      path: (zone) => `${pathOf(zone)}/records`,
      body: writeRecord,
      made: z.object({ record: vultrRecord }).transform(({ record: { id } }) => ({ id })),
      updates: "PATCH",
      done: z.null(),
    }),
    mostQueries: 0,
  };
}

function pathOf(zone: string): string {
  return `/domains/${encodeURIComponent(zone)}`;
}

function readRecord(zone: string, record: VultrRecord): StoredRecord {
  const { id, type: recordType, name, ttl } = record;
  return { id, data: printedRecord(zone, { owner: name, recordType, rdata: rdataOf(record), ttl: ttl ?? 0 }) };
}

/** Returns a record's data in master-file form. */
function rdataOf({ type, data, priority }: VultrRecord): string {
  const withHost = () => {
    const fields = data.split(" ");
    return [...fields.slice(0, -1), absoluteHost(fields.at(-1) ?? "")].join(" ");
  };
  switch (type) {
    case "CNAME":
    case "NS":
      return withHost();
    case "MX":
    case "SRV":
      return `${priority ?? 0} ${withHost()}`;
    case "TXT":
      return quotedText(data.replace(/^"([^]*)"$/, "$1"));
    default:
      return data;
  }
}

function writeRecord(record: RecordData): object {
  const { recordType: type, ttl, name } = record;
  const shared = { name: name === "@" ? "" : nameOf(record), type, ttl };
  const fields = printedFields(record);
  if (type === "TXT") return { ...shared, data: `"${valueOf(record)}"` };
  if (type !== "MX" && type !== "SRV") return { ...shared, data: fields.join(" ") };
  return { ...shared, priority: Number(fields[0]), data: fields.slice(1).join(" ") };
}
