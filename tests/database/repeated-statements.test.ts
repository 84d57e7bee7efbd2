import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { openDatabase, queries, type Database, type EntityManager } from "../../server/database/database.ts";
import { emptyDatabase, newMemoryDatabase } from "../support/database.ts";

let database: Database;
beforeAll(async () => {
  database = await emptyDatabase();
});

/** Statements are prepared on their second use, and planned for any parameters after some more. */
const uses = 8;

async function results<T>(em: EntityManager, ask: (em: EntityManager) => Promise<T>): Promise<T[]> {
  const found: T[] = [];
  for (let use = 0; use < uses; use++) found.push(await ask(em));
  return found;
}

async function probe(em: EntityManager, text: string, version: string | null = null) {
  return await sql`
    update installation set probe = ${text} where ${version}::text is null or version = ${version}
  `.execute(queries(em));
}

describe("a statement that is repeated", () => {
  const values = sql`
    select ${"\uFEFFtext, with 'quotes' and ünïcode"}::text as text, ${null}::text as nothing, ${7}::int as whole,
      ${true}::boolean as yes, ${new Date("2026-02-03T04:05:06.789Z")}::timestamptz as at, ${1.5}::float8 as part,
      ${"9007199254740993"}::bigint as large, ${JSON.stringify({ a: [1, "two", null] })}::jsonb as json,
      ${"0192d3a0-0000-7000-8000-000000000000"}::uuid as id, ${["one", 't,w"o']}::text[] as texts
  `;

  test("a repeated statement returns the same as the first time, for values of every type", async () => {
    const [first, ...others] = await results(
      database.fork(),
      async (em) => (await values.execute(queries(em))).rows[0],
    );
    expect(first).toMatchObject({
      text: "\uFEFFtext, with 'quotes' and ünïcode",
      nothing: null,
      whole: 7,
      yes: true,
      at: new Date("2026-02-03T04:05:06.789Z"),
      part: 1.5,
      json: { a: [1, "two", null] },
      id: "0192d3a0-0000-7000-8000-000000000000",
      texts: ["one", 't,w"o'],
    });
    for (const other of others) expect(other).toEqual(first);
  });

  test("a repeated statement takes other parameters each time, and may find no row", async () => {
    const em = database.fork();
    for (let most = 0; most < uses; most++) {
      const { rows } = await sql<{ n: number }>`select n from generate_series(1, ${most}::int) as n`.execute(
        queries(em),
      );
      expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: most }, (_, index) => index + 1));
    }
  });

  test("says how many rows it changed", async () => {
    const em = database.fork();
    const changed = await results(em, async () => {
      const all = await probe(em, "x");
      const none = await probe(em, "y", "?");
      return [all.numAffectedRows, none.numAffectedRows];
    });
    for (const counts of changed) expect(counts).toEqual([1n, 0n]);
  });

  test("a repeated statement fails with the database's code each time, and works again with good parameters", async () => {
    const em = database.fork();
    const inverse = (of: number) => sql<{ n: number }>`select 12 / ${of}::int as n`.execute(queries(em));
    for (let use = 0; use < uses; use++) {
      await expect(inverse(0)).rejects.toMatchObject({ code: "22012" });
      expect((await inverse(3)).rows).toEqual([{ n: 4 }]);
    }
  });

  test("a repeated statement is part of its transaction: a rollback undoes it, and its failure aborts it", async () => {
    const em = database.fork();
    await probe(em, "before");
    for (let use = 0; use < uses; use++) {
      const failing = em.transactional(async (tx) => {
        await probe(tx, "within");
        await sql`select 1 / ${0}::int`.execute(queries(tx));
      });
      await expect(failing).rejects.toMatchObject({ code: "22012" });
      const { rows } = await sql`select probe from installation where probe <> ${""}`.execute(queries(em));
      expect(rows).toEqual([{ probe: "before" }]);
    }
  });

  test("works beside more others than are prepared at a time", async () => {
    const em = database.fork();
    for (const round of [1, 2, 3]) {
      for (let each = 0; each < 320; each++) {
        const { rows } = await sql<{ n: number }>`select ${sql.lit(each)} + ${round}::int as n`.execute(queries(em));
        expect(rows).toEqual([{ n: each + round }]);
      }
    }
  });

  test("a repeated statement is prepared by the database, whether it reads or writes", async () => {
    const server = process.env["TEST_DATABASE_URL"];
    // Its own connection: one that has prepared many others prepares no more.
    const own =
      server === undefined ? await newMemoryDatabase() : await openDatabase({ databaseUrl: server, dataDir: "" });
    try {
      await own.fork().transactional(async (tx) => {
        await sql`create temporary table written (n int)`.execute(queries(tx));
        for (let use = 0; use < 3; use++) {
          await sql`insert into written (n) values (${use}::int)`.execute(queries(tx));
          await sql`select n from written where n = ${use}::int`.execute(queries(tx));
        }
        const { rows } = await sql<{ statement: string }>`
          select statement from pg_prepared_statements order by statement`.execute(queries(tx));
        expect(rows.map(({ statement }) => statement)).toEqual([
          "insert into written (n) values ($1::int)",
          "select n from written where n = $1::int",
        ]);
      });
    } finally {
      await own.close();
    }
  });

  test("a repeated statement fails at most once after its columns' types change, and then returns the new ones", async () => {
    const em = database.fork();
    await sql`create table changing (id int)`.execute(queries(em));
    try {
      const insert = async () =>
        (await sql`insert into changing (id) values (${1}::int) returning id`.execute(queries(em))).rows;
      await results(em, insert);
      await sql`alter table changing alter column id type text`.execute(queries(em));
      const outcomes = await Promise.allSettled(Array.from({ length: 40 }, insert));
      const failed = outcomes.filter(({ status }) => status === "rejected");
      // Once for each connection.
      expect(failed.length).toBeLessThanOrEqual(10);
      expect(await results(em, insert)).toEqual(Array.from({ length: uses }, () => [{ id: "1" }]));
    } finally {
      await sql`drop table changing`.execute(queries(em));
    }
  });
});

test("a statement without values returns its rows, says how many it changed, and may change none", async () => {
  await database.fork().transactional(async (tx) => {
    const run = (text: string) => sql.raw(text).execute(queries(tx));
    await run("create temporary table plain (n int, at timestamptz) on commit drop");
    const added = await run("insert into plain select n, '2026-02-03T04:05:06Z' from generate_series(1, 3) as n");
    expect(added).toMatchObject({ numAffectedRows: 3n, rows: [] });
    expect(await run("delete from plain where n = 9")).toMatchObject({ numAffectedRows: 0n });
    const kept = await run("update plain set n = n + 1 where n > 2 returning n, at");
    expect(kept).toMatchObject({ numAffectedRows: 1n, rows: [{ n: 4, at: new Date("2026-02-03T04:05:06Z") }] });
    expect((await run("select array_agg(n order by n) as all from plain")).rows).toEqual([{ all: [1, 2, 4] }]);
  });
});
