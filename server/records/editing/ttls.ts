import type { ProviderKind } from "../../dns-providers/provider.ts";

/** Seconds. The TTL of a new record without one, unless its provider requires more or its RRset has another. */
const defaultTtl = 3600;

/** Returns the default TTL of new records at a provider. */
export function defaultTtlAt({ minTtl }: ProviderKind): number {
  return Math.max(defaultTtl, minTtl);
}

/** Returns the TTL that a record gets at the provider. */
export function ttlAt({ proxiedTtl }: ProviderKind, proxied: boolean, ttl: number): number {
  return proxied ? (proxiedTtl ?? ttl) : ttl;
}

/** Returns a warning if the provider replaces the TTL that was asked for. */
export function ttlWarnings({ name }: ProviderKind, asked: number, ttl: number): string[] {
  return asked === ttl ? [] : [`${name} sets the TTL of proxied records itself: ${ttl} instead of ${asked}.`];
}
