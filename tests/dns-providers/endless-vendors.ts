import type { VendorCall, VendorReply } from "../support/vendors/loopback-vendor.ts";

/**
 * How a list does not end: it shows one page again and again, leads in a circle, has more on every page than it said on the one before, or
 * goes on without showing anything.
 */
export type Endlessness = "repeats" | "circles" | "grows" | "starves";

/** An API with one endless list; for all other calls it has one zone. */
interface EndlessVendor {
  kind: string;
  name: string;
  /** A configuration for the API at this address. */
  config(url: string): Record<string, string>;
  /** The list that a call asks for, if it asks for one of these. */
  listOf(call: VendorCall): "zones" | "records" | null;
  /** A page of it whose first entry has this number, as one of so many full pages; an empty page without a number. */
  page(list: "zones" | "records", first: number | null, pages: number): VendorReply;
  /** The answer to any other call, or to a list that ends. */
  otherwise(call: VendorCall): VendorReply;
  ways: readonly Endlessness[];
}

export const zone = "endless.example";

const json = (body: unknown): VendorReply => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});
const xml = (root: string, content: string): VendorReply => ({
  status: 200,
  headers: { "content-type": "text/xml" },
  body: `<?xml version="1.0"?><${root} xmlns="https://route53.amazonaws.com/doc/2013-04-01/">${content}</${root}>`,
});

const cloudflarePage = (result: object[], pages: number, most: number) =>
  json({
    success: true,
    errors: [],
    messages: [],
    result,
    result_info: { total_pages: pages, total_count: pages * most },
  });

const cloudflare: EndlessVendor = {
  kind: "cloudflare",
  name: "Cloudflare",
  config: (url) => ({ apiToken: "cf-token-of-the-harbour", accountId: "a".repeat(32), endpoint: `${url}/client/v4` }),
  listOf({ url }) {
    if (url.pathname.endsWith("/dns_records")) return "records";
    return url.searchParams.has("name") ? null : "zones";
  },
  page(list, first, pages) {
    if (list === "zones")
      return cloudflarePage(unless(first, { id: `z${first}`, name: `z${first}.example` }), pages, 50);
    const record = { id: `r${first}`, name: `r${first}.${zone}`, type: "A", ttl: 300, content: "192.0.2.1" };
    return cloudflarePage(unless(first, record), pages, 5_000);
  },
  otherwise: () => cloudflarePage([{ id: "z", name: zone, status: "active" }], 1, 1),
  ways: ["repeats", "circles", "grows", "starves"],
};

const digitalocean: EndlessVendor = {
  kind: "digitalocean",
  name: "DigitalOcean",
  config: (url) => ({ token: "dop_v1_of_the_harbour_master", endpoint: url }),
  listOf({ url }) {
    if (url.pathname.endsWith("/records")) return "records";
    return url.pathname === "/v2/domains" ? "zones" : null;
  },
  page(list, first, pages) {
    const rest = { links: { pages: { next: "https://api.digitalocean.com/next" } }, meta: { total: pages * 200 } };
    if (list === "zones") return json({ domains: unless(first, { name: `z${first}.example` }), ...rest });
    const record = { id: first, type: "A", name: `r${first}`, data: "192.0.2.1", ttl: 300 };
    return json({ domain_records: unless(first, record), ...rest });
  },
  otherwise: () => json({ domain: { name: zone, zone_file: null } }),
  ways: ["repeats", "circles", "grows", "starves"],
};

const alidns: EndlessVendor = {
  kind: "alidns",
  name: "Alibaba Cloud DNS",
  config: (url) => ({ accessKeyId: "LTAI5tHarbour", accessKeySecret: "secret-of-the-harbour", url }),
  listOf: ({ headers }) => listOfAction(String(headers["x-acs-action"]), "DescribeDomains", "DescribeDomainRecords"),
  page(list, first, pages) {
    const record = { RecordId: `${first}`, RR: `r${first}`, Type: "A", Value: "192.0.2.1", TTL: 600 };
    return list === "zones"
      ? json({ TotalCount: pages * 100, Domains: { Domain: unless(first, { DomainName: `z${first}.example` }) } })
      : json({ TotalCount: pages * 500, DomainRecords: { Record: unless(first, record) } });
  },
  otherwise: () => json({ RequestId: "1", DomainName: zone }),
  ways: ["repeats", "circles", "grows", "starves"],
};

const dnspod: EndlessVendor = {
  kind: "dnspod",
  name: "DNSPod",
  config: (url) => ({ secretId: "AKIDHarbour", secretKey: "key-of-the-harbour", url }),
  listOf: ({ headers }) => listOfAction(String(headers["x-tc-action"]), "DescribeDomainList", "DescribeRecordList"),
  page(list, first, pages) {
    const TotalCount = pages * 3_000;
    // A page that is not full is the last one.
    const RecordList = Array.from({ length: first === null ? 0 : 3_000 }, (_, index) => {
      return { RecordId: (first ?? 0) * 3_000 + index, Name: `r${index}`, Type: "A", Value: "192.0.2.1", TTL: 600 };
    });
    const Response =
      list === "zones"
        ? { DomainCountInfo: { DomainTotal: TotalCount }, DomainList: unless(first, { Name: `z${first}.example` }) }
        : { RecordCountInfo: { TotalCount }, RecordList };
    return json({ Response });
  },
  otherwise: () => json({ Response: { RequestId: "1" } }),
  ways: ["repeats", "circles", "grows", "starves"],
};

const route53: EndlessVendor = {
  kind: "route53",
  name: "Amazon Route 53",
  config: (url) => ({
    accessKeyId: "AKIALOOPBACKEXAMPLE0",
    secretAccessKey: "loopback/secret+key/EXAMPLE",
    endpoint: url,
  }),
  listOf({ url }) {
    if (url.pathname.includes("/rrset")) return "records";
    return url.pathname.endsWith("/hostedzone") ? "zones" : null;
  },
  page(list, first) {
    const more = "<IsTruncated>true</IsTruncated>";
    if (list === "zones") {
      const zones = `<HostedZones>${hostedZone(`z${first}.example`)}</HostedZones>`;
      return xml("ListHostedZonesResponse", `${zones}${more}<NextMarker>Z${first}</NextMarker>`);
    }
    const values =
      "<TTL>60</TTL><ResourceRecords><ResourceRecord><Value>192.0.2.1</Value></ResourceRecord></ResourceRecords>";
    const set = `<ResourceRecordSet><Name>r${first}.${zone}.</Name><Type>A</Type>${values}</ResourceRecordSet>`;
    const next = `<NextRecordName>r${first}.${zone}.</NextRecordName><NextRecordType>A</NextRecordType>`;
    return xml("ListResourceRecordSetsResponse", `<ResourceRecordSets>${set}</ResourceRecordSets>${more}${next}`);
  },
  otherwise: () =>
    xml(
      "ListHostedZonesByNameResponse",
      `<HostedZones>${hostedZone(zone)}</HostedZones><IsTruncated>false</IsTruncated>`,
    ),
  // The vendor sends no count.
  ways: ["repeats", "circles"],
};

function unless<T>(first: number | null, entry: T): T[] {
  return first === null ? [] : [entry];
}

function hostedZone(name: string): string {
  return `<HostedZone><Id>/hostedzone/Z1</Id><Name>${name}.</Name><CallerReference>1</CallerReference></HostedZone>`;
}

function listOfAction(action: string, zones: string, records: string): "zones" | "records" | null {
  if (action === zones) return "zones";
  return action === records ? "records" : null;
}

export const endlessVendors = [cloudflare, route53, digitalocean, alidns, dnspod];
