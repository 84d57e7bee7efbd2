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

/** Loads the HTTP client, and the code of its parser, which it would read with the first connection. */
export async function loadUndici() {
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
