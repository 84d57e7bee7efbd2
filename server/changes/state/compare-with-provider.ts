import { queries, type EntityManager } from "../../database/database.ts";
import type { DnsProvider } from "../../dns-providers/provider.ts";
import type { Pause } from "../../platform/pause.ts";
import { indexedZone, liveById } from "./live-queries.ts";
import { planServed, type ServedPlan } from "../../dns/zone-comparison.ts";

/** Between readings of a zone that its provider may not show as it is yet: longer each time. */
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
   * What would bring the live records of a zone in line with what its provider serves now. Where a difference may be nothing but a
   * change of ours that the provider does not show yet, it reads again until it would. @throws ProviderError
   */
  async plan(em: EntityManager, zone: { id: string; name: string }, provider: DnsProvider): Promise<ServedPlan> {
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
  zone: { id: string; name: string },
  provider: DnsProvider,
): Promise<ServedPlan> {
  const index = await indexedZone(em, zone.id);
  return await planServed(
    index,
    provider.readZone(zone.name),
    async (ids) => (await liveById(em, zone.id, ids)).values(),
    async () => (await provider.signs?.(zone.name)) ?? false,
  );
}

/** When the zone was last changed here, as milliseconds of Unix time. */
async function changedAt(em: EntityManager, domainId: string): Promise<number> {
  const row = await queries(em)
    .selectFrom("domains")
    .select("updated_at")
    .where("id", "=", domainId)
    .executeTakeFirst();
  return row ? row.updated_at.getTime() : 0;
}
