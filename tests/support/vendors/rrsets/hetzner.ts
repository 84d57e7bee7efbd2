import { json, pageOf, partsAfter, type RrsetDialect } from "./server.ts";
import type { RrsetStore } from "./store.ts";

// As docs.hetzner.cloud describes it, read on 2026-11-27: changes are actions, which end later.

const token = "hetzner-token-of-the-harbour";
const said = (status: number, code: string, message: string) => json(status, { error: { code, message, details: {} } });
const notFound = said(404, "not_found", "The resource was not found");

let actions = 0;
/** Looks at a started action until it has ended. */
const looks = new Map<number, number>();

/** Starts an action that ends after one look. */
function started(status: number) {
  const id = ++actions;
  looks.set(id, 1);
  return json(status, { action: { id, command: "set_rrset_records", status: "running", progress: 0, error: null } });
}

function shown(name: string) {
  return { id: 1, name, mode: "primary", ttl: 3600 };
}

interface Body {
  name: string;
  type: string;
  ttl?: number;
  records?: { value: string }[];
}

function changed(store: RrsetStore, zone: string, [name, type, , action]: string[], method: string, text: string) {
  const body = text === "" ? null : (JSON.parse(text) as Body);
  const held = store.rrset(zone, name ?? body?.name ?? "", type ?? body?.type ?? "");
  if (name === undefined && held) return said(409, "uniqueness_error", "RRSet already exists");
  if (name !== undefined && !held) return notFound;
  const values = body?.records?.map(({ value }) => value) ?? (action === "change_ttl" ? held?.values : []) ?? [];
  const writing = {
    name: name ?? body?.name ?? "",
    type: type ?? body?.type ?? "",
    ttl: body?.ttl ?? held?.ttl ?? 3600,
    values: method === "DELETE" ? [] : values,
  };
  const [fault = null] = store.faults(zone, [writing]);
  if (fault !== null) return said(422, "invalid_input", fault);
  store.write(zone, [writing]);
  return started(201);
}

export const hetzner: RrsetDialect = {
  kind: "hetzner",
  name: "Hetzner",
  secret: "token",
  config: (url) => ({ token, endpoint: url }),
  rules: {
    types: "A AAAA CAA CNAME DS HINFO HTTPS MX NS PTR RP SOA SRV SVCB TLSA TXT".split(" "),
    minTtl: 60,
    maxTtl: 2_147_483_647,
    owner: /^[^\s]+$/,
    initial: [
      { name: "@", type: "NS", ttl: 3600, values: ["hydrogen.ns.hetzner.com.", "oxygen.ns.hetzner.com."] },
      {
        name: "@",
        type: "SOA",
        ttl: 3600,
        values: ["hydrogen.ns.hetzner.com. dns.hetzner.com. 1 86400 10800 3600000 3600"],
      },
    ],
  },
  answer(call, store) {
    if (call.headers.authorization !== `Bearer ${token}`) return this.unauthorized;
    const { method, url } = call;
    const [id] = partsAfter("/v1/actions", call) ?? [];
    if (id !== undefined) {
      const left = looks.get(Number(id)) ?? 0;
      looks.set(Number(id), left - 1);
      return json(200, { action: { id: Number(id), status: left > 0 ? "running" : "success", error: null } });
    }
    const listed = (name: string, list: readonly unknown[]) => {
      const [number, size] = [Number(url.searchParams.get("page")), Number(url.searchParams.get("per_page"))];
      const { entries, next } = pageOf(list, (number - 1) * size, size);
      const pagination = { page: number, per_page: size, next_page: next === null ? null : number + 1 };
      return json(200, { [name]: entries, meta: { pagination } });
    };
    const [zone, rrsets, ...rest] = partsAfter("/v1/zones", call) ?? [];
    if (zone === undefined) {
      if (method === "GET") return listed("zones", [...store.zones.keys()].map(shown));
      const { name } = JSON.parse(call.body) as Body;
      store.addZone(name);
      return json(201, { zone: shown(name), action: { id: 0, status: "success", error: null } });
    }
    if (!store.zones.has(zone)) return notFound;
    if (rrsets === undefined) return json(200, { zone: shown(zone) });
    if (method !== "GET") return changed(store, zone, rest, method, call.body);
    const found = store.rrsets(zone, url.searchParams.get("name") ?? undefined).map(({ name, type, ttl, values }) => ({
      id: `${name}/${type}`,
      name,
      type,
      // The zone's own TTL.
      ttl: ttl === 3600 ? null : ttl,
      protection: { change: false },
      records: values.map((value) => ({ value, comment: "" })),
    }));
    return listed("rrsets", found);
  },
  unauthorized: said(401, "unauthorized", "unable to authenticate"),
  forbidden: said(403, "token_readonly", "token is read-only"),
  full: said(403, "resource_limit_exceeded", "zone limit exceeded"),
  // Refills by a call every so many seconds, one with the usual limit of 3,600. The reset is when all of them are back.
  throttled: (seconds) =>
    json(
      429,
      { error: { code: "rate_limit_exceeded", message: "limit of requests per hour reached" } },
      {
        "ratelimit-limit": String(3_600 / seconds),
        "ratelimit-remaining": "0",
        "ratelimit-reset": String(Math.ceil(Date.now() / 1_000) + 3_600),
      },
    ),
  refusal: (message) => said(422, "invalid_input", message),
  isWrite: ({ method, url }) => method !== "GET" && url.pathname.includes("/rrsets"),
};
