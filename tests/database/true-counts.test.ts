import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { queries, type Database } from "../../server/database/database.ts";
import { newMigratedDatabase } from "../support/database.ts";

let database: Database;
beforeAll(async () => {
  database = await newMigratedDatabase();
});
afterAll(() => database.close());

const run = async (text: string) =>
  (await sql<Record<string, unknown>>`${sql.raw(text)}`.execute(queries(database.fork()))).rows;
const id = (last: number) => `01a1fb0f-6204-7000-abd4-27000000000${last}`;

test("the migration corrects record counts that moves of earlier versions got wrong, and no count is negative", async () => {
  await run("alter table domains drop constraint domains_record_count_check");
  await run("delete from mikro_orm_migrations where name = '0029-true-counts'");
  await run(
    `insert into provider_configs (id, kind, name, config, members_may_use) values ('${id(1)}', 'manual', 'x', '{}', false)`,
  );
  for (const [last, count] of [
    [2, -1],
    [3, 7],
  ] as const) {
    await run(`insert into domains (id, name, provider_zone, provider_config_id, expiry_remind_days, auto_check_expiry, record_count)
      values ('${id(last)}', 'zone${last}.example', 'zone${last}.example', '${id(1)}', '{}', false, ${count})`);
  }
  await run(`insert into records (record_id, version, domain_id, since, until, record_type, name, value, ttl, proxied, status, created_at, updated_at)
    values ('${id(4)}', 1, '${id(2)}', 1, null, 'A', 'x', '192.0.2.1', 60, false, 'active', now(), now()),
      ('${id(5)}', 1, '${id(2)}', 1, 2, 'A', 'y', '192.0.2.1', 60, false, 'active', now(), now())`);
  await database.migrate();
  expect(await run("select record_count as count from domains order by name")).toEqual([{ count: 1 }, { count: 0 }]);
  await expect(run("update domains set record_count = -1")).rejects.toThrow("domains_record_count_check");
});
