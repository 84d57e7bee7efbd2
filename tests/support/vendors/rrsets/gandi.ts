import { randomBytes } from "node:crypto";
import type { VendorCall, VendorReply } from "../loopback-vendor.ts";
import { json, pageOf, partsAfter, type RrsetDialect } from "./server.ts";
import type { RrsetStore } from "./store.ts";

// As api.gandi.net/docs/livedns describes it, read on 2026-11-27, and its DNSSEC keys on 2026-11-29. A name without records answers 404 (lego's gandiv5).

const token = "gandi-token-of-the-harbour";
const said = (code: number, cause: string, message: string) =>
  json(code, { cause, code, message, object: "HTTPError" });
const notFound = said(404, "Not Found", "The resource could not be found.");

interface SigningKey {
  id: string;
  flags: number;
  ds: string;
  deleted: boolean;
}

/** The keys of domains with DNSSEC. A deleted key stays listed. */
const signed = new WeakMap<RrsetStore, Map<string, SigningKey[]>>();

/** Has a domain signed with the key of a DS record, as in a zone file. */
export function signWith(store: RrsetStore, zone: string, ds: string): void {
  const all = signed.get(store) ?? new Map<string, SigningKey[]>();
  signed.set(store, all.set(zone, [{ id: "key-0", flags: 257, ds: `${zone}. 3600 IN DS ${ds}`, deleted: false }]));
}

function onKeys({ method, body }: VendorCall, store: RrsetStore, zone: string, id: string | undefined): VendorReply {
  const all = signed.get(store) ?? new Map<string, SigningKey[]>();
  signed.set(store, all);
  const keys = all.get(zone) ?? [];
  all.set(zone, keys);
  if (id === undefined && method === "GET") {
    const shown = { algorithm: 13, algorithm_name: "ECDSAP256SHA256", fqdn: zone, status: "active" };
    return json(
      200,
      keys.map((key) => ({ ...shown, ...key })),
    );
  }
  if (id === undefined) {
    const { flags } = JSON.parse(body) as { flags?: number };
    if (flags !== 256 && flags !== 257) return said(400, "Bad Request", "flags: Must be one of: 256, 257.");
    const digest = randomBytes(32).toString("hex");
    const ds = `${zone}. 3600 IN DS ${1_000 + keys.length} 13 2 ${digest}`;
    keys.push({ id: `key-${keys.length}`, flags, ds, deleted: false });
    return json(201, { message: "Domain Key Created" });
  }
  const key = keys.find((one) => one.id === id);
  if (!key) return notFound;
  key.deleted = true;
  return json(204, undefined);
}

export const gandi: RrsetDialect = {
  kind: "gandi",
  name: "Gandi",
  secret: "token",
  config: (url) => ({ token, endpoint: url }),
  rules: {
    types: "A AAAA ALIAS CAA CDS CNAME DNAME DS KEY LOC MX NAPTR NS OPENPGPKEY PTR RP SPF SRV SSHFP TLSA TXT WKS".split(
      " ",
    ),
    minTtl: 300,
    maxTtl: 2_592_000,
    owner: /^[^\s]+$/,
    initial: [{ name: "@", type: "NS", ttl: 10_800, values: ["ns-1.gandi.net.", "ns-2.gandi.net."] }],
  },
  answer(call, store) {
    if (call.headers.authorization !== `Bearer ${token}`) return this.unauthorized;
    const [zone, records, name, type] = partsAfter("/v5/livedns/domains", call) ?? [];
    const { method, url } = call;
    const listed = (list: readonly unknown[]) => {
      const size = Number(url.searchParams.get("per_page"));
      const { entries } = pageOf(list, (Number(url.searchParams.get("page")) - 1) * size, size);
      return json(200, entries, { "total-count": String(list.length) });
    };
    if (zone === undefined) {
      if (method === "GET") return listed([...store.zones.keys()].map((fqdn) => ({ fqdn })));
      store.addZone((JSON.parse(call.body) as { fqdn: string }).fqdn);
      return json(201, { message: "Domain Created" });
    }
    if (!store.zones.has(zone)) return notFound;
    if (records === undefined) return json(200, { fqdn: zone });
    if (records === "keys") return onKeys(call, store, zone, name);
    const found = store
      .rrsets(zone, name)
      .map((one) => ({ rrset_name: one.name, rrset_type: one.type, rrset_ttl: one.ttl, rrset_values: one.values }));
    if (name === undefined) return listed(found);
    if (type === undefined) return found.length === 0 ? notFound : json(200, found);
    if (method === "DELETE") {
      if (!store.rrset(zone, name, type)) return notFound;
      store.write(zone, [{ name, type, ttl: 300, values: [] }]);
      return json(204, undefined);
    }
    const { rrset_ttl: ttl, rrset_values: values } = JSON.parse(call.body) as {
      rrset_ttl: number;
      rrset_values: string[];
    };
    const writings = [{ name, type, ttl, values }];
    const [fault = null] = store.faults(zone, writings);
    if (fault !== null) return this.refusal(fault);
    store.write(zone, writings);
    return json(201, { message: "DNS Record Created" });
  },
  unauthorized: said(401, "Unauthorized", "The server could not verify that you authorized to access the document."),
  forbidden: said(403, "Forbidden", "Access was denied to this resource."),
  throttled: (seconds) => json(429, { message: "Too many requests" }, { "retry-after": String(seconds) }),
  refusal: (message) => said(400, "Bad Request", message),
  isWrite: ({ method }) => method === "PUT" || method === "DELETE",
};
