import type { EntityManager } from "../database/database.ts";
import type { DnsProvider } from "../dns-providers/provider.ts";
import { indexedZone, liveById } from "./live-queries.ts";
import { planServed, type ServedPlan } from "./zone-comparison.ts";

/** What would bring the live records of a zone in line with what its provider serves now. @throws ProviderError */
export async function compareWithProvider(
  em: EntityManager,
  zone: { id: string; name: string },
  provider: DnsProvider,
): Promise<ServedPlan> {
  const index = await indexedZone(em, zone.id);
  return await planServed(index, provider.readZone(zone.name), async (ids) =>
    (await liveById(em, zone.id, ids)).values(),
  );
}
