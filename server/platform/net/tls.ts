import type { Socket } from "node:net";
import { isIP } from "node:net";
import { checkServerIdentity, connect, type ConnectionOptions } from "node:tls";

/** TLS options for a socket that other code opens, such as the database driver. */
export type TlsOptions = ConnectionOptions;

/** Returns a check that accepts certificates for `host`, which may be an IP address, regardless of the driver's server name. */
export function issuedFor(host: string): NonNullable<TlsOptions["checkServerIdentity"]> {
  return (_name, certificate) => checkServerIdentity(host, certificate);
}

/** Starts TLS on a connection of `guardedConnect`, and checks the certificate for the host. Errors come as `error` events. */
export function secured(socket: Socket, host: string): Socket {
  return connect({ socket, host, ...(isIP(host) === 0 && { servername: host }) });
}
