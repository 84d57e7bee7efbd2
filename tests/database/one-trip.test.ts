import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { afterCommit } from "../../server/database/after-commit.ts";
import { queries, type Database, type EntityManager } from "../../server/database/database.ts";
import { inOneTrip, oneByOne, withNext, type Later } from "../../server/database/statements.ts";
import { emptyDatabase } from "../support/database.ts";

let database: Database;
beforeAll(async () => {
  database = await emptyDatabase();
});

/** Statements are prepared on their second use, and planned for any parameters after some more. */
const uses = 8;

const probe =
  (tx: EntityManager, text: string): Later =>
  () =>
    sql`update installation set probe = ${text} where ${text}::text is not null`.compile(queries(tx));
const read =
  (tx: EntityManager, number = 0): Later =>
  () =>
    sql`select probe, ${number}::int as number from installation`.compile(queries(tx));
const fails =
  (tx: EntityManager, zero = 0): Later =>
  () =>
    sql`select 1 / ${zero}::int as none`.compile(queries(tx));

async function transaction<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
  return await database.fork().transactional(work);
}

async function stored(): Promise<string | null> {
  const { rows } = await sql<{ probe: string | null }>`select probe from installation`.execute(
    queries(database.fork()),
  );
  return rows[0]?.probe ?? null;
}

const division = expect.objectContaining({ message: expect.stringContaining("division by zero") });

describe.each([
  ["together", inOneTrip],
  ["one by one", oneByOne],
])("statements sent %s", (_how, send) => {
  test("statements run in order and return their own results", async () => {
    for (let use = 0; use < uses; use++) {
      const [one, other] = [`first ${use}`, `second ${use}`];
      const answers = await transaction((tx) => send(tx, [probe(tx, one), read(tx, 1), probe(tx, other), read(tx, 2)]));
      expect(answers).toEqual([
        { rows: [], numAffectedRows: 1n },
        expect.objectContaining({ rows: [{ probe: one, number: 1 }] }),
        { rows: [], numAffectedRows: 1n },
        expect.objectContaining({ rows: [{ probe: other, number: 2 }] }),
      ]);
      expect(await stored()).toBe(other);
    }
  });

  test("a failed statement rolls back all statements that were sent with it", async () => {
    for (let use = 0; use < uses; use++) {
      await transaction((tx) => send(tx, [probe(tx, "before")]));
      const failed = transaction((tx) => send(tx, [probe(tx, "one"), fails(tx), probe(tx, "other")]));
      await expect(failed).rejects.toEqual(division);
      expect(await stored()).toBe("before");
    }
  });

  test("statements outside a transaction are refused", async () => {
    const em = database.fork();
    await expect(send(em, [probe(em, "alone")])).rejects.toThrow("outside a transaction");
  });
});

describe("unawaited statements", () => {
  test("an unawaited statement has run when the next one runs, and when the transaction has committed", async () => {
    for (let use = 0; use < uses; use++) {
      const text = `waited ${use}`;
      const rows = await transaction(async (tx) => {
        await withNext(tx, [probe(tx, text)]);
        const { rows: found } = await sql`select probe from installation`.execute(queries(tx));
        await withNext(tx, [probe(tx, `${text}, committed`)]);
        return found;
      });
      expect(rows).toEqual([{ probe: text }]);
      expect(await stored()).toBe(`${text}, committed`);
    }
  });

  test("an unawaited statement that fails makes the commit fail: nothing is stored, and no work after the commit begins", async () => {
    for (let use = 0; use < uses; use++) {
      await transaction((tx) => inOneTrip(tx, [probe(tx, "before")]));
      let begun = 0;
      const failed = transaction(async (tx) => {
        afterCommit(tx, () => begun++);
        await inOneTrip(tx, [probe(tx, "one")]);
        await withNext(tx, [fails(tx), probe(tx, "other")]);
      });
      await expect(failed).rejects.toEqual(division);
      expect([await stored(), begun]).toEqual(["before", 0]);
    }
  });

  test("an unawaited statement that fails makes the commit fail, even if a later failure was ignored", async () => {
    for (let use = 0; use < uses; use++) {
      await transaction((tx) => inOneTrip(tx, [probe(tx, "before")]));
      const failed = transaction(async (tx) => {
        await withNext(tx, [probe(tx, "one"), fails(tx)]);
        await tx.transactional(async (nested) => await inOneTrip(nested, [read(nested)])).catch(() => undefined);
      });
      await expect(failed).rejects.toThrow(/division by zero|was rolled back/);
      expect(await stored()).toBe("before");
    }
  });

  test("an unawaited statement that fails makes the next one fail with its error, and the connection stays usable", async () => {
    const failed = transaction(async (tx) => {
      await withNext(tx, [fails(tx)]);
      await inOneTrip(tx, [read(tx)]);
    });
    await expect(failed).rejects.toEqual(division);
    expect(await transaction((tx) => inOneTrip(tx, [read(tx, 3)]))).toMatchObject([{ rows: [{ number: 3 }] }]);
  });

  test("an unawaited statement is undone by a rollback", async () => {
    await transaction((tx) => inOneTrip(tx, [probe(tx, "before")]));
    const refused = transaction(async (tx) => {
      await withNext(tx, [probe(tx, "after")]);
      throw new Error("refused");
    });
    await expect(refused).rejects.toThrow("refused");
    expect(await stored()).toBe("before");
  });

  test("an unawaited statement is undone with its savepoint", async () => {
    await transaction(async (tx) => {
      await withNext(tx, [probe(tx, "outer")]);
      const inner = tx.transactional(async (nested) => {
        await withNext(nested, [probe(nested, "inner")]);
        throw new Error("refused");
      });
      await expect(inner).rejects.toThrow("refused");
    });
    expect(await stored()).toBe("outer");
  });
});

test("a transaction in which a failure was ignored does not commit, whichever statement failed", async () => {
  const before = await stored();
  for (const failing of [1, 2]) {
    const ignored = transaction(async (tx) => {
      if (failing === 2) await inOneTrip(tx, [probe(tx, "never")]);
      await inOneTrip(tx, [fails(tx)]).catch(() => undefined);
    });
    await expect(ignored).rejects.toThrow("was rolled back");
    expect(await stored()).toBe(before);
  }
});

test("a transaction without a statement commits or rolls back, and the connection can be used again", async () => {
  expect(await transaction(() => Promise.resolve("done"))).toBe("done");
  await expect(transaction(() => Promise.reject(new Error("refused")))).rejects.toThrow("refused");
  expect(await transaction((tx) => inOneTrip(tx, [read(tx, 4)]))).toMatchObject([{ rows: [{ number: 4 }] }]);
});
