import { startLoopbackVendor, type VendorCall, type VendorReply } from "../loopback-vendor.ts";
import { bodyOf, changesOf, dsOf, json, type Registered, type RegistrarAccount } from "./account.ts";

// As developer.dnsimple.com, its OpenAPI description and its recorded answers describe it (dnsimple-developer of 2026-07-21), read on 2026-11-29.

const token = "dnsimple_a_0123456789abcdef";
const accountId = 1010;

/** An account at DNSimple. */
interface DnsimpleAccount extends RegistrarAccount {
  /** Suffixes whose registries take keys instead of DS records. */
  keySuffixes: Set<string>;
}

const says = (status: number, message: string, errors?: Record<string, string[]>) =>
  json(status, { message, ...(errors && { errors }) });

/** DNSimple's API v2, for one account. */
export async function startDnsimple(): Promise<DnsimpleAccount> {
  const domains = new Map<string, Registered>();
  const keySuffixes = new Set<string>();
  const vendor = await startLoopbackVendor((call) => reply(call, domains, keySuffixes));
  return {
    ...vendor,
    domains,
    keySuffixes,
    config: { token, endpoint: vendor.url },
    changes: () => changesOf(vendor.calls, ({ method }) => method === "GET"),
  };
}

function reply(call: VendorCall, domains: Map<string, Registered>, keySuffixes: Set<string>): VendorReply {
  const { method, url, headers } = call;
  if (headers.authorization !== `Bearer ${token}`) return says(401, "Authentication failed");
  const [, version, first = "", ...rest] = url.pathname.split("/").map(decodeURIComponent);
  if (version !== "v2") return says(404, "Not Found");
  if (first === "whoami")
    return json(200, { data: { user: null, account: { id: accountId, email: "a@example.com" } } });
  if (first === "tlds") {
    const dnssec = keySuffixes.has(rest[0] ?? "") ? "key" : "ds";
    return json(200, { data: { tld: rest[0], dnssec_interface_type: dnssec, name_server_min: "2" } });
  }
  if (first !== String(accountId)) return says(401, "Authentication failed");
  const isRegistrar = rest[0] === "registrar";
  const [area, name, part = "", id] = isRegistrar ? rest.slice(1) : rest;
  if (area !== "domains") return says(404, "Not Found");
  if (name === undefined) return paged([...domains].map(shown), url);
  const entry = domains.get(name);
  if (!entry) return says(404, `Domain \`${name}\` not found`);
  const asKeys = keySuffixes.has(name.slice(name.indexOf(".") + 1));
  const body = call.body === "" ? null : (JSON.parse(call.body) as unknown);
  switch (`${method} ${isRegistrar ? "registrar " : ""}${part}`) {
    case "GET ":
      return json(200, { data: shown([name, entry]) });
    case "GET registrar delegation":
      return json(200, { data: entry.nameServers });
    case "PUT registrar delegation":
      if (!Array.isArray(body) || body.length < 2) return says(400, "Validation failed", { name_servers: ["too few"] });
      entry.nameServers = body as string[];
      return json(200, { data: body });
    case "GET registrar transfer_lock":
      return json(200, { data: { enabled: entry.locked } });
    case "POST registrar transfer_lock":
    case "DELETE registrar transfer_lock":
      entry.locked = method === "POST";
      return json(method === "POST" ? 201 : 200, { data: { enabled: entry.locked } });
    case "PUT registrar auto_renewal":
    case "DELETE registrar auto_renewal":
      entry.autoRenew = method === "PUT";
      return { status: 204, body: "" };
    case "GET ds_records":
      return paged(
        entry.ds.map((ds, index) => signer(ds, index + 1, asKeys)),
        url,
      );
    case "POST ds_records":
      return added(name, entry, bodyOf(call), asKeys);
    case "DELETE ds_records":
      entry.ds.splice(Number(id) - 1, 1);
      return { status: 204, body: "" };
    default:
      return says(404, "Not Found");
  }
}

function added(name: string, entry: Registered, body: Record<string, unknown>, asKeys: boolean): VendorReply {
  const needed = asKeys ? ["algorithm", "public_key"] : ["algorithm", "digest", "digest_type", "keytag"];
  const missing = needed.filter((field) => typeof body[field] !== "string");
  if (missing.length > 0)
    return says(400, "Validation failed", Object.fromEntries(missing.map((field) => [field, ["can't be blank"]])));
  const { algorithm, digest, digest_type: type, keytag, public_key: key } = body as Record<string, string>;
  entry.ds.push(asKeys ? dsOf(name, Number(algorithm), key ?? "") : [keytag, algorithm, type, digest].join(" "));
  if (asKeys) keys.set(entry.ds.at(-1) ?? "", key ?? "");
  return json(201, { data: signer(entry.ds.at(-1) ?? "", entry.ds.length, asKeys) });
}

/** The keys of DS records that were made of keys. */
const keys = new Map<string, string>();

function signer(ds: string, id: number, asKeys: boolean) {
  const [keytag, algorithm, digestType, digest = ""] = ds.split(" ");
  const shared = { id, domain_id: 1, algorithm, created_at: "2026-11-29T08:00:00Z" };
  return asKeys
    ? { ...shared, keytag: null, digest_type: null, digest: null, public_key: keys.get(ds) }
    : { ...shared, keytag, digest_type: digestType, digest: digest.toUpperCase(), public_key: null };
}

/** A name that ends with `.hosted` has only its zone in the account. */
function shown([name, entry]: [string, Registered]) {
  const isHosted = name.endsWith(".hosted");
  return {
    id: 181_984,
    account_id: accountId,
    registrant_id: isHosted ? null : 2_715,
    name,
    unicode_name: name,
    state: isHosted ? "hosted" : "registered",
    auto_renew: entry.autoRenew,
    private_whois: false,
    expires_on: isHosted ? null : entry.expires.slice(0, 10),
    expires_at: isHosted ? null : entry.expires,
    created_at: "2020-06-04T19:15:14Z",
  };
}

function paged(list: readonly object[], url: URL): VendorReply {
  const [page, size] = [Number(url.searchParams.get("page") ?? 1), Number(url.searchParams.get("per_page") ?? 30)];
  const pagination = {
    current_page: page,
    per_page: size,
    total_entries: list.length,
    total_pages: Math.max(1, Math.ceil(list.length / size)),
  };
  return json(200, { data: list.slice((page - 1) * size, page * size), pagination });
}
