import { sql } from "kysely";
import { expect, test } from "vitest";
import { queries } from "../../server/database/database.ts";
import { emptyDatabase } from "../support/database.ts";
import { page } from "../support/markdown.ts";

test("the table of records has at most ten indexes, each named in decision 0139 with the statements that need it", async () => {
  const database = await emptyDatabase();
  const { rows } = await sql<{ name: string }>`
    select indexname as name from pg_indexes where tablename = 'records' and schemaname = current_schema()
  `.execute(queries(database.fork()));
  const { text } = await page("docs/decisions/0139-indexes-of-records.md");
  const named = new Set([...text.matchAll(/^\| `(\w+)` \| [^|]+ \| [^|]+ \| \d+ \|$/gm)].map(([, name]) => name));
  expect(new Set(rows.map(({ name }) => name))).toEqual(named);
  expect(rows.length).toBeLessThanOrEqual(10);
});
