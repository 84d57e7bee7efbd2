import type { Socket } from "node:net";
import { isIP } from "node:net";
import { connect } from "node:tls";

/** Starts TLS on a connection of `guardedConnect`, and checks the certificate for the host. Errors come as `error` events. */
export function secured(socket: Socket, host: string): Socket {
  return connect({ socket, host, ...(isIP(host) === 0 && { servername: host }) });
}
