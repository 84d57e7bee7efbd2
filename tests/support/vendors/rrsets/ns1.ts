import type { VendorCall } from "../loopback-vendor.ts";
import { json, pageOf, partsAfter, smallPage, type RrsetDialect } from "./server.ts";
import type { HeldRrset } from "./store.ts";

// As NS1's public clients know it (ns1-go, octodns-ns1, DNSControl's ns1), read on 2026-11-27: answers are fields without quotes, lists show them
// joined by spaces, hosts without a trailing dot, and owners as whole names.

const apiKey = "ns1-key-of-the-harbour";
const hosts = new Set(["ALIAS", "CNAME", "DNAME", "MX", "NS", "PTR", "SRV"]);

const said = (status: number, message: string) => json(status, { message });
const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
const unquoted = (text: string) => text.slice(1, -1).replaceAll(/\\(["\\])/g, "$1");

/** An answer in master-file form. */
function presentation(type: string, fields: readonly string[]): string {
  if (type === "TXT") return quoted(fields.join(""));
  if (type === "CAA") return `${fields.slice(0, 2).join(" ")} ${quoted(fields[2] ?? "")}`;
  return fields.join(" ");
}

function shortAnswer(type: string, value: string): string {
  if (type === "TXT") return unquoted(value);
  if (type === "CAA") return value.replace(/".*"$/, unquoted);
  return hosts.has(type) && !value.endsWith(" .") ? value.replace(/\.$/, "") : value;
}

function shown(zone: string, { name, type, ttl, values }: HeldRrset) {
  const domain = name === "@" ? zone : `${name}.${zone}`;
  return { domain, type, ttl, tier: 1, short_answers: values.map((value) => shortAnswer(type, value)) };
}

function page<T>(list: readonly T[], { url }: VendorCall): { entries: T[]; headers: Record<string, string> } {
  // Some 2,500 in truth.
  const perPage = smallPage(list);
  const { entries, next } = pageOf(list, Number(url.searchParams.get("after") ?? 0), perPage);
  const link = `<https://api.nsone.net${url.pathname}?after=${next}&limit=${perPage}>; rel="next"`;
  return { entries, headers: next === null ? {} : { link } };
}

export const ns1: RrsetDialect = {
  kind: "ns1",
  name: "NS1",
  secret: "apiKey",
  config: (url) => ({ apiKey, endpoint: url }),
  rules: {
    types: "A AAAA AFSDB ALIAS CAA CERT CNAME DNAME DS HINFO MX NAPTR NS PTR RP SPF SRV TLSA TXT".split(" "),
    minTtl: 1,
    maxTtl: 2_147_483_647,
    owner: /^[^\s]+$/,
    longestString: 64_000,
    refusal: (type, value) => (type === "TXT" && value === '""' ? "Input validation failed" : null),
    initial: [{ name: "@", type: "NS", ttl: 3600, values: ["dns1.p01.nsone.net.", "dns2.p01.nsone.net."] }],
  },
  answer(call, store) {
    if (call.headers["x-nsone-key"] !== apiKey) return this.unauthorized;
    const { method, url } = call;
    const [zone, domain, type] = partsAfter("/v1/zones", call) ?? [];
    if (zone === undefined) {
      const { entries, headers } = page([...store.zones.keys()], call);
      return json(
        200,
        entries.map((name) => ({ zone: name, ttl: 3600, dnssec: false })),
        headers,
      );
    }
    if (method === "PUT" && domain === undefined) {
      if (store.zones.has(zone)) return said(400, "invalid: FQDN already exists in the view");
      store.addZone(zone);
      return json(200, { zone });
    }
    if (!store.zones.has(zone)) return said(404, "zone not found");
    if (domain === undefined || type === undefined) {
      const all = url.searchParams.get("records") === "false" ? [] : store.rrsets(zone);
      const { entries, headers } = page(all, call);
      return json(200, { zone, ttl: 3600, records: entries.map((one) => shown(zone, one)) }, headers);
    }
    const name = domain === zone ? "@" : domain.slice(0, -zone.length - 1);
    const held = store.rrset(zone, name, type);
    if (method === "PUT" && held) return said(400, "record already exists");
    if (method !== "PUT" && !held) return said(404, "record not found");
    if (method === "DELETE") {
      store.write(zone, [{ name, type, ttl: 1, values: [] }]);
      return json(200, {});
    }
    const body = JSON.parse(call.body) as { ttl: number; answers: { answer: string[] }[] };
    const writing = { name, type, ttl: body.ttl, values: body.answers.map(({ answer }) => presentation(type, answer)) };
    const [fault = null] = store.faults(zone, [writing]);
    if (fault !== null) return this.refusal(fault);
    store.write(zone, [writing]);
    return json(200, { zone, domain, type, ttl: body.ttl, answers: body.answers });
  },
  unauthorized: said(401, "Unauthorized"),
  forbidden: said(403, "permission denied"),
  // Refills by a call every so many seconds, as "API rate limiting" of NS1's documentation says, read on 2026-11-30.
  throttled: (seconds) =>
    json(
      429,
      { message: "API rate limit exceeded" },
      { "x-ratelimit-limit": "20", "x-ratelimit-period": String(20 * seconds), "x-ratelimit-remaining": "0" },
    ),
  refusal: (message) => said(400, message),
  isWrite: ({ method, url }) => method !== "GET" && url.pathname.split("/").length > 4,
};
