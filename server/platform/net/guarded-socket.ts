import { lookup as systemLookup, Resolver } from "node:dns/promises";
import { connect, type Socket } from "node:net";
import { domainToASCII } from "node:url";
import { addressKind, literalAddress, type Address, type Reach, type AllowList } from "./address-rules.ts";
import { EgressError } from "./egress-error.ts";

/** The destination of a connection and its rules. */
export interface Target {
  host: string;
  port: number;
  reach: Reach;
  /** Whether the connection is unencrypted, and so not allowed to the public internet. */
  readable: boolean;
  /** Ports allowed for public hosts. EGRESS_ALLOW and `inside` allow all. */
  ports: readonly number[];
}

/** What decides whether an address may be reached, and how long to wait for it. */
export interface Guard {
  allow: AllowList;
  lookup: Lookup;
  signal: AbortSignal;
}

/** Resolves a name to all its addresses. */
export type Lookup = (host: string) => Promise<string[]>;

export async function systemAddresses(host: string): Promise<string[]> {
  const found = await systemLookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}

/** Like `systemAddresses`, over sockets: no number of silent name servers keeps the threads busy on which password hashes wait. */
export async function resolvedAddresses(host: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return found.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
}

/**
 * Opens a TCP connection to a checked address only: the name is resolved once, all its addresses must pass, and the socket connects to
 * one of them. This prevents DNS rebinding between check and connection.
 * @throws EgressError, or the signal's reason
 */
export async function openGuarded(
  target: Target,
  { connectTimeoutMilliseconds, signal, ...rules }: Guard & { connectTimeoutMilliseconds: number },
): Promise<Socket> {
  const host = plainHost(target.host);
  const late = new EgressError("connect", `${host} did not accept the connection in time.`);
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(late), connectTimeoutMilliseconds);
  const ending = AbortSignal.any([signal, timeout.signal]);
  try {
    ending.throwIfAborted();
    const addresses = await checkedAddresses(target, host, { ...rules, signal: ending });
    return await connectToOne(addresses, host, target.port, connectTimeoutMilliseconds, ending);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns lower-case A-labels or an address, without brackets and trailing dot. @throws EgressError for an invalid host */
export function plainHost(given: string): string {
  const host = given
    .replace(/^\[(.*)\]$/s, "$1")
    .replace(/\.$/, "")
    .toLowerCase();
  if (literalAddress(host)) return host;
  // Characters that end the host in a URL must not reach domainToASCII.
  const ascii = /[\s/\\?#@%:]/.test(host) ? "" : domainToASCII(host);
  if (literalAddress(ascii)) return ascii;
  // Refuses names that some resolvers parse as an IPv4 address.
  if (!/^[a-z0-9._-]{1,253}$/.test(ascii) || /(?:^|\.)(?:0x[0-9a-f]*|\d+)$/.test(ascii)) {
    throw new EgressError("address", `"${given.slice(0, 100)}" is not a valid host.`);
  }
  return ascii;
}

/** Returns the addresses of a host. @throws EgressError unless all of them may be reached */
export async function checkedAddresses(
  target: Target,
  host: string,
  { allow, lookup, signal }: Guard,
): Promise<Address[]> {
  const literal = literalAddress(host);
  const addresses = literal ? [literal] : await resolve(host, lookup, signal);
  for (const address of addresses) {
    const refusal = allow.hasHost(host) || allow.hasAddress(address) ? null : refusalOf(target, host, address);
    if (refusal) throw refusal;
  }
  return addresses;
}

function refusalOf(target: Target, host: string, address: Address): EgressError | null {
  const kind = addressKind(address);
  if (kind === "forbidden" || (kind === "inside" && target.reach !== "inside")) {
    return new EgressError(
      "refused",
      `${host} is, or resolves to, a non-public address, which is not allowed. To allow it, add it to EGRESS_ALLOW.`,
    );
  }
  if (kind === "inside") return null;
  if (target.readable) {
    return new EgressError("refused", `${host} must be called over https, because http is not encrypted.`);
  }
  if (target.reach === "public" && !target.ports.includes(target.port)) {
    return new EgressError("refused", `Port ${target.port} of ${host} is not allowed. Use ${target.ports.join(", ")}.`);
  }
  return null;
}

async function resolve(host: string, lookup: Lookup, signal: AbortSignal): Promise<Address[]> {
  let texts: string[];
  try {
    texts = await orAborted(lookup(host), signal);
  } catch (error) {
    signal.throwIfAborted();
    throw new EgressError("lookup", `${host} has no address, or the DNS lookup failed.`, { cause: error });
  }
  const addresses = texts.map(literalAddress);
  if (addresses.length === 0 || addresses.includes(null)) {
    throw new EgressError("lookup", `${host} has no usable address.`);
  }
  return addresses.filter((address) => address !== null);
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const ended = Promise.withResolvers<never>();
  const end = () => ended.reject(signal.reason as Error);
  signal.addEventListener("abort", end, { once: true });
  try {
    return await Promise.race([work, ended.promise]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/** Tries the addresses in turn; each gets an equal share of the time. */
async function connectToOne(
  addresses: readonly Address[],
  host: string,
  port: number,
  milliseconds: number,
  signal: AbortSignal,
): Promise<Socket> {
  let last: unknown;
  for (const address of addresses) {
    signal.throwIfAborted();
    try {
      return await connectTo(address.toString(), port, milliseconds / addresses.length, signal);
    } catch (error) {
      last = error;
    }
  }
  signal.throwIfAborted();
  throw new EgressError("connect", `${host}, port ${port}, ${reasonOf(last)}.`, { cause: last });
}

async function connectTo(address: string, port: number, milliseconds: number, signal: AbortSignal): Promise<Socket> {
  const socket = connect({ host: address, port, noDelay: true, keepAlive: true });
  const done = Promise.withResolvers<Socket>();
  const end = () => done.reject(signal.reason as Error);
  const timer = setTimeout(() => done.reject(new Error("timeout")), milliseconds);
  signal.addEventListener("abort", end, { once: true });
  socket.once("connect", () => done.resolve(socket));
  socket.once("error", done.reject);
  try {
    await done.promise;
    socket.off("error", done.reject);
    return socket;
  } catch (error) {
    socket.on("error", () => undefined);
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "ECONNREFUSED") return "refused the connection";
  if (code === "EHOSTUNREACH" || code === "ENETUNREACH") return "is unreachable";
  return "did not accept the connection";
}
