import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { queries } from "../../server/database/database.ts";
import { newId } from "../../server/platform/ids.ts";
import { createLog, FewLines, logOutput } from "../../server/platform/log.ts";
import { User } from "../../server/database/tables/users.ts";
import { emptyDatabase } from "../support/database.ts";

/** The log line of an error. */
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

test("a failed statement is logged with stack and code, but never with its values", async () => {
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

const refused = (address: string) =>
  Object.assign(new Error(`connect ECONNREFUSED ${address}`), { code: "ECONNREFUSED" });
const copied = ({ message, stack = "" }: Error) => ({ message, stack, code: "57P01", queue: "changes.repair" });

describe("thrown values that are not Errors are logged with their cause", () => {
  test.each([
    ["a copy of one, as the job queue has it", copied(new Error("terminating connection")), "terminating connection"],
    [
      "one for each address of a host",
      new AggregateError([refused("::1:5432"), refused("127.0.0.1:5432")], ""),
      "connect ECONNREFUSED ::1:5432; connect ECONNREFUSED 127.0.0.1:5432",
    ],
    ["a text", "out of order", "out of order"],
    ["a number", 7, "Thrown: 7"],
    ["an object without a message", { password: "hunter2" }, "Thrown value without a message"],
  ])("a thrown value that is not an Error is logged: %s", (_label, thrown, message) => {
    const line = printed(thrown);
    expect((JSON.parse(line) as { err: Record<string, string> }).err["message"]).toBe(message);
    expect(line).not.toContain("hunter2");
    expect(line).not.toContain("Not an Error was thrown");
  });

  test("a cause that is a plain object is logged with the error around it", () => {
    const line = printed(new Error("outside", { cause: { message: "inside", code: "57P01" } }));
    expect(JSON.parse(line)).toMatchObject({
      err: { message: "outside", cause: { message: "inside", code: "57P01" } },
    });
  });
});

test("a text log line has time, level, message and fields, then the error, and cannot be split by its content", () => {
  const lines: string[] = [];
  const log = createLog("info", logOutput("text", { write: (text) => lines.push(text) }));
  log.warn({ code: "UNAVAILABLE", zone: "a zone" }, "a call could not be carried out");
  log.error({ err: new Error("refused\n\u001B[2Jforged", { cause: new Error("inside") }) }, "a job failed");
  expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d warn {2}a call could not be carried out code=UNAVAILABLE zone="a zone"\n$/);
  expect(lines[1]).toMatch(/^\S+ error a job failed\n {2}Error: refused {1,2}\[2Jforged\n {4}at .*/);
  expect(lines[1]).toContain("  caused by Error: inside\n");
});

test("of the lines that anybody may cause, twenty are written each minute, and the next has the number of those left out", () => {
  let milliseconds = 0;
  const few = new FewLines(() => milliseconds);
  const written: object[] = [];
  const cause = (count: number) => {
    for (let time = 0; time < count; time++) few.write((fields) => written.push(fields));
  };
  cause(1_000);
  expect(written).toEqual(Array.from({ length: 20 }, () => ({})));
  milliseconds = 60_000;
  cause(2);
  expect(written.slice(20)).toEqual([{ leftOut: 980 }, {}]);
});
