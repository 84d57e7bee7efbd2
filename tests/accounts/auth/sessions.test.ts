import { createHash } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { Clock, day, hour, second as seconds } from "../../support/clock.ts";
import { patience } from "../../support/patience.ts";
import { problemOf } from "../../support/problems.ts";
import { RestClient, type Answer } from "../../support/rest-client.ts";
import { adminPassword, useZonewright } from "../../support/zonewright.ts";

const clock = new Clock();
const zw = useZonewright({
  now: clock.now,
  env: { SITE_URL: "http://dns.example.com", CORS_ORIGINS: "https://app.example.com" },
});

interface Tokens {
  accessToken: string;
  refreshToken: string;
}

function login(rememberMe: boolean): Promise<Answer> {
  return zw.nobody.post("/api/auth/login", { username: "admin", password: adminPassword, rememberMe });
}

async function signIn(rememberMe = false): Promise<Tokens> {
  const { status, body } = await login(rememberMe);
  expect(status).toBe(200);
  return body;
}

function refresh(refreshToken: string): Promise<Answer> {
  return zw.nobody.post("/api/auth/refresh", { refreshToken });
}

async function renewed(refreshToken: string): Promise<Tokens> {
  const { status, body } = await refresh(refreshToken);
  expect(status).toBe(200);
  return body;
}

function withCookie(path: string, refreshToken: string, headers: Record<string, string> = {}): Promise<Answer> {
  return zw.nobody.post(path, undefined, { cookie: `other=1; refresh_token=${refreshToken}`, ...headers });
}

/** The hash that the database stores. */
function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}

async function works({ accessToken }: Tokens): Promise<boolean> {
  const { status } = await new RestClient(zw.url, accessToken).get("/api/auth/me");
  return status === 200;
}

/** The refresh cookie that a response sets: its value, and its attributes in order. */
function cookieOf({ headers }: Answer): { value: string; attributes: string[] } {
  const [cookie, ...more] = headers.getSetCookie().filter((one) => !one.startsWith("known_device_"));
  expect(more).toEqual([]);
  const [pair = "", ...attributes] = (cookie ?? "").split("; ");
  expect(pair.startsWith("refresh_token=")).toBe(true);
  return { value: pair.slice("refresh_token=".length), attributes: attributes.toSorted() };
}

describe("the refresh cookie", () => {
  test("the refresh cookie ends with the browser session, unless rememberMe is set", async () => {
    const brief = await login(false);
    expect(cookieOf(brief)).toEqual({
      value: brief.body.refreshToken,
      attributes: ["HttpOnly", "Path=/api", "SameSite=Lax"],
    });
    const long = await login(true);
    expect(cookieOf(long)).toEqual({
      value: long.body.refreshToken,
      attributes: ["HttpOnly", "Max-Age=2592000", "Path=/api", "SameSite=Lax"],
    });
  });

  test("the refresh cookie is renewed with the token, with the same attributes", async () => {
    const { refreshToken } = await signIn(true);
    const answer = await withCookie("/api/auth/refresh", refreshToken);
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body).toSorted()).toEqual(["accessToken", "refreshToken"]);
    expect(cookieOf(answer)).toEqual({
      value: answer.body.refreshToken,
      attributes: ["HttpOnly", "Max-Age=2592000", "Path=/api", "SameSite=Lax"],
    });
  });

  test("the refresh cookie is cleared by a sign-out", async () => {
    const { refreshToken } = await signIn(true);
    const answer = await withCookie("/api/auth/logout", refreshToken);
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expect(cookieOf(answer)).toEqual({
      value: "",
      attributes: ["HttpOnly", "Max-Age=0", "Path=/api", "SameSite=Lax"],
    });
  });

  test.each(["https://evil.example", "null", "http://dns.example.com:8080", "https://dns.example.com"])(
    "the refresh cookie is refused from a page of %s, and the session continues",
    async (origin) => {
      const session = await signIn();
      for (const path of ["/api/auth/refresh", "/api/auth/logout"]) {
        const answer = await withCookie(path, session.refreshToken, { origin });
        expect(answer).toBeProblem(403, "FORBIDDEN");
        expect(answer.headers.getSetCookie()).toEqual([]);
      }
      expect(await works(session)).toBe(true);
      expect((await withCookie("/api/auth/refresh", session.refreshToken)).status).toBe(200);
    },
  );

  test("the refresh cookie is accepted from the site itself, CORS_ORIGINS and the called address", async () => {
    for (const origin of ["http://dns.example.com", "https://app.example.com", zw.url]) {
      const { refreshToken } = await signIn();
      expect((await withCookie("/api/auth/refresh", refreshToken, { origin })).status).toBe(200);
    }
  });

  test("a refresh token in the body takes precedence over the cookie, and any origin may send it", async () => {
    const { refreshToken } = await signIn();
    const headers = { origin: "https://evil.example", cookie: "refresh_token=something-else" };
    expect((await zw.nobody.post("/api/auth/refresh", { refreshToken }, headers)).status).toBe(200);
  });
});

describe("a refresh", () => {
  test("a refresh without a token, or with an unknown one, is refused", async () => {
    expect(await zw.nobody.post("/api/auth/refresh")).toBeProblem(401, "UNAUTHORIZED");
    expect(problemOf(await refresh("unknown"), 401, "UNAUTHORIZED").issues).toBeNull();
    const { accessToken } = await signIn();
    expect(await refresh(accessToken)).toBeProblem(401, "UNAUTHORIZED");
  });

  test("a refresh returns new tokens for the same session, and the old access token stays valid", async () => {
    const first = await signIn();
    const second = await renewed(first.refreshToken);
    expect(second.refreshToken).not.toBe(first.refreshToken);
    expect(await works(first)).toBe(true);
    expect(await works(second)).toBe(true);
  });

  test("a refresh with a rotated token immediately ends the session and its access tokens", async () => {
    const first = await signIn();
    const other = await signIn();
    const second = await renewed(first.refreshToken);
    clock.advance(10 * seconds + 1);
    expect(await works(second)).toBe(true);
    expect(await refresh(first.refreshToken)).toBeProblem(401, "UNAUTHORIZED");
    expect(await works(first)).toBe(false);
    expect(await works(second)).toBe(false);
    expect(await refresh(second.refreshToken)).toBeProblem(401, "UNAUTHORIZED");
    expect(await works(other)).toBe(true);
  });

  test("a refresh with a rotated token returns the same successor for ten seconds", async () => {
    clock.standStill();
    const first = await signIn();
    const second = await renewed(first.refreshToken);
    clock.advance(9 * seconds);
    const again = await renewed(first.refreshToken);
    expect(again.refreshToken).toBe(second.refreshToken);
    expect(await works(again)).toBe(true);
    const third = await renewed(second.refreshToken);
    expect(await works(third)).toBe(true);
  });

  test("a refresh with a token older than the immediate predecessor ends the session even within ten seconds", async () => {
    const first = await signIn();
    const second = await renewed(first.refreshToken);
    const third = await renewed(second.refreshToken);
    expect(await refresh(first.refreshToken)).toBeProblem(401, "UNAUTHORIZED");
    expect(await works(third)).toBe(false);
    expect(await refresh(third.refreshToken)).toBeProblem(401, "UNAUTHORIZED");
  });

  test("fifty concurrent refreshes with one token leave one valid successor", async () => {
    clock.standStill();
    const first = await signIn();
    const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(first.refreshToken)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const successors = new Set(answers.map(({ body }) => body.refreshToken as string));
    expect(successors.size).toBe(1);
    const [successor = ""] = successors;
    const next = await renewed(successor);
    expect(await works(next)).toBe(true);
    const rows = await queries(zw.services.database.fork())
      .selectFrom("refresh_tokens as presented")
      .innerJoin("refresh_tokens as other", "other.session_id", "presented.session_id")
      .select(["other.token_hash", "other.rotated_at"])
      .where("presented.successor_hash", "is not", null)
      .where("presented.token_hash", "=", hashOf(first.refreshToken))
      .execute();
    expect(rows).toHaveLength(3);
    expect(rows.filter(({ rotated_at }) => rotated_at === null)).toHaveLength(1);
  });

  test("a refresh token is stored only as a hash", async () => {
    const { refreshToken } = await signIn();
    const rows = await queries(zw.services.database.fork()).selectFrom("refresh_tokens").selectAll().execute();
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(refreshToken);
  });
});

describe("the lifetime of a session", () => {
  test("a session lasts 24 hours from its last use", async () => {
    clock.standStill();
    const first = await signIn();
    clock.advance(24 * hour - 10 * seconds);
    const second = await renewed(first.refreshToken);
    clock.advance(24 * hour - 10 * seconds);
    const third = await renewed(second.refreshToken);
    clock.advance(24 * hour);
    expect(await refresh(third.refreshToken)).toBeProblem(401, "UNAUTHORIZED");
  });

  test("a session with rememberMe lasts 30 days from its last use", async () => {
    clock.standStill();
    const first = await signIn(true);
    clock.advance(30 * day - 10 * seconds);
    const second = await renewed(first.refreshToken);
    clock.advance(30 * day);
    expect(await refresh(second.refreshToken)).toBeProblem(401, "UNAUTHORIZED");
  });

  test("a session lasts at most 90 days despite refreshes, and so do its cookie and access tokens", async () => {
    clock.standStill();
    let tokens = await signIn(true);
    for (let days = 29; days <= 87; days += 29) {
      clock.advance(29 * day);
      tokens = await renewed(tokens.refreshToken);
    }
    const answer = await refresh(tokens.refreshToken);
    const [, maxAge = ""] = /Max-Age=(\d+)/.exec(answer.headers.getSetCookie().join()) ?? [];
    expect(Number(maxAge)).toBeGreaterThan((3 * day) / seconds - 60);
    expect(Number(maxAge)).toBeLessThanOrEqual((3 * day) / seconds);
    clock.advance(3 * day - 60 * seconds);
    const last = await renewed(answer.body.refreshToken);
    expect(await works(last)).toBe(true);
    clock.advance(60 * seconds);
    expect(await refresh(last.refreshToken)).toBeProblem(401, "UNAUTHORIZED");
    // A session that was just read is trusted for a second of real time.
    await vi.waitFor(async () => expect(await works(last)).toBe(false), patience);
  });
});

describe("a sign-out", () => {
  test("a sign-out with the refresh token in the body immediately ends all access tokens of the session", async () => {
    const first = await signIn();
    const second = await renewed(first.refreshToken);
    const other = await signIn();
    expect(await works(first)).toBe(true);
    expect(await works(second)).toBe(true);
    const answer = await zw.nobody.post("/api/auth/logout", { refreshToken: second.refreshToken });
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expect(await works(first)).toBe(false);
    expect(await works(second)).toBe(false);
    expect(await refresh(second.refreshToken)).toBeProblem(401, "UNAUTHORIZED");
    expect(await works(other)).toBe(true);
  });

  test("a sign-out with only the access token ends its session", async () => {
    const session = await signIn();
    const client = new RestClient(zw.url, session.accessToken);
    expect((await client.post("/api/auth/logout")).status).toBe(200);
    expect(await works(session)).toBe(false);
    expect(await refresh(session.refreshToken)).toBeProblem(401, "UNAUTHORIZED");
  });

  test("a sign-out can be repeated, and succeeds without a session", async () => {
    const { refreshToken, accessToken } = await signIn();
    for (let times = 0; times < 3; times += 1) {
      const answer = await withCookie("/api/auth/logout", refreshToken, { authorization: `Bearer ${accessToken}` });
      expect(answer).toMatchObject({ status: 200, body: { success: true } });
    }
    expect((await zw.nobody.post("/api/auth/logout")).status).toBe(200);
    expect((await zw.nobody.post("/api/auth/logout", { refreshToken: "unknown" })).status).toBe(200);
    const broken = await zw.nobody.post("/api/auth/logout", undefined, { authorization: "Bearer not-a-token" });
    expect(broken.status).toBe(200);
  });
});
