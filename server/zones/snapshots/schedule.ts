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
