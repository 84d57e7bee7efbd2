import { z } from "zod";
import {
  AlidnsClient,
  vendorName,
  type AlidnsRecord,
  done,
  domainInfo,
  domainPage,
  madeRecord,
  recordPage,
} from "./alidns/client.ts";
import { commonTypes, isCommonType, nameOf, valueOf, type RecordData } from "../dns/record.ts";
import { vendorOrigin } from "./config-fields.ts";
import {
  apexCname,
  canonicalOwner,
  canonicalValue,
  foreignName,
  isQueryable,
} from "./single-record-api/vendor-values.ts";
import {
  type ProviderKind,
  type LimitedRecord,
  type Unsupported,
  ProviderError,
  type DnsProvider,
} from "./provider.ts";
import { ruleFor } from "../dns/record-types.ts";
import { type StoredRecord, refusedCall, refusedRecord, type Refusal } from "./single-record-api/record-calls.ts";
import { parseGeneric } from "../dns/values/character-strings.ts";
import { toUnicodeName } from "../dns/names/names.ts";
import { ok } from "../platform/result.ts";
import { recordAccountProvider, type RecordAccount } from "./single-record-api/provider.ts";
import { readPages } from "./vendor-api/pages.ts";
import { onlyInConsole } from "./vendor-api/limits.ts";

const accessKeyId = z
  .string("Enter the access key id of a RAM user.")
  .regex(/^[\w.-]{1,128}$/, "The access key id must be letters and digits, such as LTAI5t…");

const configSchema = z.strictObject({
  accessKeyId: accessKeyId.refine(
    (id) => !id.startsWith("STS."),
    "This is a temporary key (STS.…), which ends within hours and needs a security token. Enter the access key of a RAM user (LTAI…).",
  ),
  accessKeySecret: z
    .string("Enter the secret of the access key.")
    .regex(/^[!-~]{1,256}$/, "The access key secret must be up to 256 characters of plain ASCII without spaces."),
  url: vendorOrigin("https://alidns.aliyuncs.com"),
});

export type AlidnsConfig = z.infer<typeof configSchema>;

/** The smallest TTL of the lowest edition. */
const highestFloorSeconds = 600;

/** Alibaba Cloud DNS (API version 2015-01-09). */
export const alidns: ProviderKind<AlidnsConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000008",
  kind: "alidns",
  name: vendorName,
  recordTypes: commonTypes,
  supportsProxied: false,
  // The minimum TTL of the highest edition. The minimum of other zones is read from the API.
  minTtl: 1,
  anyZoneMinTtl: highestFloorSeconds,
  maxTtl: 86_400,
  cutsTexts: true,
  apexCname,
  unsupportedReason,
  readOnlyReason,
  lowersCase: "names",
  granularity: "record",
  configFields: [
    { name: "accessKeyId", label: "Access key id", secret: false, required: true },
    { name: "accessKeySecret", label: "Access key secret", secret: true, required: true },
    { name: "url", label: "API address", secret: false, required: false },
  ],
  addresses: ["url"],
  configSchema,
  storedConfigSchema: configSchema.extend({ accessKeyId }),
  connect: ({ accessKeyId: id, accessKeySecret: secret, url }, environment) =>
    alidnsProvider(new AlidnsClient(url, { id, secret }, environment)),
};

/**
 * Prefix of types for records that only this vendor has, such as `ALIDNS_A` on a line or `ALIDNS_REDIRECT_URL`. Not IANA mnemonics.
 */
const ownTypes = "ALIDNS_";

function isOwnType(recordType: string): boolean {
  return recordType.startsWith(ownTypes);
}

/** Returns a record in canonical form. A record with vendor-specific settings gets one of the vendor's own types. */
function readRecord(zone: string, served: AlidnsRecord): StoredRecord {
  const { RecordId: id, Type: type, Value: printed, TTL: ttl } = served;
  const shared = { ...canonicalOwner(served.RR, zone), strings: null, ttl, proxied: false };
  const settings = settingsOf(served);
  if (settings.length > 0 || !isCommonType(type)) {
    const value = [...settings, served.Priority ?? [], printed].flat().join(" ");
    return { id, data: { ...shared, recordType: `${ownTypes}${type}`, value, priority: null } };
  }
  return { id, data: { ...shared, recordType: type, ...canonicalValue(type, printed, served.Priority) } };
}

/** Returns the settings of a record that no other provider has. */
function settingsOf({ Line: line, Status: status, LbaStatus: weighted, Weight: weight }: AlidnsRecord): string[] {
  return [
    ...(line === "default" ? [] : [`line=${line}`]),
    // A listing may have a weight without saying that weights are on.
    ...(weighted || (weight ?? 1) > 1 ? [`weight=${weight ?? 1}`] : []),
    ...(status.toUpperCase() === "ENABLE" ? [] : ["disabled"]),
  ];
}

/** Returns the parameters that describe a record. */
export function recordParameters(record: RecordData): Record<string, string | number> {
  const { recordType, ttl, priority } = record;
  const value = valueOf(record);
  const shared = { RR: nameOf(record), Type: recordType, TTL: ttl, Line: "default" };
  if (recordType === "MX") return { ...shared, Value: value.slice(value.indexOf(" ") + 1), Priority: priority ?? 10 };
  return { ...shared, Value: recordType === "CAA" ? ruleFor("CAA").print(value) : value };
}

/** The vendor's "DNS record type format" says: shorter than 512 characters. */
const longestText = 511;

/**
 * The vendor's own name servers. DescribeDomainRecords does not list them at the apex, where others can be added and removed
 * (DNSControl's ALIDNS provider; "DNS record conflict rules").
 */
const ownNameServer = /\.(?:hichina|alidns)\.com$/;

/** Returns why the vendor rejects a record or would change it silently, or null. The reason follows the vendor's name. */
function unsupportedReason(record: LimitedRecord): Unsupported | null {
  const { recordType, name, value } = record;
  if (/[^a-z0-9_.*@-]/.test(name)) {
    return { field: "name", reason: "allows only letters, digits, hyphens and underscores in a name." };
  }
  if (name.startsWith("*") && ["NS", "TXT", "SRV"].includes(recordType)) {
    return { field: "name", reason: `does not allow wildcard names for ${recordType} records.` };
  }
  const reason = valueReason(recordType, value);
  return reason === null ? foreignName(record) : { field: "value", reason };
}

function valueReason(recordType: string, value: string): string | null {
  if (recordType === "TXT") return textReason(value);
  if (parseGeneric(value)) return "does not support data in generic form (RFC 3597).";
  if (recordType === "MX") {
    const priority = Number(value.split(" ")[0]);
    if (value === "0 .") return 'does not support null MX records ("0 .", RFC 7505).';
    return priority >= 1 && priority <= 50 ? null : "allows MX priorities from 1 to 50.";
  }
  return recordType === "SRV" && value.endsWith(" .") ? 'does not support SRV records with the target ".".' : null;
}

function textReason(text: string): string | null {
  if (text === "") return "does not allow an empty TXT value.";
  if (text.length > longestText) return `allows at most ${longestText} characters in a TXT value.`;
  if (/["\\]/.test(text)) return "drops quotes and backslashes from a TXT value; leave them out.";
  if (!/^[ -~]*$/.test(text)) return "allows only printable ASCII characters in a TXT value.";
  return text.endsWith(" ") ? "drops spaces at the end of a TXT value; leave them out." : null;
}

/** Returns why a record is read-only, or null. The reason follows the vendor's name. */
function readOnlyReason(record: LimitedRecord): string | null {
  return onlyInConsole(record, isOwnType, ownNameServer);
}

const domainsOnPage = 100;
const recordsOnPage = 500;

function alidnsProvider(client: AlidnsClient): DnsProvider {
  return recordAccountProvider({
    vendor: vendorName,
    zones: () => zones(client),
    createZone: (zone) => createZone(client, zone),
    records: (zone, name) => records(client, zone, name),
    ...recordCalls(client),
    readOnlyReason,
    apexCname,
    mostQueries: 4,
    isQueryable,
    // A domain takes one write at a time.
    concurrency: 1,
    ttlFloor: { setBy: "the edition of", highestSeconds: highestFloorSeconds, ofZone: (zone) => minTtl(client, zone) },
  });
}

async function* zones(client: AlidnsClient): AsyncGenerator<string[]> {
  const list = {
    vendor: vendorName,
    name: "The list of domains",
    pageSize: domainsOnPage,
    idOf: ({ DomainName }: { DomainName: string }) => DomainName,
  };
  const pages = readPages(list, async (page) => {
    const answer = await client.call("DescribeDomains", { PageNumber: page, PageSize: domainsOnPage }, domainPage);
    if (!answer.ok) throw refusedCall(vendorName, "did not list its domains", answer.refusal);
    const { Domains: domains, TotalCount: total } = answer.value;
    return { entries: domains.Domain, total, isLast: page * domainsOnPage >= total };
  });
  for await (const page of pages) yield page.map(({ DomainName: shown, PunyCode: ascii }) => ascii || shown);
}

async function createZone(client: AlidnsClient, zone: string): Promise<void> {
  const added = await client.call("AddDomain", domainOf(zone), done);
  if (added.ok) return;
  // The domain may be in this account already, or in another one.
  if ((await client.call("DescribeDomainInfo", domainOf(zone), domainInfo)).ok) return;
  throw refusedCall(vendorName, `did not add the domain ${zone}`, added.refusal);
}

async function* records(client: AlidnsClient, zone: string, name?: string): AsyncGenerator<StoredRecord[]> {
  const list = {
    vendor: vendorName,
    name: `The zone ${zone}`,
    pageSize: recordsOnPage,
    idOf: ({ RecordId }: { RecordId: string }) => RecordId,
    mustBeComplete: true,
  };
  const filter: Record<string, string> = name === undefined ? {} : { SearchMode: "COMBINATION", RRKeyWord: name };
  const pages = readPages(list, async (page) => {
    const parameters = { ...domainOf(zone), ...filter, PageNumber: page, PageSize: recordsOnPage, Direction: "ASC" };
    const answer = await client.call("DescribeDomainRecords", parameters, recordPage);
    if (!answer.ok) throw noZone(zone, answer.refusal);
    const { DomainRecords: served, TotalCount: total } = answer.value;
    return { entries: served.Record, total, isLast: page * recordsOnPage >= total };
  });
  for await (const page of pages) {
    yield page.filter(({ Type: type }) => type !== "SOA").map((record) => readRecord(zone, record));
  }
}

async function minTtl(client: AlidnsClient, zone: string): Promise<number> {
  const answer = await client.call("DescribeDomainInfo", domainOf(zone), domainInfo);
  if (!answer.ok) throw noZone(zone, answer.refusal);
  return answer.value.MinTtl ?? 0;
}

function recordCalls(client: AlidnsClient): Pick<RecordAccount, "create" | "update" | "remove"> {
  return {
    async create(zone, record) {
      const answer = await client.call(
        "AddDomainRecord",
        { ...domainOf(zone), ...recordParameters(record) },
        madeRecord,
      );
      return answer.ok ? ok(answer.value.RecordId) : refusedRecord(vendorName, answer.refusal);
    },
    async update(_zone, id, record) {
      const answer = await client.call("UpdateDomainRecord", { RecordId: id, ...recordParameters(record) }, madeRecord);
      return answer.ok ? ok(null) : refusedRecord(vendorName, answer.refusal);
    },
    async remove(_zone, id) {
      const answer = await client.call("DeleteDomainRecord", { RecordId: id }, madeRecord);
      // A repeated deletion may find that an earlier attempt was carried out.
      const isGone = !answer.ok && answer.refusal.code === "DomainRecordNotBelongToUser";
      return answer.ok || isGone ? ok(null) : refusedRecord(vendorName, answer.refusal);
    },
  };
}

/** Names a domain the way the vendor lists it, in Unicode. */
function domainOf(zone: string): { DomainName: string } {
  return { DomainName: toUnicodeName(zone) };
}

function noZone(zone: string, refusal: Refusal): ProviderError {
  if (refusal.code === "IncorrectDomainUser") {
    const what = `refuses the access key of this provider configuration for the zone ${zone}, which belongs to another account`;
    return refusedCall(vendorName, what, refusal);
  }
  if (refusal.code === "InvalidDomainName.NoExist") {
    return new ProviderError(`${vendorName} has no zone ${zone}.`, "none", { zoneMissing: true });
  }
  return refusedCall(vendorName, `did not show the zone ${zone}`, refusal);
}
