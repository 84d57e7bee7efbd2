import type { EgressError } from "../../platform/net/egress-error.ts";
import { getDomain } from "tldts";

/** Registration data of a name, from its registry and registrar. */
export interface Registration {
  /** The registry's date; null if it publishes none. */
  registryExpiresAt: Date | null;
  /** The registrar's own date. It may differ: registries auto-renew, and some data is outdated. */
  registrarExpiresAt: Date | null;
  registrar: string | null;
  /** Statuses in the server's wording. */
  statuses: string[];
  /** Host names in lower-case A-labels, sorted; null: not reported. */
  nameServers: string[] | null;
  /** DS records in the form of zone files, sorted; empty: the name is not signed; null: not reported. */
  ds: string[] | null;
}

/** A server's answer. */
export type Answer =
  | { kind: "registered"; registration: Registration }
  /** The name is not registered. */
  | { kind: "unregistered" }
  /** The server is rate limiting. `seconds`: the delay that it asks for; null if unspecified. */
  | { kind: "limited"; seconds: number | null }
  /** No registry is responsible for the name. */
  | { kind: "no registry" }
  /** The response is invalid or unrelated. The message begins with a verb: "returned …". */
  | { kind: "broken"; message: string };

/** A registry's conclusive answer. */
export type Settled = Extract<Answer, { kind: "registered" | "unregistered" }>;

export type ExpirySource = "rdap" | "whois";

/** Where a stored date is from, if nobody set it by hand. */
export type DateSource = ExpirySource | "registrar";

/** Outcome of a lookup. */
export type Finding =
  | { kind: "found"; source: ExpirySource; expiresAt: Date; registration: Registration }
  /** Registered, but the registry publishes no date. */
  | { kind: "unpublished"; source: ExpirySource; registration: Registration; message: string }
  | { kind: "unregistered"; message: string }
  /** No registry to ask: the name is a public suffix or belongs to no registry. */
  | { kind: "unknown"; message: string }
  | Failure;

/**
 * Returns the effective date, which is the earlier one. After a registry's auto-renewal, the registrar's date is the real one. If
 * either is outdated, an early reminder only costs a check, but a late one can cost the name.
 */
export function earliestExpiry({ registryExpiresAt, registrarExpiresAt }: Registration): Date | null {
  if (!registryExpiresAt || !registrarExpiresAt) return registryExpiresAt ?? registrarExpiresAt;
  return registrarExpiresAt < registryExpiresAt ? registrarExpiresAt : registryExpiresAt;
}

/** A failed query: no connection, rate limited, or an address that must not be called. A retry may succeed. */
export interface Failure {
  kind: "failed";
  /** Whether a rate limit caused it, ours or the server's. */
  limited: boolean;
  /** One sentence. */
  message: string;
}

export function failure(message: string, limited = false): Failure {
  return { kind: "failed", limited, message };
}

/** Returns the failure for our own rate limit. */
export function noTurn(host: string, seconds: number): Failure {
  return failure(`${host} limits queries. The next query is possible in ${seconds} s.`, true);
}

/** Returns the failure for the server's rate limit. */
export function askedTooOften(host: string): Failure {
  return failure(`${host} refuses queries because there were too many. Try again later.`, true);
}

/** Returns the failure for a call that the egress guard blocked or that did not complete. */
export function callFailed({ message, failure: kind }: EgressError): Failure {
  return failure(message, kind === "busy");
}

/** The registered name of a zone, and its suffixes. */
export interface Registrable {
  /** The registered name at or above the zone: `example.co.uk` for `dev.example.co.uk`. */
  name: string;
  /** Possible registry suffixes, longest first: `co.uk`, `uk`. Which one applies depends on the registry. */
  suffixes: string[];
}

/** Returns whether a zone has names of addresses (RFC 1035 §3.5, RFC 3596 §2.5). */
export function isReverse(zone: string): boolean {
  return /(?:^|\.)(?:in-addr|ip6)\.arpa$/.test(zone);
}

/** Returns a zone's registered name. @param zone lower-case A-labels. @returns null for a public suffix and for reverse zones */
export function registrableOf(zone: string): Registrable | null {
  // Private suffixes (github.io) are themselves registered names.
  if (isReverse(zone)) return null;
  const name = getDomain(zone, { allowPrivateDomains: false, validateHostname: false });
  if (name === null) return null;
  const labels = name.split(".");
  return { name, suffixes: labels.slice(1).map((_, index) => labels.slice(index + 1).join(".")) };
}
