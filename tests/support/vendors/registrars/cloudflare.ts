import { startLoopbackVendor, type VendorCall, type VendorReply } from "../loopback-vendor.ts";
import { bodyOf, changesOf, json, type Registered, type RegistrarAccount } from "./account.ts";

// As the description in cloudflare-typescript of 2026-08-18 shows registrar/registrations, read on 2026-11-29. Lists have cursors, and a change is answered with
// the state of its workflow.

const apiToken = "cloudflare-registrar-token-0123456789";
const accountId = "0123456789abcdef0123456789abcdef";

/** An account at Cloudflare. */
interface CloudflareAccount extends RegistrarAccount {
  /** What becomes of the next changes, if they do not succeed. */
  outcomes: { state: string; error: { code: number; message: string } | null }[];
}

const says = (status: number, code: number, message: string) =>
  json(status, { success: false, errors: [{ code, message }], messages: [], result: null });
const done = (result: unknown, info: object = {}) =>
  json(200, { success: true, errors: [], messages: [], result, ...info });

/** Cloudflare's Registrar API, for one account. */
export async function startCloudflareRegistrar(): Promise<CloudflareAccount> {
  const domains = new Map<string, Registered>();
  const outcomes: CloudflareAccount["outcomes"] = [];
  const vendor = await startLoopbackVendor((call) => reply(call, domains, outcomes));
  return {
    ...vendor,
    domains,
    outcomes,
    config: { apiToken, accountId, endpoint: `${vendor.url}/client/v4` },
    changes: () => changesOf(vendor.calls, ({ method }) => method === "GET"),
  };
}

function reply(
  call: VendorCall,
  domains: Map<string, Registered>,
  outcomes: CloudflareAccount["outcomes"],
): VendorReply {
  const { method, url, headers } = call;
  if (headers.authorization !== `Bearer ${apiToken}`) return says(400, 6003, "Invalid request headers");
  const base = `/client/v4/accounts/${accountId}/registrar/registrations`;
  if (!url.pathname.startsWith(base)) return says(403, 10_000, "Authentication error");
  const name = decodeURIComponent(url.pathname.slice(base.length + 1));
  if (name === "") {
    if (method !== "GET") return says(402, 10_001, "This registration would be charged");
    const [start, size] = [Number(url.searchParams.get("cursor") ?? 0), Number(url.searchParams.get("per_page") ?? 20)];
    const page = [...domains].slice(start, start + size).map(shown);
    const cursor = start + size < domains.size ? String(start + size) : "";
    return done(page, { result_info: { cursor, count: page.length, per_page: size } });
  }
  const entry = domains.get(name);
  if (!entry) return says(404, 10_040, "Registration not found");
  if (method === "GET") return done(shown([name, entry]));
  const { auto_renew: autoRenew } = bodyOf(call);
  const outcome = outcomes.shift() ?? { state: "succeeded", error: null };
  if (outcome.state === "succeeded") entry.autoRenew = autoRenew === true;
  return done({ completed: true, context: { domain_name: name }, ...outcome });
}

function shown([name, entry]: [string, Registered]) {
  return {
    domain_name: name,
    auto_renew: entry.autoRenew,
    created_at: "2020-03-01T10:00:00Z",
    expires_at: entry.expires,
    locked: entry.locked,
    privacy_mode: "redaction",
    status: "active",
  };
}
