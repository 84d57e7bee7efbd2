import { createRequire } from "node:module";
import type { Socket } from "node:net";
import { dirname, join } from "node:path";
import { callbackify } from "node:util";
import type { Agent, buildConnector } from "undici";
import type { Reach } from "./address-rules.ts";
import { EgressError } from "./egress-error.ts";
import type { Target } from "./guarded-socket.ts";

/** What a client proves its identity by, in PEM form. */
export interface ClientCertificate {
  certificate: string;
  key: string;
}

const connectionsPerHost = 8;
const handshakeMilliseconds = 5_000;
/** Ports allowed for public hosts. */
const httpPorts = [443, 8443, 80] as const;

let loading: ReturnType<typeof importUndici> | undefined;

/** Loads the HTTP client once. Resolving it again would cost each call some tenths of a millisecond. */
export async function loadUndici() {
  loading ??= importUndici();
  return await loading;
}

async function importUndici() {
  // The code of its parser, which it would read with the first connection.
  const client = join(dirname(createRequire(import.meta.url).resolve("undici")), "lib/dispatcher/client-h1.js");
  createRequire(client)("../llhttp/llhttp_simd-wasm.js");
  return await import("undici");
}

/** Returns an HTTP agent whose connections are opened by `open`, and secured for https. Callers must limit the time. */
export function httpAgent(
  undici: Awaited<ReturnType<typeof loadUndici>>,
  reach: Reach,
  open: (target: Target) => Promise<Socket>,
  client?: ClientCertificate,
): Agent {
  const identity = client && { cert: client.certificate, key: client.key };
  const secure = undici.buildConnector({ allowH2: false, timeout: handshakeMilliseconds, ...identity });
  const connect = async (options: buildConnector.Options): Promise<Socket> => {
    const { hostname, protocol, port } = options;
    const https = protocol === "https:";
    const socket = await open({
      host: hostname,
      port: Number(port) || (https ? 443 : 80),
      reach,
      readable: !https,
      ports: httpPorts,
    });
    return https ? await secured(secure, { ...options, httpSocket: socket }) : socket;
  };
  const withCallback = callbackify(connect);
  return new undici.Agent({
    connections: connectionsPerHost,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (options, callback) =>
      withCallback(options, (error, socket) => (error ? callback(error, null) : callback(null, socket))),
  });
}

async function secured(secure: buildConnector.connector, options: buildConnector.Options): Promise<Socket> {
  return await new Promise((resolve, reject) => {
    const fail = (error: Error | null) => reject(tlsError(options.hostname, error));
    try {
      secure(options, (error, socket) => {
        if (socket) resolve(socket);
        else fail(error);
      });
    } catch (error) {
      // Node throws at once for a client certificate that TLS refuses.
      options.httpSocket?.destroy();
      fail(error as Error);
    }
  });
}

function tlsError(host: string, error: Error | null): EgressError {
  const reason = error && "code" in error && typeof error.code === "string" ? ` (${error.code})` : "";
  return new EgressError("tls", `The TLS connection to ${host} failed, or its certificate is invalid${reason}.`, {
    cause: error,
  });
}

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

interface HttpTarget {
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
