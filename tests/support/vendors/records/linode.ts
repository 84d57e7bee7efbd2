import { isIPv4, isIPv6 } from "node:net";
import type { VendorCall, VendorReply } from "../loopback-vendor.ts";
import { json, partsAfter, type Draft, type HeldRecord, type RecordDialect, type RecordStore } from "./server.ts";

// As techdocs.akamai.com/linode-api describes it ("Create a domain record", "Rate limits"), read on 2026-11-27. That a creation drops the TTL
// is DNSControl's finding with a real account. TTLs, and that 0 stands for the domain's or else for 86,400: "Get a domain" and Linode's Terraform provider
// (domain_record), read on 2026-11-30.

const token = "linode-token-of-the-harbour";
const types = new Set(["A", "AAAA", "NS", "MX", "CNAME", "TXT", "SRV", "PTR", "CAA"]);
const ttls = [30, 120, 300, 3600, 7200, 14400, 28800, 57600, 86400, 172800, 345600, 604800, 1209600, 2419200];

const says = (status: number, reason: string, field?: string, headers?: Record<string, string>) =>
  json(status, { errors: [{ ...(field && { field }), reason }] }, headers);

const shown = ({ id, type, name, ttl, fields }: HeldRecord) => ({
  id,
  type,
  name,
  ttl_sec: ttl,
  ...fields,
  created: "2026-11-27T08:00:00",
  updated: "2026-11-27T08:00:00",
});

function paged(list: readonly object[], { url }: VendorCall): VendorReply {
  const [page, size] = [Number(url.searchParams.get("page") ?? 1), Number(url.searchParams.get("page_size") ?? 100)];
  if (size < 25 || size > 500) return says(400, "Must be 25-500", "page_size");
  const pages = Math.max(1, Math.ceil(list.length / size));
  if (page > pages) return says(404, "Not found");
  return json(200, { data: list.slice((page - 1) * size, page * size), page, pages, results: list.length });
}

interface Input {
  type?: string;
  name?: string;
  target?: string;
  priority?: number;
  weight?: number;
  port?: number;
  service?: string;
  protocol?: string;
  tag?: string;
  ttl_sec?: number;
}

/** What a request describes, or why it is refused. @param known the TTL that stays if none is sent */
function draftOf(input: Input, type: string, known = 0): Draft | string {
  const { target = "", priority = 0, weight = 0, port = 0, service, protocol, tag = null } = input;
  const name = type === "SRV" ? `_${service}._${protocol}` : (input.name ?? "");
  const host = /^(?:[\w-]+\.)*[\w-]+\.?$/;
  const isRight: Record<string, () => boolean> = {
    A: () => isIPv4(target),
    AAAA: () => isIPv6(target),
    CAA: () => ["issue", "issuewild", "iodef"].includes(String(tag)) && !/\s/.test(target),
    MX: () => priority <= 255 && (target === "" ? name === "" && priority === 0 : host.test(target)),
    SRV: () => service !== undefined && protocol !== undefined && priority <= 255 && host.test(target),
    TXT: () => target !== "",
  };
  if (!types.has(type)) return "Invalid type";
  if (name.length > 100 || (type === "NS" && name.startsWith("*"))) return "Invalid name";
  if (!(isRight[type] ?? (() => host.test(target)))()) return "Invalid target";
  const wanted = input.ttl_sec ?? known;
  const ttl = wanted === 0 ? 0 : (ttls.find((one) => one >= wanted) ?? 2419200);
  return {
    type,
    name,
    ttl,
    fields: { target: type === "TXT" ? target : target.replace(/\.$/, ""), priority, weight, port, tag },
  };
}

function onRecords(call: VendorCall, store: RecordStore, zone: string, id: string | undefined): VendorReply {
  const records = store.zones.get(zone)?.records ?? new Map<number, HeldRecord>();
  if (call.method === "GET") return paged([...records.values()].map(shown), call);
  const present = id === undefined ? undefined : records.get(Number(id));
  if (id !== undefined && !present) return says(404, "Not found");
  if (call.method === "DELETE") {
    records.delete(Number(id));
    return json(200, {});
  }
  const input = JSON.parse(call.body) as Input;
  const draft = draftOf(input, present?.type ?? String(input.type), present?.ttl);
  if (typeof draft === "string") return says(400, draft, "target");
  const fault = store.faultOf(zone, draft, present?.id);
  if (fault !== null) return says(400, fault);
  if (present) return json(200, shown(Object.assign(present, draft)));
  return json(200, shown(store.add(zone, { ...draft, ttl: 0 })));
}

/** The TTLs of domains that have one of their own. */
const domainTtls = new Map<string, number>();
const typeOf = (name: string) => (name.startsWith("copied.") ? "slave" : "master");

const shownDomain = (name: string, { id }: { id: number }) => {
  return { id, domain: name, type: typeOf(name), ttl_sec: domainTtls.get(name) ?? 0 };
};

export const linode: RecordDialect & { domainTtls: Map<string, number> } = {
  domainTtls,
  kind: "linode",
  name: "Linode",
  secret: "token",
  config: (url) => ({ token, endpoint: url }),
  answer(call, store) {
    if (call.headers.authorization !== `Bearer ${token}`) return this.unauthorized;
    const [id, list, record] = partsAfter("/v4/domains", call);
    if (id === undefined && call.method === "POST") {
      const { domain, soa_email: email } = JSON.parse(call.body) as { domain: string; soa_email?: string };
      if (!email) return says(400, "soa_email required when type=master", "soa_email");
      if (store.zones.has(domain)) return says(400, "DNS zone already exists.", "domain");
      return json(200, { id: store.addZone(domain).id, domain, type: "master" });
    }
    if (id === undefined) {
      const { domain } = JSON.parse(String(call.headers["x-filter"] ?? "{}")) as { domain?: string };
      const zones = [...store.zones].filter(([name]) => domain === undefined || name === domain);
      return paged(
        zones.map(([name, zone]) => shownDomain(name, zone)),
        call,
      );
    }
    const zone = [...store.zones].find(([, one]) => one.id === Number(id));
    if (!zone) return says(404, "Not found");
    return list === undefined ? json(200, shownDomain(...zone)) : onRecords(call, store, zone[0], record);
  },
  unauthorized: says(401, "Invalid Token"),
  forbidden: says(403, "Your OAuth token is not authorized to use this endpoint."),
  throttled: (seconds) => says(429, "Too Many Requests", undefined, { "retry-after": String(seconds) }),
  refusal: (message) => says(400, message),
};
