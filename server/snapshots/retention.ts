import { sql } from "kysely";
import { queries, type EntityManager } from "../database/database.ts";

const snapshotsAtOnce = 5_000;
const domainsAtOnce = 200;
const beforeAllIds = "00000000-0000-0000-0000-000000000000";

/**
 * Deletes snapshots that were made by themselves and are older than `before`, and the record versions that no snapshot showed before. Snapshots
 * that somebody asked for stay, and so does each zone as it is.
 * @returns how many of both.
 */
export async function deleteOldSnapshots(
  em: EntityManager,
  before: Date,
  signal?: AbortSignal,
): Promise<{ snapshots: number; versions: number }> {
  // Versions first: what a snapshot showed goes a run after it, so that nobody who reads it now finds half of it.
  const stopped = () => signal?.aborted === true;
  let versions = 0;
  let from: string | null = beforeAllIds;
  while (from !== null && !stopped()) {
    const to = await lastOfNext(em, from);
    versions += await deleteVersions(em, from, to);
    from = to;
  }
  let snapshots = 0;
  let count = snapshotsAtOnce;
  while (count === snapshotsAtOnce && !stopped()) {
    count = await deleteSnapshots(em, before);
    snapshots += count;
  }
  return { snapshots, versions };
}

async function deleteSnapshots(em: EntityManager, before: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from snapshots where id in (
      select id from snapshots where trigger <> 'manual' and created_at < ${before} limit ${snapshotsAtOnce}
    )
  `.execute(queries(em));
  return Number(numAffectedRows ?? 0);
}

/** The last of the next domains by id; null when these are the last. */
async function lastOfNext(em: EntityManager, from: string): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select id from domains where id > ${from}::uuid order by id limit 1 offset ${domainsAtOnce - 1}
  `.execute(queries(em));
  return rows[0]?.id ?? null;
}

/** One statement sees snapshots and versions as they were at one moment, so that none goes which a new snapshot needs. */
async function deleteVersions(em: EntityManager, from: string, to: string | null): Promise<number> {
  const last = to === null ? sql`` : sql`and domain_id <= ${to}::uuid`;
  const { numAffectedRows } = await sql`
    delete from records
    where until is not null and domain_id > ${from}::uuid ${last}
      and not exists (
        select 1 from snapshots
        where snapshots.domain_id = records.domain_id
          and snapshots.revision >= records.since and snapshots.revision < records.until
      )
  `.execute(queries(em));
  return Number(numAffectedRows ?? 0);
}
