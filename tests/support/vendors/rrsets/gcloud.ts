import { createPublicKey, generateKeyPairSync, randomBytes, verify } from "node:crypto";
import type { VendorCall, VendorReply } from "../loopback-vendor.ts";
import { json, pageOf, partsAfter, type RrsetDialect } from "./server.ts";
import type { RrsetStore, Writing } from "./store.ts";

// As the discovery document of Cloud DNS v1 describes it, read on 2026-11-28: a change is made whole, and deletions must match exactly, which includes the order
// of values (octodns-googlecloud 1.1.0). The words of 400, 409 and 412 are from threads of real accounts: Terraform's issues 836 and 1688, external-dns issues 467
// and 1028, certbot's 8523. The token endpoint is that of RFC 7523, with Google's longest life of an assertion.

const project = "harbour-dns-1";
const email = "zonewright@harbour-dns-1.iam.gserviceaccount.com";
const scopes = new Set([
  "https://www.googleapis.com/auth/ndev.clouddns.readwrite",
  "https://www.googleapis.com/auth/cloud-platform",
]);
/** Begins each token; no two are the same. With its number, it is about as long as Google allows. */
const token = `ya29.a-token-of-the-harbour-${randomBytes(1_500).toString("base64url")}-`;
let tokens = 0;
const { privateKey, publicKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
/** The server decides. */
const perPage = 100;
const most = { records: 100, rrsets: 1_000, bytes: 100_000 };

/** A key file, as the console hands it out. */
export function keyFile(tokenUri: string): string {
  return JSON.stringify({
    type: "service_account",
    project_id: project,
    private_key_id: "0123456789abcdef",
    private_key: privateKey,
    client_email: email,
    token_uri: tokenUri,
    universe_domain: "googleapis.com",
  });
}

const said = (code: number, reason: string, message: string) =>
  json(code, { error: { code, message, errors: [{ message, domain: "global", reason }] } });

const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>;
const denied = (why: string) => json(400, { error: "invalid_grant", error_description: why });

/** RFC 7523 §3. */
function granted({ body, headers }: VendorCall): VendorReply {
  const form = new URLSearchParams(body);
  const [head = "", claims = "", signature = ""] = (form.get("assertion") ?? "").split(".");
  if (form.get("grant_type") !== "urn:ietf:params:oauth:grant-type:jwt-bearer") return denied("Bad grant");
  const isSigned = verify(
    "RSA-SHA256",
    Buffer.from(`${head}.${claims}`),
    createPublicKey(publicKey),
    Buffer.from(signature, "base64url"),
  );
  const { iss, aud, scope, iat, exp } = read(claims);
  if (read(head).alg !== "RS256" || !isSigned) return denied("Invalid JWT Signature.");
  if (iss !== email) return denied("Invalid grant: account not found");
  if (aud !== `http://${headers.host}/token` || !scopes.has(String(scope))) return denied("Invalid audience");
  if (Number(exp) - Number(iat) > 3_600) return denied("Invalid JWT: Token must be a short-lived token (60 minutes)");
  return json(200, { access_token: `${token}${++tokens}`, expires_in: 3_599, token_type: "Bearer" });
}

interface Rrset {
  name: string;
  type: string;
  ttl: number;
  rrdatas: string[];
}

const absolute = (name: string, zone: string) => (name === "@" ? `${zone}.` : `${name}.${zone}.`);
const relative = (name: string, zone: string) =>
  name === `${zone}.` ? "@" : name.endsWith(`.${zone}.`) ? name.slice(0, -zone.length - 2) : null;

function changed(
  store: RrsetStore,
  zone: string,
  { additions = [], deletions = [] }: Record<string, Rrset[]>,
): VendorReply {
  const bytes = [...additions, ...deletions].flatMap(({ rrdatas }) => rrdatas).join("").length;
  const over = [
    additions.length > most.rrsets && "additions per change",
    deletions.length > most.rrsets && "deletions per change",
    bytes > most.bytes && "total rrdata size per change",
    additions.some(({ rrdatas }) => rrdatas.length > most.records) && "resource records per rrset",
  ].find(Boolean);
  if (typeof over === "string") return said(403, "quotaExceeded", `The change would exceed quota for ${over}.`);
  const deleted = new Set<string>();
  for (const [index, { name, type, ttl, rrdatas }] of deletions.entries()) {
    const held = store.rrset(zone, relative(name, zone) ?? "", type);
    const at = `'entity.change.deletions[${index}]'`;
    if (!held)
      return said(
        404,
        "notFound",
        `The 'entity.change.deletions[${index}]' resource named '${name} (${type})' does not exist.`,
      );
    if (held.ttl !== ttl || JSON.stringify(held.values) !== JSON.stringify(rrdatas)) {
      return said(412, "conditionNotMet", `Precondition not met for ${at}`);
    }
    deleted.add(`${held.name} ${type}`);
  }
  const added: Writing[] = [];
  for (const [index, { name, type, ttl, rrdatas }] of additions.entries()) {
    const at = `entity.change.additions[${index}]`;
    const owner = relative(name, zone);
    if (owner === null) return said(400, "invalid", `Invalid value for '${at}.name': '${name}'`);
    if (store.rrset(zone, owner, type) && !deleted.has(`${owner} ${type}`)) {
      return said(409, "alreadyExists", `The resource '${at}' named '${name} (${type})' already exists`);
    }
    added.push({ name: owner, type, ttl, values: rrdatas });
  }
  const isKept = (type: string) =>
    !deleted.has(`@ ${type}`) || added.some((one) => one.name === "@" && one.type === type);
  const apex = ["NS", "SOA"].find((type) => !isKept(type));
  if (apex !== undefined) {
    const index = deletions.findIndex(({ name, type }) => name === `${zone}.` && type === apex);
    const rule = `a zone must contain exactly one resource record set of type '${apex}' at the apex.`;
    return said(
      400,
      "invalidZoneApex",
      `The resource record set 'entity.change.deletions[${index}]' is invalid because ${rule}`,
    );
  }
  const gone = [...deleted].map((key) => {
    const [name = "", type = ""] = key.split(" ");
    return { name, type, ttl: 0, values: [] };
  });
  // What is deleted and added in one change is judged as it will be.
  const left = gone.filter(({ name, type }) => !added.some((one) => one.name === name && one.type === type));
  const faults = store.faults(zone, [...left, ...added]).slice(left.length);
  const index = faults.findIndex((fault) => fault !== null);
  if (index !== -1) {
    return said(400, "invalid", `Invalid value for 'entity.change.additions[${index}].rrdata[0]': ${faults[index]}`);
  }
  store.write(zone, [...left, ...added]);
  return json(200, { kind: "dns#change", id: "7", startTime: "2026-11-28T08:00:00.000Z", status: "pending" });
}

/** What the project calls a zone. */
const idOf = (zone: string) => `z-${zone.replaceAll(".", "-")}`;
const shown = (zone: string) => ({ name: idOf(zone), dnsName: `${zone}.`, description: "", visibility: "public" });

interface DnsKey {
  type: string;
  algorithm: string;
  isActive: boolean;
  publicKey: string;
}

/** The keys of zones with DNSSEC. "Inactive keys are still present as DNSKEY Resource Records." */
const signed = new WeakMap<RrsetStore, Map<string, DnsKey[]>>();

function newKeys(): DnsKey[] {
  return ["keySigning", "zoneSigning"].map((type) => ({
    type,
    algorithm: "ecdsap256sha256",
    isActive: true,
    publicKey: randomBytes(64).toString("base64"),
  }));
}

/** `managedZones.get`, `managedZones.patch` and `dnsKeys.list`; null for other calls. */
function dnssecOf({ method, body }: VendorCall, store: RrsetStore, zone: string, list?: string): VendorReply | null {
  const keys = signed.get(store) ?? new Map<string, DnsKey[]>();
  signed.set(store, keys);
  if (list === "dnsKeys") return json(200, { kind: "dns#dnsKeysListResponse", dnsKeys: keys.get(zone) ?? [] });
  if (list !== undefined) return null;
  if (method === "PATCH") {
    const { dnssecConfig, ...others } = JSON.parse(body) as { dnssecConfig?: { state?: string } };
    const state = dnssecConfig?.state ?? "";
    if (Object.keys(others).length > 0 || !["on", "off"].includes(state))
      return said(400, "invalid", "Invalid value for 'entity.managedZone.dnssecConfig.state'");
    if (state === "off") keys.delete(zone);
    else keys.set(zone, keys.get(zone) ?? newKeys());
    return json(200, { kind: "dns#operation", id: "op-1", status: "pending", type: "update" });
  }
  return json(200, { ...shown(zone), dnssecConfig: { state: keys.has(zone) ? "on" : "off" } });
}

export const gcloud: RrsetDialect = {
  kind: "gcloud",
  name: "Google Cloud DNS",
  secret: "serviceAccountKey",
  config: (url) => ({ serviceAccountKey: keyFile(`${url}/token`), endpoint: url }),
  rules: {
    types: "A AAAA ALIAS CAA CNAME DNSKEY DS HTTPS IPSECKEY MX NAPTR NS PTR SOA SPF SRV SSHFP SVCB TLSA TXT".split(" "),
    minTtl: 0,
    maxTtl: 2_147_483_647,
    owner: /^[^\s]+$/,
    initial: [
      {
        name: "@",
        type: "NS",
        ttl: 21_600,
        values: ["ns-cloud-d1.googledomains.com.", "ns-cloud-d2.googledomains.com."],
      },
      {
        name: "@",
        type: "SOA",
        ttl: 21_600,
        values: ["ns-cloud-d1.googledomains.com. cloud-dns-hostmaster.google.com. 1 21600 3600 259200 300"],
      },
    ],
  },
  answer(call, store) {
    const { method, url } = call;
    if (url.pathname === "/token") return granted(call);
    if (!call.headers.authorization?.startsWith(`Bearer ${token}`)) return this.unauthorized;
    const [own, zones, id, list, changeId] = partsAfter("/dns/v1/projects", call) ?? [];
    if (own !== project || zones !== "managedZones") return this.forbidden;
    const listed = (name: string, all: readonly unknown[]) => {
      const { entries, next } = pageOf(all, Number(url.searchParams.get("pageToken") ?? 0), perPage);
      return json(200, { [name]: entries, ...(next !== null && { nextPageToken: String(next) }) });
    };
    if (id === undefined && method === "POST") {
      const { name, dnsName, description } = JSON.parse(call.body) as Record<string, string>;
      if (!/^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(name ?? ""))
        return said(400, "invalid", "Invalid value for 'entity.managedZone.name'");
      if (!dnsName?.endsWith(".") || description === undefined)
        return said(400, "required", "The 'entity.managedZone.dnsName' is required");
      store.addZone(dnsName.slice(0, -1));
      return json(200, shown(dnsName.slice(0, -1)));
    }
    if (id === undefined) {
      const wanted = url.searchParams.get("dnsName");
      return listed(
        "managedZones",
        [...store.zones.keys()].map(shown).filter(({ dnsName }) => [null, dnsName].includes(wanted)),
      );
    }
    const zone = [...store.zones.keys()].find((name) => idOf(name) === id);
    if (zone === undefined)
      return said(404, "notFound", `The 'parameters.managedZone' resource named '${id}' does not exist.`);
    const answer = dnssecOf(call, store, zone, list);
    if (answer !== null) return answer;
    if (list === "changes" && method === "POST")
      return changed(store, zone, JSON.parse(call.body) as Record<string, Rrset[]>);
    if (list === "changes") return json(200, { id: changeId, status: "done" });
    const wanted = url.searchParams.get("name");
    const all = store.rrsets(zone).map(({ name, type, ttl, values }) => ({
      name: absolute(name, zone),
      type,
      ttl,
      rrdatas: values,
      signatureRrdatas: [],
    }));
    return listed(
      "rrsets",
      all.filter(({ name }) => wanted === null || name === wanted),
    );
  },
  unauthorized: said(401, "authError", "Request had invalid authentication credentials."),
  forbidden: said(403, "forbidden", "Forbidden"),
  throttled: (seconds) => ({
    ...said(429, "rateLimitExceeded", "Resource has been exhausted (e.g. check quota)."),
    headers: { "retry-after": String(seconds) },
  }),
  refusal: (message) => said(400, "invalid", message),
  isWrite: ({ method, url }) => method === "POST" && url.pathname.endsWith("/changes"),
};
