import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { problemOf } from "../../support/problems.ts";
import type { Answer } from "../../support/rest-client.ts";
import { adminPassword, memberPassword, useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright({ env: { TRUST_PROXY: "loopback" } });

beforeAll(async () => {
  for (const name of ["flooded", "patient", "scripted", "locked", "waiting", "watched", "botnet", "owner", "rescued"]) {
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

let networks = 0;
/** An address in a network without any attempts yet. */
function fresh(): string {
  networks += 1;
  return `8.${networks >> 8}.${networks & 255}.7`;
}
/** The addresses of one network, without any attempts yet. */
function network(): () => string {
  let hosts = 0;
  const first = fresh();
  return () => first.replace(/7$/, String((hosts += 1)));
}

function login(username: string, password: string, address: string, cookie?: string): Promise<Answer> {
  const headers = { "x-forwarded-for": address, ...(cookie === undefined ? {} : { cookie }) };
  return zw.nobody.post("/api/auth/login", { username, password }, headers);
}

/** What a browser sends back: all cookies that a response sets, as one header. */
function cookiesOf({ headers }: Answer): string {
  return headers
    .getSetCookie()
    .map((cookie) => cookie.replace(/;.*/, ""))
    .join("; ");
}

function inParallel(times: number, call: (index: number) => Promise<Answer>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: times }, (_, index) => call(index)));
}

function statuses(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test("of a hundred concurrent wrong passwords for one account from one network, five are checked and the others get Retry-After", async () => {
  // A separate address each, so that only the account's limit counts.
  const address = network();
  const answers = await inParallel(100, () => login("flooded", "a wrong password", address()));
  expect(statuses(answers)).toEqual({ 401: 5, 429: 95 });
  for (const answer of answers.filter(({ status }) => status === 429)) {
    expect(answer).toBeProblem(429, "TOO_MANY_REQUESTS");
    const seconds = Number(answer.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(900);
    expect(answer.headers.get("ratelimit-policy")).toBe('"guesses-account";q=5;w=900');
    expect(answer.headers.get("ratelimit")).toBe(`"guesses-account";r=0;t=${seconds}`);
  }
  expect(await login("flooded", memberPassword, address())).toBeProblem(429, "TOO_MANY_REQUESTS");
  expect((await login("flooded", memberPassword, fresh())).status).toBe(200);
});

test("of wrong passwords for one account from any number of networks, a hundred are checked in an hour, and a known browser still signs in", async () => {
  const cookie = cookiesOf(await login("botnet", memberPassword, fresh()));
  const began = Date.now();
  const answers: Answer[] = [];
  // No more at a time than the queue of hashes takes.
  while (answers.length < 105)
    answers.push(...(await inParallel(15, () => login("botnet", "a wrong password", fresh()))));
  expect(statuses(answers)).toEqual({ 401: 100, 429: 5 });
  const right = await login("botnet", memberPassword, fresh());
  expect(problemOf(right, 429, "TOO_MANY_REQUESTS").detail).toMatch(
    /^Too many failed attempts\. Wait \d+ seconds, then try again, or use a browser in which you have signed in before, or a passkey\.$/,
  );
  expect(right.headers.get("ratelimit-policy")).toBe('"guesses-hour";q=100;w=3600');
  expect((await login("botnet", memberPassword, fresh(), cookie)).status).toBe(200);
  vi.useFakeTimers({ toFake: ["Date"], now: began + 61 * 60_000 });
  expect((await login("botnet", memberPassword, fresh())).status).toBe(200);
});

test("a browser that signed in to an account before signs in whatever others at its address try", async () => {
  const home = fresh();
  const cookie = cookiesOf(await login("owner", memberPassword, home));
  expect(cookie).toMatch(/known_device_[0-9a-f]{16}=/);
  expect(statuses(await inParallel(6, () => login("owner", "a wrong password", home)))).toEqual({ 401: 5, 429: 1 });
  // One address has ten places in the queue of sign-ins.
  const others = [];
  for (const group of [1, 2])
    others.push(...(await inParallel(10, (index) => login(`nobody-${group}-${index}`, "a wrong password", home))));
  expect(statuses(others)).toEqual({ 401: 15, 429: 5 });
  expect((await login("owner", memberPassword, home)).status).toBe(429);
  expect((await login("owner", memberPassword, home, cookie)).status).toBe(200);
  // A changed cookie is none.
  const changed = cookie.replace(/(known_device_\w+=[\w-]+\.)\d+/, "$14102444800");
  expect(changed).not.toBe(cookie);
  expect((await login("owner", memberPassword, home, changed)).status).toBe(429);
  // The browser has five attempts of its own, wherever it is.
  expect(statuses(await inParallel(10, () => login("owner", "a wrong password", fresh(), cookie)))).toEqual({
    401: 5,
    429: 5,
  });
  const locked = await login("owner", memberPassword, fresh(), cookie);
  expect(locked.headers.get("ratelimit-policy")).toBe('"guesses-device";q=5;w=900');
});

test("a browser is known again after a sign-in when the account's password changed, and not before", async () => {
  const before = await login("rescued", memberPassword, fresh());
  const { body } = await zw.admin.get("/api/users?limit=100");
  const { id } = body.users.find(({ username }: { username: string }) => username === "rescued");
  const password = "set by an administrator";
  expect((await zw.admin.put(`/api/users/${id}`, { password })).status).toBe(200);
  const address = network();
  const answers = await inParallel(8, () => login("rescued", "a wrong password", address(), cookiesOf(before)));
  expect(statuses(answers)).toEqual({ 401: 5, 429: 3 });
  expect(answers.find(({ status }) => status === 429)?.headers.get("ratelimit-policy")).toContain("guesses-account");
  const after = cookiesOf(await login("rescued", password, fresh()));
  expect((await login("rescued", password, address(), after)).status).toBe(200);
});

test("a refresh by its cookie makes the browser known, unless it is already", async () => {
  const [, refresh = ""] =
    /(refresh_token=[^;]+)/.exec(cookiesOf(await login("scripted", memberPassword, fresh()))) ?? [];
  const renewed = await zw.nobody.post("/api/auth/refresh", undefined, { cookie: refresh });
  const cookie = renewed.headers.getSetCookie().find((one) => one.startsWith("known_device_")) ?? "";
  expect(cookie.split("; ").slice(1).toSorted()).toEqual(["HttpOnly", "Max-Age=31536000", "Path=/", "SameSite=Lax"]);
  const again = await zw.nobody.post("/api/auth/refresh", undefined, { cookie: cookiesOf(renewed) });
  expect(again.headers.getSetCookie()).toEqual([expect.stringMatching(/^refresh_token=/)]);
});

test("of a hundred concurrent wrong passwords from one address, twenty are checked, whatever the accounts", async () => {
  const address = fresh();
  const checked: number[] = [];
  // A sign-in that finds the queue full gets 503 and is sent again.
  for (let left = 100; left > 0;) {
    const codes = (await inParallel(left, (index) => login(`nobody-${index}`, "a wrong password", address))).map(
      ({ status }) => status,
    );
    left = codes.filter((code) => code === 503).length;
    checked.push(...codes.filter((code) => code !== 503));
  }
  expect(Object.groupBy(checked, String)).toMatchObject({ 401: { length: 20 }, 429: { length: 80 } });
  expect(await login("admin", adminPassword, address)).toBeProblem(429, "TOO_MANY_REQUESTS");
  expect(await login("admin", adminPassword, fresh())).toMatchObject({ status: 200 });
});

test("thirty correct passwords, ten at a time, all sign in", async () => {
  const address = fresh();
  for (let group = 0; group < 3; group++)
    expect(statuses(await inParallel(10, () => login("scripted", memberPassword, address)))).toEqual({ 200: 10 });
});

test("with one attempt left, concurrent correct passwords all succeed, and the next wrong one is the last", async () => {
  const address = network();
  for (let wrong = 0; wrong < 4; wrong++)
    expect((await login("patient", "a wrong password", address())).status).toBe(401);
  // One after another: the last of more could wait longer than the service lets it.
  expect(statuses(await inParallel(8, () => login("patient", memberPassword, address())))).toEqual({ 200: 8 });
  expect((await login("patient", "a wrong password", address())).status).toBe(401);
  expect((await login("patient", memberPassword, address())).status).toBe(429);
});

test("among concurrent passwords, at most five wrong ones are checked, and no correct one fails", async () => {
  const address = network();
  const answers = await inParallel(60, (index) =>
    login("waiting", index < 20 ? memberPassword : `wrong password ${index}`, address()),
  );
  expect(statuses(answers.slice(20))[401]).toBe(5);
  // Attempts after the fifth wrong one find the account blocked.
  const { 200: signedIn = 0, 429: late = 0 } = statuses(answers.slice(0, 20));
  expect(signedIn + late).toBe(20);
});

test("an unknown user name is limited like an account, with the same message", async () => {
  const address = network();
  const guesses = async (name: string) => {
    const reported: unknown[] = [];
    for (let guess = 0; guess < 6; guess++) {
      const { status, headers, body } = await login(name, "a wrong password", address());
      reported.push(status, [...headers.keys()].toSorted(), { ...body, requestId: "" });
    }
    return JSON.stringify(reported);
  };
  const seconds = / \d+ seconds/g;
  const known = (await guesses("locked")).replaceAll(seconds, "");
  expect((await guesses("unheard-of")).replaceAll(seconds, "")).toBe(known);
  expect(problemOf(await login("UNHEARD-OF", "x", address()), 429, "TOO_MANY_REQUESTS").detail).toMatch(
    /Wait \d+ seconds/,
  );
});

test("after fifteen minutes the attempts are available again", async () => {
  const address = network();
  expect(statuses(await inParallel(6, () => login("flooded", "a wrong password", address())))).toEqual({
    401: 5,
    429: 1,
  });
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 15 * 60_000 });
  expect((await login("flooded", "a wrong password", address())).status).toBe(401);
  expect((await login("flooded", memberPassword, address())).status).toBe(200);
});

test("at most five wrong passwords are checked in any fifteen minutes", async () => {
  const address = network();
  const began = Date.now();
  const at = async (minutes: number, guesses: number) => {
    vi.useFakeTimers({ toFake: ["Date"], now: began + minutes * 60_000 });
    return await inParallel(guesses, () => login("watched", "a wrong password", address()));
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
