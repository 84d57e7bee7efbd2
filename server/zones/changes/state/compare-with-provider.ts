import { queries, type EntityManager } from "../../../database/database.ts";
import type { DnsProvider } from "../../../dns-providers/provider.ts";
import type { Pause } from "../../../platform/pause.ts";
import { indexedZone, liveById } from "./live-queries.ts";
import { planServed, type ServedPlan } from "../../../dns/zone-comparison.ts";

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
