import type { EntityManager } from "../../database/database.ts";
import { ProviderError, type DnsProvider, type ProviderKind } from "../../dns-providers/provider.ts";
import type { ProviderComparison } from "./state/compare-with-provider.ts";
import { storeFinding, type ComparedZone } from "./state/found-drift.ts";

/** A zone as it was last read from or written to its provider. */
interface KnownZone extends ComparedZone {
  providerZone: string;
  fingerprint: string | null;
  /** Whether the provider signs the zone, as last read. */
  signed: boolean;
  kind: ProviderKind;
  provider: DnsProvider | null;
}

/** Returns the fingerprint of the zone's content at its provider; null where there is none or it cannot be read now. */
export async function fingerprintOf(provider: DnsProvider, zone: string): Promise<string | null> {
  return await provider.fingerprint(zone).catch(() => null);
}

/**
 * Returns whether somebody else changed the zone at its provider since it was last read or written here.
 *
 * Signing changes a zone's fingerprint, and so does starting to sign it. A zone that may be signed is therefore compared; if it agrees, its
 * new fingerprint is stored.
 */
export async function changedElsewhere(
  em: EntityManager,
  zone: KnownZone,
  comparison: ProviderComparison,
  now: Date,
): Promise<boolean> {
  const { provider } = zone;
  if (!provider || zone.fingerprint === null) return false;
  const fingerprint = await fingerprintOf(provider, zone.providerZone);
  if (fingerprint === null || fingerprint === zone.fingerprint) return false;
  if (!zone.signed && !zone.kind.signsZones) return true;
  try {
    const { changes, signing } = await comparison.plan(em, zone, provider);
    if (changes.length > 0) return true;
    await storeFinding(em.fork(), zone, { found: null, error: null, fingerprint, signing }, now);
  } catch (error) {
    // A provider that cannot be read now is reported when the plan is applied.
    if (!(error instanceof ProviderError)) throw error;
  }
  return false;
}
