import { isIPv4, isIPv6 } from "node:net";
import { generateSync } from "otplib";
import { toUnicodeName } from "../../../../server/dns/names/names.ts";
import type { VendorCall, VendorReply } from "../loopback-vendor.ts";
import { json, type Draft, type HeldRecord, type RecordDialect, type RecordStore } from "./server.ts";

// As INWX's own clients (Python, Terraform) and goinwx show the DomRobot API, read on 2026-11-28: every call is a POST, sessions are cookies, refusals have status
// 200 and a code. That hosts have no trailing dot, lists are in Unicode, and quotes, backslashes, backticks and blanks at the end of texts are not kept, is what
// DNSControl's users found.

const username = "harbour-master";
const password = "a password of the harbour";
export const sharedSecret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
const perPage = 20;
const host = /^(?:\.|(?:[\w-]+\.)*[\w-]+)$/;

const says = (code: number, msg: string, reason?: string) =>
  json(200, { code, msg, ...(reason !== undefined && { reason, reasonCode: "X" }) });
const done = (resData?: object, headers: VendorReply["headers"] = {}) =>
  json(200, { code: 1000, msg: "Command completed successfully", ...(resData && { resData }) }, headers);

/** A load balancer's cookie: another server does not know the session. */
const balancer = "lb=node7";
/** Sessions, and whether they wait for the second factor. */
const sessions = new Map<string, boolean>();
let openedSessions = 0;
/** Users with a second factor. */
export const withSecondFactor = new Set<string>();

const absolute = (name: string, zone: string) => toUnicodeName(name === "" ? zone : `${name}.${zone}`);
const shown = (zone: string, { id, type, name, ttl, fields }: HeldRecord) => ({
  id: String(id),
  name: absolute(name, zone),
  type,
  ttl,
  prio: 0,
  ...fields,
});

function isRight(type: string, content: string): boolean {
  const right: Record<string, () => boolean> = {
    A: () => isIPv4(content),
    AAAA: () => isIPv6(content),
    CAA: () => /^\d{1,3} [a-z]+ "[^"]*"$/i.test(content),
    HTTPS: () => /^\d+ \S+(?: .+)?$/.test(content),
    NAPTR: () => /^\d+ \d+ "[^"]*" "[^"]*" "(?:[^"\\]|\\.)*" \S+$/.test(content),
    SRV: () => /^\d+ \d+ \S+$/.test(content) && host.test(content.split(" ")[2] ?? ""),
    SSHFP: () => /^\d+ \d+ [0-9a-f]+$/i.test(content),
    SVCB: () => /^\d+ \S+(?: .+)?$/.test(content),
    TLSA: () => /^\d+ \d+ \d+ [0-9a-f]+$/i.test(content),
    TXT: () => /^"[^"]*"(?: "[^"]*")*$/.test(content) && content !== '""',
  };
  return (right[type] ?? (() => ["ALIAS", "CNAME", "MX", "NS", "PTR"].includes(type) && host.test(content)))();
}

/** What is kept of a text. */
const kept = (type: string, content: string) =>
  type === "TXT" ? content.replaceAll(/[`\\]/g, "").replace(/ +"$/, '"') : content;

interface Params {
  domain?: string;
  page?: number;
  id?: string;
  type?: string;
  name?: string;
  content?: string;
  ttl?: number;
  prio?: number;
  user?: string;
  pass?: string;
  tan?: string;
}

function draftOf(zone: string, { type = "", name = "", content = "", ttl = 3_600, prio = 0 }: Params): Draft {
  const owner = name === zone ? "" : name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : name;
  const fields = ["MX", "SRV"].includes(type) ? { content, prio } : { content: kept(type, content) };
  return { type, name: owner, ttl, fields };
}

const missing = says(2303, "Object does not exist");

function changed(method: string, params: Params, store: RecordStore): VendorReply {
  const found = [...store.zones].find(
    ([name, { records }]) => name === params.domain || records.has(Number(params.id)),
  );
  if (!found) return missing;
  const [zone, { records }] = found;
  if (method === "nameserver.deleteRecord") return records.delete(Number(params.id)) ? done() : missing;
  const present = records.get(Number(params.id));
  if (method === "nameserver.updateRecord" && !present) return missing;
  if (!isRight(params.type ?? "", params.content ?? ""))
    return says(2005, "Parameter value syntax error", "Invalid content");
  if ((params.ttl ?? 3_600) < 300) return says(2306, "Parameter value policy error", "Invalid ttl");
  const draft = draftOf(zone, params);
  const fault = store.faultOf(zone, draft, present?.id);
  if (fault !== null) return says(2302, "Object exists", fault);
  if (present) Object.assign(present, draft);
  return present ? done() : done({ id: store.add(zone, draft).id });
}

function loggedIn({ user = "", pass }: Params): VendorReply {
  if (user !== username || pass !== password) return says(2200, "Authentication error");
  const waits = withSecondFactor.has(user);
  return done({ customerId: 1, accountId: 2, tfa: waits ? "GOOGLE-AUTH" : "0" }, opened(waits));
}

/** Opens a session. @returns the headers with its cookies */
function opened(waits: boolean) {
  const id = `domrobot=s${++openedSessions}harbour`;
  sessions.set(id, waits);
  return { "set-cookie": [`${balancer}; path=/`, `${id}; path=/; secure; HttpOnly`] };
}

export const inwx: RecordDialect = {
  kind: "inwx",
  name: "INWX",
  secret: "password",
  config: (url) => ({ username, password, endpoint: url }),
  isWrite: ({ body }: VendorCall) => /"nameserver\.(?:create|update|delete)Record"/.test(body),
  answer(call, store) {
    const { method, params } = JSON.parse(call.body) as { method: string; params: Params };
    if (call.method !== "POST" || call.url.pathname !== "/jsonrpc/") return says(2000, "Unknown command");
    if (method === "account.login") return loggedIn(params);
    const cookies = (call.headers.cookie ?? "").split("; ");
    const session = cookies.find((one) => sessions.has(one)) ?? "";
    const waits = sessions.get(session);
    if (waits === undefined || !cookies.includes(balancer)) return says(2002, "Command use error");
    if (method === "account.unlock") {
      const now = Math.floor(Date.now() / 1_000);
      const codes = [now, now - 30].map((epoch) => generateSync({ secret: sharedSecret, epoch }));
      if (!codes.includes(params.tan ?? "")) return says(2200, "Authentication error", "Wrong TAN");
      // The session gets another id, and the one before ends.
      const headers = opened(false);
      sessions.delete(session);
      return done(undefined, headers);
    }
    if (waits) return says(2201, "Authorization error");
    if (method === "nameserver.list") {
      const all = [...store.zones.keys()].map((domain) => ({
        roId: 1,
        domain: toUnicodeName(domain),
        type: domain.startsWith("copied.") ? "SLAVE" : "MASTER",
      }));
      const start = ((params.page ?? 1) - 1) * perPage;
      return done({ count: all.length, domains: all.slice(start, start + perPage) });
    }
    if (method === "nameserver.info") {
      const zone = params.domain ?? "";
      const records = [...(store.zones.get(zone)?.records.values() ?? [])];
      if (!store.zones.has(zone)) return missing;
      // Without records there is no list of them.
      return done({
        roId: 1,
        domain: zone,
        type: "MASTER",
        count: records.length,
        ...(records.length > 0 && { record: records.map((one) => shown(zone, one)) }),
      });
    }
    if (method === "nameserver.create") {
      if (store.zones.has(params.domain ?? "")) return says(2302, "Object exists");
      store.addZone(params.domain ?? "");
      return done({ roId: 1 });
    }
    return changed(method, params, store);
  },
  unauthorized: says(2200, "Authentication error"),
  forbidden: says(2201, "Authorization error"),
  throttled: (seconds) => ({ ...json(429, { msg: "Too many requests" }), headers: { "retry-after": String(seconds) } }),
  refusal: (message) => says(2308, message),
};
/** Ends all sessions. */
export function endSessions(): void {
  sessions.clear();
  openedSessions = 0;
}
