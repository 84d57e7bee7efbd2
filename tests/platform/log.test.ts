import { sql } from "kysely";
import { expect, test } from "vitest";
import { queries } from "../../server/database/database.ts";
import { newId } from "../../server/ids.ts";
import { createLog } from "../../server/log.ts";
import { User } from "../../server/users/entities.ts";
import { emptyDatabase } from "../support/database.ts";

/** What the log prints of an error. */
function printed(error: unknown): string {
  const lines: string[] = [];
  createLog("info", { write: (line) => lines.push(line) }).error({ err: error }, "a procedure failed");
  expect(lines).toHaveLength(1);
  return lines.join("");
}

async function failure(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => new Error("It did not fail."),
    (error: unknown) => error,
  );
}

test("a failed statement is logged with its place and code, never with the values that it carried", async () => {
  const database = await emptyDatabase();
  const addUser = async () => {
    const em = database.fork();
    em.create(User, {
      id: newId(),
      username: "someone",
      passwordHash: "$argon2id$the-hash",
      role: "admin",
      notificationsEnabled: true,
      emailNotificationsEnabled: false,
      createdAt: new Date(),
    });
    await em.flush();
  };
  await addUser();
  const db = queries(database.fork());
  const failures = [
    await failure(addUser()),
    await failure(sql`update users set role = 'none' where username = ${"someone"}`.execute(db)),
    await failure(sql`select ${"the-hash"}::int`.execute(db)),
    new Error("outside", { cause: Object.assign(new Error("inside"), { params: ["the-hash"] }) }),
  ];
  for (const error of failures) {
    const line = printed(error);
    expect(line).not.toContain("the-hash");
    const { err } = JSON.parse(line) as { err: Record<string, string> };
    expect(err["message"]).not.toBe("");
    expect(err["stack"]).toMatch(/^ {4}at /);
  }
  expect(printed(failures[0])).toContain('"code":"23505"');
  expect(printed(failures[0])).toContain("users_username_key");
  expect(printed(failures[3])).toContain('"message":"inside"');
});
