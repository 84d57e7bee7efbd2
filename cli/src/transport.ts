import type * as http from "node:http";

type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

const { execArgv, env } = process;
/** Node uses the proxies of variables if asked to, its plain client only in later versions. */
const throughProxy =
  Boolean(env["NODE_USE_ENV_PROXY"]) || [env["NODE_OPTIONS"] ?? "", ...execArgv].join(" ").includes("--use-env-proxy");

/** A call was redirected to where it cannot be sent on as it is. The message says where, and what to do. */
export class Redirected extends Error {}

/**
 * Returns where a redirect leads. `fetch` would follow others without the token, to another origin, or with GET instead of POST.
 * @throws Redirected for those
 */
function followed(url: string, method: string, status: number, location: string): string {
  const { origin } = new URL(url);
  const target = new URL(location, url);
  if (target.origin !== origin)
    throw new Redirected(
      `${origin} redirects to ${target.origin}, and the token is not sent on. If that is the server, use its address instead.`,
    );
  if (method !== "GET" && status < 307)
    throw new Redirected(`${url} redirects to ${target.href}, which loses the call. Check the address and any proxy.`);
  return target.href;
}

/** As many as `fetch` follows. */
const mostRedirects = 20;

/**
 * Sends a call by Node's plain HTTP client, because loading `fetch` costs more than most calls: see docs/decisions/0129-plain-http-calls.md.
 * What that client does not do is left to `fetch`: proxies and streams. The headers must be a plain object.
 */
export const send: Fetch = async (url, init = {}) => {
  const streams = (init.headers as Record<string, string> | undefined)?.["accept"] === "text/event-stream";
  let address = url;
  for (let count = 0; count <= mostRedirects; count++) {
    const response = await (throughProxy || streams
      ? fetch(address, { ...init, redirect: "manual" })
      : sendPlainly(address, init));
    const location = response.headers.get("location");
    if (response.status < 300 || response.status >= 400 || location === null) return response;
    await response.body?.cancel();
    address = followed(address, init.method ?? "GET", response.status, location);
  }
  throw new Redirected(`${url} redirects in a circle. Check the address and any proxy.`);
};

async function sendPlainly(url: string, init: RequestInit): Promise<Response> {
  const given = init.headers as Record<string, string>;
  const headers = { "user-agent": "zonewright", "accept-encoding": "gzip", ...given };
  const { answer, body } = await exchange(url, init, headers);
  const { statusCode: status = 0, headers: received } = answer;
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
}

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
