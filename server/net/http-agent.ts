import type { Socket } from "node:net";
import { callbackify } from "node:util";
import { Agent, buildConnector } from "undici";
import type { Reach } from "./address-rules.ts";
import { EgressError } from "./egress-error.ts";
import type { Target } from "./guarded-socket.ts";

const connectionsPerHost = 8;
const handshakeMilliseconds = 5_000;
/** What a public host may be asked on. */
const httpPorts = [443, 8443, 80] as const;

/** Connections for HTTP, each made by `open` and then secured where the address says https. Times are for the callers to limit. */
export function httpAgent(reach: Reach, open: (target: Target) => Promise<Socket>): Agent {
  const secure = buildConnector({ allowH2: false, timeout: handshakeMilliseconds });
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
  return new Agent({
    connections: connectionsPerHost,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (options, callback) =>
      withCallback(options, (error, socket) => (error ? callback(error, null) : callback(null, socket))),
  });
}

async function secured(secure: buildConnector.connector, options: buildConnector.Options): Promise<Socket> {
  return await new Promise((resolve, reject) => {
    secure(options, (error, socket) => {
      if (socket) resolve(socket);
      else reject(tlsError(options.hostname, error));
    });
  });
}

function tlsError(host: string, error: Error | null): EgressError {
  const reason = error && "code" in error && typeof error.code === "string" ? ` (${error.code})` : "";
  return new EgressError("tls", `${host} cannot prove who it is, or no secure connection came about${reason}.`, {
    cause: error,
  });
}
