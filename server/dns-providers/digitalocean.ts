import { z } from "zod";
import { maxTtl, nameOf, spellingOf, valueOf, type RecordData } from "../dns/record.ts";
import {
  digitalOceanAddress,
  digitalOceanLimits,
  digitalOceanApi,
  type DomainRecord,
  type RecordFields,
  type DigitalOceanApi,
} from "./digitalocean/api.ts";
import { apiAddress, credential, credentialFields } from "./config-fields.ts";
import {
  type ProviderKind,
  type LimitedRecord,
  type Unsupported,
  ProviderError,
  type DnsProvider,
} from "./provider.ts";
import { parseGeneric } from "../dns/values/character-strings.ts";
import { escapeOctets } from "../dns/names/escapes.ts";
import { readOwner, absoluteName } from "../dns/names/names.ts";
import { ruleFor } from "../dns/record-types.ts";
import type { RdataField } from "../dns/values/value-rule.ts";
import type { StoredRecord } from "./single-record-api/record-calls.ts";
import { parseZoneFile } from "../dns/zone-file/parse.ts";
import type { Soa } from "../dns/zone-file/contents.ts";
import { ok, refuse, type Result } from "../platform/result.ts";
import { recordAccountProvider, type RecordAccount } from "./single-record-api/provider.ts";

const configSchema = z.strictObject({
  token: credential("API token", 20, 500),
  endpoint: apiAddress(digitalOceanAddress).default(digitalOceanAddress),
});

export type DigitalOceanConfig = z.infer<typeof configSchema>;

const recordTypes = ["A", "AAAA", "CAA", "CNAME", "MX", "NS", "SRV", "TXT"];
/** 30 seconds. The reference gives no largest TTL. */
const minTtl = 30;

/** The domains of a DigitalOcean account. */
export const digitalocean: ProviderKind<DigitalOceanConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000007",
  kind: "digitalocean",
  name: "DigitalOcean",
  recordTypes,
  supportsProxied: false,
  minTtl,
  maxTtl,
  cutsTexts: true,
  unsupportedReason,
  lowersCase: "owners",
  callLimits: digitalOceanLimits,
  granularity: "record",
  configFields: credentialFields({ token: "API token" }),
  addresses: ["endpoint"],
  configSchema,
  connect: (config, environment) => digitalOceanProvider(digitalOceanApi(config, environment)),
};

/** Returns a record in canonical form; null for the SOA, which DigitalOcean manages. */
function readRecord(zone: string, record: DomainRecord): StoredRecord | null {
  const { id, type: recordType, ttl } = record;
  const owner = readOwner(record.name, zone, zone);
  if (recordType === "SOA" || typeof id !== "number" || !owner.ok) return null;
  const read = ruleFor(recordType).read(fieldsOf(zone, record), "");
  const unread = { value: record.data ?? "", writtenValue: undefined, priority: record.priority ?? null };
  const { value, writtenValue, priority } = read.ok ? read.value : unread;
  const content = { value, ...spellingOf({ writtenValue }), strings: null, priority };
  const data = { recordType, ...owner.value, ...content, ttl: ttl ?? 0, proxied: false };
  return { id: String(id), data };
}

/** Returns the fields of a record's data in master-file form. */
function fieldsOf(zone: string, { type, data, priority, weight, port, flags, tag }: DomainRecord): RdataField[] {
  const text = data ?? "";
  switch (type) {
    case "CNAME":
    case "NS":
      return plain(hostOf(zone, text));
    case "MX":
      return plain(priority, hostOf(zone, text));
    case "SRV":
      return plain(priority, weight, port, hostOf(zone, text));
    case "CAA":
      return [...plain(flags, tag), quoted(isUrl(tag) ? text : text.replace(/\.$/, ""))];
    case "TXT":
      return [quoted(text)];
    default:
      return plain(...text.split(" "));
  }
}

/**
 * Returns whether a CAA tag has a URL (RFC 8659 §4.4), which is stored as given. The domains of `issue` and `issuewild` need a dot at their
 * end that the API does not show (digitalocean/terraform-provider-digitalocean#422).
 */
function isUrl(tag: string | null | undefined): boolean {
  return tag === "iodef";
}

function quoted(text: string): RdataField {
  return { raw: escapeOctets(Buffer.from(text), '"\\'), quoted: true };
}

function plain(...fields: (string | number | null | undefined)[]): RdataField[] {
  return fields.map((field) => ({ raw: String(field ?? ""), quoted: false }));
}

/** Returns a host name with a trailing dot; the API prints it without one, and the domain itself as `@`. */
function hostOf(zone: string, data: string): string {
  if (data === "@") return `${zone}.`;
  return data.endsWith(".") ? data : `${data}.`;
}

/** Returns a record as DigitalOcean takes it: hosts and the domains of CAA with a trailing dot, TXT as plain text. */
export function writeRecord(record: RecordData): RecordFields {
  const { recordType, ttl } = record;
  const value = valueOf(record);
  const fields = { type: recordType, name: nameOf(record), ttl };
  const printed = ruleFor(recordType).print(value).split(" ");
  const [first = "", second = "", third = "", fourth = ""] = printed;
  switch (recordType) {
    case "MX":
      return { ...fields, priority: Number(first), data: second };
    case "SRV":
      return { ...fields, priority: Number(first), weight: Number(second), port: Number(third), data: fourth };
    case "CAA": {
      const text = value.split(" ").slice(2).join(" ");
      return { ...fields, flags: Number(first), tag: second, data: isUrl(second) ? text : `${text}.` };
    }
    case "TXT":
      return { ...fields, data: value };
    default:
      return { ...fields, data: first };
  }
}

/** The longest stored form of a text that passes its check of 512 octets, found by experiment. */
const longestText = 509;
const caaTags = new Set(["issue", "issuewild", "iodef"]);

function unsupportedReason(record: LimitedRecord): Unsupported | null {
  const reason = parseGeneric(record.value)
    ? "does not support data in generic form (RFC 3597)."
    : reasonAgainst(record);
  return reason === null ? null : { field: "value", reason };
}

function reasonAgainst({ recordType, value }: LimitedRecord): string | null {
  switch (recordType) {
    case "TXT":
      return reasonAgainstText(value);
    case "MX":
      return value.endsWith(" .") ? "does not support null MX records (RFC 7505)." : null;
    case "SRV":
      return value.split(" ")[2] === "0" ? "allows SRV ports from 1." : null;
    case "CAA":
      return reasonAgainstCaa(value);
    default:
      return null;
  }
}

function reasonAgainstText(value: string): string | null {
  if (value === "") return "does not allow an empty TXT value.";
  if (value.includes("\\")) return "drops backslashes from a TXT value; leave them out.";
  const octets = Buffer.byteLength(value);
  const stored = octets + value.split('"').length - 1 + 3 * Math.ceil(octets / 255) - 1;
  return stored > longestText
    ? `stores a TXT in at most ${longestText} characters, with quotes around every 255 and one more character per quote; this one needs ${stored}.`
    : null;
}

function reasonAgainstCaa(value: string): string | null {
  const [, tag = "", ...rest] = value.split(" ");
  const text = rest.join(" ");
  if (!caaTags.has(tag)) return `supports only the CAA tags ${[...caaTags].join(", ")}.`;
  if (/[\s;]/.test(text)) return 'does not allow spaces or ";" in a CAA value.';
  if (/["\\]/.test(text)) return "does not allow quotes or backslashes in a CAA value, nor an empty one.";
  return tag !== "iodef" && text.endsWith(".") ? "does not allow a CAA value that ends in a dot." : null;
}

/** Returns a provider for the domains of one account. The zone file that the API shows may be outdated, so zones have no fingerprint. */
function digitalOceanProvider(api: DigitalOceanApi): DnsProvider {
  return {
    ...recordAccountProvider({
      vendor: api.name,
      zones: () => api.domains(),
      createZone: (zone) => createZone(api, zone),
      records: (zone, name) => records(api, zone, name),
      ...recordCalls(api),
      mostQueries: 5,
      concurrency: 1,
    }),
    readSoa: (zone) => readZoneSoa(api, zone),
  };
}

async function createZone(api: DigitalOceanApi, zone: string): Promise<void> {
  if (await api.domain(zone)) return;
  const created = await api.createDomain(zone);
  if (!created.ok) throw new ProviderError(`${api.name} did not create the domain ${zone}: ${created.message}`, "none");
}

async function* records(api: DigitalOceanApi, zone: string, name?: string): AsyncGenerator<StoredRecord[]> {
  const fullName = name === undefined ? undefined : absoluteName(name, zone);
  for await (const page of api.records(zone, fullName)) yield page.flatMap((record) => readRecord(zone, record) ?? []);
}

function recordCalls(api: DigitalOceanApi): Pick<RecordAccount, "create" | "update" | "remove"> {
  const answered = <T>(answer: Result<T>) =>
    answer.ok ? answer : refuse(`${api.name} refused the change: ${answer.message}`);
  return {
    async create(zone, record) {
      const created = answered(await api.create(zone, writeRecord(record)));
      return created.ok ? ok(String(created.value.id)) : created;
    },
    async update(zone, id, record) {
      const updated = answered(await api.update(zone, id, writeRecord(record)));
      return updated.ok ? ok(null) : updated;
    },
    async remove(zone, id) {
      const deleted = answered(await api.delete(zone, id));
      return deleted.ok ? ok(null) : deleted;
    },
  };
}

async function readZoneSoa(api: DigitalOceanApi, zone: string): Promise<Soa | null> {
  const domain = await api.domain(zone);
  const parsed = parseZoneFile(domain?.zoneFile ?? "", { zone, keepBadData: true });
  return parsed.ok ? parsed.soa : null;
}
