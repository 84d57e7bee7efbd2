import { sql } from "kysely";
import { expect, test } from "vitest";
import { queries } from "../../server/database/database.ts";
import { everyColumn } from "../../server/database/query-helpers.ts";
import { entities, type Tables } from "../../server/database/tables/all.ts";
import { emptyDatabase } from "../support/database.ts";

test("every column that a table is defined with is named as the database names it", async () => {
  const database = await emptyDatabase();
  const { rows } = await sql<{ place: string }>`
    select table_name || '.' || column_name as place from information_schema.columns where table_schema = 'public'
  `.execute(queries(database.fork()));
  const stored = new Set(rows.map(({ place }) => place));
  const tables = entities.map(({ meta }) => meta.tableName as keyof Tables);
  const named = tables.flatMap((table) => everyColumn(table) as string[]);
  expect(named.length).toBeGreaterThan(tables.length);
  expect(named.filter((place) => !stored.has(place))).toEqual([]);
});
