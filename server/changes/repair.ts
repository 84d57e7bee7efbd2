import { sql } from "kysely";
import { theService } from "../audit/actor.ts";
import { queries, type EntityManager } from "../database/database.ts";
import type { ProviderConnections } from "../dns-providers/connections.ts";
import { ProviderError, type ChangeOutcome, type DnsProvider } from "../dns-providers/provider.ts";
import { AppError } from "../errors.ts";
import { bookmark } from "./bookmark.ts";
import { settle } from "./change-sets.ts";
import type { Lease } from "./lease.ts";
import type { PlannedChange } from "../records/live-record.ts";
import { readBack } from "./read-back.ts";

/**
 * Settles changes whose outcome a crash or a lost connection left open, by reading the zone back from its provider.
 * The caller holds the lease. Cheap when there is nothing to repair.
 * @throws AppError PROVIDER_ERROR when the provider cannot be read now.
 * @returns how many change sets were settled.
 */
export async function repairZone(
  em: EntityManager,
  domainId: string,
  lease: Lease,
  connections: ProviderConnections,
  now: () => Date,
): Promise<number> {
  const pending = await queries(em)
    .selectFrom("change_sets")
    .innerJoin("domains", "domains.id", "change_sets.domain_id")
    .innerJoin("provider_configs", "provider_configs.id", "domains.provider_config_id")
    .select([
      "change_sets.id",
      "change_sets.kind as change_kind",
      "change_sets.actor_id",
      "change_sets.intent",
      "domains.name",
      "provider_configs.id as config_id",
      "provider_configs.kind",
      "provider_configs.config",
    ])
    .where("change_sets.domain_id", "=", domainId)
    .where("change_sets.state", "=", "pending")
    .orderBy("change_sets.id")
    .execute();
  for (const set of pending) {
    const { provider } = connections.connect({ ...set, id: set.config_id });
    const changes = reviveIntent(set.intent);
    const outcomes = await whatHappened(provider, set.name, changes);
    await em.fork().transactional(async (tx) => {
      const at = now();
      const author = { trigger: "on_change", createdBy: set.actor_id, now: at } as const;
      // The snapshots that the change would have made.
      if (set.change_kind === "import" && outcomes.some(({ ok }) => ok)) await bookmark(tx, domainId, author);
      await settle(tx, domainId, {
        kind: set.change_kind,
        actorId: set.actor_id,
        actor: theService,
        changes,
        outcomes,
        lease,
        fingerprint: null,
        changeSetId: set.id,
        repaired: true,
        now: at,
      });
      if (set.change_kind === "rollback") await bookmark(tx, domainId, author);
    });
  }
  return pending.length;
}

/** A zone that is not at its provider any more has none of the changes. */
async function whatHappened(
  provider: DnsProvider | null,
  zone: string,
  changes: readonly PlannedChange[],
): Promise<ChangeOutcome[]> {
  const gone = changes.map((): ChangeOutcome => ({ ok: false, message: "The zone is not at that provider any more." }));
  if (!provider) return gone;
  try {
    return await readBack(provider, zone, changes);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.zoneMissing) return gone;
    throw new AppError("PROVIDER_ERROR", `An earlier change could not be settled: ${error.message}`, { cause: error });
  }
}

/** JSON has no dates; the rest of an intent is stored as it was. */
function reviveIntent(intent: unknown): PlannedChange[] {
  const changes = (typeof intent === "string" ? JSON.parse(intent) : (intent ?? [])) as PlannedChange[];
  for (const { before } of changes) {
    if (!before) continue;
    before.createdAt = new Date(before.createdAt);
    before.updatedAt = new Date(before.updatedAt);
  }
  return changes;
}

/** Zones with changes left open and no lease on them. */
export async function zonesToRepair(em: EntityManager): Promise<string[]> {
  const rows = await queries(em)
    .selectFrom("change_sets")
    .innerJoin("domains", "domains.id", "change_sets.domain_id")
    .select("domains.id")
    .distinct()
    .where("change_sets.state", "=", "pending")
    .where((eb) => eb.or([eb("domains.lease_until", "is", null), eb("domains.lease_until", "<", sql<Date>`now()`)]))
    .execute();
  return rows.map(({ id }) => id);
}
