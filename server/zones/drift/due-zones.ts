import { sql, type RawBuilder } from "kysely";
import type { ComparedZone } from "../changes/state/found-drift.ts";
import { qualifiedName } from "../../dns/names/names.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import type { StoredConfig } from "../../dns-providers/connections.ts";

/** A zone due for a check, as of its claim. */
export interface DueZone {
  id: string;
  /** Its name and view. */
  name: string;
  providerZone: string;
  revision: number;
  fingerprint: string | null;
  /** Whether the splits of its TXT records from version 0.1 are still unread. */
  splitsUnread: boolean;
  /** When it was claimed. */
  turn: Date;
  /** When drift was first found; null if there is none. */
  foundAt: Date | null;
  /** Why the last check could not read it; null if it could. */
  error: string | null;
  configName: string;
  config: StoredConfig;
}

export async function countActive(em: EntityManager): Promise<number> {
  const { rows } = await sql<{ active: string }>`
    select count(*) as active from domains where status = 'active'
  `.execute(queries(em));
  return Number(rows[0]?.active ?? 0);
}

/**
 * Claims the active zone that has waited longest. No other instance checks it in the same period.
 * @param since zones checked after this are not due.
 * @param aside configurations whose zones are skipped.
 * @returns null if none is due.
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

/** Claims one zone, unless it was claimed after `changedAt`. @returns null if it is not managed, not active, or claimed */
export async function claimZone(
  em: EntityManager,
  now: Date,
  { configId, providerZone, changedAt }: { configId: string; providerZone: string; changedAt: Date },
): Promise<DueZone | null> {
  const named = sql`provider_zone = ${providerZone} and provider_config_id = ${configId}::uuid
    and (drift_checked_at is null or drift_checked_at <= ${changedAt}::timestamptz)`;
  return await claim(em, now, named);
}

async function claim(em: EntityManager, now: Date, which: RawBuilder<unknown>): Promise<DueZone | null> {
  const { rows } = await sql<{
    id: string;
    name: string;
    view: string;
    provider_zone: string;
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
    returning domains.id, domains.name, domains.view, domains.provider_zone, domains.revision, domains.provider_fingerprint,
      domains.splits_unread, domains.drift_found_at, domains.drift_error, c.id as config_id, c.name as config_name, c.kind, c.config
  `.execute(queries(em));
  const [row] = rows;
  if (!row) return null;
  return {
    id: row.id,
    name: qualifiedName(row),
    providerZone: row.provider_zone,
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

/** Releases a claim without a check. The zone is due again immediately. */
export async function giveTurnBack(em: EntityManager, { id, turn }: DueZone): Promise<void> {
  await queries(em)
    .updateTable("domains")
    .set({ drift_checked_at: null })
    .where("id", "=", id)
    .where("drift_checked_at", "=", turn)
    .execute();
}

export function comparedZone({ id, revision, config }: DueZone): ComparedZone {
  return { id, revision, configId: config.id };
}
