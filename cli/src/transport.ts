import type * as http from "node:http";

type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

const { execArgv, env } = process;
/** Node uses the proxies of variables if asked to, its plain client only in later versions. */
const throughProxy =
  Boolean(env["NODE_USE_ENV_PROXY"]) || [env["NODE_OPTIONS"] ?? "", ...execArgv].join(" ").includes("--use-env-proxy");

/** A call was redirected to where it cannot be sent on as it is. The message says where, and what to do. */
export class Redirected extends Error {}

/** Refuses a redirect that `fetch` follows without the token, to another origin, or with GET instead of POST. @throws Redirected */
function refuseOther(url: string, method: string, status: number, location: string): void {
  const { origin } = new URL(url);
  const target = new URL(location, url);
  if (target.origin !== origin)
    throw new Redirected(
      `${origin} redirects to ${target.origin}, and the token is not sent on. If that is the server, use its address instead.`,
    );
  if (method !== "GET" && status < 307)
    throw new Redirected(`${url} redirects to ${target.href}, which loses the call. Check the address and any proxy.`);
}

/**
 * Sends a call by Node's plain HTTP client, because loading `fetch` costs more than most calls: see docs/decisions/0129-plain-http-calls.md.
 * What that client does not do is left to `fetch`: proxies, streams and redirects. The headers must be a plain object.
 */
export const send: Fetch = async (url, init = {}) => {
  const headers: Record<string, string> = { "user-agent": "zonewright", ...(init.headers as Record<string, string>) };
  if (throughProxy || headers["accept"] === "text/event-stream") return await fetch(url, init);
  const { answer, body } = await exchange(url, init, { "accept-encoding": "gzip", ...headers });
  const { statusCode: status = 0, headers: received } = answer;
  if (status >= 300 && status < 400 && received.location !== undefined) {
    refuseOther(url, init.method ?? "GET", status, received.location);
    return await fetch(url, init);
  }
  const { gunzipSync } = received["content-encoding"] === "gzip" ? await import("node:zlib") : { gunzipSync: null };
  const text = new TextDecoder().decode(gunzipSync ? gunzipSync(body) : body);
  const get = (name: string) => [received[name.toLowerCase()] ?? []].flat().join(", ") || null;
  // The client reads no more of a response than this.
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: { get },
    body: null,
    text: () => Promise.resolve(text),
    json: () => Promise.resolve().then(() => JSON.parse(text) as unknown),
  } as unknown as Response;
};

async function exchange(
  url: string,
  { method = "GET", body, signal }: RequestInit,
  headers: Record<string, string>,
): Promise<{ answer: http.IncomingMessage; body: Buffer }> {
  const { request } = await clientModule(url.startsWith("https:") ? "node:https" : "node:http");
  return await new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, ...(signal ? { signal } : {}) });
    sent.on("error", reject);
    sent.once("response", (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("error", reject);
      answer.once("end", () => resolve({ answer, body: Buffer.concat(parts) }));
    });
    sent.end(typeof body === "string" ? body : undefined);
  });
}

/** A plain import of `node:http` also loads what `fetch` needs, so that nothing would be gained. */
async function clientModule(name: "node:http" | "node:https"): Promise<typeof http> {
  // Node 20 has it from 20.16 on.
  const builtin = (process as Partial<NodeJS.Process>).getBuiltinModule?.(name);
  return (builtin ?? (await import(name))) as typeof http;
}
