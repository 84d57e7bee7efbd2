import { json, pageOf, partsAfter, type RrsetDialect } from "./server.ts";

// The invented vendor of examples/provider-kind/harbour.ts, and an example of a simulator: docs/providers/adding.md.

const token = "harbour-token-of-the-account";
const said = (status: number, message: string) => json(status, { message });

export const harbour: RrsetDialect = {
  kind: "harbour",
  name: "Harbour DNS",
  secret: "token",
  config: (url) => ({ token, endpoint: url }),
  rules: {
    types: "A AAAA CAA CNAME MX NS SRV TXT".split(" "),
    minTtl: 60,
    maxTtl: 2_147_483_647,
    owner: /^[\w*-]+(?:\.[\w-]+)*$/,
    initial: [],
  },
  answer(call, store) {
    if (call.headers.authorization !== `Bearer ${token}`) return this.unauthorized;
    const { method, url } = call;
    const [zone, , host, type] = partsAfter("/v1/domains", call) ?? [];
    const listed = (list: readonly unknown[]) => {
      const size = Number(url.searchParams.get("per_page"));
      const { entries } = pageOf(list, (Number(url.searchParams.get("page")) - 1) * size, size);
      return json(200, { entries, total: list.length });
    };
    if (zone === undefined) {
      if (method === "GET") return listed([...store.zones.keys()].map((domain) => ({ domain })));
      const { domain } = JSON.parse(call.body) as { domain: string };
      if (store.zones.has(domain)) return said(409, "The domain exists.");
      store.addZone(domain);
      return json(201, { domain });
    }
    if (!store.zones.has(zone)) return said(404, "There is no such domain.");
    if (method === "GET") {
      const found = store.rrsets(zone, url.searchParams.get("host") ?? undefined);
      return listed(found.map((one) => ({ host: one.name, type: one.type, ttl: one.ttl, data: one.values })));
    }
    if (method === "DELETE" && host !== undefined && type !== undefined) {
      if (!store.rrset(zone, host, type)) return said(404, "There is no such RRset.");
      store.write(zone, [{ name: host, type, ttl: 60, values: [] }]);
      return json(204, undefined);
    }
    const body = JSON.parse(call.body) as { host: string; type: string; ttl: number; data: string[] };
    const writing = { name: body.host, type: body.type, ttl: body.ttl, values: body.data };
    const [fault = null] = store.faults(zone, [writing]);
    if (fault !== null) return this.refusal(fault);
    store.write(zone, [writing]);
    return json(200, body);
  },
  unauthorized: said(401, "The token is not valid."),
  forbidden: said(403, "The token may not write."),
  throttled: (seconds) => json(429, { message: "Too many calls." }, { "retry-after": String(seconds) }),
  refusal: (message) => said(422, message),
  isWrite: ({ method }) => method === "PUT" || method === "DELETE",
};
