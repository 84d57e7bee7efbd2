import { z } from "zod";
import { ruleFor } from "../dns/record-types.ts";
import { isApexNs, maxTtl, nameOf, valueOf, type RecordData } from "../dns/record.ts";
import { parseGeneric } from "../dns/values/character-strings.ts";
import { ok, refuse } from "../platform/result.ts";
import { apiAddress, credential, credentialFields } from "./config-fields.ts";
import type { LimitedRecord, ProviderKind } from "./provider.ts";
import { recordAccountProvider, type RecordAccount } from "./single-record-api/provider.ts";
import type { StoredRecord } from "./single-record-api/record-calls.ts";
import { printedFields, printedRecord, quotedText, rdataWithHosts } from "./single-record-api/rest-account.ts";
import { VendorCalls, type VendorAnswer, type VendorEnvironment } from "./vendor-api/calls.ts";
import { spacedCaa, plainNamesOnly } from "./vendor-api/limits.ts";
import { JsonApi } from "./vendor-api/json-api.ts";
import { PageTurner } from "./vendor-api/pages.ts";
import { maybe } from "./vendor-api/text.ts";

// Porkbun's API v3. Read on 2026-11-27: the beginning of porkbun.com/llms/dns (API v3.7), the reference as public clients quote it (types, TTL,
// names), and what others found with real accounts (DNSControl's PORKBUN provider as of v5 and its audit of 2024-11; DNSControl #3225, nrdcg/porkbun #3
// and jungaretti/bacon #45 on one call a second, answered by 503 or 202). Quoting of TXT and the largest TTL were not read in the vendor's own reference.

const address = "https://api.porkbun.com/api/json/v3";
/** One call a second and key, says Porkbun's support. */
export const porkbunLimits = [{ calls: 1, seconds: 1 }];
/** Entries on a full page of the list of domains. */
const onPage = 1_000;
const leastTtl = 600;

const recordTypes = "A AAAA ALIAS CAA CNAME HTTPS MX NS SRV SSHFP SVCB TLSA TXT".split(" ");

/** Porkbun prints numbers as text, and ids as either. */
const number = z.union([z.string(), z.number()]);
const porkbunRecord = z.object({
  id: number.transform(String),
  name: z.string(),
  type: z.string(),
  content: z.string(),
  ttl: maybe(number),
  prio: maybe(number),
});
type PorkbunRecord = z.infer<typeof porkbunRecord>;
/** Also with status 200. */
const refusal = z.object({ status: z.literal("ERROR"), message: maybe(z.string()) });
const done = z.object({ status: z.literal("SUCCESS") });
const domainList = done.extend({ domains: z.array(z.object({ domain: z.string() })) });
const recordList = done.extend({ records: z.array(porkbunRecord) });
const made = done.extend({ id: number.transform(String) });

const configSchema = z.strictObject({
  apiKey: credential("API key"),
  secretKey: credential("secret key"),
  endpoint: apiAddress(address).default(address),
});

export type PorkbunConfig = z.infer<typeof configSchema>;

/** The domains of a Porkbun account. */
export const porkbun: ProviderKind<PorkbunConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000032",
  kind: "porkbun",
  name: "Porkbun",
  recordTypes,
  supportsProxied: false,
  minTtl: leastTtl,
  maxTtl,
  cutsTexts: true,
  unsupportedReason: plainNamesOnly(valueReason),
  readOnlyReason,
  lowersCase: "owners",
  callLimits: porkbunLimits,
  granularity: "record",
  createsZones: false,
  configFields: credentialFields({ apiKey: "API key", secretKey: "secret key" }),
  addresses: ["endpoint"],
  configSchema,
  connect: (config, environment) => recordAccountProvider(porkbunAccount(config, environment)),
};

function readOnlyReason(record: LimitedRecord): string | null {
  return isApexNs(record) ? "manages the name servers at the apex of a domain." : null;
}

function valueReason({ recordType, value }: LimitedRecord): string | null {
  if (parseGeneric(value)) return "does not support data in generic form (RFC 3597).";
  if (recordType === "TXT") {
    if (value === "") return "does not allow an empty TXT value.";
    return value.trim() === value ? null : "does not keep spaces at the beginning or end of a TXT value.";
  }
  return recordType === "CAA" ? spacedCaa(value) : null;
}

/** Too many calls: nothing was done. The page comes from the proxy before the API. */
export function porkbunThrottles({ status, text }: VendorAnswer): boolean {
  return status === 202 || (status === 503 && /503 Service (?:Temporarily )?Unavailable/i.test(text));
}

function porkbunAccount({ apiKey, secretKey, endpoint }: PorkbunConfig, environment: VendorEnvironment): RecordAccount {
  const calls = new VendorCalls({
    name: porkbun.name,
    address: endpoint,
    environment,
    secrets: [apiKey, secretKey],
    quotas: { address, limits: porkbunLimits },
    throttles: porkbunThrottles,
  });
  const api = new JsonApi({
    calls,
    base: endpoint.replace(/\/+$/, ""),
    headers: () => ({}),
    credentials: "the API key",
    advice: "Check it and its secret key, and that API access is on for the domain.",
    isForbidden: ({ status, text }) =>
      status === 401 || status === 403 || /"message"\s*:\s*"[^"]*(?:invalid api key|not opted in)/i.test(text),
  });

  /** Makes a call, which is a POST with the keys in its body. @returns the answer, or why it was refused */
  async function post<T>(path: string, schema: z.ZodType<T>, { changes = false, body = {} } = {}) {
    const keys = { apikey: apiKey, secretapikey: secretKey };
    const call = { method: "POST", path, body: { ...keys, ...body }, changes } as const;
    const answer = await api.send(
      call,
      z.union([refusal.transform(({ message = "" }) => ({ message })), schema.transform((value) => ({ value }))]),
    );
    if (!answer.ok) return answer;
    if ("value" in answer.value) return { ok: true, value: answer.value.value } as const;
    return { ok: false, message: calls.plain(answer.value.message) } as const;
  }

  /** Reads all records of a zone, which the API lists at once. @throws ProviderError */
  async function recordsOf(zone: string): Promise<PorkbunRecord[]> {
    const answer = await post(`/dns/retrieve/${zone}`, recordList);
    if (answer.ok) return answer.value.records;
    if (/invalid domain|domain not found/i.test(answer.message)) throw api.noZone(zone);
    throw calls.error(answer.message, "none");
  }

  const refused = (message: string) => refuse(`${porkbun.name} refused the change: ${message}`);
  const change = <T>(path: string, schema: z.ZodType<T>, body: object = {}) =>
    post(path, schema, { changes: true, body });

  return {
    vendor: porkbun.name,
    async *zones() {
      const turner = new PageTurner(porkbun.name);
      for (let start = 0; ; start += onPage) {
        const answer = await post("/domain/listAll", domainList, { body: { start: String(start) } });
        if (!answer.ok) throw calls.error(answer.message, "none");
        const { domains } = answer.value;
        yield domains.map(({ domain }) => domain);
        const [first] = domains;
        if (!first || domains.length < onPage) return;
        turner.turn(first.domain);
      }
    },
    // A zone comes with a registered domain.
    async createZone(zone) {
      await recordsOf(zone);
    },
    async *records(zone) {
      const records = await recordsOf(zone);
      yield records.filter(({ type }) => type !== "SOA").map((record) => readRecord(zone, record));
    },
    async create(zone, record) {
      const answer = await change(`/dns/create/${zone}`, made, writeRecord(record));
      return answer.ok ? ok(answer.value.id) : refused(answer.message);
    },
    async update(zone, id, record) {
      const answer = await change(`/dns/edit/${zone}/${encodeURIComponent(id)}`, done, writeRecord(record));
      return answer.ok ? ok(null) : refused(answer.message);
    },
    async remove(zone, id) {
      const answer = await change(`/dns/delete/${zone}/${encodeURIComponent(id)}`, done);
      return answer.ok ? ok(null) : refused(answer.message);
    },
    readOnlyReason,
    mostQueries: 0,
    // Calls that overlap were refused as if their records were wrong.
    concurrency: 1,
  };
}

function readRecord(zone: string, record: PorkbunRecord): StoredRecord {
  const { id, name, type: recordType, ttl = 0, content, prio } = record;
  const whole = name.toLowerCase().replace(/\.$/, "");
  const owner =
    whole === zone ? "@" : name.replace(/\.$/, "").slice(0, whole.endsWith(`.${zone}`) ? -zone.length - 1 : undefined);
  const rdata = recordType === "TXT" ? quotedText(content) : rdataWithHosts(recordType, content, prio);
  return { id, data: printedRecord(zone, { owner, recordType, rdata, ttl: Number(ttl) }) };
}

function writeRecord(record: RecordData): object {
  const { recordType: type, name, ttl } = record;
  const shared = { name: name === "@" ? "" : nameOf(record), type, ttl: String(ttl) };
  const value = valueOf(record);
  if (type === "TXT") return { ...shared, content: value };
  if (type === "HTTPS" || type === "SVCB") return { ...shared, content: ruleFor(type).print(value) };
  const fields = printedFields(record);
  if (type !== "MX" && type !== "SRV") return { ...shared, content: fields.join(" ") };
  return { ...shared, prio: fields[0], content: fields.slice(1).join(" ") };
}
