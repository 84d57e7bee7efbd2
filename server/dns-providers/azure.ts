import { z } from "zod";
import { ruleFor } from "../dns/record-types.ts";
import { isApexNs, maxTtl } from "../dns/record.ts";
import { decodeText, joinOctets } from "../dns/values/character-strings.ts";
import { rdataFields } from "../dns/zone-file/record-data.ts";
import { apiAddress, credential } from "./config-fields.ts";
import type { UnusableZone } from "./listed-zones.ts";
import { ProviderError, type LimitedRecord, type ProviderKind, type Unsupported } from "./provider.ts";
import type { RrsetAccount, RrsetStep, VendorRrset, Written } from "./rrset-api/account.ts";
import { rrsetAccountProvider } from "./rrset-api/provider.ts";
import { absoluteHost, quotedText } from "./single-record-api/rest-account.ts";
import { AccessTokens, oauthRequest } from "./vendor-api/access-tokens.ts";
import { VendorAccounts } from "./vendor-api/accounts.ts";
import { VendorCalls, type Vendor, type VendorAnswer, type VendorEnvironment } from "./vendor-api/calls.ts";
import { JsonApi, linkedPages } from "./vendor-api/json-api.ts";
import { unusualName } from "./vendor-api/limits.ts";
import { maybe, parsedJson } from "./vendor-api/text.ts";

// Azure DNS, API version 2023-07-01-preview, and 2018-05-01 where that is missing. Read on 2026-11-28: its OpenAPI description in azure-rest-api-specs (types, ETags, lists of at most 100 with nextLink, 204 for
// what is gone), Microsoft's pages "Overview of DNS zones and records" of 2023-09-06 (TTLs, wildcards, the NS at the apex, properties of CAA, 4,096 characters of
// TXT), "Azure DNS limits" of 2024-10-08 (20 records, calls per minute), "How to protect DNS zones and records" (the role) and "Understand how Azure Resource Manager throttles requests" (429 with Retry-After). What
// others found with real accounts: DNSControl's AZURE_DNS of 2026-05-31 and its audit (no null MX, no empty TXT, texts as they are) and octodns-azure 1.1.1
// (hosts without a trailing dot, aliases without records). Read on 2026-11-29: the preview's description and examples (DS, NAPTR, TLSA), azure-cli's pull
// request 26727 and issues 26814, 26885 and 26929 (NoRegisteredProviderFound where the preview is missing), external-dns' issue 1973 and terraform-provider-acme's
// issue 303 (the action and the scope of AuthorizationFailed). DNSSEC, read on 2026-11-29: the same preview's dnssecConfigs with their examples, and the page of
// New-AzDnsDnssecConfig (a signed zone's keys); not tried with an account. Not found: which other characters names of record sets may have, and whether 2018-05-01 lists sets
// of the preview's types.

const address = "https://management.azure.com";
/** The version with DS, NAPTR and TLSA, and the one for places that do not have it yet. */
const versions = { latest: "2023-07-01-preview", stable: "2018-05-01" };
const laterTypes = new Set(["DS", "NAPTR", "TLSA"]);
/** Where tokens are requested, by the API's address. */
const logins: Readonly<Record<string, string>> = {
  [address]: "https://login.microsoftonline.com",
  "https://management.usgovcloudapi.net": "https://login.microsoftonline.us",
  "https://management.chinacloudapi.cn": "https://login.chinacloudapi.cn",
};
/** Calls of one principal in a subscription: below 10 writes a second. */
const limits = [{ calls: 500, seconds: 60 }];
/** Of these, below 500 reads in 5 minutes. */
const reads = { by: "reads", limits: [{ calls: 400, seconds: 300 }] };
/** Below 60 lists of a zone, and below 200 creations, 200 updates and 200 deletions. */
const zoneReads = [{ calls: 50, seconds: 60 }];
const zoneWrites = [{ calls: 180, seconds: 60 }];
/** Entries of a page: of at most 1,000 zones, and the most that is known to work for record sets (octodns-azure). */
const perPage = { zones: 1_000, recordSets: 500 };
const longestText = 4_096;
/** How long a zone is expected in the resource group in which it was found. */
const pathMilliseconds = 10 * 60_000;
/** How long a subscription is taken to lack the latest version. */
const outdatedMilliseconds = 24 * 3_600_000;
/** What is known of subscriptions, for all connections of a process: where zones are, and until when subscriptions count as lacking the latest version. */
const knownOf = new WeakMap<
  VendorAccounts,
  { paths: Map<string, { path: string; until: number }>; outdated: Map<string, number> }
>();
const aliasType = "AZURE_ALIAS";
/** What a record set is shown as whose type is unknown here. */
const otherType = "AZURE_RECORDS";
/** The name servers that Azure gives a zone. */
const ownServer = /^ns\d+-\d+\.azure-dns\.[a-z.]+$/i;

const zoneEntry = z.object({
  id: z.string(),
  name: z.string(),
  properties: maybe(z.object({ zoneType: maybe(z.string()) })),
});
type ZoneEntry = z.infer<typeof zoneEntry>;
const recordSet = z.object({
  name: z.string(),
  /** `Microsoft.Network/dnszones/A` */
  type: z.string(),
  etag: maybe(z.string()),
  properties: z.looseObject({
    TTL: maybe(z.int()),
    metadata: maybe(z.record(z.string(), z.string())),
    targetResource: maybe(z.object({ id: maybe(z.string()) })),
    trafficManagementProfile: maybe(z.object({ id: maybe(z.string()) })),
  }),
});
type RecordSet = z.infer<typeof recordSet>;
/** The property of a set with the records of a type, and their fields in the order of RDATA. */
const forms: Readonly<Record<string, readonly [property: string, ...fields: string[]]>> = {
  A: ["ARecords", "ipv4Address"],
  AAAA: ["AAAARecords", "ipv6Address"],
  CAA: ["caaRecords", "flags", "tag", "value"],
  CNAME: ["CNAMERecord", "cname"],
  DS: ["DSRecords", "keyTag", "algorithm", "digest.algorithmType", "digest.value"],
  MX: ["MXRecords", "preference", "exchange"],
  NAPTR: ["NAPTRRecords", "order", "preference", "flags", "services", "regexp", "replacement"],
  NS: ["NSRecords", "nsdname"],
  PTR: ["PTRRecords", "ptrdname"],
  SRV: ["SRVRecords", "priority", "weight", "port", "target"],
  TLSA: ["TLSARecords", "usage", "selector", "matchingType", "certAssociationData"],
  TXT: ["TXTRecords", "value"],
};
const hostFields = new Set(["cname", "exchange", "nsdname", "ptrdname", "replacement", "target"]);
/** Those of CAA and NAPTR; its strings are the values of TXT. */
const textFields = new Set(["CAA value", "NAPTR flags", "NAPTR services", "NAPTR regexp"]);
const textTypes = new Set(["CAA", "NAPTR", "TXT"]);
const plain = z.union([z.string(), z.int()]);
const oneRecord = z.record(z.string(), z.union([plain, z.array(z.string()), z.record(z.string(), plain)]));
type OneRecord = z.infer<typeof oneRecord>;
const records = z.union([z.array(oneRecord), oneRecord.transform((one) => [one])]);
const nextLink = maybe(z.string());
const securityKey = z.object({
  flags: z.int().min(0).max(0xff_ff),
  protocol: z.int().min(0).max(255),
  securityAlgorithmType: z.int().min(0).max(255),
  publicKey: z.string(),
});
const dnssecConfig = z.object({
  properties: z.object({ provisioningState: maybe(z.string()), signingKeys: maybe(z.array(securityKey)) }),
});
const dnssecConfigs = z.object({ value: z.array(dnssecConfig) });
/** Pauses between looks at a zone that Azure signs or unsigns, in milliseconds; about a minute in all. */
const signingPauses = [1_000, 2_000, 3_000, 5_000, 5_000, 10_000, 15_000, 20_000];
const zoneList = z.object({ value: z.array(zoneEntry), nextLink });
const recordSetList = z.object({ value: z.array(recordSet), nextLink });
/** The answer to a deletion, 204 if there was nothing to delete. */
const gone = z.unknown().transform(() => null);
/** What is sent back with a record set. */
const kept = z.object({ etag: maybe(z.string()), metadata: maybe(z.record(z.string(), z.string())) });

const guid = (what: string) =>
  z
    .string(`Enter the ${what}.`)
    .trim()
    .pipe(z.guid(`The ${what} is a GUID, such as 12345678-1234-1234-1234-123456789abc.`));
const configSchema = z.strictObject({
  tenantId: guid("tenant id"),
  clientId: guid("client id"),
  clientSecret: credential("client secret", 8),
  subscriptionId: guid("subscription id"),
  resourceGroup: z
    .string()
    .trim()
    .regex(/^[\p{L}\p{N}._()-]{1,90}$/u, "Enter the resource group's name, or leave it out.")
    .optional(),
  endpoint: apiAddress(address).default(address),
});

export type AzureConfig = z.infer<typeof configSchema>;

/** The public DNS zones of an Azure subscription. */
export const azure: ProviderKind<AzureConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000016",
  kind: "azure",
  name: "Azure DNS",
  recordTypes: Object.keys(forms),
  supportsProxied: false,
  minTtl: 1,
  maxTtl,
  turnsSigning: true,
  unsupportedReason,
  readOnlyReason,
  lowersCase: "owners",
  callLimits: limits,
  granularity: "rrset",
  adjust: ({ resourceGroup }) => (resourceGroup === undefined ? { createsZones: false } : {}),
  configFields: [
    { name: "tenantId", label: "Tenant id", secret: false, required: true },
    { name: "clientId", label: "Client id", secret: false, required: true },
    { name: "clientSecret", label: "Client secret", secret: true, required: true },
    { name: "subscriptionId", label: "Subscription id", secret: false, required: true },
    { name: "resourceGroup", label: "Resource group (all)", secret: false, required: false },
    { name: "endpoint", label: "API address", secret: false, required: false },
  ],
  addresses: ["endpoint"],
  configSchema,
  connect: (config, environment) => rrsetAccountProvider(azureAccount(config, environment)),
};

function unsupportedReason(record: LimitedRecord): Unsupported | null {
  const unusual = unusualName(record.name);
  if (unusual) return unusual;
  const reason = valueReason(record);
  return reason === null ? null : { field: "value", reason };
}

function valueReason({ recordType, value, strings }: LimitedRecord): string | null {
  if (recordType !== "TXT" && value.startsWith("\\#")) return "does not support data in generic form (RFC 3597).";
  if (recordType === "MX" && value.endsWith(" .")) return 'does not support MX records with the host ".".';
  if (recordType === "CAA" && !/^\d+ (?:issue|issuewild|iodef) /i.test(value)) {
    return "knows only issue, issuewild and iodef in CAA records.";
  }
  if (!textTypes.has(recordType)) return null;
  const texts = textsIn(ruleFor(recordType).print(value, strings));
  if (texts === null) return `allows only whole characters (UTF-8) in each string of a ${recordType} record.`;
  if (recordType !== "TXT") return null;
  if (texts.includes("")) return "does not allow an empty string in a TXT record.";
  return texts.join("").length > longestText ? `allows TXT values of at most ${longestText} characters.` : null;
}

function readOnlyReason({ recordType, name, value }: LimitedRecord): string | null {
  if (recordType === aliasType) return aliasReason;
  if (recordType === otherType) return otherReason;
  return isApexNs({ recordType, name }) && ownServer.test(value)
    ? "manages its own name servers at the apex of a zone."
    : null;
}

const aliasReason = "has an alias to one of its resources here; change it there.";
const otherReason = "has records here of a type that Zonewright does not read; change them there.";

const lacksVersion = /No registered resource provider found/;

/** Returns the role that a refusal lacks; null if it does not name the action and its scope. */
function lackIn(_: unknown, { text }: VendorAnswer) {
  const [, action, scope] = /perform action '([^']{1,200})' over scope '([^']{1,1000})'/.exec(text) ?? [];
  if (action === undefined || scope === undefined) return null;
  const [, group] = /\/resourceGroups\/([^/]+)/i.exec(scope) ?? [];
  const [, zone] = /\/dnsZones\/([^/]+)/i.exec(scope) ?? [];
  const role = zone === undefined && action.endsWith("/read") ? "Reader" : "DNS Zone Contributor";
  const inGroup = group === undefined ? "in the subscription" : `in the resource group ${group}`;
  const where =
    zone === undefined || action.toLowerCase() === zoneWrite ? inGroup : `for the zone ${zone}, or ${inGroup}`;
  return {
    credentials: "the application",
    advice: `Check that it has the role ${role} ${where}: it lacks ${action}. A new role takes effect after some minutes.`,
  };
}

const zoneWrite = "microsoft.network/dnszones/write";

function azureAccount(config: AzureConfig, environment: VendorEnvironment): RrsetAccount {
  const { tenantId, clientId, clientSecret, subscriptionId, resourceGroup, endpoint } = config;
  const { origin } = new URL(endpoint);
  const login = logins[origin] ?? origin;
  const url = `${login}/${tenantId}/oauth2/v2.0/token`;
  const scope = `${logins[origin] ? origin : address}/.default`;
  const secrets = [clientSecret];
  const mask = (secret: string) => void (secrets.includes(secret) || secrets.push(secret));
  const account = `${clientId} ${subscriptionId}`;
  const callsTo = (to: string, also: Vendor["also"] = []) =>
    new VendorCalls({
      name: azure.name,
      address: to,
      environment,
      secrets,
      account,
      quotas: { address, limits },
      also,
    });
  const request = oauthRequest({
    calls: callsTo(login),
    url,
    form: () => ({ grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret, scope }),
    mask,
    refused: (message) => api.forbidden(message),
  });
  const tokens = new AccessTokens({ identity: [url, clientId, clientSecret, scope], request, mask }, environment);
  const apiOf = (calls: VendorCalls) =>
    new JsonApi({
      calls,
      base: `${endpoint.replace(/\/+$/, "")}/subscriptions/${subscriptionId}`,
      headers: () => tokens.header(),
      renew: ({ authorization = "" }) => tokens.discard(authorization),
      credentials: "the secret",
      lackIn,
      advice:
        "Check the tenant, the client id, that the secret has not expired, and that the application has the role DNS Zone Contributor in the resource group, or Reader there and DNS Zone Contributor for the zone.",
    });
  const apiOfZone = (zone: string, way: "reads" | "writes") =>
    apiOf(
      callsTo(
        endpoint,
        way === "reads"
          ? [reads, { by: `${zone} reads`, limits: zoneReads }]
          : [{ by: `${zone} writes`, limits: zoneWrites }],
      ),
    );
  const api: JsonApi = apiOf(callsTo(endpoint, [reads]));
  const { calls } = api;

  const { accounts = new VendorAccounts() } = environment;
  const known = knownOf.get(accounts) ?? { paths: new Map(), outdated: new Map() };
  knownOf.set(accounts, known);
  const place = `${endpoint} ${account}`;
  const isOutdated = () => accounts.now().getTime() < (known.outdated.get(place) ?? 0);
  const versionQuery = () => `api-version=${isOutdated() ? versions.stable : versions.latest}`;

  /** Reads a list. Its links must not lead a token elsewhere: Azure's own address stands for a proxy that is called instead. */
  async function* pages<T extends { nextLink?: string | undefined }>(
    path: string,
    schema: z.ZodType<T>,
    { most, zone }: { most: number; zone?: string },
  ) {
    const nextOf = ({ nextLink: next }: T) => {
      if (next === undefined || next === "") return null;
      const link = URL.parse(next);
      if (!link || (link.origin !== origin && !(link.origin in logins))) throw calls.notItsApi("none");
      return `${origin}${link.pathname}${link.search}`;
    };
    const reading = zone === undefined ? api : apiOfZone(zone, "reads");
    const list = () => linkedPages(reading, `${path}?${versionQuery()}&$top=${most}`, schema, { nextOf, zone });
    let isBegun = false;
    try {
      for await (const page of list()) {
        isBegun = true;
        yield page;
      }
    } catch (error) {
      // Every change is preceded by a list, so nothing else has to ask for another version.
      if (isBegun || isOutdated() || !(error instanceof ProviderError) || !lacksVersion.test(error.message))
        throw error;
      known.outdated.set(place, accounts.now().getTime() + outdatedMilliseconds);
      yield* list();
    }
  }

  async function publicZones(): Promise<ZoneEntry[]> {
    const group = resourceGroup === undefined ? "" : `/resourceGroups/${encodeURIComponent(resourceGroup)}`;
    const found: ZoneEntry[] = [];
    for await (const { value } of pages(`${group}/providers/Microsoft.Network/dnsZones`, zoneList, {
      most: perPage.zones,
    }))
      found.push(...value);
    return found.filter(({ properties }) => properties?.zoneType?.toLowerCase() !== "private");
  }

  /** Returns the path of a zone. @throws ProviderError if the subscription has no zone of that name, or more than one */
  async function pathOf(zone: string): Promise<string> {
    if (resourceGroup !== undefined) return pathIn(resourceGroup, zone);
    const now = accounts.now().getTime();
    const key = `${place} ${zone}`;
    const remembered = known.paths.get(key);
    if (remembered && now < remembered.until) return remembered.path;
    const [found, ...others] = (await publicZones()).filter(({ name }) => name.toLowerCase() === zone);
    if (!found) throw api.noZone(zone);
    if (others.length > 0) throw calls.error(ambiguous(zone, [found, ...others]), "none");
    const path = pathIn(groupOf(found), zone);
    known.paths.set(key, { path, until: now + pathMilliseconds });
    return path;
  }

  async function written(zone: string, step: RrsetStep): Promise<Written> {
    const { name, recordType, before, after, restores = "" } = step;
    const { etag, metadata } = kept.safeParse(parsedJson(before?.tag ?? restores)).data ?? {};
    const path = `${await pathOf(zone)}/${recordType}/${name === "@" ? "@" : encodeURIComponent(name)}?${versionQuery()}`;
    if (before && etag === undefined) {
      return { ok: false, message: "it did not identify the state of the record set (ETag)." };
    }
    const condition: Record<string, string> =
      before && etag !== undefined ? { "if-match": etag } : { "if-none-match": "*" };
    const writing = apiOfZone(zone, "writes");
    const answer = after
      ? await writing.send(
          {
            method: "PUT",
            path,
            headers: condition,
            body: { properties: { TTL: after.ttl, metadata, ...propertiesOf(recordType, after.values) } },
          },
          recordSet,
        )
      : await writing.send({ method: "DELETE", path, headers: condition }, gone);
    if (answer.ok) return { ok: true, tag: answer.value ? tagOf({ ...answer.value, metadata }) : undefined };
    if (answer.status === 404) throw api.noZone(zone);
    return { ok: false, message: answer.message, isStale: answer.status === 412 };
  }

  /** Returns the data of the DNSKEY records of a zone; none if Azure does not sign it, or stops signing it. */
  async function keysOf(zone: string): Promise<Buffer[]> {
    const path = `${await pathOf(zone)}/dnssecConfigs?api-version=${versions.latest}`;
    const answer = await apiOfZone(zone, "reads").send({ method: "GET", path }, dnssecConfigs);
    if (!answer.ok && lacksVersion.test(answer.message)) return [];
    if (!answer.ok) throw answer.status === 404 ? api.noZone(zone) : calls.error(answer.message, "none");
    const on = answer.value.value.filter(({ properties }) => properties.provisioningState !== "Deleting");
    return on
      .flatMap(({ properties }) => properties.signingKeys ?? [])
      .map(({ flags, protocol, securityAlgorithmType, publicKey }) =>
        Buffer.concat([
          Buffer.from([flags >> 8, flags & 255, protocol, securityAlgorithmType]),
          Buffer.from(publicKey, "base64"),
        ]),
      );
  }

  /** Turns signing on or off, and waits until the zone has keys, or has none. */
  async function setSigning(zone: string, enabled: boolean): Promise<void> {
    const path = `${await pathOf(zone)}/dnssecConfigs/default?api-version=${versions.latest}`;
    const answer = await apiOfZone(zone, "writes").send({ method: enabled ? "PUT" : "DELETE", path }, z.unknown());
    if (!answer.ok) {
      if (answer.status === 404) throw api.noZone(zone);
      const reason = lacksVersion.test(answer.message)
        ? `this subscription lacks the API version ${versions.latest}.`
        : answer.message;
      throw calls.failure(`did not turn DNSSEC ${enabled ? "on" : "off"} for ${zone}: ${reason}`, "none");
    }
    for (const milliseconds of signingPauses) {
      const keys = await keysOf(zone).catch((error: unknown) => {
        throw error instanceof ProviderError ? error.afterSending() : error;
      });
      if (keys.length > 0 === enabled) return;
      await accounts.pause(milliseconds);
    }
  }

  return {
    vendor: azure.name,
    signing: { set: setSigning, keys: keysOf },
    async *zones() {
      const named = Map.groupBy(await publicZones(), ({ name }) => name.toLowerCase());
      yield [...named].map(([name, zones]): string | UnusableZone =>
        zones.length === 1 ? name : { name, reason: ambiguous(name, zones) },
      );
    },
    async createZone(zone) {
      if ((await publicZones()).some(({ name }) => name.toLowerCase() === zone)) return;
      if (resourceGroup === undefined) {
        throw calls.failure(
          "creates zones in a resource group only. Enter one in this provider configuration.",
          "none",
        );
      }
      const answer = await api.send(
        {
          method: "PUT",
          path: `${pathIn(resourceGroup, zone)}?${versionQuery()}`,
          headers: { "if-none-match": "*" },
          body: { location: "global", properties: { zoneType: "Public" } },
        },
        zoneEntry,
      );
      if (!answer.ok) throw calls.failure(`did not create the zone ${zone}: ${answer.message}`, "none");
    },
    async *rrsets(zone) {
      for await (const { value } of pages(`${await pathOf(zone)}/recordsets`, recordSetList, {
        most: perPage.recordSets,
        zone,
      })) {
        yield value.flatMap(readRecordSet);
      }
    },
    put: (zone, step) => written(zone, step),
    remove: (zone, step) => written(zone, step),
    // Lists cannot be filtered by a name, and a name would take a call for each type.
    mostQueries: 0,
    readOnlyReason,
    refusalOf: ({ recordType }) =>
      isOutdated() && laterTypes.has(recordType)
        ? `has no ${recordType} records in this subscription: it lacks the API version ${versions.latest}.`
        : null,
  };
}

function pathIn(group: string, zone: string): string {
  return `/resourceGroups/${encodeURIComponent(group)}/providers/Microsoft.Network/dnsZones/${encodeURIComponent(zone)}`;
}

function groupOf({ id }: ZoneEntry): string {
  const [, group] = /\/resourceGroups\/([^/]+)\//i.exec(id) ?? [];
  if (group === undefined)
    throw new ProviderError(`${azure.name} lists a zone outside any resource group: ${id}`, "none");
  return group;
}

function ambiguous(zone: string, zones: readonly ZoneEntry[]): string {
  const groups = zones.map(groupOf).toSorted().join(", ");
  return `The subscription has several zones named ${zone} (in ${groups}). Select a resource group in the provider configuration.`;
}

function tagOf({
  etag,
  metadata,
}: {
  etag?: string | undefined;
  metadata?: Record<string, string> | undefined;
}): string {
  return JSON.stringify({ etag, metadata });
}

/** Returns a record set as an RRset. An alias is shown as a record of a type of its own, and its place is taken. */
function readRecordSet({ name, type, etag, properties }: RecordSet): VendorRrset[] {
  const recordType = type.slice(type.lastIndexOf("/") + 1).toUpperCase();
  const { TTL: ttl = 0, metadata, targetResource, trafficManagementProfile } = properties;
  const target = [targetResource?.id, trafficManagementProfile?.id].find((id) => id !== undefined && id !== "");
  if (target === undefined && !(recordType in forms)) {
    if (recordType === "SOA") return [];
    return [{ name, recordType: otherType, ttl, values: [recordType], readOnly: otherReason }];
  }
  if (target === undefined)
    return [{ name, recordType, ttl, values: valuesOf(recordType, properties), tag: tagOf({ etag, metadata }) }];
  return [
    { name, recordType: aliasType, ttl, values: [`${recordType} ${target}`], readOnly: aliasReason },
    { name, recordType, ttl, values: [], readOnly: aliasReason },
  ];
}

/** Returns the records of a set in master-file form. @throws ProviderError if a field is missing */
function valuesOf(recordType: string, properties: RecordSet["properties"]): string[] {
  const [property = "", ...fields] = forms[recordType] ?? [];
  const parsed = maybe(records).safeParse(properties[property]);
  // A set without its CNAME has an empty object for it.
  const read = parsed.data?.filter((record) => recordType !== "CNAME" || Object.keys(record).length > 0) ?? [];
  if (!parsed.success || read.some((record) => fields.some((field) => fieldOf(record, field) === undefined)))
    throw new ProviderError(`${azure.name} lists ${recordType} records that cannot be read.`, "none");
  return read.map((record) => fields.map((field) => printed(recordType, field, fieldOf(record, field))).join(" "));
}

/** Returns a field of a record, or of an object within: `digest.value`. */
function fieldOf(record: OneRecord, field: string): string | number | string[] | undefined {
  const [name = "", part] = field.split(".");
  const found = record[name];
  const isWhole = part === undefined;
  if (typeof found !== "object" || Array.isArray(found)) return isWhole ? found : undefined;
  return isWhole ? undefined : found[part];
}

function printed(recordType: string, field: string, content: ReturnType<typeof fieldOf>): string {
  if (Array.isArray(content)) return content.map(quotedText).join(" ");
  if (textFields.has(`${recordType} ${field}`)) return quotedText(String(content));
  return hostFields.has(field) ? absoluteHost(String(content)) : String(content);
}

/** Returns values in master-file form as the property of a record set. */
function propertiesOf(recordType: string, values: readonly string[]): object {
  const [property = "", ...fields] = forms[recordType] ?? [];
  const written = values.map((line) => {
    const parts = textTypes.has(recordType) ? textsIn(line) : line.split(" ");
    if (parts === null) throw new ProviderError(`${azure.name} cannot store the ${recordType} record ${line}.`, "none");
    return recordType === "TXT" ? { value: parts } : recordOf(recordType, fields, parts);
  });
  return { [property]: recordType === "CNAME" ? written[0] : written };
}

/** Returns a record of Azure's. */
function recordOf(recordType: string, fields: readonly string[], parts: readonly string[]): object {
  const numbers = numbersOf[recordType] ?? 0;
  const entries = fields.map((field, index): [string, string | number] => {
    const part = parts[index] ?? "";
    if (index < numbers) return [field, Number(part)];
    // No replacement.
    return [field, field === "replacement" && part === "." ? "" : part];
  });
  const own = entries.filter(([field]) => !field.includes("."));
  const within = entries.flatMap(([field, content]) => (field.includes(".") ? [[field.split(".")[1], content]] : []));
  return { ...Object.fromEntries(own), ...(within.length > 0 && { digest: Object.fromEntries(within) }) };
}

/** How many fields of a type are numbers; the first ones. */
const numbersOf: Readonly<Record<string, number>> = { CAA: 1, DS: 3, MX: 1, NAPTR: 2, SRV: 3, TLSA: 3 };

/** Returns the strings of a value in master-file form; null if one of them is not text. */
function textsIn(value: string): string[] | null {
  const texts = (rdataFields("TXT", value) ?? []).map(({ raw }) => {
    const octets = joinOctets([raw]);
    return octets && decodeText(octets);
  });
  return texts.every((text) => text !== null) ? texts : null;
}
