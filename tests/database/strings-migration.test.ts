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

test("the migration marks TXT records of 0.1 as unread, and no records created later", async () => {
  for (const step of [
    "alter table records drop column strings",
    "alter table domains drop column splits_unread",
    "delete from mikro_orm_migrations where name = '0022-strings'",
    `insert into provider_configs (id, kind, name, config, members_may_use) values ('${id(1)}', 'manual', 'x', '{}', false)`,
    `insert into domains (id, name, provider_zone, provider_config_id, expiry_remind_days, auto_check_expiry)
      values ('${id(2)}', 'old.example', 'old.example', '${id(1)}', '{}', false)`,
  ]) {
    await run(step);
  }
  const insert = (last: number) =>
    run(`insert into records (record_id, version, domain_id, since, record_type, name, value, ttl, proxied, status, created_at, updated_at)
      values ('${id(last)}', 1, '${id(2)}', 1, 'TXT', 'x', 'x', 60, false, 'active', now(), now())`);
  await insert(3);
  await database.migrate();
  await insert(4);
  await run(`insert into domains (id, name, provider_zone, provider_config_id, expiry_remind_days, auto_check_expiry)
    values ('${id(5)}', 'young.example', 'young.example', '${id(1)}', '{}', false)`);
  expect(await run("select strings from records order by record_id")).toEqual([{ strings: "" }, { strings: null }]);
  expect(await run("select splits_unread as unread from domains order by id")).toEqual([
    { unread: true },
    { unread: false },
  ]);
});
