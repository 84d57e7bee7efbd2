import { throughProvider } from "../dns-providers/through-provider.ts";
import type { DnsProvider, ProviderKind } from "../dns-providers/provider.ts";

/**
 * The kind with the smallest TTL that this very zone takes, where zones differ in it. Asked for only where one of the TTLs may be below.
 * @throws AppError PROVIDER_ERROR
 */
export async function kindOfZone(
  { name, kind, provider }: { name: string; kind: ProviderKind; provider: DnsProvider | null },
  ttls: readonly (number | undefined)[],
): Promise<ProviderKind> {
  const { minTtl, anyZoneMinTtl = minTtl, automaticTtl } = kind;
  const isShort = (ttl = anyZoneMinTtl) => ttl >= minTtl && ttl < anyZoneMinTtl && ttl !== automaticTtl;
  if (!provider?.minTtl || !ttls.some((ttl) => isShort(ttl))) return kind;
  return { ...kind, minTtl: Math.max(minTtl, await throughProvider(provider.minTtl(name))) };
}
