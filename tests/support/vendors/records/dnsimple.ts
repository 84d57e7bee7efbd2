import { randomBytes } from "node:crypto";
import { isIPv4, isIPv6 } from "node:net";
import type { VendorCall, VendorReply } from "../loopback-vendor.ts";
import { json, partsAfter, type Draft, type HeldRecord, type RecordDialect, type RecordStore } from "./server.ts";

// As developer.dnsimple.com and its recorded answers describe it (dnsimple-developer of 2026-07-21), read on 2026-11-27. Which hosts lose their trailing dot,
// and what a text may have, is what DNSControl found with a real account; that quoted strings are stored as they are says the vendor's support. DNSSEC as its
// page and recorded answers of the same date describe it, read on 2026-11-29.

const token = "dnsimple_a_0123456789abcdef";
const accountId = 1010;
const host = /^(?:[\w-]+\.)*[\w-]+\.?$/;
const perPage = { usual: 30, most: 100 };

const says = (status: number, message: string, errors?: Record<string, string[]>) =>
  json(status, { message, ...(errors && { errors }) });

const shown = (zone: string, { id, type, name, ttl, fields }: HeldRecord) => ({
  id,
  zone_id: zone,
  parent_id: null,
  name,
  ttl,
  type,
  priority: null,
  regions: ["global"],
  system_record: false,
  created_at: "2026-11-27T08:00:00Z",
  updated_at: "2026-11-27T08:00:00Z",
  ...fields,
});

function paged(list: readonly object[], { url }: VendorCall): VendorReply {
  const page = Number(url.searchParams.get("page") ?? 1);
  const size = Math.min(perPage.most, Number(url.searchParams.get("per_page") ?? perPage.usual));
  const pages = Math.max(1, Math.ceil(list.length / size));
  const pagination = { current_page: page, per_page: size, total_entries: list.length, total_pages: pages };
  return json(200, { data: list.slice((page - 1) * size, page * size), pagination });
}

function isRight(type: string, content: string): boolean {
  const right: Record<string, () => boolean> = {
    A: () => isIPv4(content),
    AAAA: () => isIPv6(content),
    CAA: () => /^\d{1,3} [a-z]+ "[^"]*"$/.test(content),
    HTTPS: () => /^\d+ (?:\.|(?:[\w-]+\.)*[\w-]+)(?: .+)?$/.test(content),
    MX: () => content === "." || host.test(content),
    NAPTR: () => /^\d+ \d+ "[^"]*" "[^"]*" "(?:[^"\\]|\\.)*" \S+$/.test(content),
    SRV: () => /^\d+ \d+ (?:[\w-]+\.)*[\w-]+\.?$/.test(content),
    SSHFP: () => /^\d+ \d+ [0-9a-f]+$/i.test(content),
    SVCB: () => /^\d+ (?:\.|(?:[\w-]+\.)*[\w-]+)(?: .+)?$/.test(content),
    TLSA: () => /^\d+ \d+ \d+ [0-9a-f]+$/i.test(content),
    TXT: () => /^"(?:[^"\\]|\\.){1,}"(?: "(?:[^"\\]|\\.)+")*$/su.test(content) && content.length <= 1_000,
  };
  return (right[type] ?? (() => ["ALIAS", "CNAME", "NS", "PTR"].includes(type) && host.test(content)))();
}

interface Input {
  type?: string;
  name?: string;
  content?: string;
  ttl?: number;
  priority?: number | null;
}

/** What a request describes; what it leaves out stays. */
function draftOf(input: Input, present: HeldRecord | undefined): Draft {
  const type = present?.type ?? input.type ?? "";
  const content = input.content ?? (present?.fields.content as string | undefined) ?? "";
  const losesDot = ["ALIAS", "CNAME", "MX", "NS"].includes(type) && content !== ".";
  const priority = input.priority ?? present?.fields.priority ?? null;
  return {
    type,
    name: input.name ?? present?.name ?? "",
    ttl: input.ttl ?? present?.ttl ?? 3_600,
    fields: { content: losesDot ? content.replace(/\.$/, "") : content, priority },
  };
}

function onRecords(call: VendorCall, store: RecordStore, zone: string, id: string | undefined): VendorReply {
  const records = store.zones.get(zone)?.records ?? new Map<number, HeldRecord>();
  if (call.method === "GET") {
    const name = call.url.searchParams.get("name");
    const some = [...records.values()].filter((one) => name === null || one.name === name);
    return paged(
      some.map((one) => shown(zone, one)),
      call,
    );
  }
  const present = id === undefined ? undefined : records.get(Number(id));
  if (id !== undefined && !present) return says(404, `Record \`${id}\` not found`);
  if (call.method === "DELETE") {
    records.delete(Number(id));
    return json(204);
  }
  const draft = draftOf(JSON.parse(call.body) as Input, present);
  if (!isRight(draft.type, String(draft.fields.content))) {
    return says(400, "Validation failed", { content: ["is invalid"] });
  }
  const fault = store.faultOf(zone, draft, present?.id);
  if (fault !== null) return says(400, "Validation failed", { base: [fault] });
  if (present) return json(200, { data: shown(zone, Object.assign(present, draft)) });
  return json(201, { data: shown(zone, store.add(zone, draft)) });
}

/** The DS records of domains with DNSSEC. */
const signed = new WeakMap<RecordStore, Map<string, object[]>>();

/** What DNSimple lists of the keys of a domain that it signs: one whose registry takes DS records, and one that takes keys. */
const newSigners = () => [
  { id: 24, algorithm: "8", digest: randomBytes(32).toString("hex").toUpperCase(), digest_type: "2", keytag: "44620" },
  { id: 25, algorithm: "8", digest: null, digest_type: null, keytag: null, public_key: "AwEAAc…" },
];

function onDomain(call: VendorCall, store: RecordStore, domain: string, list: string | undefined): VendorReply {
  if (!store.zones.has(domain)) return says(404, `Domain \`${domain}\` not found`);
  const all = signed.get(store) ?? new Map<string, object[]>();
  signed.set(store, all);
  if (list === "ds_records") return paged(all.get(domain) ?? [], call);
  if (call.method === "DELETE")
    return all.delete(domain) ? json(204) : says(428, "DNSSEC cannot be disabled because it is not enabled");
  if (call.method === "POST") all.set(domain, all.get(domain) ?? newSigners());
  const enabled = all.has(domain);
  return json(call.method === "POST" ? 201 : 200, { data: { enabled, active: enabled } });
}

const named = (name: string) => ({
  id: 1,
  account_id: accountId,
  name,
  reverse: false,
  secondary: name.startsWith("copied."),
  active: true,
});

export const dnsimple: RecordDialect = {
  kind: "dnsimple",
  name: "DNSimple",
  secret: "token",
  config: (url) => ({ token, endpoint: url }),
  answer(call, store) {
    if (call.headers.authorization !== `Bearer ${token}`) return this.unauthorized;
    const [account, area, zone, list, record] = partsAfter("/v2", call);
    if (account === "whoami") return json(200, { data: { user: null, account: { id: accountId } } });
    if (account !== String(accountId)) return says(404, "Not Found");
    if (area === "domains" && zone !== undefined) return onDomain(call, store, zone, list);
    if (area === "domains") {
      const { name } = JSON.parse(call.body) as { name: string };
      if (store.zones.has(name)) return says(400, "Validation failed", { name: ["has already been taken"] });
      store.addZone(name);
      return json(201, { data: { id: 1, account_id: accountId, name, unicode_name: name, state: "hosted" } });
    }
    if (zone === undefined) return paged([...store.zones.keys()].toSorted().map(named), call);
    if (!store.zones.has(zone)) return says(404, `Zone \`${zone}\` not found`);
    return list === undefined ? json(200, { data: named(zone) }) : onRecords(call, store, zone, record);
  },
  unauthorized: says(401, "Authentication failed"),
  forbidden: says(403, "Permission Denied. Required Scope: zones:*:write"),
  throttled: (seconds) => ({
    ...says(429, "quota exceeded"),
    headers: {
      "x-ratelimit-limit": "2400",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(Math.ceil(Date.now() / 1_000) + seconds),
    },
  }),
  refusal: (message) => says(400, message),
};
