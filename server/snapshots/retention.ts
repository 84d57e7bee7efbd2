import { sql } from "kysely";
import { queries, type EntityManager } from "../database/database.ts";

const snapshotsAtOnce = 5_000;
const domainsAtOnce = 200;
const beforeAllIds = "00000000-0000-0000-0000-000000000000";

/**
 * Deletes snapshots that were made by themselves and are older than `before`, and the record versions that were replaced or deleted before it and that
 * no snapshot showed. Snapshots that somebody asked for stay, and so does each zone as it is and as it has been since `before`.
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
    await raiseHistoryFrom(em, { from, to }, before);
    versions += await deleteVersions(em, { from, to });
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

/** Domains by id: after `from`, and up to `to` where it is not the end. */
interface Range {
  from: string;
  to: string | null;
}

function within(column: string, { from, to }: Range) {
  const last = to === null ? sql`` : sql`and ${sql.ref(column)} <= ${to}::uuid`;
  return sql`${sql.ref(column)} > ${from}::uuid ${last}`;
}

/** From the state at `before` on, that is from the last revision that was made until then, every state is to stay. */
async function raiseHistoryFrom(em: EntityManager, range: Range, before: Date): Promise<void> {
  await sql`
    update domains set history_from = newest.revision
    from (
      select id, (
        select revision from change_sets
        where domain_id = domains.id and revision is not null and finished_at < ${before}
        order by revision desc limit 1
      ) as revision from domains where ${within("id", range)}
    ) as newest
    where domains.id = newest.id and newest.revision > history_from
  `.execute(queries(em));
}

/** One statement sees snapshots and versions as they were at one moment, so that none goes which a new snapshot needs. */
async function deleteVersions(em: EntityManager, range: Range): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from records using domains
    where domains.id = records.domain_id and ${within("records.domain_id", range)}
      and records.until <= domains.history_from
      and not exists (
        select 1 from snapshots
        where snapshots.domain_id = records.domain_id
          and snapshots.revision >= records.since and snapshots.revision < records.until
      )
  `.execute(queries(em));
  return Number(numAffectedRows ?? 0);
}
