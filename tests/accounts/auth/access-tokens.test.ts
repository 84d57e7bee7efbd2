import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SignJWT, UnsecuredJWT, decodeJwt, decodeProtectedHeader, type JWTPayload } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../../server/ops/config/config.ts";
import { createKeyring } from "../../../server/platform/secret-cipher.ts";
import { startServer } from "../../../server/start.ts";
import { Clock, minute, second } from "../../support/clock.ts";
import { emptyDatabase } from "../../support/database.ts";
import { problemOf } from "../../support/problems.ts";
import { RestClient } from "../../support/rest-client.ts";
import { adminPassword, useZonewright } from "../../support/zonewright.ts";

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}

const secret = "a secret key of more than thirty-two characters";

describe("an access token", () => {
  const clock = new Clock();
  const zw = useZonewright({ now: clock.now, env: { SECRET_KEYS: secret } });
  const [key] = createKeyring([secret]).keysFor("access-token");
  let token: string;
  let claims: JWTPayload;

  beforeAll(async () => {
    token = await freshToken();
    claims = decodeJwt(token);
  });

  async function freshToken(): Promise<string> {
    const { body } = await zw.nobody.post("/api/auth/login", { username: "admin", password: adminPassword });
    return body.accessToken;
  }

  const me = (bearer: string) => new RestClient(zw.url, bearer).get("/api/auth/me");
  const sign = (payload: JWTPayload, header = {}, signingKey = key) =>
    new SignJWT(payload).setProtectedHeader({ alg: "HS256", typ: "at+jwt", ...header }).sign(signingKey);

  test("an access token contains only user and session, and no permissions", () => {
    expect(decodeProtectedHeader(token)).toEqual({ alg: "HS256", typ: "at+jwt" });
    expect(Object.keys(claims).toSorted()).toEqual(["aud", "exp", "iat", "iss", "sid", "sub"]);
    expect(Number(claims.exp) - Number(claims.iat)).toBe(900);
  });

  test("an access token is accepted as a Bearer token in any case, and nowhere else", async () => {
    for (const scheme of ["Bearer", "bearer", "BEARER"])
      expect((await zw.nobody.get("/api/auth/me", { authorization: `${scheme} ${token}` })).status).toBe(200);
    for (const authorization of [token, `Token ${token}`, `Bearer`, `Bearer ${token} ${token}`, `Bearer,${token}`])
      expect(await zw.nobody.get("/api/auth/me", { authorization })).toBeProblem(401, "UNAUTHORIZED");
    expect(await zw.nobody.get("/api/auth/me", { cookie: `access_token=${token}` })).toBeProblem(401, "UNAUTHORIZED");
    expect(await zw.nobody.get(`/api/domains?token=${token}`)).toBeProblem(401, "UNAUTHORIZED");
  });

  test("a re-signed access token with the same key and claims works, so the refusals below have other causes", async () => {
    expect((await me(await sign(claims))).status).toBe(200);
  });

  test.each<[string, () => string | Promise<string>]>([
    ["without a signature, algorithm none", () => new UnsecuredJWT(claims).encode()],
    [
      "of algorithm none that keeps the signature",
      () => `${encode({ alg: "none", typ: "at+jwt" })}.${token.split(".").slice(1).join(".")}`,
    ],
    ["by another key", () => sign(claims, {}, new Uint8Array(32).fill(7))],
    ["by an empty key's worth of zeros", () => sign(claims, {}, new Uint8Array(32))],
    ["by our key of another purpose", () => sign(claims, {}, createKeyring([secret]).keysFor("refresh-token")[0])],
    ["by another algorithm", () => sign(claims, { alg: "HS384" }, new Uint8Array(48).fill(1))],
    ["for another audience", () => sign({ ...claims, aud: "second-factor" })],
    ["without an audience", () => sign(without("aud"))],
    ["of another issuer", () => sign({ ...claims, iss: "elsewhere" })],
    ["of another type", () => sign(claims, { typ: "JWT" })],
    ["that has expired", () => sign({ ...claims, exp: Number(claims.iat) - 1 })],
    ["that never expires", () => sign(without("exp"))],
    ["that is not valid yet", () => sign({ ...claims, nbf: Number(claims.iat) + 600 })],
    ["of an unknown session", () => sign({ ...claims, sid: crypto.randomUUID() })],
    ["of no session", () => sign(without("sid"))],
    ["with an invalid session ID", () => sign({ ...claims, sid: "' or true --" })],
    ["with a changed payload", () => tampered((payload) => ({ ...payload, sub: crypto.randomUUID() }))],
    ["with a changed signature", () => `${token.slice(0, -2)}${token.endsWith("AA") ? "BB" : "AA"}`],
    ["cut short", () => token.slice(0, -1)],
    ["without a payload", () => "a..b"],
    ["that is not a token", () => "null"],
    ["of a hundred kilobytes' worth of dots", () => ".".repeat(8_000)],
  ])("an access token %s is refused", async (_what, make) => {
    expect(await me(await make())).toBeProblem(401, "UNAUTHORIZED");
  });

  test("an access token of another user with this session's ID is refused", async () => {
    const member = await zw.member("victim");
    const victim = (await member.get("/api/auth/me")).body;
    expect(await me(await sign({ ...claims, sub: victim.id }))).toBeProblem(401, "UNAUTHORIZED");
  });

  test("a refresh token is not accepted as an access token", async () => {
    const { body } = await zw.nobody.post("/api/auth/login", { username: "admin", password: adminPassword });
    expect(problemOf(await me(body.refreshToken), 401, "UNAUTHORIZED").issues).toBeNull();
  });

  test("an access token lasts fifteen minutes, even if it was checked before", async () => {
    clock.standStill();
    const brief = await freshToken();
    clock.advance(15 * minute - 5 * second);
    expect((await me(brief)).status).toBe(200);
    clock.advance(5 * second);
    expect(await me(brief)).toBeProblem(401, "UNAUTHORIZED");
  });

  function tampered(change: (payload: JWTPayload) => JWTPayload): string {
    const [header, , signature] = token.split(".");
    return [header, encode(change(claims)), signature].join(".");
  }

  function without(claim: string): JWTPayload {
    return Object.fromEntries(Object.entries(claims).filter(([name]) => name !== claim));
  }
});

describe("rotation of SECRET_KEYS", () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "zonewright-keys-"));
  });
  afterAll(async () => {
    await rm(dataDir, { recursive: true, force: true });
  });

  test("sessions continue while the old key is listed in SECRET_KEYS, and end when it is removed", async () => {
    const [older, newer] = ["o".repeat(32), "n".repeat(32)];
    const database = await emptyDatabase();
    const withKeys = async <T>(keys: string, work: (client: RestClient) => Promise<T>): Promise<T> => {
      const env = { PORT: "0", DATA_DIR: dataDir, ADMIN_PASSWORD: adminPassword, LOG_LEVEL: "silent", JOBS: "off" };
      const server = await startServer(loadConfig({ ...env, SECRET_KEYS: keys }), {
        announce: () => undefined,
        database,
      });
      try {
        return await work(new RestClient(server.url));
      } finally {
        await server.stop();
      }
    };
    const first = await withKeys(older, async (client) => {
      const { body } = await client.post("/api/auth/login", { username: "admin", password: adminPassword });
      const next = await client.post("/api/auth/refresh", { refreshToken: body.refreshToken });
      return { before: body.refreshToken as string, ...(next.body as { accessToken: string; refreshToken: string }) };
    });
    const second = await withKeys(`${newer},${older}`, async (client) => {
      const authorization = `Bearer ${first.accessToken}`;
      expect((await client.get("/api/auth/me", { authorization })).status).toBe(200);
      // The predecessor gets the same successor, whose value was derived with the older key.
      const again = await client.post("/api/auth/refresh", { refreshToken: first.before });
      expect(again.body.refreshToken).toBe(first.refreshToken);
      return (await client.post("/api/auth/refresh", { refreshToken: first.refreshToken })).body;
    });
    await withKeys(newer, async (client) => {
      expect(await client.get("/api/auth/me", { authorization: `Bearer ${first.accessToken}` })).toBeProblem(
        401,
        "UNAUTHORIZED",
      );
      expect((await client.get("/api/auth/me", { authorization: `Bearer ${second.accessToken}` })).status).toBe(200);
    });
  });
});
