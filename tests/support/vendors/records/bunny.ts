import { isIPv4, isIPv6 } from "node:net";
import type { VendorCall, VendorReply } from "../loopback-vendor.ts";
import { json, partsAfter, type HeldRecord, type RecordDialect, type RecordStore } from "./server.ts";

// As docs.bunny.net (reference, "DNS Zone") and the public clients of the API describe it, read on 2026-11-27: types are numbers, a zone is listed with its
// records, PUT creates and POST changes. That a TXT is taken as it is, is what DNSControl's users found (issue 4838).

const apiKey = "01234567-89ab-4cde-8f01-23456789bunny";
const types = [
  "A",
  "AAAA",
  "CNAME",
  "TXT",
  "MX",
  "Redirect",
  "Flatten",
  "PullZone",
  "SRV",
  "CAA",
  "PTR",
  "Script",
  "NS",
  "SVCB",
  "HTTPS",
  "TLSA",
];
const says = (status: number, message: string) =>
  json(status, { ErrorKey: "validation_error", Field: "Record", Message: message });

const shown = ({ id, type, name, ttl, fields }: HeldRecord) => ({
  Id: id,
  Type: types.indexOf(type),
  Name: name,
  Ttl: ttl,
  Priority: 0,
  Weight: 0,
  Port: 0,
  Flags: 0,
  Tag: "",
  Disabled: false,
  SmartRoutingType: 0,
  MonitorType: 0,
  Accelerated: false,
  LinkName: "",
  Comment: null,
  ...fields,
});

function isRight(type: string, value: string): boolean {
  const host = /^(?:[\w-]+\.)*[\w-]+$/;
  const right: Record<string, () => boolean> = {
    A: () => isIPv4(value),
    AAAA: () => isIPv6(value),
    CAA: () => !value.includes('"'),
    HTTPS: () => /^(?:\.|(?:[\w-]+\.)*[\w-]+) (?:\S+ ?)*$/.test(value),
    MX: () => value === "." || host.test(value),
    SRV: () => value === "." || host.test(value),
    SVCB: () => /^(?:\.|(?:[\w-]+\.)*[\w-]+) (?:\S+ ?)*$/.test(value),
    TLSA: () => /^\d+ \d+ \d+ [0-9a-f]+$/i.test(value),
    TXT: () => value !== "",
  };
  return (right[type] ?? (() => host.test(value)))();
}

interface Input {
  Type: number;
  Name: string;
  Ttl: number;
  Value: string;
}

function onRecords(call: VendorCall, store: RecordStore, zone: string, id: string | undefined): VendorReply {
  const records = store.zones.get(zone)?.records ?? new Map<number, HeldRecord>();
  const present = id === undefined ? undefined : records.get(Number(id));
  if (id !== undefined && !present) return says(404, "The requested DNS record was not found");
  if (call.method === "DELETE") {
    records.delete(Number(id));
    return json(204);
  }
  const { Type: number, Name: name, Ttl: ttl, ...fields } = JSON.parse(call.body) as Input;
  const type = present?.type ?? types[number] ?? "";
  if (!isRight(type, fields.Value)) return says(400, "The value of the record is invalid.");
  const draft = { type, name, ttl, fields };
  const fault = store.faultOf(zone, draft, present?.id);
  if (fault !== null) return says(400, fault);
  if (present) {
    Object.assign(present, draft);
    return json(204);
  }
  return json(201, shown(store.add(zone, draft)));
}

export const bunny: RecordDialect = {
  kind: "bunny",
  name: "bunny.net",
  secret: "apiKey",
  config: (url) => ({ apiKey, endpoint: url }),
  isWrite: ({ method, url }) => method !== "GET" && url.pathname.includes("/records"),
  answer(call, store) {
    if (call.headers.accesskey !== apiKey) return this.unauthorized;
    const [id, list, record] = partsAfter("/dnszone", call);
    const named = [...store.zones].map(([Domain, zone]) => ({ Id: zone.id, Domain, DnsSecEnabled: false }));
    if (id === undefined && call.method === "POST") {
      const { Domain } = JSON.parse(call.body) as { Domain: string };
      if (store.zones.has(Domain)) return says(400, "The domain is already added.");
      return json(201, { Id: store.addZone(Domain).id, Domain, Records: [] });
    }
    if (id === undefined) {
      const size = Number(call.url.searchParams.get("perPage") ?? 1_000);
      const page = Number(call.url.searchParams.get("page") ?? 1);
      const HasMoreItems = page * size < named.length;
      const Items = named.slice((page - 1) * size, page * size);
      return json(200, { Items, CurrentPage: page, TotalItems: named.length, HasMoreItems });
    }
    const zone = named.find((one) => one.Id === Number(id));
    if (!zone) return says(404, "The requested DNS zone was not found");
    if (list !== undefined) return onRecords(call, store, zone.Domain, record);
    const records = [...(store.zones.get(zone.Domain)?.records.values() ?? [])];
    return json(200, { ...zone, Records: records.map(shown) });
  },
  unauthorized: json(401, { Message: "Authorization has been denied for this request." }),
  forbidden: json(403, { Message: "The key has no access to this feature." }),
  throttled: (seconds) => ({ ...says(429, "Too many requests."), headers: { "retry-after": String(seconds) } }),
  refusal: (message) => says(400, message),
};
