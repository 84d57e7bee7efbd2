import { sql, type ExpressionBuilder } from "kysely";
import { queries, type EntityManager } from "../../database/database.ts";
import type { Tables } from "../../database/tables/all.ts";
import { countActions, type PlannedChange } from "../../dns/live-record.ts";
import type { ZoneSigning } from "../../dns/server-managed.ts";
import { keepSigning } from "./keep-signing.ts";

/** A zone as it was when it was compared. */
export interface ComparedZone {
  id: string;
  revision: number;
  /** Of its provider configuration. */
  configId: string;
}

/** What a check found. */
export interface Finding {
  /** Null: the zone agrees, or cannot be read. */
  found: DriftCounts | null;
  /** Why the provider cannot read the zone, such as a zone file that is gone; null: it could. */
  error: string | null;
  /** Mark of the content that was compared. */
  fingerprint: string | null;
  signing: ZoneSigning | null;
}

/** What a sync would do. */
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
 * Keeps what a check found, unless the zone was changed here meanwhile: what was compared is then not what is there.
 * @param finding with neither `found` nor `error` the zone agrees, and `fingerprint` is the mark of that content; without `signing` it
 * was not read.
 * @returns whether it was kept.
 */
export async function keepFinding(
  em: EntityManager,
  zone: ComparedZone,
  finding: Finding,
  now: Date,
): Promise<boolean> {
  return await em.transactional(async (tx) => {
    const kept = await keepDrift(tx, zone, finding, now);
    if (kept && finding.signing) await keepSigning(tx, zone.id, finding.signing, now);
    return kept;
  });
}

async function keepDrift(
  tx: EntityManager,
  zone: ComparedZone,
  { found, error, fingerprint }: Finding,
  now: Date,
): Promise<boolean> {
  const kept = await queries(tx)
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
  return kept.numUpdatedRows > 0n;
}

/** Changes to the zone whose outcome is not established. */
function pendingOf(eb: ExpressionBuilder<Tables, "domains">) {
  return eb
    .selectFrom("change_sets")
    .select("change_sets.id")
    .whereRef("change_sets.domain_id", "=", "domains.id")
    .where("change_sets.state", "=", "pending");
}

/** The columns of a zone that agrees with its provider, as far as anybody knows. */
export const noDrift = {
  drift_found_at: null,
  drift_created: null,
  drift_updated: null,
  drift_deleted: null,
  drift_error: null,
};
