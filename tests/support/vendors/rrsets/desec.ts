import type { VendorCall, VendorReply } from "../loopback-vendor.ts";
import { json, pageOf, partsAfter, type RrsetDialect } from "./server.ts";
import type { RrsetStore } from "./store.ts";

// As https://desec.readthedocs.io describes it, and as its own source checks it (github.com/desec-io/desec-stack, serializers/records.py,
// pagination.py), read on 2026-11-27.

const token = "desec-token-of-the-harbour";
const perPage = 500;

interface Part {
  subname: string;
  type: string;
  ttl: number;
  records: string[];
}

/** A list is refused without a cursor as soon as it has several pages. */
function listed(list: readonly unknown[], { url }: VendorCall): VendorReply {
  const cursor = url.searchParams.get("cursor");
  const link = (start: string, rel: string) => {
    const address = new URL(url);
    address.searchParams.set("cursor", start);
    return `<${address.href}>; rel="${rel}"`;
  };
  if (list.length > perPage && cursor === null) {
    const detail = `Pagination required. You can query up to ${perPage} items at a time (${list.length} total).`;
    return json(400, { detail }, { link: link("", "first") });
  }
  const { entries, next } = pageOf(list, Number(cursor ?? ""), perPage);
  const links = [link("", "first"), ...(next === null ? [] : [link(String(next), "next")])];
  return json(200, entries, { link: links.join(", ") });
}

function shown(name: string) {
  return { name, minimum_ttl: 1, touched: "2026-11-27T08:00:00.000000Z" };
}

function bulk(store: RrsetStore, zone: string, body: readonly Part[]): VendorReply {
  const writings = body.map(({ subname, type, ttl, records }) => ({
    name: subname === "" ? "@" : subname,
    type,
    ttl,
    values: records,
  }));
  const faults = store.faults(zone, writings);
  if (faults.some((fault) => fault !== null)) {
    return json(
      400,
      faults.map((fault) => (fault === null ? {} : { non_field_errors: [fault] })),
    );
  }
  store.write(zone, writings);
  return json(200, body);
}

export const desec: RrsetDialect = {
  kind: "desec",
  name: "deSEC",
  secret: "token",
  config: (url) => ({ token, endpoint: url }),
  rules: {
    types:
      "A AAAA AFSDB APL CAA CDNSKEY CDS CERT CNAME DHCID DNAME DNSKEY DLV DS EUI48 EUI64 HINFO HTTPS KX L32 L64 LOC LP MX NAPTR NID NS OPENPGPKEY PTR RP SMIMEA SPF SRV SSHFP SVCB TLSA TXT URI".split(
        " ",
      ),
    minTtl: 1,
    maxTtl: 86_400,
    owner: /^(?:\*|(?:\*\.)?(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63})$/,
    longestString: 64_000,
    notAtApex: ["DS"],
    refusal(type, value) {
      const target = value.split(" ").at(-1) ?? "";
      const name = /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+$/;
      if (["MX", "SRV", "NS"].includes(type) && target !== "." && !name.test(target)) return `invalid host: ${target}`;
      return type === "CNAME" && value !== "." && !/^(?:[A-Za-z0-9_*-]+\.)+$/.test(value)
        ? `invalid target: ${value}`
        : null;
    },
    initial: [{ name: "@", type: "NS", ttl: 3600, values: ["ns1.desec.io.", "ns2.desec.org."] }],
  },
  answer(call, store) {
    if (call.headers.authorization !== `Token ${token}`) return this.unauthorized;
    const [zone, list] = partsAfter("/api/v1/domains", call) ?? [];
    if (zone === undefined) {
      if (call.method === "GET") return listed([...store.zones.keys()].map(shown), call);
      const { name } = JSON.parse(call.body) as { name: string };
      if (store.zones.has(name)) return json(400, { name: ["You already own this domain."] });
      store.addZone(name);
      return json(201, shown(name));
    }
    if (!store.zones.has(zone)) return json(404, { detail: "Not found." });
    if (list === undefined) return json(200, shown(zone));
    if (call.method === "PUT") return bulk(store, zone, JSON.parse(call.body) as Part[]);
    const subname = call.url.searchParams.get("subname");
    const some = store.rrsets(zone, subname === null ? undefined : subname || "@");
    return listed(
      some.map(({ name, type, ttl, values }) => {
        return { domain: zone, subname: name === "@" ? "" : name, type, ttl, records: values };
      }),
      call,
    );
  },
  unauthorized: json(401, { detail: "Invalid token." }),
  forbidden: json(403, { detail: "Insufficient permissions to write this RRset." }),
  // permissions.py of desec-stack, read on 2026-11-30.
  full: json(403, { detail: "Domain limit exceeded. Please contact support to create additional domains." }),
  throttled: (seconds) =>
    json(
      429,
      { detail: `Request was throttled. Expected available in ${seconds} seconds.` },
      {
        "retry-after": String(seconds),
      },
    ),
  refusal: (message) => json(400, { detail: message }),
  isWrite: ({ method }) => method === "PUT",
};
