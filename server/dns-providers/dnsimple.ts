import { z } from "zod";
import { ruleFor } from "../dns/record-types.ts";
import { isApexNs, maxTtl, nameOf, valueOf, type RecordData } from "../dns/record.ts";
import { parseGeneric } from "../dns/values/character-strings.ts";
import { apiAddress, credential, credentialFields } from "./config-fields.ts";
import type { LimitedRecord, ProviderKind } from "./provider.ts";
import { recordAccountProvider, type RecordAccount } from "./single-record-api/provider.ts";
import type { StoredRecord } from "./single-record-api/record-calls.ts";
import {
  printedRecord,
  quotedStrings,
  quotedText,
  rdataWithHosts,
  restRecords,
} from "./single-record-api/rest-account.ts";
import { VendorCalls, type VendorEnvironment } from "./vendor-api/calls.ts";
import { JsonApi } from "./vendor-api/json-api.ts";
import { plainNamesOnly } from "./vendor-api/limits.ts";
import { readPages } from "./vendor-api/pages.ts";
import { maybe, messageIn, parsedJson } from "./vendor-api/text.ts";

// DNSimple's API v2. Read on 2026-11-27: the vendor's own pages, OpenAPI description and recorded answers (dnsimple-developer of 2026-07-21: paging, quota,
// errors, TTLs from 0) and its support page "TXT Record Formatting and Long Record Handling" (quoted strings are stored as they are, 1,000 characters).
// What others found with real accounts: DNSControl's DNSIMPLE of 2026-05-31 and its audit (texts; HTTPS, SVCB and TLSA, pull request 4106; hosts without a
// trailing dot in HTTPS and SVCB; the apex NS do not change) and octodns-dnsimple 1.0.1 (an SRV without a service becomes a corrupt record).
// DNSSEC, read on 2026-11-29: the page "DNSSEC API" of dnsimple-developer of 2026-07-21. Not found: whether the DS records of a domain that is registered
// elsewhere are listed.

const address = "https://api.dnsimple.com";
/** Slightly below 2,400 calls an hour. */
const limits = [{ calls: 2_300, seconds: 3_600 }];
const onPage = 100;
const longestText = 1_000;

const recordTypes = "A AAAA ALIAS CAA CNAME HTTPS MX NAPTR NS PTR SRV SSHFP SVCB TLSA TXT".split(" ");
/** What is listed beside records: the zone's own, keys of DNSSEC, redirects of web pages, and sets of targets. */
const notRecords = new Set(["CDNSKEY", "CDS", "DNSKEY", "POOL", "SOA", "URL"]);

const account = z.object({ data: z.object({ account: maybe(z.object({ id: z.int() })) }) });
const zoneEntry = z.object({ name: z.string(), secondary: maybe(z.boolean()) });
const dnsimpleRecord = z.object({
  id: z.int(),
  name: z.string(),
  type: z.string(),
  content: z.string(),
  ttl: z.int(),
  priority: maybe(z.int()),
});
type DnsimpleRecord = z.infer<typeof dnsimpleRecord>;
const pageOf = <T>(entry: z.ZodType<T>) =>
  z.object({ data: z.array(entry), pagination: z.object({ total_pages: z.int(), total_entries: z.int() }) });
const dnssec = z.object({ data: z.object({ enabled: z.boolean() }) });
/** What a registry that takes keys gets has no digest. */
const dsRecord = z.object({
  id: z.int(),
  keytag: maybe(z.string()),
  algorithm: z.string(),
  digest_type: maybe(z.string()),
  digest: maybe(z.string()),
});
const faults = z.object({ errors: z.record(z.string(), z.array(z.string())) });

const configSchema = z.strictObject({
  token: credential("account access token"),
  endpoint: apiAddress(address).default(address),
});

export type DnsimpleConfig = z.infer<typeof configSchema>;

/** The zones of a DNSimple account. */
export const dnsimple: ProviderKind<DnsimpleConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000033",
  kind: "dnsimple",
  name: "DNSimple",
  recordTypes,
  supportsProxied: false,
  minTtl: 0,
  maxTtl,
  cutsTexts: true,
  turnsSigning: true,
  unsupportedReason: plainNamesOnly(valueReason),
  readOnlyReason,
  lowersCase: "owners",
  callLimits: limits,
  granularity: "record",
  configFields: credentialFields({ token: "account access token" }),
  addresses: ["endpoint"],
  configSchema,
  connect: (config, environment) => recordAccountProvider(dnsimpleAccount(config, environment)),
};

function readOnlyReason(record: LimitedRecord): string | null {
  return isApexNs(record) ? "manages the name servers at the apex of a zone." : null;
}

function valueReason({ recordType, value }: LimitedRecord): string | null {
  if (parseGeneric(value)) return "does not support data in generic form (RFC 3597).";
  if (recordType === "SRV" && value.endsWith(" .")) return 'does not support SRV records with the target ".".';
  if (recordType !== "TXT") return null;
  if (value === "") return "does not allow an empty TXT value.";
  if (value.endsWith(" ")) return "does not keep spaces at the end of a TXT value.";
  if (value.split('"').length % 2 === 0) return "allows only an even number of quotes in a TXT value.";
  return quotedStrings(value).length > longestText
    ? `allows TXT values of at most ${longestText} characters, with the quotes and backslashes that it adds.`
    : null;
}

function dnsimpleAccount({ token, endpoint }: DnsimpleConfig, environment: VendorEnvironment): RecordAccount {
  const calls = new VendorCalls({
    name: dnsimple.name,
    address: endpoint,
    environment,
    secrets: [token],
    quotas: { address, limits },
  });
  const api = new JsonApi({
    calls,
    base: `${endpoint.replace(/\/+$/, "").replace(/\/v2$/, "")}/v2`,
    headers: () => ({ authorization: `Bearer ${token}` }),
    credentials: "the token",
    advice: "Check the token, that it is an account token, and that it may write zones.",
    messageOf,
  });
  let accountId: number | undefined;

  /** Returns the path of the account that the token is of. @throws ProviderError if it is a user's token */
  async function ofAccount(path: string): Promise<string> {
    accountId ??= (await api.read("/whoami", account)).value.data.account?.id;
    if (accountId === undefined) throw api.forbidden("This token belongs to a user, not to an account.");
    return `/${accountId}${path}`;
  }

  const zonePath = (zone: string) => ofAccount(`/zones/${encodeURIComponent(zone)}`);

  function pages<T>(
    path: string,
    entry: z.ZodType<T>,
    idOf: (one: T) => string,
    list: { name: string; zone?: string },
  ) {
    const { name, zone } = list;
    return readPages({ vendor: dnsimple.name, name, pageSize: onPage, idOf }, async (page) => {
      const { value } = await api.read(`${path}page=${page}&per_page=${onPage}`, pageOf(entry), zone);
      const { total_entries: total, total_pages: last } = value.pagination;
      return { entries: value.data, total, isLast: page >= last };
    });
  }

  const domainPath = (zone: string) => ofAccount(`/domains/${encodeURIComponent(zone)}`);

  async function setSigning(zone: string, enabled: boolean): Promise<void> {
    const path = `${await domainPath(zone)}/dnssec`;
    const answer = await api.send({ method: enabled ? "POST" : "DELETE", path }, z.unknown());
    const isOff = !answer.ok && answer.status === notEnabled && !enabled;
    if (answer.ok || isOff) return;
    if (answer.status === 404) throw api.noZone(zone);
    throw calls.failure(`did not turn DNSSEC ${enabled ? "on" : "off"} for ${zone}: ${answer.message}`, "none");
  }

  async function isOn(zone: string): Promise<boolean> {
    return (await api.read(`${await domainPath(zone)}/dnssec`, dnssec, zone)).value.data.enabled;
  }

  async function keys(zone: string): Promise<string[]> {
    if (!(await isOn(zone))) return [];
    const found: string[] = [];
    const list = { name: `The DS records of ${zone}`, zone };
    const path = `${await domainPath(zone)}/ds_records?`;
    for await (const page of pages(path, dsRecord, ({ id }) => String(id), list)) {
      for (const { keytag, algorithm, digest_type: type, digest } of page)
        if (keytag !== undefined && digest !== undefined) found.push(`${keytag} ${algorithm} ${type} ${digest}`);
    }
    return found;
  }

  return {
    vendor: dnsimple.name,
    signing: { set: setSigning, keys, isOn },
    async *zones() {
      const list = { name: "The list of zones" };
      for await (const page of pages(await ofAccount("/zones?"), zoneEntry, ({ name }) => name, list)) {
        yield page.map(({ name, secondary }) =>
          secondary ? { name, reason: "DNSimple copies this zone from another server. Manage it there." } : name,
        );
      }
    },
    async createZone(zone) {
      const known = await api.send({ method: "GET", path: await zonePath(zone) }, z.unknown());
      if (known.ok) return;
      const path = await ofAccount("/domains");
      const made = await api.send({ method: "POST", path, body: { name: zone } }, z.unknown());
      if (!made.ok) throw calls.failure(`did not create the zone ${zone}: ${made.message}`, "none");
    },
    async *records(zone, name) {
      const filter = name === undefined ? "" : `name=${encodeURIComponent(name)}&`;
      const path = `${await zonePath(zone)}/records?${filter}`;
      for await (const page of pages(path, dnsimpleRecord, ({ id }) => String(id), {
        name: `The zone ${zone}`,
        zone,
      })) {
        yield page.filter(({ type }) => !notRecords.has(type)).map((record) => readRecord(zone, record));
      }
    },
    ...restRecords(api, {
      path: async (zone) => `${await zonePath(zone)}/records`,
      body: writeRecord,
      made: z.object({ data: dnsimpleRecord }).transform(({ data: { id, ttl } }) => ({ id: String(id), ttl })),
      updates: "PATCH",
      // A deletion has no content.
      done: z.union([z.null(), z.object({ data: dnsimpleRecord })]),
    }),
    readOnlyReason,
    mostQueries: 3,
    // The apex has an empty name, for which no filter is documented.
    isQueryable: (name) => name !== "@",
  };
}

/** The status of a refusal to turn off what is off. */
const notEnabled = 428;

/** Returns the message of DNSimple's refusal with what it says of single fields. */
export function messageOf(text: string): string {
  const parsed = faults.safeParse(parsedJson(text));
  const fields = Object.entries(parsed.success ? parsed.data.errors : {}).map(
    ([field, reasons]) => `${field} ${reasons.join(", ")}`,
  );
  return fields.length === 0 ? messageIn(text) : `${messageIn(text)}: ${fields.join("; ")}`;
}

function readRecord(zone: string, record: DnsimpleRecord): StoredRecord {
  const { id, name: owner, type: recordType, ttl } = record;
  return { id: String(id), data: printedRecord(zone, { owner, recordType, rdata: rdataOf(record), ttl }) };
}

/** Returns a record's data in master-file form. Hosts have a trailing dot in some answers only. */
function rdataOf({ type, content, priority }: DnsimpleRecord): string {
  // Older records may have no quotes.
  if (type === "TXT" && !content.startsWith('"')) return quotedText(content);
  return rdataWithHosts(type, content, priority);
}

function writeRecord(record: RecordData): object {
  const { recordType: type, name, ttl } = record;
  const shared = { name: name === "@" ? "" : nameOf(record), type, ttl };
  const value = valueOf(record);
  if (type === "TXT") return { ...shared, content: quotedStrings(value) };
  const fields = ruleFor(type).print(value).split(" ");
  if (type === "MX" || type === "SRV") {
    return { ...shared, priority: Number(fields[0]), content: fields.slice(1).join(" ") };
  }
  if (type !== "HTTPS" && type !== "SVCB") return { ...shared, content: fields.join(" ") };
  const [priority, target = "", ...parameters] = fields;
  return {
    ...shared,
    content: [priority, target === "." ? target : target.replace(/\.$/, ""), ...parameters].join(" "),
  };
}
