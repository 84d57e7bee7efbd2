import { sql, type ExpressionBuilder, type RawBuilder } from "kysely";
import { countActions } from "../changes/commit.ts";
import { queries, type EntityManager } from "../database/database.ts";
import type { Tables } from "../database/entities.ts";
import type { StoredConfig } from "../dns-providers/config-secrets.ts";
import { keepSigning } from "../records/keep-signing.ts";
import type { PlannedChange } from "../records/live-record.ts";
import type { ZoneSigning } from "../records/server-managed.ts";

/** A zone whose turn it is, as it was when its turn came. */
export interface DueZone {
  id: string;
  name: string;
  revision: number;
  fingerprint: string | null;
  /** Whether nobody has read yet how TXT records that 0.1 stored are cut. */
  splitsUnread: boolean;
  /** When its turn came. */
  turn: Date;
  /** When drift was first found; null where none is known. */
  foundAt: Date | null;
  /** Why it could not be read at its last turn; null: it could. */
  error: string | null;
  configName: string;
  config: StoredConfig;
}

/** A zone as it was when it was compared. */
export interface ComparedZone {
  id: string;
  revision: number;
  /** Of its provider configuration. */
  configId: string;
}

export function comparedZone({ id, revision, config }: DueZone): ComparedZone {
  return { id, revision, configId: config.id };
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

export async function countActive(em: EntityManager): Promise<number> {
  const { rows } = await sql<{ active: string }>`
    select count(*) as active from domains where status = 'active'
  `.execute(queries(em));
  return Number(rows[0]?.active ?? 0);
}

/**
 * Takes the turn of the active zone that has waited longest, so that no other instance checks it in the same period.
 * @param since zones checked after this are not due. @param aside configurations whose zones are left out. @returns null when none is due.
 */
export async function claimDue(
  em: EntityManager,
  now: Date,
  since: Date,
  aside: readonly string[],
): Promise<DueZone | null> {
  const due = sql`(drift_checked_at is null or drift_checked_at <= ${since}::timestamptz)
    and provider_config_id <> all(${`{${aside.join(",")}}`}::uuid[])`;
  return await claim(em, now, due);
}

/** Takes the turn of one zone, unless somebody did after `changedAt`. @returns null when it is not managed, not active, or taken */
export async function claimZone(
  em: EntityManager,
  now: Date,
  { configId, name, changedAt }: { configId: string; name: string; changedAt: Date },
): Promise<DueZone | null> {
  const named = sql`name = ${name} and provider_config_id = ${configId}::uuid
    and (drift_checked_at is null or drift_checked_at <= ${changedAt}::timestamptz)`;
  return await claim(em, now, named);
}

async function claim(em: EntityManager, now: Date, which: RawBuilder<unknown>): Promise<DueZone | null> {
  const { rows } = await sql<{
    id: string;
    name: string;
    revision: number;
    provider_fingerprint: string | null;
    splits_unread: boolean;
    drift_found_at: Date | null;
    drift_error: string | null;
    config_id: string;
    config_name: string;
    kind: string;
    config: StoredConfig["config"];
  }>`
    update domains set drift_checked_at = ${now}::timestamptz
    from provider_configs c
    where c.id = domains.provider_config_id and domains.id = (
      select id from domains
      where status = 'active' and ${which}
      order by drift_checked_at nulls first limit 1
      for update skip locked
    )
    returning domains.id, domains.name, domains.revision, domains.provider_fingerprint, domains.splits_unread, domains.drift_found_at,
      domains.drift_error, c.id as config_id, c.name as config_name, c.kind, c.config
  `.execute(queries(em));
  const [row] = rows;
  if (!row) return null;
  return {
    id: row.id,
    name: row.name,
    revision: row.revision,
    fingerprint: row.provider_fingerprint,
    splitsUnread: row.splits_unread,
    turn: now,
    foundAt: row.drift_found_at,
    error: row.drift_error,
    configName: row.config_name,
    config: { id: row.config_id, kind: row.kind, config: row.config },
  };
}

/** Gives a turn back that came to nothing: the zone is due again at once. */
export async function giveTurnBack(em: EntityManager, { id, turn }: DueZone): Promise<void> {
  await queries(em)
    .updateTable("domains")
    .set({ drift_checked_at: null })
    .where("id", "=", id)
    .where("drift_checked_at", "=", turn)
    .execute();
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
