import { createHash } from "node:crypto";
import { isIPv4, isIPv6 } from "node:net";
import type { VendorCall, VendorReply } from "../loopback-vendor.ts";
import { json, partsAfter, type HeldRecord, type RecordDialect, type RecordStore } from "./server.ts";

// As OVHcloud's OpenAPI description (ovhcloud-cli of 2025-10-02) and its Go client (signature, time) show it, read on 2026-11-28: a list has ids only, several
// records are read by X-Ovh-Batch, an update changes no type, and changes are served after a refresh. That texts are one quoted text that comes back in strings of
// 255 octets, and DKIM, DMARC and SPF are types of their own, is what DNSControl's and Terraform's users found. The form of an entry of several records was not
// found; this one has its key and its value. DNSSEC, read on 2026-11-29: the same description, which shows a status and no keys.

const keys = {
  applicationKey: "0123456789abcdef",
  applicationSecret: "0123456789abcdef0123456789harbour",
  consumerKey: "fedcba9876543210fedcba98harbour0",
};
/** The server's clock is ahead of ours. */
const aheadSeconds = 1_000;
const toleranceSeconds = 300;

const says = (status: number, errorCode: string, message: string) =>
  json(status, { errorCode, httpCode: String(status), message });

function isSigned({ method, headers, target, body }: VendorCall): boolean {
  const time = Number(headers["x-ovh-timestamp"]);
  const url = `http://${headers.host}${target}`;
  const text = [keys.applicationSecret, keys.consumerKey, method, url, body, time].join("+");
  return headers["x-ovh-signature"] === `$1$${createHash("sha1").update(text).digest("hex")}`;
}

function isInTime({ headers }: VendorCall): boolean {
  const now = Date.now() / 1_000 + aheadSeconds;
  return Math.abs(Number(headers["x-ovh-timestamp"]) - now) < toleranceSeconds;
}

/** A text in one quoted string or several, as it is printed: cut at every 255 octets. */
function printedText(target: string): string | null {
  if (!target.startsWith('"')) return target;
  if (!/^"(?:[^"\\]|\\.)*"(?: "(?:[^"\\]|\\.)*")*$/su.test(target)) return null;
  const strings = [...target.matchAll(/"((?:[^"\\]|\\.)*)"/gsu)].map(([, one = ""]) =>
    one.replaceAll(/\\(.)/gsu, "$1"),
  );
  const cut = [""];
  for (const character of strings.join("")) {
    if (Buffer.byteLength(`${cut.at(-1)}${character}`) > 255) cut.push("");
    cut.push(`${cut.pop()}${character}`);
  }
  return cut.map((one) => `"${one.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(" ");
}

function isRight(type: string, target: string): boolean {
  const host = /^(?:[\w-]+\.)*[\w-]*\.$/;
  const right: Record<string, () => boolean> = {
    A: () => isIPv4(target),
    AAAA: () => isIPv6(target),
    CAA: () => /^\d{1,3} [a-z]+ "[^"]*"$/i.test(target),
    HTTPS: () => /^\d+ \S+(?: .+)?$/.test(target),
    LOC: () => /^\d+ .+ [NS] \d+ .+ [EW] /.test(target),
    MX: () => /^\d+ /.test(target) && host.test(target.replace(/^\d+ /, "")),
    NAPTR: () => /^\d+ \d+ "[^"]*" "[^"]*" "(?:[^"\\]|\\.)*" \S+$/.test(target),
    SRV: () => /^\d+ \d+ \d+ \S*\.$/.test(target),
    SSHFP: () => /^\d+ \d+ [0-9a-f]+$/i.test(target),
    SVCB: () => /^\d+ \S+(?: .+)?$/.test(target),
    TLSA: () => /^\d+ \d+ \d+ [0-9a-f]+$/i.test(target),
    TXT: () => target !== "" && target !== '""' && printedText(target) !== null,
    DKIM: () => !target.includes('"'),
    DMARC: () => !target.includes('"'),
    SPF: () => /^"[^"]+"$/.test(target),
  };
  return (right[type] ?? (() => ["CNAME", "DNAME", "NS", "PTR"].includes(type) && host.test(target)))();
}

const shown = (zone: string, { id, type, name, ttl, fields }: HeldRecord) => ({
  id,
  zone,
  fieldType: type,
  subDomain: name,
  ttl,
  ...fields,
});

interface Input {
  fieldType?: string;
  subDomain?: string;
  target?: string;
  ttl?: number;
}

function onRecords(call: VendorCall, store: RecordStore, zone: string, id: string | undefined): VendorReply {
  const records = store.zones.get(zone)?.records ?? new Map<number, HeldRecord>();
  const { searchParams } = call.url;
  if (call.method === "GET" && id === undefined) {
    const [name, type] = [searchParams.get("subDomain"), searchParams.get("fieldType")];
    const some = [...records.values()].filter(
      (one) => (name ?? one.name) === one.name && (type ?? one.type) === one.type,
    );
    return json(
      200,
      some.map((one) => one.id),
    );
  }
  const none = says(404, "NOT_FOUND", "The requested object (id) does not exist");
  if (call.method === "GET") {
    const separator = call.headers["x-ovh-batch"];
    const wanted = separator === undefined ? [id ?? ""] : (id ?? "").split(String(separator));
    const found = wanted.map((key) => {
      const one = records.get(Number(key));
      return { key, value: one ? shown(zone, one) : null, error: one ? null : { message: "not found" } };
    });
    if (separator !== undefined) return json(200, found);
    return found[0]?.value ? json(200, found[0].value) : none;
  }
  const present = id === undefined ? undefined : records.get(Number(id));
  if (id !== undefined && !present) return none;
  if (call.method === "DELETE") {
    records.delete(Number(id));
    return json(200, null);
  }
  const input = JSON.parse(call.body) as Input;
  if (present && input.fieldType !== undefined)
    return says(400, "INVALID_ARGUMENT", "Try to alter read-only properties: fieldType");
  const type = present?.type ?? input.fieldType ?? "";
  const target = input.target ?? String(present?.fields.target);
  if (!isRight(type, target)) return says(400, "INVALID_ARGUMENT", `Invalid target for ${type}`);
  const draft = {
    type,
    name: input.subDomain ?? present?.name ?? "",
    ttl: input.ttl ?? 0,
    fields: { target: type === "TXT" ? (printedText(target) ?? target) : target },
  };
  const fault = store.faultOf(zone, draft, present?.id);
  if (fault !== null) return says(409, "CONFLICT", fault);
  if (present) Object.assign(present, draft);
  return json(200, present ? null : shown(zone, store.add(zone, draft)));
}

/** The statuses of zones whose DNSSEC was turned on or off. */
const signed = new WeakMap<RecordStore, Map<string, string>>();

function onSigning({ method }: VendorCall, store: RecordStore, zone: string): VendorReply {
  const all = signed.get(store) ?? new Map<string, string>();
  signed.set(store, all);
  if (method === "GET") return json(200, { status: all.get(zone) ?? "disabled" });
  all.set(zone, method === "POST" ? "enableInProgress" : "disableInProgress");
  return json(200, null);
}

export const ovh: RecordDialect = {
  kind: "ovh",
  name: "OVHcloud",
  secret: "applicationSecret",
  config: (url) => ({ ...keys, endpoint: `${url}/1.0` }),
  zonesComeWithDomains: true,
  isWrite: ({ method, url }) => method !== "GET" && url.pathname.includes("/record"),
  answer(call, store) {
    if (call.url.pathname === "/1.0/auth/time") return json(200, Math.floor(Date.now() / 1_000) + aheadSeconds);
    if (
      call.headers["x-ovh-application"] !== keys.applicationKey ||
      call.headers["x-ovh-consumer"] !== keys.consumerKey
    )
      return this.unauthorized;
    if (!isInTime(call)) return says(400, "QUERY_TIME_OUT", "Query out of time");
    if (!isSigned(call)) return says(400, "INVALID_SIGNATURE", "Invalid signature");
    const [zone, list, id] = partsAfter("/1.0/domain/zone", call);
    if (zone === undefined) return json(200, [...store.zones.keys()]);
    if (!store.zones.has(zone)) return says(404, "NOT_FOUND", "This service does not exist");
    if (list === undefined) return json(200, { name: zone, nameServers: ["dns1.ovh.net", "ns1.ovh.net"] });
    if (list === "refresh") return json(200, null);
    if (list === "dnssec") return onSigning(call, store, zone);
    return onRecords(call, store, zone, id);
  },
  unauthorized: says(403, "INVALID_CREDENTIAL", "This credential is not valid"),
  forbidden: says(403, "NOT_GRANTED_CALL", "This call has not been granted"),
  throttled: (seconds) => ({
    ...says(429, "TOO_MANY_REQUESTS", "Too many requests"),
    headers: { "retry-after": String(seconds) },
  }),
  refusal: (message) => says(400, "INVALID_ARGUMENT", message),
};
