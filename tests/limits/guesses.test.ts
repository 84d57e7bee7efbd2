import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { problemOf } from "../support/problems.ts";
import type { Answer } from "../support/rest-client.ts";
import { adminPassword, memberPassword, useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { TRUST_PROXY: "loopback" } });

beforeAll(async () => {
  for (const name of ["flooded", "patient", "scripted", "locked", "waiting", "watched"]) {
    await zw.services.users.create(zw.services.database.fork(), {
      username: name,
      password: memberPassword,
      email: null,
      role: "member",
    });
  }
});

afterEach(() => {
  vi.useRealTimers();
});

let addresses = 0;
/** An address without any attempts yet. */
function fresh(): string {
  addresses += 1;
  return `198.51.100.${addresses}`;
}

function login(username: string, password: string, address: string): Promise<Answer> {
  return zw.nobody.post("/api/auth/login", { username, password }, { "x-forwarded-for": address });
}

function inParallel(times: number, call: (index: number) => Promise<Answer>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: times }, (_, index) => call(index)));
}

function statuses(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test("of a hundred concurrent wrong passwords for one account, five are checked and the others get Retry-After", async () => {
  // A separate address each, so that only the account's limit counts.
  const answers = await inParallel(100, () => login("flooded", "a wrong password", fresh()));
  expect(statuses(answers)).toEqual({ 401: 5, 429: 95 });
  for (const answer of answers.filter(({ status }) => status === 429)) {
    expect(answer).toBeProblem(429, "TOO_MANY_REQUESTS");
    const seconds = Number(answer.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(900);
    expect(answer.headers.get("ratelimit-policy")).toBe('"guesses-account";q=5;w=900');
    expect(answer.headers.get("ratelimit")).toBe(`"guesses-account";r=0;t=${seconds}`);
  }
  expect(await login("flooded", memberPassword, fresh())).toBeProblem(429, "TOO_MANY_REQUESTS");
});

test("of a hundred concurrent wrong passwords from one address, twenty are checked, whatever the accounts", async () => {
  const address = fresh();
  const answers = await inParallel(100, (index) => login(`nobody-${index}`, "a wrong password", address));
  expect(statuses(answers)).toEqual({ 401: 20, 429: 80 });
  expect(await login("admin", adminPassword, address)).toBeProblem(429, "TOO_MANY_REQUESTS");
  expect(await login("admin", adminPassword, fresh())).toMatchObject({ status: 200 });
});

test("thirty concurrent correct passwords all sign in", async () => {
  const address = fresh();
  expect(statuses(await inParallel(30, () => login("scripted", memberPassword, address)))).toEqual({ 200: 30 });
});

test("with one attempt left, concurrent correct passwords all succeed, and the next wrong one is the last", async () => {
  for (let wrong = 0; wrong < 4; wrong++)
    expect((await login("patient", "a wrong password", fresh())).status).toBe(401);
  expect(statuses(await inParallel(20, () => login("patient", memberPassword, fresh())))).toEqual({ 200: 20 });
  expect((await login("patient", "a wrong password", fresh())).status).toBe(401);
  expect((await login("patient", memberPassword, fresh())).status).toBe(429);
});

test("among concurrent passwords, at most five wrong ones are checked, and no correct one fails", async () => {
  const answers = await inParallel(60, (index) =>
    login("waiting", index < 20 ? memberPassword : `wrong password ${index}`, fresh()),
  );
  expect(statuses(answers.slice(20))[401]).toBe(5);
  // Attempts after the fifth wrong one find the account blocked.
  const { 200: signedIn = 0, 429: late = 0 } = statuses(answers.slice(0, 20));
  expect(signedIn + late).toBe(20);
});

test("an unknown user name is limited like an account, with the same message", async () => {
  const guesses = async (name: string) => {
    const reported: unknown[] = [];
    for (let guess = 0; guess < 6; guess++) {
      const { status, headers, body } = await login(name, "a wrong password", fresh());
      reported.push(status, [...headers.keys()].toSorted(), { ...body, requestId: "" });
    }
    return JSON.stringify(reported);
  };
  const seconds = / \d+ seconds/g;
  const known = (await guesses("locked")).replaceAll(seconds, "");
  expect((await guesses("unheard-of")).replaceAll(seconds, "")).toBe(known);
  expect(problemOf(await login("UNHEARD-OF", "x", fresh()), 429, "TOO_MANY_REQUESTS").detail).toMatch(
    /Wait \d+ seconds/,
  );
});

test("after fifteen minutes the attempts are available again", async () => {
  expect((await login("flooded", memberPassword, fresh())).status).toBe(429);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 15 * 60_000 });
  expect((await login("flooded", "a wrong password", fresh())).status).toBe(401);
  expect((await login("flooded", memberPassword, fresh())).status).toBe(200);
});

test("at most five wrong passwords are checked in any fifteen minutes", async () => {
  const began = Date.now();
  const at = async (minutes: number, guesses: number) => {
    vi.useFakeTimers({ toFake: ["Date"], now: began + minutes * 60_000 });
    return await inParallel(guesses, () => login("watched", "a wrong password", fresh()));
  };
  expect(statuses(await at(0, 2))).toEqual({ 401: 2 });
  expect(statuses(await at(14, 10))).toEqual({ 401: 3, 429: 7 });
  const late = await at(16, 10);
  expect(statuses(late)).toEqual({ 401: 2, 429: 8 });
  // An attempt is available again once the oldest counted one is fifteen minutes old.
  for (const { headers } of late.filter(({ status }) => status === 429))
    expect(Math.abs(Number(headers.get("retry-after")) - 13 * 60)).toBeLessThan(15);
  expect(statuses(await at(28, 1))).toEqual({ 429: 1 });
  expect(statuses(await at(30, 10))).toEqual({ 401: 3, 429: 7 });
});

test("all addresses of an IPv6 subscriber count as one", async () => {
  for (let host = 0; host < 20; host++)
    expect((await login(`nobody-v6-${host}`, "x", `2001:db8:0:7::${host}`)).status).toBe(401);
  expect((await login("nobody-v6", "x", "2001:db8:0:7:ffff::1")).status).toBe(429);
  expect((await login("nobody-v6", "x", "2001:db8:0:8::1")).status).toBe(401);
});
