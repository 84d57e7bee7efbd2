import { afterAll, beforeAll, expect, test } from "vitest";
import { afterCommit } from "../../server/database/after-commit.ts";
import { queries, type Database, type EntityManager } from "../../server/database/database.ts";
import type { Logger } from "../../server/platform/log.ts";
import { newMemoryDatabase } from "../support/database.ts";
import { sql } from "kysely";

let database: Database;
const done: string[] = [];

beforeAll(async () => {
  database = await newMemoryDatabase();
});
afterAll(() => database.close());

async function statement(em: EntityManager): Promise<void> {
  await sql`select 1`.execute(queries(em));
}

test("after-commit work runs after the outermost transaction commits, in the order of its registration", async () => {
  done.length = 0;
  await database.fork().transactional(async (outer) => {
    await statement(outer);
    afterCommit(outer, () => done.push("first"));
    await outer.transactional(async (inner) => {
      await statement(inner);
      afterCommit(inner, () => done.push("second"));
    });
    afterCommit(outer, () => done.push("third"));
    expect(done).toEqual([]);
  });
  expect(done).toEqual(["first", "second", "third"]);
});

test("after-commit work of a rolled-back transaction or savepoint never runs", async () => {
  done.length = 0;
  await database.fork().transactional(async (outer) => {
    await statement(outer);
    const inner = outer.transactional(async (em) => {
      afterCommit(em, () => done.push("inner"));
      throw new Error("taken back");
    });
    await expect(inner).rejects.toThrow("taken back");
    afterCommit(outer, () => done.push("outer"));
  });
  expect(done).toEqual(["outer"]);

  const failing = database.fork().transactional(async (em) => {
    await em.transactional(async (inner) => afterCommit(inner, () => done.push("never")));
    throw new Error("taken back");
  });
  await expect(failing).rejects.toThrow("taken back");
  expect(done).toEqual(["outer"]);
});

test("after-commit work runs immediately without a transaction", () => {
  done.length = 0;
  afterCommit(database.fork(), () => done.push("now"));
  expect(done).toEqual(["now"]);
});

test("failing after-commit work is logged and affects neither the commit nor other work", async () => {
  const logged: unknown[] = [];
  database.logTo({ error: (entry: unknown) => void logged.push(entry) } as Logger);
  done.length = 0;
  const failure = new Error("throws");
  const rejection = new Error("rejects");
  await database.fork().transactional(async (em) => {
    await statement(em);
    afterCommit(em, () => {
      throw failure;
    });
    afterCommit(em, async () => await Promise.reject(rejection));
    afterCommit(em, () => done.push("rest"));
  });
  afterCommit(database.fork(), () => {
    throw failure;
  });
  await Promise.resolve();
  expect(done).toEqual(["rest"]);
  expect(logged).toEqual([{ err: failure }, { err: rejection }, { err: failure }]);
});
