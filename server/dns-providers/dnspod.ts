import { z } from "zod";
import { commonTypes, isCommonType, nameOf, valueOf, type RecordData } from "../dns/record.ts";
import {
  DnspodClient,
  dnspodAddress,
  vendorName,
  dnspodLimits,
  type DnspodRecord,
  done,
  domainInfo,
  domainList,
  madeRecord,
  packageDetails,
  recordList,
} from "./dnspod/client.ts";
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
import { realPause, type Pause } from "../platform/pause.ts";
import { ok } from "../platform/result.ts";
import { recordAccountProvider, type RecordAccount } from "./single-record-api/provider.ts";
import { readPages } from "./vendor-api/pages.ts";
import { onlyInConsole } from "./vendor-api/limits.ts";

const configSchema = z.strictObject({
  secretId: z
    .string("Enter the SecretId of a CAM user's API key.")
    .regex(/^[\w.-]{1,128}$/, "The SecretId must be letters and digits, such as AKID…"),
  secretKey: z
    .string("Enter the SecretKey of the API key.")
    .regex(/^[!-~]{1,256}$/, "The SecretKey must be up to 256 characters of plain ASCII without spaces."),
  url: vendorOrigin(dnspodAddress),
});

export type DnspodConfig = z.infer<typeof configSchema>;

/** The smallest TTL of the lowest package. */
const highestFloorSeconds = 600;

/** DNSPod through Tencent Cloud's API 3.0 (version 2021-03-23). */
export const dnspod: ProviderKind<DnspodConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000009",
  kind: "dnspod",
  name: vendorName,
  recordTypes: commonTypes,
  supportsProxied: false,
  // The minimum TTL of the highest package. The minimum of other zones is read from the API.
  minTtl: 1,
  anyZoneMinTtl: highestFloorSeconds,
  maxTtl: 604_800,
  cutsTexts: true,
  apexCname,
  unsupportedReason,
  readOnlyReason,
  lowersCase: "names",
  callLimits: dnspodLimits,
  granularity: "record",
  configFields: [
    { name: "secretId", label: "SecretId", secret: false, required: true },
    { name: "secretKey", label: "SecretKey", secret: true, required: true },
    { name: "url", label: "API address", secret: false, required: false },
  ],
  addresses: ["url"],
  configSchema,
  connect: ({ secretId: id, secretKey: key, url }, environment) =>
    dnspodProvider(new DnspodClient(url, { id, key }, environment), environment.pause),
};

/**
 * Prefix of types for records that only this vendor has, such as `DNSPOD_A` on a line or `DNSPOD_REDIRECT_URL`. Not IANA mnemonics.
 */
const ownTypes = "DNSPOD_";

/** Its types for redirects, plain and in a frame. */
const redirects: Readonly<Record<string, string>> = { 显性URL: "REDIRECT_URL", 隐性URL: "FORWARD_URL" };

function isOwnType(recordType: string): boolean {
  return recordType.startsWith(ownTypes);
}

/** Returns a record in canonical form. A record with vendor-specific settings gets one of the vendor's own types. */
function readRecord(zone: string, served: DnspodRecord): StoredRecord {
  const { Type: type, Value: printed, TTL: ttl, MX: mx } = served;
  const id = String(served.RecordId);
  const shared = { ...canonicalOwner(served.Name, zone), strings: null, ttl, proxied: false };
  const settings = settingsOf(served);
  if (settings.length > 0 || !isCommonType(type)) {
    const value = [...settings, ...(mx ? [mx] : []), printed].join(" ");
    return { id, data: { ...shared, recordType: `${ownTypes}${redirects[type] ?? type}`, value, priority: null } };
  }
  return { id, data: { ...shared, recordType: type, ...canonicalValue(type, printed, mx ?? 0) } };
}

/** Returns the settings of a record that no other provider has. */
function settingsOf({ Line: line, LineId: lineId, Weight: weight, Status: status }: DnspodRecord): string[] {
  return [
    ...(lineId === "0" ? [] : [`line=${line || lineId}`]),
    ...(weight ? [`weight=${weight}`] : []),
    ...(status.toUpperCase() === "ENABLE" ? [] : ["disabled"]),
  ];
}

/** Returns the parameters that describe a record, on the default line. */
export function recordParameters(record: RecordData): object {
  const { recordType, ttl, priority } = record;
  const value = valueOf(record);
  const shared = { SubDomain: nameOf(record), RecordType: recordType, RecordLine: "默认", RecordLineId: "0", TTL: ttl };
  if (recordType === "TXT") return { ...shared, Value: value };
  const printed = ruleFor(recordType).print(value);
  if (recordType !== "MX") return { ...shared, Value: printed };
  return { ...shared, Value: printed.slice(printed.indexOf(" ") + 1), MX: priority ?? 0 };
}

/** Octets, as others found with real accounts (DNSControl #4581: "a 256-byte TXT"). */
const longestText = 255;

/** The vendor's own name servers, free and paid. */
const ownNameServer = /\.(?:dnspod\.net|dnsv\d\.com)$/;

/** Returns why the vendor rejects a record or would change it silently, or null. The reason follows the vendor's name. */
function unsupportedReason(record: LimitedRecord): Unsupported | null {
  const { recordType, name, value } = record;
  if (/[^a-z0-9_.*@-]/.test(name)) {
    return { field: "name", reason: "allows only letters, digits, hyphens and underscores in a name." };
  }
  const reason = valueReason(recordType, value);
  return reason === null ? foreignName(record) : { field: "value", reason };
}

function valueReason(recordType: string, value: string): string | null {
  if (parseGeneric(value)) return "does not support data in generic form (RFC 3597).";
  if (recordType === "MX" && value === "0 .") return 'does not support null MX records ("0 .", RFC 7505).';
  if (recordType === "MX" && !/^(?:[1-9]|1\d|20) /.test(value)) return "allows MX priorities from 1 to 20.";
  if (recordType === "SRV" && value.endsWith(" .")) return 'does not support SRV records with the target ".".';
  if (recordType !== "TXT") return null;
  if (value === "") return "does not allow an empty TXT value.";
  const octets = Buffer.byteLength(value);
  if (octets > longestText) return `allows at most ${longestText} octets in a TXT value; this one has ${octets}.`;
  if (/["'\\]/.test(value))
    return "rejects or changes quotes, single quotes and backslashes in a TXT value; leave them out.";
  return value.endsWith(" ") ? "drops spaces at the end of a TXT value; leave them out." : null;
}

/** Returns why a record is read-only, or null. The reason follows the vendor's name. */
function readOnlyReason(record: LimitedRecord): string | null {
  return onlyInConsole(record, isOwnType, ownNameServer);
}

/** The largest page of domains, and of records. */
const onPage = 3_000;
/** "New records have a short index delay; if they are not found, try again after 30 seconds" (DescribeRecordList). */
const lagSeconds = 30;
/** Pauses between readings that may not show a new record yet; together they last as long as the delay. */
const pausesMilliseconds = [1_000, 2_000, 4_000, 8_000, 15_000];

function dnspodProvider(client: DnspodClient, pause: Pause = realPause): DnsProvider {
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
    ttlFloor: { setBy: "the package of", highestSeconds: highestFloorSeconds, ofZone: (zone) => minTtl(client, zone) },
    readLag: { seconds: lagSeconds, pausesMilliseconds, pause },
  });
}

async function* zones(client: DnspodClient): AsyncGenerator<string[]> {
  const list = {
    vendor: vendorName,
    name: "The list of domains",
    pageSize: onPage,
    idOf: ({ Name }: { Name: string }) => Name,
  };
  const pages = readPages(list, async (page) => {
    const parameters = { Type: "ALL", Offset: (page - 1) * onPage, Limit: onPage };
    const answer = await client.call("DescribeDomainList", parameters, domainList);
    if (!answer.ok && isEmptyList(answer.refusal)) return emptyPage;
    if (!answer.ok) throw refusedCall(vendorName, "did not list its domains", answer.refusal);
    const { DomainTotal: total } = answer.value.DomainCountInfo;
    return { entries: answer.value.DomainList ?? [], total, isLast: page * onPage >= total };
  });
  for await (const page of pages) yield page.map(({ Name: shown, Punycode: ascii }) => ascii || shown);
}

async function createZone(client: DnspodClient, zone: string): Promise<void> {
  const added = await client.call("CreateDomain", domainOf(zone), done);
  if (added.ok || added.refusal.code === "FailedOperation.DomainExists") return;
  throw refusedCall(vendorName, `did not add the domain ${zone}`, added.refusal);
}

async function* records(client: DnspodClient, zone: string, name?: string): AsyncGenerator<StoredRecord[]> {
  const list = {
    vendor: vendorName,
    name: `The zone ${zone}`,
    pageSize: onPage,
    idOf: ({ RecordId }: { RecordId: number }) => RecordId,
    // The total is that of the zone, also where records are filtered by name.
    mustBeComplete: name === undefined,
  };
  const filter = name === undefined ? {} : { Subdomain: name };
  const pages = readPages(list, async (page) => {
    const range = { Offset: (page - 1) * onPage, Limit: onPage, ErrorOnEmpty: "no" };
    const answer = await client.call("DescribeRecordList", { ...domainOf(zone), ...filter, ...range }, recordList);
    if (!answer.ok && isEmptyList(answer.refusal)) return emptyPage;
    if (!answer.ok) throw noZone(zone, answer.refusal);
    const entries = answer.value.RecordList ?? [];
    return { entries, total: answer.value.RecordCountInfo.TotalCount, isLast: entries.length < onPage };
  });
  for await (const page of pages) {
    yield page.filter(({ Type: type }) => type !== "SOA").map((record) => readRecord(zone, record));
  }
}

async function minTtl(client: DnspodClient, zone: string): Promise<number> {
  const domain = await client.call("DescribeDomain", domainOf(zone), domainInfo);
  if (!domain.ok) throw noZone(zone, domain.refusal);
  const packages = await client.call("DescribePackageDetail", {}, packageDetails);
  if (!packages.ok) throw refusedCall(vendorName, "did not show its packages", packages.refusal);
  const { Grade: grade } = domain.value.DomainInfo;
  return packages.value.Info.find(({ DomainGrade: code }) => code === grade)?.MinTtl ?? 0;
}

function recordCalls(client: DnspodClient): Pick<RecordAccount, "create" | "update" | "remove"> {
  return {
    async create(zone, record) {
      const answer = await client.call("CreateRecord", { ...domainOf(zone), ...recordParameters(record) }, madeRecord);
      return answer.ok ? ok(String(answer.value.RecordId)) : refusedRecord(vendorName, answer.refusal);
    },
    async update(zone, id, record) {
      const parameters = { ...domainOf(zone), RecordId: Number(id), ...recordParameters(record) };
      const answer = await client.call("ModifyRecord", parameters, madeRecord);
      return answer.ok ? ok(null) : refusedRecord(vendorName, answer.refusal);
    },
    async remove(zone, id) {
      const answer = await client.call("DeleteRecord", { ...domainOf(zone), RecordId: Number(id) }, done);
      return answer.ok ? ok(null) : refusedRecord(vendorName, answer.refusal);
    },
  };
}

/** Names a domain the way the vendor lists it, in Unicode. */
function domainOf(zone: string): { Domain: string } {
  return { Domain: toUnicodeName(zone) };
}

const emptyPage = { entries: [], total: null, isLast: true };

function isEmptyList({ code }: Refusal): boolean {
  return code.startsWith("ResourceNotFound.NoDataOf");
}

function noZone(zone: string, refusal: Refusal): ProviderError {
  if (refusal.code === "OperationDenied.NoPermissionToOperateDomain") {
    const what = `refuses the key of this provider configuration for the zone ${zone}; the zone belongs to another account, or the key lacks the permission`;
    return refusedCall(vendorName, what, refusal);
  }
  if (refusal.code === "InvalidParameterValue.DomainNotExists") {
    return new ProviderError(`${vendorName} has no zone ${zone}.`, "none", { zoneMissing: true });
  }
  return refusedCall(vendorName, `did not show the zone ${zone}`, refusal);
}
