import { json, partsAfter, smallPage, type RrsetDialect } from "./server.ts";

// The protocol of docs/providers/webhook.md as an adapter speaks it that changes one RRset at a time. Those in examples/ change several at once.

const token = "token-of-the-harbour-adapter";

interface Content {
  ttl: number;
  values: string[];
}

const said = (status: number, message: string) => json(status, { message });
const comparable = (content: Content | null) => content && [content.ttl, content.values.toSorted()];

/** The page of a list behind the entry that a cursor names. */
function pageAfter<T>(cursor: string, list: readonly T[], keyOf: (entry: T) => string) {
  const sorted = list.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  const rest = sorted.filter((entry) => keyOf(entry) > cursor);
  const perPage = smallPage(list);
  const entries = rest.slice(0, perPage);
  const last = entries.at(-1);
  return { entries, next: last && rest.length > perPage ? keyOf(last) : null };
}

export const webhook: RrsetDialect = {
  kind: "webhook",
  name: "Webhook adapter",
  secret: "token",
  config: (url) => ({ token, url: `${url}/dns` }),
  rules: {
    types: "A AAAA CAA CNAME MX NS PTR SRV TXT".split(" "),
    minTtl: 60,
    maxTtl: 86_400,
    owner: /^[^\s]+$/,
    initial: [],
  },
  answer(call, store) {
    if (call.headers.authorization !== `Bearer ${token}`) return this.unauthorized;
    const { method, url } = call;
    const parts = partsAfter("/dns/", call);
    if (!parts) return said(404, "There is no such call.");
    const [list, zone, what] = parts;
    const cursor = url.searchParams.get("cursor") ?? "";
    if (list === undefined) {
      const { types: recordTypes, minTtl, maxTtl } = this.rules;
      return json(200, { protocol: 1, recordTypes, minTtl, maxTtl, atomic: false, granularity: "rrset" });
    }
    if (zone === undefined && method === "GET") {
      const { entries, next } = pageAfter(cursor, [...store.zones.keys()], (name) => name);
      return json(200, { zones: entries, next });
    }
    if (zone === undefined) {
      const { name } = JSON.parse(call.body) as { name: string };
      if (!store.zones.has(name)) store.addZone(name);
      return json(201, {});
    }
    if (!store.zones.has(zone)) return said(404, "There is no such zone.");
    if (what === "rrsets") {
      const all = store.rrsets(zone, url.searchParams.get("name") ?? undefined);
      const { entries, next } = pageAfter(cursor, all, ({ name, type }) => `${name} ${type}`);
      const rrsets = entries.map(({ name, type, ttl, values }) => ({ name, type, ttl, values }));
      return json(200, { rrsets, ...(next !== null && { next }) });
    }
    const { atomic, changes } = JSON.parse(call.body) as {
      atomic: boolean;
      changes: { name: string; type: string; before: Content | null; after: Content | null }[];
    };
    const [change] = changes;
    if (atomic || !change || changes.length > 1) return said(400, "This adapter makes one change per call.");
    const { name, type, before, after } = change;
    const held = store.rrset(zone, name, type) ?? null;
    if (JSON.stringify(comparable(held)) !== JSON.stringify(comparable(before))) {
      return json(409, { message: "The RRset is another one.", stale: [0] });
    }
    const writing = { name, type, ttl: after?.ttl ?? 1, values: after?.values ?? [] };
    const [fault = null] = store.faults(zone, [writing]);
    if (fault === null) store.write(zone, [writing]);
    return json(200, { outcomes: [fault === null ? { ok: true } : { ok: false, message: fault }] });
  },
  unauthorized: said(401, "The token is wrong."),
  forbidden: said(403, "The token may only read."),
  throttled: (seconds) => json(429, { message: "Too many calls." }, { "retry-after": String(seconds) }),
  refusal: (message) => json(200, { outcomes: [{ ok: false, message }] }),
  isWrite: ({ method, url }) => method === "POST" && url.pathname.endsWith("/changes"),
};
