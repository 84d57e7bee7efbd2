import { checkServerIdentity, type ConnectionOptions } from "node:tls";

/** TLS options for a socket that other code opens, such as the database driver. */
export type TlsOptions = ConnectionOptions;

/** Returns a check that accepts certificates for `host`, which may be an IP address, regardless of the driver's server name. */
export function issuedFor(host: string): NonNullable<TlsOptions["checkServerIdentity"]> {
  return (_name, certificate) => checkServerIdentity(host, certificate);
}
