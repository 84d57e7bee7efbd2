import { checkServerIdentity, type ConnectionOptions } from "node:tls";

/** How to make a TLS connection whose socket somebody else opens, such as the database driver. */
export type TlsOptions = ConnectionOptions;

/** Accepts certificates for `host`, which may be an IP address, whatever name the driver asks for. */
export function issuedFor(host: string): NonNullable<TlsOptions["checkServerIdentity"]> {
  return (_name, certificate) => checkServerIdentity(host, certificate);
}
