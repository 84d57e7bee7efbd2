import type { Failure } from "./failure.ts";

/** What a registry, and with it the registrar, say of a registered name. */
export interface Registration {
  /** The registry's date. Null: it publishes none. */
  registryExpiresAt: Date | null;
  /** The registrar's own date, which may be another: registries renew by themselves, and some lag behind. */
  registrarExpiresAt: Date | null;
  registrar: string | null;
  /** As the server names them. */
  statuses: string[];
}

/** What one server said. */
export type Answer =
  | { kind: "registered"; registration: Registration }
  /** There is no such registration. */
  | { kind: "unregistered" }
  /** It does not answer for now: too many queries. `seconds` are those that it asks to wait; null: it does not say. */
  | { kind: "limited"; seconds: number | null }
  /** There is no registry for such names. */
  | { kind: "no registry" }
  /** What came is no answer to the question. The message begins with a verb: "answers with …". */
  | { kind: "broken"; message: string };

/** What a registry said, when it said something. */
export type Settled = Extract<Answer, { kind: "registered" | "unregistered" }>;

export type ExpirySource = "rdap" | "whois";

/** What became of a look-up. */
export type Finding =
  | { kind: "found"; source: ExpirySource; expiresAt: Date; registration: Registration }
  /** Registered, and the registry publishes no date. */
  | { kind: "unpublished"; source: ExpirySource; registration: Registration; message: string }
  | { kind: "unregistered"; message: string }
  /** Nobody to ask: a public suffix, or a name that belongs to no registry. */
  | { kind: "unknown"; message: string }
  | Failure;

/**
 * The date that counts: the earlier one. Where the registry has renewed by itself the registrar's is the real one, and where either
 * lags behind, an early reminder costs a look and a late one the name.
 */
export function earliestExpiry({ registryExpiresAt, registrarExpiresAt }: Registration): Date | null {
  if (!registryExpiresAt || !registrarExpiresAt) return registryExpiresAt ?? registrarExpiresAt;
  return registrarExpiresAt < registryExpiresAt ? registrarExpiresAt : registryExpiresAt;
}
