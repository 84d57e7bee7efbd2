import { sql } from "kysely";
import { queries, type EntityManager } from "../../database/database.ts";

const snapshotsAtOnce = 5_000;
const domainsAtOnce = 200;
const beforeAllIds = "00000000-0000-0000-0000-000000000000";

/**
 * Deletes automatic snapshots older than `before`, and record versions that ended before it and are in no snapshot. Manual snapshots and
 * every state of a zone since `before` remain.
 * @returns the number of snapshots and versions deleted.
 */
export async function deleteOldSnapshots(
  em: EntityManager,
  before: Date,
  signal?: AbortSignal,
): Promise<{ snapshots: number; versions: number }> {
  // Versions first: a snapshot's versions are deleted one run after it, so no reader gets a partial snapshot.
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

/** Returns the last id of the next batch of domains; null if the batch reaches the end. */
async function lastOfNext(em: EntityManager, from: string): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select id from domains where id > ${from}::uuid order by id limit 1 offset ${domainsAtOnce - 1}
  `.execute(queries(em));
  return rows[0]?.id ?? null;
}

/** A range of domain ids after `from`, up to `to`, or to the end if `to` is null. */
interface Range {
  from: string;
  to: string | null;
}

function within(column: string, { from, to }: Range) {
  const last = to === null ? sql`` : sql`and ${sql.ref(column)} <= ${to}::uuid`;
  return sql`${sql.ref(column)} > ${from}::uuid ${last}`;
}

/** Raises `historyFrom` to the last revision made before `before`. Every state from there on remains. */
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

/** Deletes versions in one statement, which reads one consistent state. No version that a new snapshot needs is lost. */
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
