import { isIPv4, isIPv6 } from "node:net";
import { domainToUnicode } from "node:url";
import type { VendorCall, VendorReply } from "../loopback-vendor.ts";
import { json, partsAfter, type HeldRecord, type RecordDialect, type RecordStore } from "./server.ts";

// As docs.vultr.com describes it (reference, "DNS"), read on 2026-11-27. Quotes around a TXT and none within, and hosts in Unicode, are what
// DNSControl found with a real account.

const apiKey = "VULTRKEYOFTHEHARBOUR";
const types = new Set(["A", "AAAA", "CAA", "CNAME", "MX", "NS", "SRV", "SSHFP", "TXT"]);
const says = (status: number, error: string) => json(status, { error, status });

const shown = ({ id, type, name, ttl, fields }: HeldRecord) => {
  const { data, priority } = fields as { data: string; priority: number };
  const isHost = ["CNAME", "MX", "NS"].includes(type);
  return {
    id: `cb676a46-66fd-4dfb-b839-${id}`,
    type,
    name,
    data: isHost ? domainToUnicode(data) : data,
    priority,
    ttl,
  };
};

function paged(key: string, list: readonly object[], { url }: VendorCall): VendorReply {
  const size = Math.min(500, Number(url.searchParams.get("per_page") ?? 100));
  const start = Number(Buffer.from(url.searchParams.get("cursor") ?? "", "base64").toString() || 0);
  const end = start + size;
  const next = end < list.length ? Buffer.from(String(end)).toString("base64") : "";
  return json(200, { [key]: list.slice(start, end), meta: { total: list.length, links: { next, prev: "" } } });
}

function isRight(type: string, data: string): boolean {
  const host = /^(?:[\w-]+\.)*[\w-]+$/;
  switch (type) {
    case "A":
      return isIPv4(data);
    case "AAAA":
      return isIPv6(data);
    case "CAA":
      return /^\d{1,3} [a-z]+ "[^"\s]+"$/.test(data);
    case "SRV":
      return /^\d+ \d+ (?:\.|(?:[\w-]+\.)*[\w-]+)$/.test(data);
    case "SSHFP":
      return /^\d+ \d+ [0-9a-f]+$/i.test(data);
    case "TXT":
      return /^"[^"\\]+"$/.test(data);
    default:
      return host.test(data);
  }
}

function onRecords(call: VendorCall, store: RecordStore, zone: string, id: string | undefined): VendorReply {
  const records = store.zones.get(zone)?.records ?? new Map<number, HeldRecord>();
  if (call.method === "GET") return paged("records", [...records.values()].map(shown), call);
  const present = records.get(Number(id?.split("-").at(-1)));
  if (id !== undefined && !present) return says(404, "Invalid record.");
  if (call.method === "DELETE") {
    if (present) records.delete(present.id);
    return json(204);
  }
  const input = JSON.parse(call.body) as { type: string; name: string; data: string; ttl: number; priority?: number };
  const type = present?.type ?? input.type;
  if (!types.has(type) || !isRight(type, input.data)) return says(400, "Invalid data for this type of record.");
  const { name, data, ttl, priority = 0 } = input;
  const draft = { type, name, ttl, fields: { data, priority } };
  const fault = store.faultOf(zone, draft, present?.id);
  if (fault !== null) return says(400, fault);
  if (!present) return json(201, { record: shown(store.add(zone, draft)) });
  Object.assign(present, draft);
  return json(204);
}

const named = (name: string) => ({ domain: name, date_created: "2026-11-27T08:00:00+00:00", dns_sec: "disabled" });

export const vultr: RecordDialect = {
  kind: "vultr",
  name: "Vultr",
  secret: "apiKey",
  config: (url) => ({ apiKey, endpoint: url }),
  answer(call, store) {
    if (call.headers.authorization !== `Bearer ${apiKey}`) return this.unauthorized;
    const [zone, list, record] = partsAfter("/v2/domains", call);
    if (zone === undefined && call.method === "POST") {
      const { domain } = JSON.parse(call.body) as { domain: string };
      if (store.zones.has(domain)) return says(400, "Unable to create domain: already exists.");
      store.addZone(domain);
      return json(201, { domain: named(domain) });
    }
    if (zone === undefined) return paged("domains", [...store.zones.keys()].map(named), call);
    if (!store.zones.has(zone)) return says(404, "Invalid domain.");
    return list === undefined ? json(200, { domain: named(zone) }) : onRecords(call, store, zone, record);
  },
  unauthorized: says(401, "Invalid API token."),
  forbidden: says(403, "Your IP address is not authorized."),
  throttled: (seconds) => ({ ...says(429, "Rate limit reached."), headers: { "retry-after": String(seconds) } }),
  refusal: (message) => says(400, message),
};
