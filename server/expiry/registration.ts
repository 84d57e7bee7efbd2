import type { Failure } from "./failure.ts";

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
