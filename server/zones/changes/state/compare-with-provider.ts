import { queries, type EntityManager } from "../../../database/database.ts";
import { type DnsProvider, ProviderError, type ProviderKind } from "../../../dns-providers/provider.ts";
import type { Pause } from "../../../platform/pause.ts";
import { indexedZone, liveById } from "./live-queries.ts";
import { planServed, type ServedPlan } from "../../../dns/desired-state.ts";
import { storeFinding, type ComparedZone } from "./found-drift.ts";

/** The pause between readings of a zone that its provider may still show out of date. It doubles each time. */
const firstPauseMilliseconds = 2_000;
const mostReadings = 6;

/** Compares zones with what their providers serve. */
export class ProviderComparison {
  readonly #now: () => Date;
  readonly #pause: Pause;

  constructor(now: () => Date, pause: Pause) {
    this.#now = now;
    this.#pause = pause;
  }

  /**
   * Returns the changes that would bring a zone's live records in line with what its provider serves. If a difference may only be a recent
   * change of ours that the provider does not show yet, reads again until it must. @throws ProviderError
   */
  async plan(
    em: EntityManager,
    zone: { id: string; providerZone: string },
    provider: DnsProvider,
  ): Promise<ServedPlan> {
    for (let reading = 1; ; reading++) {
      const started = this.#now();
      const plan = await readPlan(em, zone, provider);
      const lag = (provider.readLagSeconds ?? 0) * 1_000;
      if (lag === 0 || plan.changes.length === 0 || reading === mostReadings) return plan;
      const shown = (await changedAt(em, zone.id)) + lag - started.getTime();
      if (shown <= 0) return plan;
      await this.#pause(Math.min(shown, firstPauseMilliseconds * 2 ** (reading - 1)));
    }
  }
}

async function readPlan(
  em: EntityManager,
  zone: { id: string; providerZone: string },
  provider: DnsProvider,
): Promise<ServedPlan> {
  const index = await indexedZone(em, zone.id);
  return await planServed(
    index,
    provider.readZone(zone.providerZone),
    async (ids) => (await liveById(em, zone.id, ids)).values(),
    async () => (await provider.signs?.(zone.providerZone)) ?? false,
  );
}

/** Returns when the zone was last changed here, in milliseconds of Unix time. */
async function changedAt(em: EntityManager, domainId: string): Promise<number> {
  const row = await queries(em)
    .selectFrom("domains")
    .select("updated_at")
    .where("id", "=", domainId)
    .executeTakeFirst();
  return row ? row.updated_at.getTime() : 0;
}

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
