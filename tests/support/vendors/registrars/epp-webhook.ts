import { startLoopbackVendor, type VendorCall, type VendorReply } from "../loopback-vendor.ts";
import { bodyOf, changesOf, json, type Registered, type RegistrarAccount } from "./account.ts";

// An adapter as docs/guide/registrar-adapters.md describes it.

const token = "loopback-registrar-adapter";
const perPage = 2;

/** An adapter, with what it was sent last. */
interface AdapterAccount extends RegistrarAccount {
  sent: Record<string, unknown>[];
}

export async function startEppWebhook(): Promise<AdapterAccount> {
  const domains = new Map<string, Registered>();
  const sent: Record<string, unknown>[] = [];
  const vendor = await startLoopbackVendor((call) => reply(call, domains, sent));
  return {
    ...vendor,
    domains,
    sent,
    config: { token, url: `${vendor.url}/adapter` },
    changes: () => changesOf(vendor.calls, ({ method }) => method === "GET"),
  };
}

function reply(call: VendorCall, domains: Map<string, Registered>, sent: Record<string, unknown>[]): VendorReply {
  const { method, url, headers } = call;
  if (headers.authorization !== `Bearer ${token}`) return json(401, { message: "The token is wrong." });
  const [, base, area, name, part = ""] = url.pathname.split("/").map(decodeURIComponent);
  if (`${base}/${area}` !== "adapter/domains") return json(404, { message: "There is no such call." });
  if (name === undefined) {
    const after = url.searchParams.get("cursor") ?? "";
    const rest = [...domains.keys()].toSorted().filter((one) => one > after);
    const page = rest.slice(0, perPage);
    return json(200, { domains: page, next: rest.length > perPage ? page.at(-1) : null });
  }
  const entry = domains.get(name);
  if (!entry) return json(404, { message: `There is no ${name} here.` });
  const { expires: expiresAt, ...stated } = entry;
  if (method === "GET" && part === "") return json(200, { expiresAt, ...stated });
  if (method !== "POST" || part !== "changes") return json(404, { message: "There is no such call." });
  const body = bodyOf(call);
  const field = body["field"] as keyof typeof stated;
  if (JSON.stringify(body["before"]) !== JSON.stringify(stated[field]))
    return json(409, { message: `${field} has changed meanwhile. Read the registration again.` });
  sent.push(body);
  Object.assign(entry, { [field]: body["after"] });
  return json(200, {});
}
