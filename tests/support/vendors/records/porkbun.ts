import { isIPv4, isIPv6 } from "node:net";
import type { VendorCall, VendorReply } from "../loopback-vendor.ts";
import { json, partsAfter, type HeldRecord, type RecordDialect, type RecordStore } from "./server.ts";

// As porkbun.com/llms/dns and the public clients of the API describe it, read on 2026-11-27: every call is a POST with both keys in its body, and owners are
// whole names. That a TXT loses its last spaces, and what a CAA may have, is DNSControl's finding with a real account (audit of 2024-11).

const keys = { apiKey: "pk1_loopback0123456789", secretKey: "sk1_loopback0123456789" };
const host = /^(?:[\w-]+\.)*[\w-]+\.?$/;

const success = (answer: object = {}) => json(200, { status: "SUCCESS", ...answer });
const says = (message: string, status = 400) => json(status, { status: "ERROR", message });

const shown = (zone: string, { id, type, name, ttl, fields }: HeldRecord) => ({
  id: String(id),
  name: name === "" ? zone : `${name}.${zone}`,
  type,
  ttl: String(ttl),
  prio: null,
  notes: "",
  ...fields,
});

function isRight(type: string, content: string): boolean {
  const right: Record<string, () => boolean> = {
    A: () => isIPv4(content),
    AAAA: () => isIPv6(content),
    ALIAS: () => host.test(content),
    CAA: () => /^\d{1,3} [a-z]+ "[^"\s]+"$/.test(content),
    CNAME: () => host.test(content),
    HTTPS: () => /^\d+ (?:\.|[\w.-]+)(?: .+)?$/.test(content),
    MX: () => content === "." || host.test(content),
    NS: () => host.test(content),
    SRV: () => /^\d+ \d+ (?:\.|[\w.-]+)$/.test(content),
    SSHFP: () => /^\d+ \d+ [0-9a-f]+$/i.test(content),
    SVCB: () => /^\d+ (?:\.|[\w.-]+)(?: .+)?$/.test(content),
    TLSA: () => /^\d+ \d+ \d+ [0-9a-f]+$/i.test(content),
    TXT: () => content !== "",
  };
  return right[type]?.() ?? false;
}

interface Input {
  name?: string;
  type: string;
  content: string;
  ttl?: string;
  prio?: string;
}

function onRecords(store: RecordStore, path: string[], input: Input): VendorReply {
  const [action = "", zone = "", id] = path;
  const records = store.zones.get(zone)?.records;
  if (!records) return says("Invalid domain.");
  if (action === "retrieve")
    return success({ cloudflare: "disabled", records: [...records.values()].map((one) => shown(zone, one)) });
  const present = records.get(Number(id));
  if (action !== "create" && !present) return says("Invalid record ID.");
  if (action === "delete") {
    records.delete(Number(id));
    return success();
  }
  const verb = action === "create" ? "Create error: We were unable to create" : "Edit error: We were unable to edit";
  const unable = says(`${verb} the DNS record.`);
  const { name = "", type, prio = null } = input;
  if (!isRight(type, input.content)) return unable;
  const ttl = Math.max(600, Number(input.ttl ?? 600));
  const draft = { type, name, ttl, fields: { content: input.content.trimEnd(), prio } };
  if (store.faultOf(zone, draft, present?.id) !== null) return unable;
  if (!present) return success({ id: store.add(zone, draft).id });
  Object.assign(present, draft);
  return success();
}

/** What Porkbun's proxy sends above one call a second. */
const proxyPage =
  "<html>\r\n<head><title>503 Service Temporarily Unavailable</title></head>\r\n<body></body>\r\n</html>";

export const porkbun: RecordDialect = {
  kind: "porkbun",
  name: "Porkbun",
  secret: "secretKey",
  config: (url) => ({ ...keys, endpoint: `${url}/api/json/v3` }),
  zonesComeWithDomains: true,
  isWrite: ({ url }) => /\/dns\/(?:create|edit|delete)\//.test(url.pathname),
  answer(call: VendorCall, store) {
    if (call.method !== "POST") return says("All HTTP request must use POST.");
    const { apikey, secretapikey, start = "0", ...input } = JSON.parse(call.body) as Input & Record<string, string>;
    if (apikey !== keys.apiKey || secretapikey !== keys.secretKey) return this.unauthorized;
    const [area, ...path] = partsAfter("/api/json/v3", call);
    if (area === "dns") return onRecords(store, path, input);
    const domains = [...store.zones.keys()].slice(Number(start), Number(start) + 1_000);
    return success({ domains: domains.map((domain) => ({ domain, status: "ACTIVE", notLocal: 0 })) });
  },
  unauthorized: says("Invalid API key. (001)"),
  forbidden: says("Domain is not opted in to API access."),
  // Nobody reports a `Retry-After` with it.
  throttled: (seconds) => ({ status: 503, headers: { "retry-after": String(seconds) }, body: proxyPage }),
  refusal: (message) => says(message),
};
