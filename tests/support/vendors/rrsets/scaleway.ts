import { json, partsAfter, type RrsetDialect } from "./server.ts";
import type { RrsetStore, Writing } from "./store.ts";

// As Scaleway's SDKs, its octodns-scaleway and the recorded answers of its Terraform provider show it, and as DNSControl's pull request 4919 found
// it: a text is printed with nothing but its quotes escaped, loses blanks and quotes at its ends, and may be of any length. Read on 2026-11-27.

const secretKey = "11111111-2222-4333-8444-scaleway0key";
/** 1,000 in truth. */
const mostPerPage = 20;

interface Sent {
  name: string;
  type: string;
  ttl: number;
  data: string;
}
type Id = Pick<Sent, "name" | "type">;
interface Change {
  add?: { records: Sent[] };
  set?: { id_fields: Id; records: Sent[] };
  delete?: { id_fields: Id };
}

const said = (status: number, type: string, message: string, more: object = {}) =>
  json(status, { message, type, ...more });
const denied = said(403, "permissions_denied", "insufficient permissions", {
  details: [{ action: "write", resource: "domain" }],
});

/** What is kept of a text. */
function kept(data: string): string {
  const bare = /^"[^]*"$/.test(data) ? data.slice(1, -1).replaceAll(/\\([^])/g, "$1") : data;
  const text = bare.replaceAll(/^[ \t]+|[ \t]+$/g, "").replaceAll(/^"|"$/g, "");
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

const printed = (type: string, value: string) => (type === "TXT" ? value.replaceAll(String.raw`\\`, "\\") : value);
const ownerOf = (name: string) => (name === "" ? "@" : name);

/** The RRsets that changes write, one after the other. */
function writingsOf(zone: string, changes: readonly Change[], store: RrsetStore): Writing[] {
  const written = new Map<string, Writing>();
  const put = (writing: Writing) => written.set(`${writing.name} ${writing.type}`, writing);
  const presentOf = (name: string, type: string) =>
    written.get(`${name} ${type}`) ?? store.rrset(zone, name, type) ?? { name, type, ttl: 1, values: [] };
  for (const change of changes) {
    const id = change.delete?.id_fields ?? change.set?.id_fields;
    if (id) put({ name: ownerOf(id.name), type: id.type, ttl: 1, values: [] });
    for (const { name, type, ttl, data } of change.add?.records ?? change.set?.records ?? []) {
      const { values } = presentOf(ownerOf(name), type);
      put({ name: ownerOf(name), type, ttl, values: [...values, type === "TXT" ? kept(data) : data] });
    }
  }
  return [...written.values()];
}

export const scaleway: RrsetDialect = {
  kind: "scaleway",
  name: "Scaleway",
  secret: "secretKey",
  config: (url) => ({ secretKey, endpoint: url }),
  rules: {
    types: "A AAAA ALIAS CAA CNAME DNAME DS HINFO HTTPS LOC MX NAPTR NS PTR RP SRV SSHFP SVCB TLSA TXT URI".split(" "),
    minTtl: 60,
    maxTtl: 2_147_483_647,
    owner: /^[^\s]+$/,
    longestString: 64_000,
    initial: [{ name: "@", type: "NS", ttl: 600, values: ["ns0.dom.scw.cloud.", "ns1.dom.scw.cloud."] }],
  },
  answer(call, store) {
    if (call.headers["x-auth-token"] !== secretKey) return this.unauthorized;
    const [zone, records] = partsAfter("/domain/v2beta1/dns-zones", call) ?? [];
    const listed = (field: string, list: readonly unknown[]) => {
      const size = Math.min(Number(call.url.searchParams.get("page_size")), mostPerPage);
      const start = (Number(call.url.searchParams.get("page")) - 1) * size;
      return json(200, { total_count: list.length, [field]: list.slice(start, start + size) });
    };
    if (zone === undefined) {
      if (call.method === "POST") {
        const { domain, subdomain } = JSON.parse(call.body) as { domain: string; subdomain: string };
        const name = subdomain === "" ? domain : `${subdomain}.${domain}`;
        if (store.zones.has(name)) return said(409, "already_exists", "resource already exists");
        store.addZone(name);
        return json(200, { domain, subdomain, ns_master: [], status: "pending" });
      }
      const wanted = call.url.searchParams.get("dns_zone");
      const names = [...store.zones.keys()].filter((name) => wanted === null || name === wanted);
      return listed(
        "dns_zones",
        names.toSorted().map((domain) => ({ domain, subdomain: "", ns_master: [], status: "active" })),
      );
    }
    if (records === undefined || !store.zones.has(zone)) return denied;
    if (call.method === "GET") {
      const all = store.rrsets(zone).flatMap(({ name, type, ttl, values }) =>
        values.map((value, index) => ({
          id: `${name} ${type} ${index}`,
          name: name === "@" ? "" : name,
          type,
          ttl,
          data: printed(type, value),
          priority: 0,
          comment: null,
        })),
      );
      return listed("records", all);
    }
    const { changes } = JSON.parse(call.body) as { changes: Change[] };
    const writings = writingsOf(zone, changes, store);
    const fault = store.faults(zone, writings).find((one) => one !== null);
    if (fault !== undefined && fault !== null) return this.refusal(fault);
    store.write(zone, writings);
    return json(200, { records: [] });
  },
  unauthorized: said(401, "denied_authentication", "authentication is denied", {
    method: "api_key",
    reason: "not_found",
  }),
  forbidden: denied,
  // As the tests of its JavaScript SDK show it, read on 2026-11-30.
  full: said(403, "quotas_exceeded", "quota limit exceeded", {
    details: [{ resource: "domain_dns_zones", quota: 100, current: 100 }],
  }),
  throttled: (seconds) => json(429, { message: "too many requests" }, { "retry-after": String(seconds) }),
  refusal: (message) =>
    said(400, "invalid_arguments", "invalid argument(s)", {
      details: [{ argument_name: "changes", help_message: message, reason: "constraint" }],
    }),
  isWrite: ({ method }) => method === "PATCH",
};
