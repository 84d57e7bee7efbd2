import type { Agent } from "undici";
import type { Reach } from "./address-rules.ts";
import { EgressError } from "./egress-error.ts";

export interface GuardedRequest {
  reach: Reach;
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** For the whole call, waiting for its turn included; 15 seconds when left out. */
  deadlineMilliseconds?: number;
  /** The largest answer that is read; 1 MiB when left out. */
  maxBytes?: number;
  /** What becomes of a redirect: `refuse`, when left out, throws; `answer` returns it, so that the caller may judge and send the next call. */
  redirects?: "refuse" | "answer";
  signal?: AbortSignal;
}

export interface HttpTarget {
  url: URL;
  /** Host and port, for the breaker and for people. */
  host: string;
}

const defaultDeadlineMilliseconds = 15_000;
const defaultMaxBytes = 1_048_576;

/** Checks what can be checked of an address by looking at it. @throws EgressError */
export function targetOf(given: string | URL): HttpTarget {
  const url = URL.parse(given);
  if (!url || !["https:", "http:"].includes(url.protocol)) {
    throw new EgressError("address", "Only https: addresses can be called.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new EgressError("address", `The address of ${url.host} must not hold a user name or a password.`);
  }
  return { url, host: url.host };
}

/** Sends the request and reads the answer to its end. Redirects are not followed here. @throws EgressError, the caller's signal's reason */
export async function sendGuarded(
  { url, host }: HttpTarget,
  request: GuardedRequest,
  agent: Agent,
  withKeyedMutex: <T>(signal: AbortSignal, call: () => Promise<T>) => Promise<T>,
): Promise<Response> {
  const { deadlineMilliseconds = defaultDeadlineMilliseconds, maxBytes = defaultMaxBytes } = request;
  const deadline = new AbortController();
  const seconds = deadlineMilliseconds / 1_000;
  const timer = setTimeout(() => {
    deadline.abort(new EgressError("timeout", `${host} did not answer within ${seconds} s.`, { sent: true }));
  }, deadlineMilliseconds);
  const signal = AbortSignal.any([deadline.signal, ...(request.signal ? [request.signal] : [])]);
  try {
    return await withKeyedMutex(signal, () => exchange({ url, host }, request, agent, maxBytes, signal));
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
        `${host} answers with a redirect, which is not followed; name the place that it leads to.`,
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
    throw new EgressError("cut", `${host} ended the connection before its answer was complete.`, {
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
  // Leaving the loop ends the connection with it.
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new EgressError("size", `${host} answers with more than ${maxBytes} bytes.`, { sent: true });
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
