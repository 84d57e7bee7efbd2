import { sql } from "kysely";
import { queries, type EntityManager } from "../../database/database.ts";

/** Domains per transaction. Small enough that edits wait only briefly. */
const batch = 500;

/**
 * Creates scheduled snapshots: `daily` once after midnight UTC, `weekly` once from Monday on. One snapshot covers all missed ones.
 * Skips domains with a change in progress until the next run.
 * @returns the number of snapshots created.
 */
export async function makeScheduledSnapshots(em: EntityManager, now: Date, signal?: AbortSignal): Promise<number> {
  const day = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()));
  const week = new Date(day.getTime() - ((day.getUTCDay() + 6) % 7) * 24 * 3_600_000);
  const stopped = () => signal?.aborted === true;
  let made = 0;
  for (const [schedule, begins] of [
    ["daily", day],
    ["weekly", week],
  ] as const) {
    let count: number;
    do {
      count = await makeBatch(em, schedule, begins, now);
      made += count;
    } while (count === batch && !stopped());
  }
  return made;
}

async function makeBatch(em: EntityManager, schedule: string, begins: Date, now: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    with due as (
      select id from domains
      where snapshot_schedule = ${schedule} and status = 'active'
        and (scheduled_snapshot_at is null or scheduled_snapshot_at < ${begins})
      order by scheduled_snapshot_at nulls first
      limit ${batch}
      for update skip locked
    ), taken as (
      update domains set snapshot_sequence = snapshot_sequence + 1, scheduled_snapshot_at = ${now}
      from due where domains.id = due.id
      returning domains.id, snapshot_sequence, revision, record_count
    )
    insert into snapshots (id, domain_id, version, revision, trigger, record_count, created_by, created_at)
    select gen_random_uuid(), id, snapshot_sequence, revision, 'scheduled', record_count, null, ${now} from taken
  `.execute(queries(em));
  return Number(numAffectedRows ?? 0);
}

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
