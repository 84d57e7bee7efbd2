import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { queries, type Database } from "../../server/database/database.ts";
import { newMigratedDatabase } from "../support/database.ts";

let database: Database;
beforeAll(async () => {
  database = await newMigratedDatabase();
});
afterAll(async () => {
  await database.close();
});

const run = async (text: string) =>
  (await sql<Record<string, unknown>>`${sql.raw(text)}`.execute(queries(database.fork()))).rows;

async function addEntries(count: number): Promise<void> {
  await sql`
    insert into audit_entries (id, at, action, target_type)
    select gen_random_uuid(), now(), 'test.grow', 'domain' from generate_series(1, ${count}::int)
  `.execute(queries(database.fork()));
}

/** Begins a transaction, and returns how many rows the planner expects in the table. */
async function expectedNext(table = "audit_entries"): Promise<number> {
  return await database.fork().transactional(async (tx) => {
    const { rows } = await sql<{ rows: number }>`
      select reltuples::int as rows from pg_class where oid = ${table}::regclass
    `.execute(queries(tx));
    return rows[0]?.rows ?? 0;
  });
}

test("the embedded engine counts the rows of a table whenever it has grown by half, and not before", async () => {
  expect(await expectedNext()).toBeLessThanOrEqual(0);
  await addEntries(2_000);
  const counted = await expectedNext();
  expect(counted).toBe(2_000);
  await addEntries(500);
  expect(await expectedNext()).toBe(2_000);
  await addEntries(1_500);
  expect(await expectedNext()).toBe(4_000);
});

test("the embedded engine counts the rows of the job queue's tables, too", async () => {
  const em = database.fork();
  await sql`create schema jobs`.execute(queries(em));
  await sql`create table jobs.job_common (n int)`.execute(queries(em));
  await sql`insert into jobs.job_common select n from generate_series(1, 30000) as n`.execute(queries(em));
  expect(await expectedNext("jobs.job_common")).toBe(30_000);
});

test("a table that was counted when it was empty is counted again before the next statement, although it takes no more pages", async () => {
  await run("delete from jobs.job_common");
  expect(await expectedNext("jobs.job_common")).toBe(0);
  await run("insert into jobs.job_common select n from generate_series(1, 600) as n");
  expect(await run("select reltuples::int as rows from pg_class where relname = 'job_common'")).toEqual([
    { rows: 600 },
  ]);
});

const id = (last: number) => `01a1fb0f-6204-7000-abd4-27000000000${last}`;

test("after an emptied zone is filled again, the next statement is planned for its records, not for an empty table", async () => {
  await run(
    `insert into provider_configs (id, kind, name, config, members_may_use) values ('${id(1)}', 'manual', 'x', '{}', false)`,
  );
  await run(`insert into domains (id, name, provider_zone, provider_config_id, expiry_remind_days, auto_check_expiry, record_count)
    values ('${id(2)}', 'zone.example', 'zone.example', '${id(1)}', '{}', false, 0)`);
  const fill = (count: number) =>
    run(`insert into records (record_id, version, domain_id, since, record_type, name, value, ttl, proxied, status, created_at, updated_at)
    select gen_random_uuid(), 1, '${id(2)}', 1, 'A', 'h' || n, '192.0.2.1', 60, false, 'active', now(), now() from generate_series(1, ${count}) n`);
  await fill(3_000);
  await run("delete from records");
  await run("analyze records");
  // Not half as many pages again.
  await fill(1_000);
  // Where none are expected, all indexes cost the same, and the one that is taken may lead through the whole zone for each record.
  const [plan] = await run("explain select record_id from records where until is null");
  expect(Number(/rows=(\d+)/.exec(String(plan?.["QUERY PLAN"]))?.[1])).toBe(1_000);
});
