import { argon2i, hash, type HashOptions } from "argon2";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { patience } from "../../support/patience.ts";
import { problemOf } from "../../support/problems.ts";
import type { Answer } from "../../support/rest-client.ts";
import { adminPassword, memberPassword, useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright({ realHashes: true, env: { TRUST_PROXY: "loopback" } });

beforeAll(async () => {
  await zw.member("Ada");
});

function login(username: string, password: string, rememberMe?: boolean): Promise<Answer> {
  return zw.nobody.post("/api/auth/login", { username, password, ...(rememberMe === undefined ? {} : { rememberMe }) });
}

async function setUser(
  username: string,
  columns: { password_hash?: string | null; access_epoch?: number; disabled_at?: Date | null },
) {
  const em = zw.services.database.fork();
  await queries(em).updateTable("users").set(columns).where("username", "=", username).execute();
}

async function storedHash(username: string): Promise<string> {
  const em = zw.services.database.fork();
  const row = await queries(em)
    .selectFrom("users")
    .select("password_hash")
    .where("username", "=", username)
    .executeTakeFirstOrThrow();
  return row.password_hash ?? "";
}

test("a sign-in returns both tokens and the user, and nothing else", async () => {
  const { status, headers, body } = await login("admin", adminPassword);
  expect(status).toBe(200);
  expect(Object.keys(body).toSorted()).toEqual(["accessToken", "refreshToken", "user"]);
  expect(body.user).toEqual({ id: expect.any(String), username: "admin", email: null, role: "admin" });
  expect(headers.get("cache-control")).toBe("no-store");
});

test("sign-in ignores the case of the username, but not of the password", async () => {
  for (const username of ["Ada", "ada", "ADA"]) expect((await login(username, memberPassword)).status).toBe(200);
  expect(await login("Ada", memberPassword.toUpperCase())).toBeProblem(401, "UNAUTHORIZED");
});

test("an unknown user, a wrong password and a disabled user get the same error", async () => {
  await zw.member("Disabled");
  await setUser("Disabled", { disabled_at: new Date() });
  await zw.member("Passwordless");
  await setUser("Passwordless", { password_hash: null });
  const answers = [
    await login("nobody", memberPassword),
    await login("admin", "a wrong password"),
    await login("Disabled", memberPassword),
    await login("Disabled", "a wrong password"),
    await login("Passwordless", memberPassword),
  ];
  const words = answers.map((answer) => {
    const { requestId: _requestId, ...problem } = problemOf(answer, 401, "UNAUTHORIZED");
    expect(answer.headers.get("set-cookie")).toBeNull();
    return problem;
  });
  expect(new Set(words.map((one) => JSON.stringify(one))).size).toBe(1);
});

test("a user disabled after sign-in is refused within a second, and cannot refresh the session", async () => {
  const member = await zw.member("Leaving");
  const { body } = await login("Leaving", memberPassword);
  await setUser("Leaving", { disabled_at: new Date() });
  expect(await zw.nobody.post("/api/auth/refresh", { refreshToken: body.refreshToken })).toBeProblem(
    401,
    "UNAUTHORIZED",
  );
  await vi.waitFor(async () => expect(await member.get("/api/auth/me")).toBeProblem(401, "UNAUTHORIZED"), patience);
});

test.each([
  ["no password", { username: "admin" }, "password"],
  ["an empty password", { username: "admin", password: "" }, "password"],
  ["a password of 1025 characters", { username: "admin", password: "x".repeat(1_025) }, "password"],
  ["a number as username", { username: 1, password: "x" }, "username"],
  ["a NUL in the username", { username: "admin\0", password: "x" }, "username"],
  ["a string as rememberMe", { username: "admin", password: "x", rememberMe: "true" }, "rememberMe"],
  ["an unknown field", { username: "admin", password: "x", role: "admin" }, "role"],
])("a sign-in with %s is refused before any password is checked", async (_what, body, field) => {
  const { issues } = problemOf(await zw.nobody.post("/api/auth/login", body), 400, "BAD_REQUEST");
  expect(issues).toMatchObject([{ path: [field] }]);
});

test("the current user has the documented fields, and no secrets", async () => {
  const ada = await zw.signIn("ada", memberPassword);
  const { status, body } = await ada.get("/api/auth/me");
  expect(status).toBe(200);
  expect(body).toEqual({
    id: expect.any(String),
    username: "Ada",
    email: null,
    emailVerified: false,
    role: "member",
    displayName: null,
    nickname: null,
    avatarUrl: null,
    notificationsEnabled: true,
    emailNotificationsEnabled: false,
    twoFactorMethods: [],
    hasPassword: true,
    confirmedUntil: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    lastLoginAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });
});

describe("password hashing", () => {
  const target = /^\$argon2id\$v=19\$m=47104,p=1,t=1\$[\w+/]{22}\$[\w+/]{43}$/;

  test("passwords are stored as argon2id with 46 MiB, one pass and one lane", async () => {
    expect(await storedHash("admin")).toMatch(target);
  });

  test("passwords match in any Unicode normalization form", async () => {
    await zw.services.users.create(zw.services.database.fork(), {
      username: "composed",
      password: "pa\u0308ssword with an umlaut",
      email: null,
      role: "member",
    });
    expect((await login("composed", "p\u00e4ssword with an umlaut")).status).toBe(200);
  });

  test.each<[string, HashOptions]>([
    ["fewer passes and less memory", { memoryCost: 4_096, timeCost: 1, parallelism: 1 }],
    ["another kind of argon2", { type: argon2i, memoryCost: 47_104, timeCost: 1, parallelism: 1 }],
  ])("passwords hashed with %s are rehashed at the next sign-in, and continue to work", async (_what, cost) => {
    const weak = await hash(memberPassword, cost);
    await setUser("Ada", { password_hash: weak });
    expect(await login("ada", "a wrong password")).toBeProblem(401, "UNAUTHORIZED");
    expect(await storedHash("Ada")).toBe(weak);
    expect((await login("ada", memberPassword)).status).toBe(200);
    const strong = await storedHash("Ada");
    expect(strong).toMatch(target);
    expect((await login("ada", memberPassword)).status).toBe(200);
    expect(await storedHash("Ada")).toBe(strong);
  });

  test("passwords are checked a few at a time, and a flood of sign-ins gets 503 instead of 500", async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        zw.nobody.post(
          "/api/auth/login",
          { username: `flood-${index}`, password: "x" },
          { "x-forwarded-for": `198.51.100.${index}` },
        ),
      ),
    );
    const busy = answers.filter(({ status }) => status !== 401);
    for (const answer of busy) expect(answer).toBeProblem(503, "UNAVAILABLE");
    expect(busy.length).toBeGreaterThan(0);
    // At least one being checked and twenty in the queue.
    expect(answers.length - busy.length).toBeGreaterThanOrEqual(21);
    expect((await login("admin", adminPassword)).status).toBe(200);
  });
});

/** Starts a sign-in whose password check waits for other checks before it. */
async function checking(username: string): Promise<{ answer: Promise<Answer>; isOver: () => boolean }> {
  const others = Array.from({ length: 8 }, (_, index) =>
    zw.nobody.post(
      "/api/auth/login",
      { username: `before-${index}`, password: "x" },
      { "x-forwarded-for": `198.51.100.${100 + index}` },
    ),
  );
  let over = false;
  const answer = login(username, memberPassword).finally(() => (over = true));
  await Promise.race(others);
  return { answer, isOver: () => over };
}

test.each<[string, () => Promise<Parameters<typeof setUser>[1]>]>([
  ["password is changed", async () => ({ password_hash: await storedHash("admin"), access_epoch: 1 })],
  ["account is disabled", () => Promise.resolve({ disabled_at: new Date() })],
])("a sign-in is refused if the %s while its password is being checked", async (what, columns) => {
  let refused = false;
  // Retried if the sign-in completed just before the change.
  for (let tries = 0; tries < 10 && !refused; tries++) {
    const username = `${what.split(" ")[0]}-${tries}`;
    await zw.member(username);
    const change = await columns();
    const { answer, isOver } = await checking(username);
    await setUser(username, change);
    const wasInTime = !isOver();
    refused = (await answer).status === 401 && wasInTime;
  }
  expect(refused).toBe(true);
});
