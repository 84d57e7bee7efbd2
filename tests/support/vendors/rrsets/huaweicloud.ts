import { createHash, createHmac } from "node:crypto";
import type { VendorCall, VendorReply } from "../loopback-vendor.ts";
import { json, pageOf, partsAfter, type RrsetDialect } from "./server.ts";
import type { HeldRrset, RrsetStore } from "./store.ts";

// As Huawei Cloud's OpenAPI definitions of 2025-01-17 and its "API Request Signing Guide" describe it, read on 2026-11-28: sets have ids, lists have the address of
// the next page, the gateway's errors are of another form. What a text and an MX must not have is DNSControl's finding with a real account.

const keys = { accessKey: "HARBOURACCESSKEY0001", secretKey: "a-secret-key-of-the-harbour-0123456789" };
/** 500 in truth. */
const mostPerPage = 100;

const said = (status: number, code: string, message: string) => json(status, { code, message });
const gateway = (status: number, error_code: string, error_msg: string) =>
  json(status, { error_code, error_msg, request_id: "1" });

const encoded = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
const hash = (text: string) => createHash("sha256").update(text).digest("hex");

/** The guide's own steps. */
function isSigned({ method, url, headers, body }: VendorCall): boolean {
  const [, access, signedHeaders = "", signature] =
    /^SDK-HMAC-SHA256 Access=([^,]+), SignedHeaders=([^,]+), Signature=(.+)$/.exec(headers.authorization ?? "") ?? [];
  const names = signedHeaders.split(";");
  if (access !== keys.accessKey || !names.includes("x-sdk-date")) return false;
  const query = [...url.searchParams].map(([name, value]) => `${encoded(name)}=${encoded(value)}`).toSorted();
  const canonical = [
    method,
    url.pathname.endsWith("/") ? url.pathname : `${url.pathname}/`,
    query.join("&"),
    names.map((name) => `${name}:${String(headers[name]).trim()}\n`).join(""),
    signedHeaders,
    hash(body),
  ].join("\n");
  const text = `SDK-HMAC-SHA256\n${String(headers["x-sdk-date"])}\n${hash(canonical)}`;
  return createHmac("sha256", keys.secretKey).update(text).digest("hex") === signature;
}

const idOf = (name: string) => Buffer.from(name).toString("hex");
const absolute = (name: string, zone: string) => (name === "@" ? `${zone}.` : `${name}.${zone}.`);
interface Extras {
  description?: string | undefined;
  weight?: number | undefined;
  tags?: { key: string; value: string }[] | undefined;
}

const extras = new WeakMap<RrsetStore, Map<string, Extras>>();

/** What the sets of an account have beside their records, by zone, name and type. */
export function extrasOf(store: RrsetStore): Map<string, Extras> {
  const known = extras.get(store) ?? new Map<string, Extras>();
  extras.set(store, known);
  return known;
}

const shown = (zone: string, { name, type, ttl, values }: HeldRrset, more: Extras = {}) => ({
  id: idOf(`${name} ${type}`),
  name: absolute(name, zone),
  type,
  ttl,
  records: values,
  line: "default_view",
  description: more.description ?? "",
  weight: more.weight ?? null,
  ...(more.tags && { tags: more.tags }),
  default: name === "@" && ["NS", "SOA"].includes(type),
  status: "ACTIVE",
  alias_target: { resource_type: null, resource_domain_name: null },
});

/** Deleted sets that are still listed, and for how many more lists. */
const dying = new WeakMap<RrsetStore, { zone: string; set: object & { id: string }; lists: number }[]>();

/** Lists a zone's sets. Deleted ones come last, for two lists. @param isStart whether a list begins */
function setsOf(store: RrsetStore, zone: string, isStart: boolean) {
  const deleted = (dying.get(store) ?? []).filter((one) => one.zone === zone && one.lists > 0);
  if (isStart) for (const one of deleted) one.lists--;
  const known = extrasOf(store);
  const present = store.rrsets(zone).map((one) => shown(zone, one, known.get(`${zone} ${one.name} ${one.type}`)));
  return [...present, ...deleted.map(({ set }) => set)];
}

interface Input extends Extras {
  name: string;
  type: string;
  ttl: number;
  records: string[];
}

function onSets({ method, body }: VendorCall, store: RrsetStore, zone: string, id: string | undefined): VendorReply {
  const present = store.rrsets(zone).find(({ name, type }) => id === idOf(`${name} ${type}`));
  if (id !== undefined && !present) return said(404, "DNS.0303", "This record set does not exist.");
  if (method === "DELETE" && present) {
    if (present.name === "@" && ["NS", "SOA"].includes(present.type))
      return said(400, "DNS.0318", "Default record sets cannot be deleted.");
    store.write(zone, [{ ...present, values: [] }]);
    extrasOf(store).delete(`${zone} ${present.name} ${present.type}`);
    const known = dying.get(store) ?? [];
    const set = { ...shown(zone, present), id: `${id}x${known.length}`, status: "PENDING_DELETE" };
    dying.set(store, [...known, { zone, set, lists: 2 }]);
    return json(202, set);
  }
  const input = JSON.parse(body) as Input;
  if (input.name !== `${zone}.` && !input.name.endsWith(`.${zone}.`))
    return said(400, "DNS.0307", "The name is not of this zone.");
  const name = input.name === `${zone}.` ? "@" : input.name.slice(0, -zone.length - 2);
  if (!present && store.rrset(zone, name, input.type)) return said(409, "DNS.0312", "This record set already exists.");
  const writing = { name, type: input.type, ttl: input.ttl, values: input.records };
  const [fault = null] = store.faults(zone, [writing]);
  if (fault !== null) return said(400, "DNS.0308", fault);
  store.write(zone, [writing]);
  const key = `${zone} ${name} ${input.type}`;
  const before = extrasOf(store).get(key);
  // An update has no tags, and keeps what is left out.
  extrasOf(store).set(key, {
    description: input.description === undefined || input.description === "" ? before?.description : input.description,
    weight: input.weight ?? before?.weight,
    tags: present ? before?.tags : input.tags,
  });
  const held = store.rrset(zone, name, input.type);
  return json(202, held && { ...shown(zone, held), status: present ? "PENDING_UPDATE" : "PENDING_CREATE" });
}

export const huaweicloud: RrsetDialect = {
  kind: "huaweicloud",
  name: "Huawei Cloud DNS",
  secret: "secretKey",
  config: (url) => ({ ...keys, endpoint: url }),
  rules: {
    types: "A AAAA CAA CNAME MX NS SOA SRV TXT".split(" "),
    minTtl: 1,
    maxTtl: 2_147_483_647,
    owner: /^(?:\*\.?)?[\w.-]*$/,
    refusal(type, value) {
      if (type === "TXT" && /\\/.test(value)) return "Texts must not have quotes and backslashes.";
      return type === "MX" && value.endsWith(" .") ? "The host of an MX must not be empty." : null;
    },
    initial: [
      { name: "@", type: "NS", ttl: 172_800, values: ["ns1.huaweicloud-dns.com.", "ns1.huaweicloud-dns.cn."] },
      {
        name: "@",
        type: "SOA",
        ttl: 300,
        values: ["ns1.huaweicloud-dns.org. hwclouds-cs.huawei.com. 1 7200 900 1209600 300"],
      },
    ],
  },
  answer(call, store) {
    if (!isSigned(call)) return this.unauthorized;
    const { method, url, headers } = call;
    const listed = (field: string, all: readonly { id: string }[]) => {
      const size = Math.min(Number(url.searchParams.get("limit") ?? mostPerPage), mostPerPage);
      const marker = url.searchParams.get("marker");
      const { entries, next } = pageOf(all, marker === null ? 0 : all.findIndex(({ id }) => id === marker) + 1, size);
      const link = new URL(url.pathname, `http://${headers.host}`);
      link.searchParams.set("marker", entries.at(-1)?.id ?? "");
      return json(200, {
        [field]: entries,
        links: { self: url.pathname, ...(next !== null && { next: link.href }) },
        metadata: { total_count: all.length },
      });
    };
    if (url.pathname === "/v2/zones") {
      if (method === "GET")
        return listed(
          "zones",
          [...store.zones.keys()].map((name) => ({ id: idOf(name), name: `${name}.`, zone_type: "public" })),
        );
      const name = (JSON.parse(call.body) as { name: string }).name.replace(/\.$/, "");
      if (store.zones.has(name)) return said(409, "DNS.0204", "This zone already exists.");
      store.addZone(name);
      return json(202, { id: idOf(name), name: `${name}.`, status: "PENDING_CREATE" });
    }
    const [zoneId, list, id] = partsAfter("/v2.1/zones", call) ?? [];
    const zone = [...store.zones.keys()].find((name) => idOf(name) === zoneId);
    if (zone === undefined || list !== "recordsets") return said(404, "DNS.0302", "This zone does not exist.");
    if (method !== "GET") return onSets(call, store, zone, id);
    return listed("recordsets", setsOf(store, zone, !url.searchParams.has("marker")));
  },
  unauthorized: gateway(401, "APIGW.0301", "Incorrect IAM authentication information: verify aksk signature fail"),
  forbidden: said(403, "DNS.0013", "You do not have permission to perform this operation."),
  throttled: (seconds) => ({
    ...gateway(
      429,
      "APIGW.0308",
      "The throttling threshold has been reached: policy user over ratelimit,limit:100,time:1 minute",
    ),
    headers: { "retry-after": String(seconds) },
  }),
  refusal: (message) => said(400, "DNS.0308", message),
  isWrite: ({ method, url }) => method !== "GET" && url.pathname.includes("/recordsets"),
};
