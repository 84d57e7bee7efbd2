import { sql } from "kysely";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { queries, type Database } from "../../server/database/database.ts";
import { newMigratedDatabase } from "../support/database.ts";

let database: Database;
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  database = await newMigratedDatabase();
});
afterAll(async () => {
  vi.useRealTimers();
  await database.close();
});

async function addEntries(count: number): Promise<void> {
  await sql`
    insert into audit_entries (id, at, action, target_type)
    select gen_random_uuid(), now(), 'test.grow', 'domain' from generate_series(1, ${count}::int)
  `.execute(queries(database.fork()));
}

/** Begins a transaction a while after the last one, and returns how many rows the planner expects in the table. */
async function expectedLater(table = "audit_entries"): Promise<number> {
  vi.advanceTimersByTime(10_000);
  return await database.fork().transactional(async (tx) => {
    const { rows } = await sql<{ rows: number }>`
      select reltuples::int as rows from pg_class where oid = ${table}::regclass
    `.execute(queries(tx));
    return rows[0]?.rows ?? 0;
  });
}

test("the embedded engine counts the rows of a table whenever it has grown by half, and not before", async () => {
  expect(await expectedLater()).toBeLessThanOrEqual(0);
  await addEntries(2_000);
  const counted = await expectedLater();
  expect(counted).toBe(2_000);
  await addEntries(500);
  expect(await expectedLater()).toBe(2_000);
  await addEntries(1_500);
  expect(await expectedLater()).toBe(4_000);
});

test("the embedded engine counts the rows of the job queue's tables, too", async () => {
  const em = database.fork();
  await sql`create schema jobs`.execute(queries(em));
  await sql`create table jobs.job_common as select n from generate_series(1, 30000) as n`.execute(queries(em));
  expect(await expectedLater("jobs.job_common")).toBe(30_000);
});
