import { randomBytes } from "node:crypto";
import type { VendorCall, VendorReply } from "../loopback-vendor.ts";
import { json, pageOf, partsAfter, type RrsetDialect } from "./server.ts";
import type { HeldRrset, RrsetStore } from "./store.ts";

// As the OpenAPI description of Azure DNS 2018-05-01 and 2023-07-01-preview (DS, NAPTR, TLSA) and Microsoft's pages "Overview of DNS zones and records" and "Azure DNS limits" describe it, read on
// 2026-11-28: ETags, lists of 100 with nextLink, 204 for what is gone, its own name servers at the apex, 20 records and 4,096 characters a set. That a null MX
// and an empty TXT are refused is what DNSControl's audit found. Texts and hosts are kept as they are. Signing, read on 2026-11-29: the preview's
// dnssecConfigs and their examples (first Creating, without keys) and the page of New-AzDnsDnssecConfig (a signed zone's keys).

const tenantId = "11111111-2222-4333-8444-000000000001";
const clientId = "11111111-2222-4333-8444-000000000002";
const subscriptionId = "11111111-2222-4333-8444-000000000003";
const clientSecret = "a~secret.of-the_harbour-0123456789";
/** As long as those of applications with many groups. */
export const token = `eyJ0eXAi.a-token-of-the-harbour.azure.${randomBytes(3_000).toString("base64url")}`;
const group = "harbour";
const perPage = 100;
const mostPerPage = 1_000;
const mostRecords = 20;
const ownServers = ["ns1-01.azure-dns.com.", "ns2-01.azure-dns.net."];

const said = (status: number, code: string, message: string) => json(status, { error: { code, message } });

const denied = (code: string) => json(401, { error: "invalid_client", error_description: `AADSTS${code}.` });

/** RFC 6749 §4.4. */
function granted({ body, url }: VendorCall): VendorReply {
  const form = new URLSearchParams(body);
  if (url.pathname !== `/${tenantId}/oauth2/v2.0/token`)
    return json(400, { error: "invalid_request", error_description: "AADSTS90002: Tenant not found." });
  if (form.get("grant_type") !== "client_credentials" || form.get("client_id") !== clientId)
    return denied("700016: Application not found");
  if (form.get("client_secret") !== clientSecret) return denied("7000215: Invalid client secret provided");
  if (form.get("scope") !== "https://management.azure.com/.default") return denied("70011: The scope is not valid");
  return json(200, { token_type: "Bearer", expires_in: 3_599, access_token: token });
}

type Fields = Record<string, string | number>;
type Properties = Record<string, unknown> & { TTL?: number; TXTRecords?: { value: string[] }[] };

/** The properties of the records of each type, in the order of their data. */
const fieldsOf: Readonly<Record<string, [property: string, fields: string[]]>> = {
  A: ["ARecords", ["ipv4Address"]],
  AAAA: ["AAAARecords", ["ipv6Address"]],
  CAA: ["caaRecords", ["flags", "tag", "value"]],
  CNAME: ["CNAMERecord", ["cname"]],
  NAPTR: ["NAPTRRecords", ["order", "preference", "flags", "services", "regexp", "replacement"]],
  TLSA: ["TLSARecords", ["usage", "selector", "matchingType", "certAssociationData"]],
  MX: ["MXRecords", ["preference", "exchange"]],
  NS: ["NSRecords", ["nsdname"]],
  PTR: ["PTRRecords", ["ptrdname"]],
  SRV: ["SRVRecords", ["priority", "weight", "port", "target"]],
  SOA: ["SOARecord", ["host"]],
};
const numbers = new Set("preference priority weight port order usage selector matchingType".split(" "));
const isNumber = (type: string, field: string) => numbers.has(field) || (type === "CAA" && field === "flags");
/** Fields that are quoted in a master file. */
const isText = (type: string, field: string) =>
  type === "CAA" ? field === "value" : type === "NAPTR" && ["flags", "services", "regexp"].includes(field);
/** Types that came with a later version. */
const laterTypes: ReadonlySet<string> = new Set(["DS", "NAPTR", "TLSA"]);
const versions = { stable: "2018-05-01", latest: "2023-07-01-preview" };

interface Ds {
  keyTag: number;
  algorithm: number;
  digest: { algorithmType: number; value: string };
}

const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
const unquoted = (text: string) => text.slice(1, -1).replaceAll(/\\([^])/g, "$1");

/** The records of a set as the store has them; null if they are not of the type. */
function readValues(type: string, properties: Properties): string[] | null {
  if (type === "TXT") return properties.TXTRecords?.map(({ value }) => value.map(quoted).join(" ")) ?? null;
  if (type === "DS") {
    const all = properties["DSRecords"] as Ds[];
    const isRead = ({ keyTag, algorithm, digest }: Ds) =>
      [keyTag, algorithm, digest.algorithmType].every(Number.isInteger) && /^[0-9a-f]+$/i.test(digest.value);
    if (!all.every(isRead)) return null;
    return all.map(({ keyTag, algorithm, digest }) =>
      [keyTag, algorithm, digest.algorithmType, digest.value].join(" "),
    );
  }
  const [property = "", fields = []] = fieldsOf[type] ?? [];
  const given = properties[property];
  const list = (Array.isArray(given) ? given : given === undefined ? [] : [given]) as Fields[];
  const isRight = list.every((one) =>
    fields.every((field) => typeof one[field] === (isNumber(type, field) ? "number" : "string")),
  );
  if (list.length === 0 || !isRight) return null;
  return list.map((one) =>
    fields.map((field) => (isText(type, field) ? quoted(String(one[field])) : one[field])).join(" "),
  );
}

const strings = (value: string) => [...value.matchAll(/"(?:[^"\\]|\\[^])*"/g)].map(([one]) => unquoted(one));

function shown({ name, type, ttl, values, etag }: HeldRrset) {
  const [property = "", fields = []] = fieldsOf[type] ?? [];
  const recordOf = (value: string) => {
    const parts = value.match(/"(?:[^"\\]|\\[^])*"|[^ ]+/g) ?? [];
    if (type === "DS") {
      const [keyTag, algorithm, algorithmType, digest] = parts;
      return {
        keyTag: Number(keyTag),
        algorithm: Number(algorithm),
        digest: { algorithmType: Number(algorithmType), value: digest },
      };
    }
    const entries = fields.map((field, index): [string, string | number] => {
      const part = parts[index] ?? "";
      if (isText(type, field)) return [field, unquoted(part)];
      return [field, isNumber(type, field) ? Number(part) : part];
    });
    return Object.fromEntries(entries);
  };
  const records = type === "TXT" ? values.map((value) => ({ value: strings(value) })) : values.map(recordOf);
  return {
    id: `/subscriptions/${subscriptionId}/…/${type}/${name}`,
    name,
    type: `Microsoft.Network/dnszones/${type}`,
    etag,
    properties: {
      TTL: ttl,
      fqdn: name,
      provisioningState: "Succeeded",
      targetResource: {},
      [type === "TXT" || type === "DS" ? `${type}Records` : property]:
        property === "CNAMERecord" || type === "SOA" ? records[0] : records,
    },
  };
}

function onRecordSet(
  { method, headers, body }: VendorCall,
  store: RrsetStore,
  zone: string,
  [type = "", name = ""]: string[],
): VendorReply {
  const held = store.rrset(zone, name, type);
  const [match, noneMatch] = [headers["if-match"], headers["if-none-match"]];
  if ((match !== undefined && match !== held?.etag) || (noneMatch === "*" && held)) {
    return said(412, "PreconditionFailed", "The condition in the If-Match or If-None-Match header was not satisfied");
  }
  if (method === "DELETE") {
    if (!held) return json(204, undefined);
    if (name === "@" && ["NS", "SOA"].includes(type))
      return said(400, "BadRequest", "It is not possible to delete this record set.");
    store.write(zone, [{ name, type, ttl: 1, values: [] }]);
    return json(200, undefined);
  }
  const { properties } = JSON.parse(body) as { properties: Properties };
  const values = readValues(type, properties);
  if (values === null || properties.TTL === undefined)
    return said(400, "BadRequest", `The record set has no valid ${type} records.`);
  if (values.length > mostRecords)
    return said(400, "BadRequest", `The record set has more than ${mostRecords} records.`);
  const texts = (properties.TXTRecords ?? []).flatMap(({ value }) => value);
  if (texts.includes("") || texts.join("").length > 4_096 || texts.some((text) => Buffer.byteLength(text) > 255)) {
    return said(400, "BadRequest", "The length of the TXT records is not valid.");
  }
  if (name === "@" && type === "NS" && !ownServers.every((server) => values.includes(server))) {
    return said(400, "BadRequest", "The name servers of Azure DNS cannot be removed.");
  }
  const writing = { name, type, ttl: properties.TTL, values };
  const [fault = null] = store.faults(zone, [writing]);
  if (fault !== null) return said(400, "BadRequest", fault);
  store.write(zone, [writing]);
  const written = store.rrset(zone, name, type);
  return json(held ? 200 : 201, written && shown(written));
}

interface DnssecConfig {
  provisioningState: string;
  signingKeys: object[];
}

/** The zones with DNSSEC. */
const signed = new WeakMap<RrsetStore, Map<string, DnssecConfig>>();

/** `DnssecConfigs_ListByDnsZone`, `_CreateOrUpdate` and `_Delete`. */
function onSigning({ method }: VendorCall, store: RrsetStore, zone: string): VendorReply {
  const all = signed.get(store) ?? new Map<string, DnssecConfig>();
  signed.set(store, all);
  const config = all.get(zone);
  const shownAs = (properties: DnssecConfig) => ({
    name: "default",
    type: "Microsoft.Network/dnszones/dnssecConfigs",
    properties: { ...properties },
  });
  if (method === "GET") {
    const reply = json(200, { value: config ? [shownAs(config)] : [] });
    // An operation has ended by the second look.
    if (config?.provisioningState === "Creating")
      all.set(zone, { provisioningState: "Succeeded", signingKeys: [signingKey(256), signingKey(257)] });
    if (config?.provisioningState === "Deleting") all.delete(zone);
    return reply;
  }
  if (method === "DELETE") {
    if (config) all.set(zone, { ...config, provisioningState: "Deleting" });
    return json(config ? 202 : 204, undefined);
  }
  const made = config ?? { provisioningState: "Creating", signingKeys: [] };
  all.set(zone, made);
  return json(config ? 200 : 201, shownAs(made));
}

const signingKey = (flags: number) => ({
  delegationSignerInfo: [],
  flags,
  keyTag: 38_205,
  protocol: 3,
  publicKey: randomBytes(64).toString("base64"),
  securityAlgorithmType: 13,
});

/** What a subscription answers that lacks a version (azure-cli's issue 26863). */
export const missingVersion = (type: string, version: string) =>
  said(
    400,
    "NoRegisteredProviderFound",
    `No registered resource provider found for location 'global' and API version '${version}' for type '${type}'. The supported api-versions are '2015-05-04-preview, 2016-04-01, 2017-09-01, 2017-10-01, 2018-03-01-preview, 2018-05-01'. The supported locations are ', global'.`,
  );

/** What a principal without a role is answered (external-dns' issue 1973). */
export const unauthorizedFor = (action: string, scope: string) =>
  said(
    403,
    "AuthorizationFailed",
    `The client '${clientId}' with object id '${clientId}' does not have authorization to perform action '${action}' over scope '/subscriptions/${subscriptionId}${scope}' or the scope is invalid. If access was recently granted, please refresh your credentials.`,
  );

const notFound = said(404, "ResourceNotFound", "The Resource 'Microsoft.Network/dnszones/…' was not found.");

export const azure: RrsetDialect = {
  kind: "azure",
  name: "Azure DNS",
  secret: "clientSecret",
  config: (url) => ({ tenantId, clientId, subscriptionId, resourceGroup: group, clientSecret, endpoint: url }),
  rules: {
    types: "A AAAA CAA CNAME DS MX NAPTR NS PTR SOA SRV TLSA TXT".split(" "),
    minTtl: 1,
    maxTtl: 2_147_483_647,
    owner: /^(?:\*\.)?[\w*.-]+$/,
    refusal(type, value) {
      if (type === "CAA" && !/^\d+ (?:issue|issuewild|iodef) /i.test(value)) return "The CAA tag is not valid.";
      return type === "MX" && value.endsWith(" .") ? "The exchange of an MX record must not be empty." : null;
    },
    initial: [
      { name: "@", type: "NS", ttl: 172_800, values: ownServers },
      { name: "@", type: "SOA", ttl: 3_600, values: ["ns1-01.azure-dns.com."] },
    ],
  },
  answer(call, store) {
    const { method, url, headers } = call;
    if (url.pathname.endsWith("/token")) return granted(call);
    if (headers.authorization !== `Bearer ${token}`) return this.unauthorized;
    const version = url.searchParams.get("api-version") ?? "";
    if (!Object.values(versions).includes(version))
      return said(400, "MissingApiVersionParameter", "The api-version query parameter is required.");
    const prefix = `/subscriptions/${subscriptionId}`;
    const inGroup = `${prefix}/resourceGroups/${group}/providers/Microsoft.Network/dnsZones`;
    const listed = (all: readonly unknown[]) => {
      const top = url.searchParams.get("$top");
      if (top !== null && !(Number(top) >= 1 && Number(top) <= mostPerPage))
        return said(400, "BadRequest", `Invalid $top value: '${top}'. It must be a number between '1' and '1000'.`);
      const { entries, next } = pageOf(all, Number(url.searchParams.get("$skipToken") ?? 0), Number(top ?? perPage));
      const link = new URL(url.pathname, `http://${headers.host}`);
      link.search = `api-version=${version}${top === null ? "" : `&$top=${top}`}&$skipToken=${next}`;
      return json(200, { value: entries, ...(next !== null && { nextLink: link.href }) });
    };
    const named = (name: string) => ({
      id: `${prefix}/resourceGroups/${group}/providers/Microsoft.Network/dnszones/${name}`,
      name,
      type: "Microsoft.Network/dnszones",
      location: "global",
      properties: { zoneType: "Public", nameServers: ownServers },
    });
    if (url.pathname === `${prefix}/providers/Microsoft.Network/dnsZones`)
      return listed([...store.zones.keys()].map(named));
    const [zone, ...rest] = partsAfter(inGroup, call) ?? [];
    if (zone === undefined)
      return url.pathname === inGroup ? listed([...store.zones.keys()].map(named)) : this.forbidden;
    if (rest.length === 0 && method === "PUT") {
      if (store.zones.has(zone)) return said(412, "PreconditionFailed", "The zone exists.");
      store.addZone(zone);
      return json(201, named(zone));
    }
    if (!store.zones.has(zone)) return notFound;
    const isKnown = (type = "") => version === versions.latest || !laterTypes.has(type);
    if (rest[0] === "dnssecConfigs") {
      return version === versions.latest
        ? onSigning(call, store, zone)
        : missingVersion("dnszones/dnssecConfigs", version);
    }
    if (rest[0] === "recordsets") {
      return listed(
        store
          .rrsets(zone)
          .filter(({ type }) => isKnown(type))
          .map(shown),
      );
    }
    return isKnown(rest[0]) ? onRecordSet(call, store, zone, rest) : missingVersion(`dnszones/${rest[0]}`, version);
  },
  unauthorized: said(401, "InvalidAuthenticationToken", "The access token is invalid."),
  forbidden: unauthorizedFor(
    "Microsoft.Network/dnsZones/A/write",
    "/resourceGroups/harbour/providers/Microsoft.Network/dnszones/harbour.example/A/www",
  ),
  throttled: (seconds) => ({
    ...said(429, "TooManyRequests", "The request is being throttled."),
    headers: { "retry-after": String(seconds) },
  }),
  refusal: (message) => said(400, "BadRequest", message),
  isWrite: ({ method, url }) => method !== "GET" && /\/dnsZones\/[^/]+\/[^/]+\//.test(url.pathname),
};
