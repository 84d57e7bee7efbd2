import { z } from "zod";
import { nameOf, valueOf, type RecordData } from "../dns/record.ts";
import { parseGeneric } from "../dns/values/character-strings.ts";
import { apiAddress, credential, credentialFields } from "./config-fields.ts";
import type { LimitedRecord, ProviderKind, Unsupported } from "./provider.ts";
import { recordAccountProvider, type RecordAccount } from "./single-record-api/provider.ts";
import type { StoredRecord } from "./single-record-api/record-calls.ts";
import {
  absoluteHost,
  printedFields,
  printedRecord,
  quotedText,
  restRecords,
} from "./single-record-api/rest-account.ts";
import { VendorCalls, type VendorEnvironment } from "./vendor-api/calls.ts";
import { unusualName } from "./vendor-api/limits.ts";
import { JsonApi } from "./vendor-api/json-api.ts";
import { readPages } from "./vendor-api/pages.ts";

// Linode's API v4. Read on 2026-11-27: excerpts of techdocs.akamai.com/linode-api ("Create a domain record", "Rate limits" of 2026-09-15), and
// what others found with real accounts (DNSControl's LINODE provider of 2025-02: flags of CAA, TTLs that a creation drops, null MX). Read on 2026-11-30: "Get a
// domain" and Linode's own Terraform provider (domain_record: the TTLs). The filter by name and the quoting of TXT were not read in the vendor's own reference.

const address = "https://api.linode.com";
/** Slightly below 200 pages of lists a minute, because other users of the account share these. Other calls may be more. */
const limits = [{ calls: 190, seconds: 60 }];
const onPage = 500;
/** Others are rounded. */
const ttls = [
  30, 120, 300, 3_600, 7_200, 14_400, 28_800, 57_600, 86_400, 172_800, 345_600, 604_800, 1_209_600, 2_419_200,
] as const;
/** The TTL of a domain without one of its own, which its records have if they have none either. */
const defaultTtl = 86_400;
const longestName = 100;

const recordTypes = ["A", "AAAA", "CAA", "CNAME", "MX", "NS", "PTR", "SRV", "TXT"];

const number = z.int().nullish();
const linodeRecord = z.object({
  id: z.int(),
  type: z.string(),
  name: z.string().nullish(),
  target: z.string().nullish(),
  priority: number,
  weight: number,
  port: number,
  ttl_sec: number,
  tag: z.string().nullish(),
});
type LinodeRecord = z.infer<typeof linodeRecord>;
const domain = z.object({ id: z.int(), domain: z.string(), type: z.string().nullish(), ttl_sec: number });
const pageOf = <T>(entry: z.ZodType<T>) => z.object({ data: z.array(entry), pages: z.int(), results: z.int() });

const configSchema = z.strictObject({
  token: credential("personal access token"),
  endpoint: apiAddress(address).default(address),
});

export type LinodeConfig = z.infer<typeof configSchema>;

/** The domains of a Linode (Akamai Cloud) account. */
export const linode: ProviderKind<LinodeConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000030",
  kind: "linode",
  name: "Linode",
  recordTypes,
  supportsProxied: false,
  minTtl: ttls[0],
  maxTtl: ttls[13],
  ttls,
  cutsTexts: true,
  unsupportedReason,
  lowersCase: "owners",
  callLimits: limits,
  granularity: "record",
  configFields: credentialFields({ token: "personal access token" }),
  addresses: ["endpoint"],
  configSchema,
  connect: (config, environment) => recordAccountProvider(linodeAccount(config, environment)),
};

function unsupportedReason(record: LimitedRecord): Unsupported | null {
  const { recordType, name, ttl } = record;
  if (!(ttls as readonly number[]).includes(ttl)) {
    return { field: "ttl", reason: `allows only these TTLs: ${ttls.join(", ")}.` };
  }
  if (name.length > longestName) {
    return { field: "name", reason: `allows names of at most ${longestName} characters before the domain's.` };
  }
  const unusual = unusualName(name);
  if (unusual) return unusual;
  if (recordType === "NS" && name.startsWith("*")) {
    return { field: "name", reason: "does not allow wildcard names for NS records." };
  }
  if (recordType === "SRV" && !/^_[^.]+\._[^.]+$/.test(name)) {
    return {
      field: "name",
      reason: "allows SRV records only at _service._protocol of the domain itself, such as _sip._tcp.",
    };
  }
  const reason = valueReason(record);
  return reason === null ? null : { field: "value", reason };
}

function valueReason({ recordType, name, value }: LimitedRecord): string | null {
  if (parseGeneric(value)) return "does not support data in generic form (RFC 3597).";
  if (recordType === "MX") {
    if (value.endsWith(" .") && name !== "@") return "allows a null MX (RFC 7505) only for the domain itself.";
    return Number(value.split(" ")[0]) > 255 ? "allows MX priorities from 0 to 255." : null;
  }
  if (recordType === "SRV") {
    if (value.endsWith(" .")) return 'does not support SRV records with the target ".".';
    return Number(value.split(" ")[0]) > 255 ? "allows SRV priorities from 0 to 255." : null;
  }
  if (recordType === "TXT" && value === "") return "does not allow an empty TXT value.";
  if (recordType !== "CAA") return null;
  const [flags, tag = "", ...rest] = value.split(" ");
  if (flags !== "0") return "does not store the flags of a CAA record; only 0 works.";
  if (!["issue", "issuewild", "iodef"].includes(tag)) return "supports only the CAA tags issue, issuewild and iodef.";
  return rest.length === 1 && /^[^"\\;]+$/.test(rest[0] ?? "")
    ? null
    : 'does not allow spaces, quotes, backslashes or ";" in a CAA value, nor an empty one.';
}

function linodeAccount({ token, endpoint }: LinodeConfig, environment: VendorEnvironment): RecordAccount {
  const calls = new VendorCalls({
    name: linode.name,
    address: endpoint,
    environment,
    secrets: [token],
    quotas: { address, limits },
  });
  const api = new JsonApi({
    calls,
    base: `${endpoint.replace(/\/+$/, "").replace(/\/v4$/, "")}/v4`,
    headers: () => ({ authorization: `Bearer ${token}` }),
    credentials: "the token",
    advice: "Check the token, its expiry, and that it has the scope Domains: Read/Write.",
  });
  const ids = new Map<string, number>();
  /** The TTLs of domains, as last read. */
  const domainTtls = new Map<string, number>();
  /** The TTLs of records that have none of their own, by id: those of their domains. They keep none unless they get another one. */
  const untimed = new Map<string, number>();

  /** Returns the id of a domain. @throws ProviderError with `zoneMissing` */
  async function idOf(zone: string): Promise<number> {
    const known = ids.get(zone);
    if (known !== undefined) return known;
    const headers = { "x-filter": JSON.stringify({ domain: zone }) };
    const answer = await api.send({ method: "GET", path: "/domains?page_size=100", headers }, pageOf(domain));
    if (!answer.ok) throw calls.error(answer.message, "none");
    const found = answer.value.data.find((one) => one.domain.toLowerCase() === zone);
    if (!found) throw api.noZone(zone);
    ids.set(zone, found.id);
    domainTtls.set(zone, found.ttl_sec || defaultTtl);
    return found.id;
  }

  /** Reads the TTL that a domain's records have without one of their own. @throws ProviderError with `zoneMissing` */
  async function readDomainTtl(zone: string): Promise<number> {
    const { value } = await api.read(`/domains/${await idOf(zone)}`, domain, zone);
    const ttl = value.ttl_sec || defaultTtl;
    domainTtls.set(zone, ttl);
    return ttl;
  }

  function pages<T extends { id: number }>(path: string, entry: z.ZodType<T>, list: { name: string; zone?: string }) {
    const { name, zone } = list;
    const idOfEntry = ({ id }: T) => id;
    return readPages({ vendor: linode.name, name, pageSize: onPage, idOf: idOfEntry }, async (page) => {
      const { value } = await api.read(`${path}?page=${page}&page_size=${onPage}`, pageOf(entry), zone);
      return { entries: value.data, total: value.results, isLast: page >= value.pages };
    });
  }

  return {
    vendor: linode.name,
    async *zones() {
      for await (const page of pages("/domains", domain, { name: "The list of domains" })) {
        yield page.map(({ domain: name, type }) =>
          type === "slave" ? { name, reason: "Linode copies this zone from another server. Manage it there." } : name,
        );
      }
    },
    async createZone(zone) {
      const body = { domain: zone, type: "master", soa_email: `hostmaster@${zone}` };
      const made = await api.send({ method: "POST", path: "/domains", body }, domain);
      if (made.ok) return;
      // It may be in this account already, or in another one.
      const isOurs = await idOf(zone).then(
        () => true,
        () => false,
      );
      if (!isOurs) throw calls.failure(`did not create the domain ${zone}: ${made.message}`, "none");
    },
    async *records(zone) {
      let domainTtl: number | undefined;
      const path = `/domains/${await idOf(zone)}/records`;
      try {
        for await (const page of pages(path, linodeRecord, { name: `The domain ${zone}`, zone })) {
          if (page.some(({ ttl_sec: ttl }) => !ttl)) domainTtl ??= await readDomainTtl(zone);
          for (const { id, ttl_sec: ttl } of page) {
            if (ttl) untimed.delete(String(id));
            else untimed.set(String(id), domainTtl ?? defaultTtl);
          }
          yield page.map((record) => readRecord(zone, record, record.ttl_sec || (domainTtl ?? defaultTtl)));
        }
      } catch (error) {
        // A domain that was deleted and created again has another id.
        ids.delete(zone);
        throw error;
      }
    },
    ...restRecords(api, {
      path: async (zone) => `/domains/${await idOf(zone)}/records`,
      body: writeRecord,
      updateBody: (record, id) => ({
        ...writeRecord(record),
        ...(untimed.get(id) === record.ttl && { ttl_sec: 0 }),
      }),
      made: linodeRecord.transform(({ id }) => ({ id: String(id) })),
      updates: "PUT",
      done: z.looseObject({}),
    }),
    async createdTtl(zone) {
      await idOf(zone);
      return domainTtls.get(zone) ?? defaultTtl;
    },
    mostQueries: 0,
    concurrency: 1,
  };
}

function readRecord(zone: string, record: LinodeRecord, ttl: number): StoredRecord {
  const { id, type: recordType, name } = record;
  const data = { owner: name ?? "", recordType, rdata: rdataOf(record), ttl };
  return { id: String(id), data: printedRecord(zone, data) };
}

/** Returns a record's data in master-file form. A null MX has an empty target. */
function rdataOf({ type, target, priority, weight, port, tag }: LinodeRecord): string {
  const text = target ?? "";
  switch (type) {
    case "CNAME":
    case "NS":
    case "PTR":
      return absoluteHost(text);
    case "MX":
      return `${priority ?? 0} ${absoluteHost(text)}`;
    case "SRV":
      return `${priority ?? 0} ${weight ?? 0} ${port ?? 0} ${absoluteHost(text)}`;
    case "CAA":
      return `0 ${tag ?? ""} ${quotedText(text)}`;
    case "TXT":
      return quotedText(text);
    default:
      return text;
  }
}

function writeRecord(record: RecordData): object {
  const { recordType: type, ttl, name } = record;
  const owner = name === "@" ? "" : nameOf(record);
  const shared = { type, ttl_sec: ttl };
  const [first = "", second = "", third = "", fourth = ""] = printedFields(record);
  switch (type) {
    case "MX":
      return { ...shared, name: owner, priority: Number(first), target: second === "." ? "" : second };
    case "SRV": {
      // The name is made of these, with underscores.
      const [service, protocol] = owner.split(".").map((label) => label.slice(1));
      const numbers = { priority: Number(first), weight: Number(second), port: Number(third) };
      return { ...shared, service, protocol, ...numbers, target: fourth };
    }
    case "CAA":
      return { ...shared, name: owner, tag: second, target: valueOf(record).split(" ").slice(2).join(" ") };
    case "TXT":
      return { ...shared, name: owner, target: valueOf(record) };
    default:
      return { ...shared, name: owner, target: first };
  }
}
