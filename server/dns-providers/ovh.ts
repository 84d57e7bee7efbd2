import { createHash } from "node:crypto";
import { z } from "zod";
import { ruleFor } from "../dns/record-types.ts";
import { maxTtl, nameOf, valueOf, type RecordData } from "../dns/record.ts";
import { parseGeneric } from "../dns/values/character-strings.ts";
import { apiAddress, credential, credentialFields } from "./config-fields.ts";
import type { LimitedRecord, ProviderKind } from "./provider.ts";
import { canonicalRdata, unreadContent } from "./rdata-text.ts";
import { recordAccountProvider, type RecordAccount } from "./single-record-api/provider.ts";
import type { StoredRecord } from "./single-record-api/record-calls.ts";
import { quotedStrings, quotedText, restRecords } from "./single-record-api/rest-account.ts";
import { canonicalOwner } from "./single-record-api/vendor-values.ts";
import { VendorAccounts } from "./vendor-api/accounts.ts";
import { VendorCalls, type VendorAnswer, type VendorEnvironment } from "./vendor-api/calls.ts";
import { JsonApi } from "./vendor-api/json-api.ts";
import { plainNamesOnly } from "./vendor-api/limits.ts";
import { maybe, messageIn, parsedJson } from "./vendor-api/text.ts";

// OVHcloud's API 1.0. Read on 2026-11-28: its OpenAPI description in ovhcloud-cli of 2025-10-02 (calls, types, what an update may change, the refresh), its Go
// client of 2025-08-25 (signature, the time of the server, addresses). What others found with real accounts: DNSControl's OVH of 2026-05-31 with its pull request
// 1582 and issues 1640 and 2488 (one quoted text, types of OVH's own for TXT, a TTL of 0 is the zone's of 3,600), Terraform's issue 1225 (long texts come back in
// several strings), octodns-ovh 1.2.0 (HTTPS and SVCB, "This service does not exist"), csharp-ovh's issue 6 (several records in one read), php-ovh's issues 56 and
// 62 (the form of errors), python-ovh's issues 86 and 141, certbot's issue 9109 and Dokploy's pull request 5258 (NOT_GRANTED_CALL; the rule for
// /domain/zone/* does not cover /domain/zone). DNSSEC, read on 2026-11-29: the same description (/domain/zone/{zoneName}/dnssec has a status and no keys); not
// tried with an account.

const address = "https://eu.api.ovh.com/1.0";
const zones = "/domain/zone";
/** Records that one call reads. */
const perCall = 100;
/** The TTL of a zone, which records without one have. */
const zoneTtl = 3_600;

const recordTypes = "A AAAA CAA CNAME DNAME HTTPS LOC MX NAPTR NS PTR SRV SSHFP SVCB TLSA TXT".split(" ");
/** OVH's own types for some TXT records. They do not change into others. */
const textTypes = new Set(["DKIM", "DMARC", "SPF"]);

const ovhRecord = z.object({
  id: z.int(),
  fieldType: z.string(),
  subDomain: maybe(z.string()),
  target: z.string(),
  ttl: maybe(z.int()),
});
type OvhRecord = z.infer<typeof ovhRecord>;
/** An entry of a read of several records: one of them, or why it was not read. */
const entry = z.union([
  ovhRecord,
  z.object({ value: ovhRecord }).transform(({ value }) => value),
  z.object({ error: z.object({ message: z.string() }) }),
]);
const dnssec = z.object({ status: z.enum(["disableInProgress", "disabled", "enableInProgress", "enabled"]) });
const refusal = z.object({ errorCode: z.string() });
/** What calls that change something answer may be anything. */
const anything = z.unknown();

const configSchema = z.strictObject({
  applicationKey: credential("application key", 8),
  applicationSecret: credential("application secret"),
  consumerKey: credential("consumer key"),
  endpoint: apiAddress(address).default(address),
});

export type OvhConfig = z.infer<typeof configSchema>;

/** The DNS zones of an OVHcloud account. */
export const ovh: ProviderKind<OvhConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000035",
  kind: "ovh",
  name: "OVHcloud",
  recordTypes,
  supportsProxied: false,
  minTtl: 60,
  maxTtl,
  cutsTexts: true,
  turnsSigning: true,
  unsupportedReason: plainNamesOnly(valueReason),
  lowersCase: "owners",
  granularity: "record",
  createsZones: false,
  configFields: [
    ...credentialFields({
      applicationKey: "application key",
      applicationSecret: "application secret",
      consumerKey: "consumer key",
    }),
  ],
  addresses: ["endpoint"],
  configSchema,
  connect: (config, environment) => recordAccountProvider(ovhAccount(config, environment)),
};

function valueReason({ recordType, value }: LimitedRecord): string | null {
  if (parseGeneric(value)) return "does not support data in generic form (RFC 3597).";
  return recordType === "TXT" && value === "" ? "does not allow an empty TXT value." : null;
}

/** What the keys of OVHcloud are for, in messages. */
interface OvhUse {
  /** What they belong to. Default: a provider configuration. */
  of?: string;
  /** What the consumer key must be allowed to do: `it may GET …`. */
  rights: string;
  /** Returns the right that a call needs, as a method and a path, and all that the consumer key should have. */
  rightOf: (method: string, path: string) => { lacks: string; all: string };
}

/** Returns OVHcloud's API with signed calls. */
export function ovhApi(
  { applicationKey, applicationSecret, consumerKey, endpoint }: OvhConfig,
  environment: VendorEnvironment,
  { of = "provider configuration", rights, rightOf }: OvhUse,
): JsonApi {
  const { now } = environment.accounts ?? new VendorAccounts();
  const base = endpoint.replace(/\/+$/, "");
  const calls = new VendorCalls({
    name: ovh.name,
    address: endpoint,
    environment,
    secrets: [applicationSecret, consumerKey, applicationKey],
    account: consumerKey,
  });
  let ahead: Promise<number> | undefined;

  /** Returns by how many seconds OVH's clock is ahead of ours: signatures with another time are refused. */
  async function clockDifference(): Promise<number> {
    const headers = { accept: "application/json" };
    const answer = await calls.send({ method: "GET", url: `${base}/auth/time`, headers, changes: false });
    if (isForbidden(answer)) throw api.forbidden(`${calls.plain(messageIn(answer.text))} (${answer.status})`);
    const time = z.int().safeParse(parsedJson(answer.text));
    if (!time.success) throw calls.notItsApi("none");
    return time.data - seconds();
  }
  const seconds = () => Math.floor(now().getTime() / 1_000);

  const api: JsonApi = new JsonApi({
    calls,
    base,
    async headers({ method, url, body = "" }) {
      ahead ??= clockDifference().catch((error: unknown) => {
        ahead = undefined;
        throw error;
      });
      const difference = await ahead;
      return () => {
        const time = seconds() + difference;
        const signed = [applicationSecret, consumerKey, method, url, body, time].join("+");
        return {
          "x-ovh-application": applicationKey,
          "x-ovh-consumer": consumerKey,
          "x-ovh-timestamp": String(time),
          "x-ovh-signature": `$1$${createHash("sha1").update(signed).digest("hex")}`,
        };
      };
    },
    of,
    credentials: "the keys",
    advice: `Check the application key, its secret and the consumer key, that the consumer key was validated and has not expired, and that ${rights}.`,
    lackIn: (call, answer) => lackIn(rightOf(call.method, call.path), answer),
    isForbidden,
  });
  return api;
}

/** What a consumer key for zones may do. */
const useOfZones: OvhUse = {
  rights: `it may GET, POST, PUT and DELETE ${zones}/*`,
  rightOf: (method, path) => ({
    lacks: `${method} ${path === zones ? zones : `${zones}/*`}`,
    all: `GET ${zones}, and GET, POST, PUT and DELETE ${zones}/*`,
  }),
};

function ovhAccount(config: OvhConfig, environment: VendorEnvironment): RecordAccount {
  const api = ovhApi(config, environment, useOfZones);
  const { calls } = api;

  /** The ids of records of OVH's own types that were read without quotes. They are written so. */
  const unquoted = new Set<string>();
  /** The ids of records that have the zone's TTL, and keep it unless they get another one. */
  const untimed = new Set<string>();

  /** Returns nothing for a record that was deleted meanwhile. @throws ProviderError for one that was not read for another reason */
  function none(message: string): [] {
    if (/\b(?:not exist|not found)\b/i.test(message)) return [];
    throw calls.error(message, "none");
  }

  async function* records(zone: string, name?: string): AsyncGenerator<StoredRecord[]> {
    const filter = name === undefined ? "" : `?subDomain=${encodeURIComponent(name === "@" ? "" : name)}`;
    const { value: ids } = await api.read(`${pathOf(zone)}/record${filter}`, z.array(z.int()), zone);
    for (let start = 0; start < ids.length; start += perCall) {
      const asked = ids.slice(start, start + perCall);
      const path = `${pathOf(zone)}/record/${asked.join(",")}`;
      const answer = await api.send({ method: "GET", path, headers: { "x-ovh-batch": "," } }, z.array(entry));
      if (!answer.ok) throw calls.error(answer.message, "none");
      if (answer.value.length !== asked.length) throw calls.notItsApi("none");
      const found = answer.value.flatMap((one) => ("error" in one ? none(one.error.message) : [one]));
      for (const { id, fieldType, target, ttl = 0 } of found) {
        if (ttl === 0) untimed.add(String(id));
        if (textTypes.has(fieldType) && !target.startsWith('"')) unquoted.add(String(id));
      }
      yield found.filter(({ fieldType }) => fieldType !== "SOA").map((one) => readRecord(zone, one));
    }
  }

  async function setSigning(zone: string, enabled: boolean): Promise<void> {
    const answer = await api.send({ method: enabled ? "POST" : "DELETE", path: `${pathOf(zone)}/dnssec` }, anything);
    if (answer.ok) return;
    if (answer.status === 404) throw api.noZone(zone);
    throw calls.failure(`did not turn DNSSEC ${enabled ? "on" : "off"} for ${zone}: ${answer.message}`, "none");
  }

  return {
    vendor: ovh.name,
    signing: {
      set: setSigning,
      keys: () => Promise.resolve([]),
      isOn: async (zone) => (await api.read(`${pathOf(zone)}/dnssec`, dnssec, zone)).value.status.startsWith("enable"),
    },
    async *zones() {
      yield (await api.read(zones, z.array(z.string()))).value;
    },
    async createZone(zone) {
      const known = await api.send({ method: "GET", path: pathOf(zone) }, anything);
      if (!known.ok) throw calls.failure(`creates no zones by its API. Order the zone ${zone} there first.`, "none");
    },
    records,
    ...restRecords(api, {
      path: (zone) => `${pathOf(zone)}/record`,
      body: writeRecord,
      updateBody: (record, id) => ({
        ...updatedRecord(record, unquoted.has(id)),
        ...(untimed.has(id) && record.ttl === zoneTtl && { ttl: 0 }),
      }),
      made: z
        .object({ id: z.int(), ttl: maybe(z.int()) })
        .transform(({ id, ttl }) => ({ id: String(id), ttl: ttl === 0 ? zoneTtl : ttl })),
      updates: "PUT",
      done: anything,
    }),
    async publish(zone) {
      // Nothing is lost if it is sent twice, so failures are retried.
      const path = `${pathOf(zone)}/refresh`;
      const answer = await api.send({ method: "POST", path, changes: false }, anything);
      if (!answer.ok) throw calls.failure(`stored the change but does not serve it: ${answer.message}`, "unknown");
    },
    mostQueries: 3,
  };
}

function pathOf(zone: string): string {
  return `${zones}/${encodeURIComponent(zone)}`;
}

/** A wrong signature is answered by 400. */
function isForbidden({ status, text }: VendorAnswer): boolean {
  if (status === 401 || status === 403) return true;
  const parsed = refusal.safeParse(parsedJson(text));
  return status === 400 && parsed.success && ["INVALID_SIGNATURE", "QUERY_TIME_OUT"].includes(parsed.data.errorCode);
}

/** Returns which of the keys is refused, or which right the consumer key lacks. Rights are a method and a path, whose `*` is any end of it. */
function lackIn({ lacks, all }: ReturnType<OvhUse["rightOf"]>, { text }: VendorAnswer) {
  const parsed = refusal.safeParse(parsedJson(text));
  switch (parsed.data?.errorCode) {
    case "NOT_GRANTED_CALL":
      return {
        credentials: "the consumer key",
        advice: `Check its rights: it lacks ${lacks}. Request a consumer key with the rights ${all}.`,
      };
    case "INVALID_CREDENTIAL":
    case "NOT_CREDENTIAL":
      return {
        credentials: "the consumer key",
        advice: "Check that it belongs to the application key, was validated, and has not expired.",
      };
    case "INVALID_KEY":
      return {
        credentials: "the application key",
        advice: "Check that it was copied whole, and that the API address is that of its region.",
      };
    default:
      return null;
  }
}

function readRecord(zone: string, { id, fieldType, subDomain = "", target, ttl = 0 }: OvhRecord): StoredRecord {
  const recordType = textTypes.has(fieldType) ? "TXT" : fieldType;
  const rdata = recordType === "TXT" && !target.startsWith('"') ? quotedText(target) : target;
  // Hosts without a trailing dot are relative to the zone.
  const content = canonicalRdata(recordType, rdata, zone) ?? unreadContent(target);
  const data: RecordData = {
    recordType,
    ...canonicalOwner(subDomain, zone),
    ...content,
    strings: null,
    ttl: ttl === 0 ? zoneTtl : ttl,
    proxied: false,
  };
  return { id: String(id), data };
}

function writeRecord(record: RecordData): object {
  return { fieldType: record.recordType, ...updatedRecord(record, false) };
}

/** Returns what an update may change. @param isUnquoted whether a text is written without quotes */
function updatedRecord(record: RecordData, isUnquoted: boolean): object {
  const { recordType, name, ttl } = record;
  const value = valueOf(record);
  const text = recordType === "TXT" ? (isUnquoted ? value : quotedStrings(value)) : ruleFor(recordType).print(value);
  return { subDomain: name === "@" ? "" : nameOf(record), target: text, ttl };
}
