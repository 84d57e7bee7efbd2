import { startLoopbackVendor, type VendorCall, type VendorReply } from "../loopback-vendor.ts";
import { json, type Registered, type RegistrarAccount } from "./account.ts";

// As INWX's documentation of its DomRobot API (chapters 2.8, 2.9 and 3) and its own clients for Terraform and WHMCS show it, read on 2026-11-29: every call is a
// POST, sessions are cookies, refusals have status 200 and a code. Counts and numbers of keys are texts, dates are objects, prices are texts.

const username = "harbour-master";
const password = "a-password-of-the-harbour";
const session = "domrobot=registrar0123456789";

/** An account at INWX. */
interface InwxAccount extends RegistrarAccount {
  /** What changes of a name cost, by name. */
  prices: Map<string, string>;
  /** Names whose keys INWX makes itself. */
  automatic: Set<string>;
  /** What was set last to happen to a name when its term ends, by name. */
  modes: Map<string, string>;
}

interface Params {
  user?: string;
  pass?: string;
  domain?: string;
  domainName?: string;
  domains?: string[];
  page?: number;
  pagelimit?: number;
  ns?: string[];
  transferLock?: boolean;
  renewalMode?: string;
  testing?: boolean;
  dnskey?: string;
  ds?: string;
  key?: number;
}

const says = (code: number, msg: string) => json(200, { code, msg });
const done = (resData?: object) =>
  json(200, { code: 1000, msg: "Command completed successfully", ...(resData && { resData }) });
const missing = says(2303, "Object does not exist");
const requestOf = ({ body }: VendorCall) => JSON.parse(body) as { method: string; params: Params };

/** INWX's JSON-RPC API, for one account. */
export async function startInwx(): Promise<InwxAccount> {
  const domains = new Map<string, Registered>();
  const [prices, automatic, modes] = [new Map<string, string>(), new Set<string>(), new Map<string, string>()];
  const vendor = await startLoopbackVendor((call) => reply(call, { domains, prices, automatic, modes }));
  return {
    ...vendor,
    domains,
    prices,
    automatic,
    modes,
    config: { username, password, endpoint: vendor.url },
    changes: () =>
      vendor.calls.flatMap((call) => {
        const { method, params } = requestOf(call);
        return /update|key$/.test(method) && params.testing !== true ? [`POST ${method}`] : [];
      }),
  };
}

function reply(
  call: VendorCall,
  account: Pick<InwxAccount, "domains" | "prices" | "automatic" | "modes">,
): VendorReply {
  const { domains, prices, automatic, modes } = account;
  if (call.method !== "POST" || call.url.pathname !== "/jsonrpc/") return says(2000, "Unknown command");
  const { method, params } = requestOf(call);
  if (method === "account.login") {
    if (params.user !== username || params.pass !== password) return says(2200, "Authentication error");
    const headers = { "content-type": "application/json", "set-cookie": `${session}; path=/` };
    return { status: 200, headers, body: JSON.stringify({ code: 1000, msg: "Done", resData: { tfa: "0" } }) };
  }
  if (call.headers.cookie !== session) return says(2002, "Command use error");
  if (method === "domain.list") {
    const [page, size] = [params.page ?? 1, params.pagelimit ?? 20];
    const names = [...domains.keys()].slice((page - 1) * size, page * size);
    return done({ count: String(domains.size), domain: names.map((name) => ({ roId: 1, domain: name })) });
  }
  if (method === "dnssec.info")
    return done({
      data: (params.domains ?? []).map((name) => ({
        domain: name,
        keyCount: "0",
        dnsSecStatus: automatic.has(name) ? "AUTO" : "MANUAL",
      })),
    });
  if (method === "dnssec.deletednskey") {
    const [name, index] = [...domains.keys()].flatMap((one, at) =>
      Math.floor(Number(params.key) / 100) === at ? [[one, Number(params.key) % 100] as const] : [],
    )[0] ?? ["", 0];
    domains.get(name)?.ds.splice(index, 1);
    return done();
  }
  const name = params.domain ?? params.domainName ?? "";
  const entry = domains.get(name);
  if (!entry) return missing;
  switch (method) {
    case "domain.info":
      return done({
        roId: 7,
        domain: name,
        period: "1Y",
        exDate: {
          scalar: entry.expires.replaceAll(/[-Z]/g, ""),
          xmlrpc_type: "datetime",
          timestamp: Date.parse(entry.expires) / 1_000,
        },
        transferLock: entry.locked,
        renewalMode: entry.autoRenew ? "AUTORENEW" : (modes.get(name) ?? "AUTOEXPIRE"),
        status: "OK",
        ns: entry.nameServers,
      });
    case "domain.update": {
      const price = prices.get(name) ?? "0.00";
      // Below .at, a name ends only by its deletion.
      if (params.renewalMode === "AUTOEXPIRE" && name.endsWith(".at"))
        return says(2306, "Parameter value policy error");
      if (params.testing) return done({ price, currency: "EUR" });
      if (params.ns) entry.nameServers = params.ns;
      if (params.transferLock !== undefined) entry.locked = params.transferLock;
      if (params.renewalMode) {
        modes.set(name, params.renewalMode);
        entry.autoRenew = params.renewalMode === "AUTORENEW";
      }
      return done({ price, currency: "EUR" });
    }
    case "dnssec.listkeys": {
      const at = [...domains.keys()].indexOf(name);
      const keys = entry.ds.map((ds, index) => {
        const [keyTag, algorithmId, digestTypeId, digest = ""] = ds.split(" ");
        const shared = { ownerName: name, id: String(at * 100 + index), flagId: "257", status: "OK", active: "1" };
        return { ...shared, keyTag, algorithmId, digestTypeId, digest: digest.toUpperCase() };
      });
      return keys.length === 0 ? done() : json(200, { code: 1000, msg: "Done", resData: keys });
    }
    case "dnssec.adddnskey": {
      const [, ds] = /^\S+\. IN DS (\d+ \d+ \d+ [\da-f]+)$/.exec(params.ds ?? "") ?? [];
      if (ds === undefined || !/^\S+\. IN DNSKEY 257 3 \d+ \S+$/.test(params.dnskey ?? ""))
        return says(2005, "Parameter value syntax error");
      entry.ds.push(ds);
      return done({ dnskey: params.dnskey, ds: params.ds });
    }
    default:
      return says(2000, "Unknown command");
  }
}
