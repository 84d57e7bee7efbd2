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

/** Does what the job `database.vacuum` does: at any time, or when nobody minds that it takes longer. */
async function upkeep(how: { thorough: boolean } = { thorough: false }) {
  const reclaimed = await database.upkeep?.(how);
  if (!reclaimed) throw new Error("This database looks after itself.");
  return reclaimed;
}

async function sizeOf(table: string): Promise<number> {
  const [row] = await run(`select pg_total_relation_size('${table}')::int as bytes`);
  return Number(row?.["bytes"]);
}

/** Makes a table whose every change writes rows and entries of an index anew. */
async function makeTable(name: string, rows: number, text = ""): Promise<void> {
  await run(`create table ${name} (id int primary key, at int, text text)`);
  await run(`create index on ${name} (at)`);
  await run(`insert into ${name} select n, 0, '${text}' from generate_series(1, ${rows}) n`);
  await run(`analyze ${name}`);
}

test("rows that are replaced again and again take the space of those before them", async () => {
  await makeTable("replaced", 1_000);
  const sizes: number[] = [];
  for (let round = 1; round <= 20; round++) {
    await run("update replaced set at = at + 1");
    const { vacuumed } = await upkeep();
    expect(vacuumed).toContain("public.replaced");
    sizes.push(await sizeOf("replaced"));
  }
  expect(sizes[19]).toBe(sizes[4]);
  expect((await upkeep()).vacuumed).not.toContain("public.replaced");
});

test("the indexes of a large table are cleaned in a thorough run, which may take longer", async () => {
  await makeTable("large", 20_000, "x".repeat(400));
  await run("update large set at = at + 1 where id % 3 = 0");
  expect((await upkeep()).vacuumed).toContain("public.large");
  expect((await upkeep()).vacuumed).not.toContain("public.large");
  expect((await upkeep({ thorough: true })).vacuumed).toContain("public.large");
  expect((await upkeep({ thorough: true })).vacuumed).not.toContain("public.large");
});

test("a table that grew for months without a vacuum gives back its space in the next thorough run", async () => {
  await makeTable("grown", 1_000, "x".repeat(400));
  for (let round = 1; round <= 40; round++) await run("update grown set at = at + 1");
  const grown = await sizeOf("grown");
  expect((await upkeep()).rewritten).toEqual([]);
  expect((await upkeep({ thorough: true })).rewritten).toEqual(["public.grown"]);
  expect(await sizeOf("grown")).toBeLessThan(grown / 8);
  expect(await run("select count(*)::int as count, min(at) as at from grown")).toEqual([{ count: 1_000, at: 40 }]);
});

const startOfLog = () => run("select redo_lsn::text as lsn from pg_control_checkpoint()");

test("the write-ahead log is written over after sixteen megabytes", async () => {
  const before = await startOfLog();
  await makeTable("logged", 20_000, "x".repeat(1_000));
  expect(await startOfLog()).toEqual(before);
  await upkeep();
  const after = await startOfLog();
  expect(after).not.toEqual(before);
  await upkeep();
  expect(await startOfLog()).toEqual(after);
});
