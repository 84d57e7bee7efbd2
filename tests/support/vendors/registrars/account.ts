import { createHash } from "node:crypto";
import { writeName } from "../../../../server/dns/names/wire-names.ts";
import { readKey } from "../../../../server/dns/dnssec/keys.ts";
import { startLoopbackVendor, type LoopbackVendor, type VendorCall, type VendorReply } from "../loopback-vendor.ts";

/** A name in an account at a simulated registrar. */
export interface Registered {
  expires: string;
  autoRenew: boolean;
  locked: boolean;
  nameServers: string[];
  /** In the form of zone files. */
  ds: string[];
}

export interface RegistrarAccount extends LoopbackVendor {
  /** By name. Tests read and change it as the registrar's own console does. */
  domains: Map<string, Registered>;
  /** What a configuration of it needs. */
  config: Record<string, string>;
  /** Calls that may have changed something: `METHOD path`. */
  changes(): string[];
}

/** Returns a name as registrars make it. */
export function registered(over: Partial<Registered> = {}): Registered {
  return {
    expires: "2031-03-01T10:00:00Z",
    autoRenew: true,
    locked: true,
    nameServers: ["ns1.example.net", "ns2.example.net"],
    ds: [],
    ...over,
  };
}

export function json(status: number, value: unknown, headers: Record<string, string> = {}): VendorReply {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(value) };
}

export function bodyOf({ body }: VendorCall): Record<string, unknown> {
  return body === "" ? {} : (JSON.parse(body) as Record<string, unknown>);
}

const porkbunKeys = { apiKey: "pk1_loopback0123456789", secretKey: "sk1_loopback0123456789" };
const porkbunReads = /\/(?:listAll|getNs|getDnssecRecords)(?:\/|$)/;

/** Porkbun's API v3 ("Domain", "DNSSEC"), for one account. The body of `updateAutoRenew` is not confirmed by its reference. */
export async function startPorkbun(): Promise<RegistrarAccount> {
  const domains = new Map<string, Registered>();
  const vendor = await startLoopbackVendor((call) => porkbunReply(call, domains));
  const config = { ...porkbunKeys, endpoint: `${vendor.url}/api/json/v3` };
  return {
    ...vendor,
    domains,
    config,
    changes: () => changesOf(vendor.calls, ({ target }) => porkbunReads.test(target)),
  };
}

const success = (answer: object = {}) => json(200, { status: "SUCCESS", ...answer });
const refused = (message: string) => json(400, { status: "ERROR", message });

function porkbunReply(call: VendorCall, domains: Map<string, Registered>): VendorReply {
  const { method, url } = call;
  if (method !== "POST") return refused("All HTTP request must use POST.");
  const { apikey, secretapikey, ...body } = bodyOf(call);
  if (apikey !== porkbunKeys.apiKey || secretapikey !== porkbunKeys.secretKey) return refused("Invalid API key. (002)");
  const [, , , , area, action, name = "", tag = ""] = url.pathname.split("/");
  if (`${area}/${action}` === "domain/listAll") {
    const start = Number(body["start"] ?? 0);
    const page = [...domains].slice(start, start + 1_000).map(([domain, entry]) => ({
      domain,
      status: "ACTIVE",
      tld: domain.split(".").at(-1),
      createDate: "2020-03-01 10:00:00",
      expireDate: entry.expires.replace("T", " ").replace("Z", ""),
      securityLock: entry.locked ? "1" : "0",
      whoisPrivacy: "1",
      autoRenew: entry.autoRenew ? 1 : 0,
      notLocal: 0,
    }));
    return success({ domains: page });
  }
  const entry = domains.get(name);
  if (!entry) return refused("Invalid domain.");
  switch (`${area}/${action}`) {
    case "domain/getNs":
      return success({ ns: entry.nameServers });
    case "domain/updateNs":
      if (!Array.isArray(body["ns"]) || body["ns"].length === 0) return refused("Name servers are required.");
      entry.nameServers = body["ns"] as string[];
      return success();
    case "domain/updateAutoRenew":
      if (body["status"] !== "on" && body["status"] !== "off") return refused("Status must be on or off.");
      entry.autoRenew = body["status"] === "on";
      return success({ results: { [name]: { status: "SUCCESS", message: "Auto renew status updated." } } });
    case "dns/getDnssecRecords":
      return success({
        records: Object.fromEntries(
          entry.ds.map((ds) => {
            const [keyTag = "", alg, digestType, digest] = ds.split(" ");
            return [keyTag, { keyTag, alg, digestType, digest }];
          }),
        ),
      });
    case "dns/createDnssecRecord":
      entry.ds.push([body["keyTag"], body["alg"], body["digestType"], body["digest"]].join(" "));
      return success();
    case "dns/deleteDnssecRecord":
      entry.ds = entry.ds.filter((ds) => !ds.startsWith(`${tag} `));
      return success();
    default:
      return json(404, { status: "ERROR", message: "Not found." });
  }
}

const gandiToken = "gandi-loopback-token-0123456789";

/** Gandi's Domain API (v5) as public clients use it, for one account. The change of `status` is not confirmed by its reference. */
export async function startGandi(): Promise<RegistrarAccount> {
  const domains = new Map<string, Registered>();
  const vendor = await startLoopbackVendor((call) => gandiReply(call, domains));
  const config = { token: gandiToken, endpoint: `${vendor.url}/v5` };
  return { ...vendor, domains, config, changes: () => changesOf(vendor.calls, ({ method }) => method === "GET") };
}

function gandiReply(call: VendorCall, domains: Map<string, Registered>): VendorReply {
  const { method, url, headers } = call;
  if (headers.authorization !== `Bearer ${gandiToken}`)
    return json(403, { object: "HTTPForbidden", cause: "Forbidden", code: 403, message: "The token is not valid." });
  const [, , , , name, part, id] = url.pathname.split("/").map(decodeURIComponent);
  const missing = json(404, { object: "HTTPNotFound", code: 404, message: "The resource could not be found." });
  const done = json(202, { message: "Accepted" });
  if (name === undefined) {
    const [page, size] = [Number(url.searchParams.get("page") ?? 1), Number(url.searchParams.get("per_page") ?? 100)];
    const all = [...domains.keys()].map((fqdn) => ({ fqdn, tld: fqdn.split(".").at(-1) }));
    return json(200, all.slice((page - 1) * size, page * size), { "total-count": String(all.length) });
  }
  const entry = domains.get(name);
  if (!entry) return missing;
  const body = bodyOf(call);
  switch (`${method} ${part ?? ""}`) {
    case "GET ":
      return json(200, {
        fqdn: name,
        autorenew: { enabled: entry.autoRenew, duration: 1 },
        dates: { registry_ends_at: entry.expires },
        nameservers: entry.nameServers,
        status: entry.locked ? ["clientTransferProhibited"] : [],
      });
    case "PUT nameservers":
      entry.nameServers = body["nameservers"] as string[];
      return done;
    case "PATCH status":
      entry.locked = body["clientTransferProhibited"] === true;
      return done;
    case "PATCH autorenew":
      entry.autoRenew = body["enabled"] === true;
      return done;
    case "GET dnskeys":
      return json(
        200,
        entry.ds.map((ds, index) => {
          const [keytag, algorithm, digestType, digest] = ds.split(" ");
          const numbers = { keytag: Number(keytag), algorithm: Number(algorithm), digest_type: Number(digestType) };
          return { id: index + 1, type: "ksk", digest, ...numbers };
        }),
      );
    case "POST dnskeys":
      if (typeof body["public_key"] !== "string") return json(400, { code: 400, message: "public_key is required." });
      entry.ds.push(dsOf(name, Number(body["algorithm"]), body["public_key"]));
      return done;
    case "DELETE dnskeys":
      entry.ds.splice(Number(id) - 1, 1);
      return json(200, {});
    default:
      return missing;
  }
}

export function changesOf(calls: readonly VendorCall[], isRead: (call: VendorCall) => boolean): string[] {
  return calls.filter((call) => !isRead(call)).map(({ method, url }) => `${method} ${url.pathname}`);
}

/** Returns the DS record of a key-signing key (RFC 4034 §5.1.4), with a SHA-256 digest. */
export function dsOf(name: string, algorithm: number, publicKey: string): string {
  const rdata = Buffer.concat([Buffer.from([1, 1, 3, algorithm]), Buffer.from(publicKey, "base64")]);
  const digest = createHash("sha256").update(writeName(name)).update(rdata).digest("hex");
  return `${readKey(rdata)?.tag} ${algorithm} 2 ${digest}`;
}
