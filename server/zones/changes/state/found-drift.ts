import { sql, type ExpressionBuilder } from "kysely";
import { queries, type EntityManager } from "../../../database/database.ts";
import type { Tables } from "../../../database/tables/all.ts";
import { countActions, type PlannedChange } from "../../../dns/record.ts";
import type { ZoneSigning } from "../../../dns/zone-file/type-names.ts";
import { noDrift } from "../settle.ts";
import { storeSigning } from "./store-signing.ts";

/** A zone at the revision that was compared. */
export interface ComparedZone {
  id: string;
  revision: number;
  /** The id of its provider configuration. */
  configId: string;
}

/** The result of a drift check. */
export interface Finding {
  /** Null if the zone agrees or cannot be read. */
  found: DriftCounts | null;
  /** Why the provider cannot read the zone, such as a missing zone file; null if it can. */
  error: string | null;
  /** Fingerprint of the content that was compared. */
  fingerprint: string | null;
  signing: ZoneSigning | null;
}

/** How many records a sync would change. */
export interface DriftCounts {
  created: number;
  updated: number;
  deleted: number;
}

export function driftCounts(changes: readonly PlannedChange[]): DriftCounts {
  const { creates, updates, deletes } = countActions(changes);
  return { created: creates, updated: updates, deleted: deletes };
}

/**
 * Stores the result of a drift check, unless the zone was changed here since it was compared.
 * @param finding without `found` and `error` the zone agrees, and `fingerprint` is that of the content; without `signing` it was not read.
 * @param report notifies of it. If that fails, nothing is stored, and the next check finds it anew.
 * @returns whether it was stored.
 */
export async function storeFinding(
  em: EntityManager,
  zone: ComparedZone,
  finding: Finding,
  now: Date,
  report?: (tx: EntityManager) => Promise<void>,
): Promise<boolean> {
  return await em.transactional(async (tx) => {
    const stored = await storeDrift(tx, zone, finding, now);
    if (stored && finding.signing) await storeSigning(tx, zone.id, finding.signing, now);
    if (stored) await report?.(tx);
    return stored;
  });
}

async function storeDrift(
  tx: EntityManager,
  zone: ComparedZone,
  { found, error, fingerprint }: Finding,
  now: Date,
): Promise<boolean> {
  const stored = await queries(tx)
    .updateTable("domains")
    .set((eb) =>
      found || error !== null
        ? {
            drift_found_at: eb.fn.coalesce("drift_found_at", eb.val(now)),
            drift_created: found?.created ?? null,
            drift_updated: found?.updated ?? null,
            drift_deleted: found?.deleted ?? null,
            drift_error: error,
          }
        : { ...noDrift, provider_fingerprint: fingerprint ?? eb.ref("provider_fingerprint") },
    )
    .where("id", "=", zone.id)
    .where("revision", "=", zone.revision)
    .where("provider_config_id", "=", zone.configId)
    .where((eb) => eb.or([eb("lease_until", "is", null), eb("lease_until", "<", sql<Date>`now()`)]))
    .where((eb) => eb.not(eb.exists(pendingOf(eb))))
    .executeTakeFirst();
  return stored.numUpdatedRows > 0n;
}

/** Selects the zone's pending change sets. */
function pendingOf(eb: ExpressionBuilder<Tables, "domains">) {
  return eb
    .selectFrom("change_sets")
    .select("change_sets.id")
    .whereRef("change_sets.domain_id", "=", "domains.id")
    .where("change_sets.state", "=", "pending");
}
