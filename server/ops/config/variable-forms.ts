import { isIP } from "node:net";
import { z } from "zod";
import { hasWholeDigest, parseDs, rootAnchors, type Ds } from "../../dns/dnssec/keys.ts";

/** Returns whether a text is a valid value of Express's "trust proxy": an address, a network, or the name of a range. */
export function isProxy(text: string): boolean {
  if (/^(?:loopback|linklocal|uniquelocal)$/.test(text)) return true;
  const [address = "", bits, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Returns whether a text is an http(s) origin. It must have no path, because the API is always below /api. */
export function isSite(text: string): boolean {
  return (
    /^https?:\/\/[^/\s]+\/?$/.test(text) && URL.canParse(text) && new URL(text).href === `${new URL(text).origin}/`
  );
}

/** Returns a schema for a comma-separated list. @param sentence the message for an invalid item */
export function commaList(fits: (part: string, parts: string[]) => boolean, sentence: string) {
  return z
    .string()
    .default("")
    .transform((text) =>
      text
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== ""),
    )
    .refine((parts) => parts.every((part) => fits(part, parts)), sentence);
}

/** Returns a schema for addresses of this machine with ports, `address:port` or `[v6]:port`. */
export function listenAddresses(name: string) {
  const sentence = `${name} must be addresses with ports separated by commas, such as 0.0.0.0:53,[::]:53`;
  return commaList((part) => parseListenAddress(part) !== null, sentence).transform((parts) =>
    parts.flatMap((part) => parseListenAddress(part) ?? []),
  );
}

/** Returns a schema for one address of this machine with a port. Unset: null. */
export function listenAddress(name: string) {
  return z
    .string()
    .optional()
    .refine(
      (text) => text === undefined || parseListenAddress(text) !== null,
      `${name} must be an address with a port, such as 127.0.0.1:8081 or [::1]:8081`,
    )
    .transform((text) => (text === undefined ? null : parseListenAddress(text)));
}

function parseListenAddress(text: string): { address: string; port: number } | null {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([\d.]+)):(\d{1,5})$/.exec(text) ?? [];
  const address = bracketed ?? plain;
  const port = Number(digits);
  if (address === undefined || isIP(address) !== (bracketed === undefined ? 4 : 6)) return null;
  return port <= 65_535 ? { address, port } : null;
}

/**
 * Returns a schema for a URL with a host and one of the given protocols, such as `https:`.
 * @param fits whether its reader takes the rest of it
 */
export function url(name: string, protocols: string[], example: string, fits: (url: URL) => boolean = () => true) {
  return z.string().refine((text) => {
    const parsed = URL.parse(text);
    if (parsed === null || parsed.hostname === "" || !protocols.includes(parsed.protocol)) return false;
    return decoded(parsed.username) !== null && decoded(parsed.password) !== null && fits(parsed);
  }, `${name} must be a URL such as ${example}`);
}

/** Returns whether a text is an address, or could be a host name. */
export function isHost(text: string): boolean {
  return isIP(text) !== 0 || /^[\w.-]+$/.test(text);
}

/** Returns whether a text is a host, `host:port` or `[v6]:port`. */
export function isHostAndPort(text: string): boolean {
  return parseHostAndPort(text) !== null;
}

/** Returns a schema for calls per minute. `off` becomes null: unlimited. */
export function perMinute(name: string, fallback: number) {
  return z
    .string()
    .regex(/^(?:off|[1-9]\d{0,6})$/, `${name} must be a number of calls per minute, such as ${fallback}, or off`)
    .transform((text) => (text === "off" ? null : Number(text)))
    .default(fallback);
}

/** Returns a schema for a switch: `on` becomes true. */
export function onOff(name: string, fallback: "on" | "off") {
  return z
    .enum(["on", "off"], `${name} must be on or off`)
    .default(fallback)
    .transform((text) => text === "on");
}

/** The servers that delegations are checked from. */
export type ResolverRoots = { kind: "off" } | { kind: "system" } | { kind: "roots"; hosts: string[]; port: number };

/** Parses RESOLVER_ROOTS; empty: the system's resolver. @returns null if it is malformed */
export function parseRoots(text: string): ResolverRoots | null {
  if (text.trim() === "") return { kind: "system" };
  if (text.trim() === "off") return { kind: "off" };
  const parts = text.split(",").map((part) => part.trim());
  const roots = parts.filter((part) => part !== "").map(parseHostAndPort);
  const valid = roots.filter((root) => root !== null);
  const ports = new Set(valid.map(({ port }) => port));
  const [port] = ports;
  if (valid.length < roots.length || ports.size !== 1 || port === undefined) return null;
  return { kind: "roots", hosts: valid.map(({ host }) => host), port };
}

/** Parses RESOLVER_TRUST_ANCHOR, DS records separated by commas; empty: the root's. @returns null if one is malformed, or no key could match its digest */
export function parseTrustAnchor(text: string): readonly Ds[] | null {
  if (text.trim() === "") return rootAnchors;
  const anchors = text.split(",").map(parseDs);
  const valid = anchors.flatMap((anchor) => (anchor !== null && hasWholeDigest(anchor) ? [anchor] : []));
  return valid.length < anchors.length ? null : valid;
}

function parseHostAndPort(text: string): { host: string; port: number } | null {
  if (isIP(text) !== 0) return { host: text, port: 53 };
  const [, bracketed, plain, digits = "53"] = /^(?:\[([^\]]+)\]|([\w.-]{1,253}))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  if (host === undefined || (bracketed !== undefined && isIP(bracketed) !== 6)) return null;
  // Some resolvers parse such a name as an IPv4 address.
  if (isIP(host) === 0 && /(?:^|\.)\d+$/.test(host)) return null;
  return port >= 1 && port <= 65_535 ? { host, port } : null;
}

/** Where the audit trail is sent. */
export type AuditTarget =
  | { kind: "stdout" }
  /** Syslog (RFC 5424) over TCP, with TLS (RFC 5425) or without (RFC 6587). */
  | { kind: "syslog"; host: string; port: number; tls: boolean }
  /** The address without credentials, and the `Authorization` header made of them. */
  | { kind: "https"; url: string; authorization: string | null };

const ports = { "syslog:": 601, "syslogs:": 6514 } as const;

/** Reads AUDIT_STREAM. Returns null if it has none of its forms. */
export function parseAuditTarget(text: string): AuditTarget | null {
  if (text === "stdout") return { kind: "stdout" };
  const url = URL.parse(text);
  if (!url || url.hostname === "" || url.hash !== "") return null;
  if (url.protocol === "https:") {
    const [username, password] = [decoded(url.username), decoded(url.password)];
    if (username === null || password === null) return null;
    url.username = url.password = "";
    const credentials = Buffer.from(`${username}:${password}`).toString("base64");
    const authorization = username + password === "" ? null : `Basic ${credentials}`;
    return { kind: "https", url: url.href, authorization };
  }
  if (url.protocol !== "syslog:" && url.protocol !== "syslogs:") return null;
  if (!/^\/?$/.test(url.pathname) || url.search !== "" || url.username !== "" || url.password !== "") return null;
  if (url.port === "0") return null;
  return {
    kind: "syslog",
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? ports[url.protocol] : Number(url.port),
    tls: url.protocol === "syslogs:",
  };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
