import type { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { isIP } from "node:net";
import { checkServerIdentity, connect, createSecureContext, type ConnectionOptions } from "node:tls";

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

/** A certificate, and OpenSSL's code for what is wrong with its chain; null: it leads to a known authority. */
export interface Shown {
  certificate: X509Certificate;
  chainError: string | null;
}

/**
 * Starts TLS on a connection of `guardedConnect`, returns the certificate of the other side, whatever it is, and ends the connection. Null:
 * it has none.
 * @throws the connection's error, or the signal's reason
 */
export async function shownCertificate(socket: Socket, name: string, signal: AbortSignal): Promise<Shown | null> {
  signal.throwIfAborted();
  // What is wrong is read first; the caller judges it.
  const options = { socket, servername: name, rejectUnauthorized: false, checkServerIdentity: () => undefined };
  const secure = connect(options);
  const done = Promise.withResolvers<void>();
  const end = () => done.reject(signal.reason as Error);
  signal.addEventListener("abort", end, { once: true });
  secure
    .once("secureConnect", done.resolve)
    .on("error", done.reject)
    .once("close", () => done.reject(new Error("closed")));
  try {
    await done.promise;
    const certificate = secure.getPeerX509Certificate();
    // The declared type is Error, but it is the code.
    const code = secure.authorizationError as unknown;
    return certificate ? { certificate, chainError: secure.authorized ? null : (code as string) } : null;
  } finally {
    signal.removeEventListener("abort", end);
    // Whatever comes after the handshake is of no interest.
    secure.destroy();
  }
}

/** Returns why TLS refuses a certificate with its key, such as for a key that is too short; null if it does not. */
export function certificateFault(cert: string, key: string): string | null {
  try {
    createSecureContext({ cert, key });
    return null;
  } catch (error) {
    const { reason, message } = error as Error & { reason?: string };
    return reason ?? message;
  }
}
