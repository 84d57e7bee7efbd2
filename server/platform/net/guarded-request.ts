import type { Agent } from "undici";
import type { Reach } from "./address-rules.ts";
import { EgressError } from "./egress-error.ts";
import type { ClientCertificate } from "./http-agent.ts";

export interface GuardedRequest {
  reach: Reach;
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** For the whole call, including the wait for a slot. Default: 15 seconds. */
  deadlineMilliseconds?: number;
  /** Maximum response size. Default: 1 MiB. */
  maxBytes?: number;
  /** How to handle a redirect. `refuse` (default) throws; `answer` returns it, so that the caller can check the target and send the next call. */
  redirects?: "refuse" | "answer";
  signal?: AbortSignal;
  /** Identifies this side to an https server that asks for it. */
  clientCertificate?: ClientCertificate;
}

export interface HttpTarget {
  url: URL;
  /** Host and port, for the circuit breaker and messages. */
  host: string;
}

const defaultDeadlineMilliseconds = 15_000;
const defaultMaxBytes = 1_048_576;

/** Validates a URL syntactically. @throws EgressError */
export function targetOf(given: string | URL): HttpTarget {
  const url = URL.parse(given);
  if (!url || !["https:", "http:"].includes(url.protocol)) {
    throw new EgressError("address", "The URL must begin with https://.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new EgressError("address", `The URL of ${url.host} must not contain a username or password.`);
  }
  return { url, host: url.host };
}

/**
 * Sends the request and reads the whole response. Does not follow redirects.
 * @param agentFor returns the agent once there is a slot: one that waits with the call may be closed meanwhile
 * @throws EgressError, or the reason of the caller's signal
 */
export async function sendGuarded(
  { url, host }: HttpTarget,
  request: GuardedRequest,
  agentFor: () => Promise<Agent>,
  withSlot: <T>(signal: AbortSignal, call: () => Promise<T>) => Promise<T>,
): Promise<Response> {
  const { deadlineMilliseconds = defaultDeadlineMilliseconds, maxBytes = defaultMaxBytes } = request;
  const deadline = new AbortController();
  const seconds = deadlineMilliseconds / 1_000;
  const timer = setTimeout(() => {
    deadline.abort(new EgressError("timeout", `${host} did not respond within ${seconds} s.`, { sent: true }));
  }, deadlineMilliseconds);
  const signal = AbortSignal.any([deadline.signal, ...(request.signal ? [request.signal] : [])]);
  try {
    return await withSlot(
      signal,
      async () => await exchange({ url, host }, request, await agentFor(), maxBytes, signal),
    );
  } finally {
    clearTimeout(timer);
  }
}

async function exchange(
  { url, host }: HttpTarget,
  { method = "GET", headers = {}, body, redirects = "refuse" }: GuardedRequest,
  agent: Agent,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Response> {
  try {
    const answer = await agent.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method,
      headers: { "user-agent": "Zonewright", ...headers },
      body: body ?? null,
      signal,
    });
    const redirect = answer.statusCode >= 300 && answer.statusCode < 400 && answer.statusCode !== 304;
    if (redirect && redirects === "refuse") {
      answer.body.on("error", () => undefined).destroy();
      throw new EgressError(
        "redirect",
        `${host} returned a redirect, which is not followed. Enter the URL that it redirects to.`,
        {
          sent: true,
        },
      );
    }
    const content = await readCapped(answer.body, maxBytes, host);
    const empty = [204, 205, 304].includes(answer.statusCode);
    return new Response(empty ? null : content, { status: answer.statusCode, headers: plainHeaders(answer.headers) });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof EgressError) throw error;
    throw new EgressError("cut", `${host} closed the connection before its response was complete.`, {
      sent: true,
      cause: error,
    });
  }
}

async function readCapped(
  body: AsyncIterable<Buffer> & { destroy(): unknown },
  maxBytes: number,
  host: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop closes the connection.
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new EgressError("size", `${host} returned more than ${maxBytes} bytes.`, { sent: true });
    }
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function plainHeaders(given: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    for (const one of typeof value === "string" ? [value] : (value ?? [])) headers.append(name, one);
  }
  return headers;
}
