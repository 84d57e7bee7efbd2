import { beforeEach, expect, test } from "vitest";
import {
  codeAt,
  middleOfStep,
  setUpApp,
  step,
  wrongCodeAt,
  wrongCodesAt,
} from "../../../support/second-factors/authenticator-app.ts";
import { Clock } from "../../../support/clock.ts";
import { problemOf } from "../../../support/problems.ts";
import { appUser, awaitingSecondFactor, login, type AppUser } from "../../../support/second-factors/app-user.ts";
import { memberPassword, useZonewright } from "../../../support/zonewright.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now });

beforeEach(() => {
  middleOfStep(clock);
});

/** The code of the current time step, or of one before or after it. */
function code({ secret }: Pick<AppUser, "secret">, steps = 0): string {
  return codeAt(secret, new Date(clock.now().getTime() + steps * step));
}

test("an authenticator app is enabled by its first code, and required at sign-in only from then on", async () => {
  const client = await zw.member("Setting up");
  const { status, body } = await client.post("/api/2fa/totp/setup");
  expect(status).toBe(200);
  expect(Object.keys(body).toSorted()).toEqual(["otpauthUrl", "secret"]);
  expect(body.secret).toMatch(/^[A-Z2-7]{32}$/);
  const url = new URL(body.otpauthUrl);
  expect([url.protocol, url.host]).toEqual(["otpauth:", "totp"]);
  expect(decodeURIComponent(url.pathname)).toBe("/Zonewright:Setting up");
  expect(url.searchParams.get("secret")).toBe(body.secret);
  expect((await login(zw, "Setting up")).body).toHaveProperty("accessToken");

  const wrong = wrongCodeAt(body.secret, clock.now());
  const refused = problemOf(await client.post("/api/2fa/totp/enable", { code: wrong }), 400, "BAD_REQUEST");
  expect(refused.issues).toMatchObject([{ path: ["code"] }]);
  expect((await login(zw, "Setting up")).body).toHaveProperty("accessToken");

  const spaced = code(body).replace(/^.../, "$& ");
  const enabled = await client.post("/api/2fa/totp/enable", { code: spaced });
  expect(enabled.status).toBe(200);
  expect(new Set(enabled.body.recoveryCodes).size).toBe(10);
  expect((await login(zw, "Setting up")).body).toEqual({
    requires2FA: true,
    tempToken: expect.any(String),
    methods: ["totp"],
  });
  expect((await client.get("/api/2fa")).body).toEqual({
    totp: true,
    email: false,
    passkeys: [],
    recoveryCodesLeft: 10,
  });
  expect((await client.get("/api/auth/me")).body.twoFactorMethods).toEqual(["totp"]);
});

test("an app code completes a sign-in with the same tokens, cookie and user as one without a second factor", async () => {
  const user = await appUser(zw, clock, "Complete");
  for (const rememberMe of [false, true]) {
    const pending = await awaitingSecondFactor(zw, "Complete", rememberMe);
    const { status, headers, body } = await pending.post("/api/2fa/verify", { method: "totp", code: code(user) });
    expect(status).toBe(200);
    expect(body).toEqual({
      accessToken: expect.any(String),
      refreshToken: expect.any(String),
      user: { id: expect.any(String), username: "Complete", email: null, role: "member" },
    });
    const [cookie = ""] = headers.getSetCookie();
    expect(cookie).toContain(`refresh_token=${body.refreshToken}`);
    expect(cookie.includes("Max-Age=2592000")).toBe(rememberMe);
    const me = await zw.nobody.get("/api/auth/me", { authorization: `Bearer ${body.accessToken}` });
    expect(me.body.lastLoginAt).not.toBeNull();
    expect((await zw.nobody.post("/api/auth/refresh", { refreshToken: body.refreshToken })).status).toBe(200);
    clock.advance(step);
  }
});

test("app codes one time step away are accepted, and codes two steps away are refused", async () => {
  clock.standStill();
  const user = await appUser(zw, clock, "Drifting");
  clock.advance(2 * step);
  const verify = async (steps: number) => {
    const pending = await awaitingSecondFactor(zw, "Drifting");
    return await pending.post("/api/2fa/verify", { method: "totp", code: code(user, steps) });
  };
  for (const steps of [-2, 2]) expect(await verify(steps)).toBeProblem(401, "UNAUTHORIZED");
  for (const steps of [-1, 0, 1]) expect((await verify(steps)).status).toBe(200);
});

test("a used app code, or one of an earlier time step, is refused even for another sign-in", async () => {
  const user = await appUser(zw, clock, "Replayed");
  clock.advance(2 * step);
  const [first, second, third] = [
    await awaitingSecondFactor(zw, "Replayed"),
    await awaitingSecondFactor(zw, "Replayed"),
    await awaitingSecondFactor(zw, "Replayed"),
  ];
  const used = { method: "totp", code: code(user) };
  expect((await first.post("/api/2fa/verify", used)).status).toBe(200);
  expect(await first.post("/api/2fa/verify", used)).toBeProblem(401, "UNAUTHORIZED");
  expect(await second.post("/api/2fa/verify", used)).toBeProblem(401, "UNAUTHORIZED");
  expect(await third.post("/api/2fa/verify", { method: "totp", code: code(user, -1) })).toBeProblem(
    401,
    "UNAUTHORIZED",
  );
});

test("the code that enabled an authenticator app cannot also sign in", async () => {
  const client = await zw.member("Just enabled");
  const once = code({ secret: await setUpApp(client, clock.now()) });
  expect((await client.post("/api/2fa/totp/enable", { code: once })).status).toBe(200);
  const pending = await awaitingSecondFactor(zw, "Just enabled");
  expect(await pending.post("/api/2fa/verify", { method: "totp", code: once })).toBeProblem(401, "UNAUTHORIZED");
});

test("after five wrong app codes, even the correct one is temporarily refused", async () => {
  const user = await appUser(zw, clock, "Guessed");
  const pending = await awaitingSecondFactor(zw, "Guessed");
  const right = code(user);
  for (const guess of wrongCodesAt(user.secret, clock.now(), 5))
    expect(await pending.post("/api/2fa/verify", { method: "totp", code: guess })).toBeProblem(401, "UNAUTHORIZED");
  const other = await awaitingSecondFactor(zw, "Guessed");
  const answer = await other.post("/api/2fa/verify", { method: "totp", code: right });
  expect(answer).toBeProblem(429, "TOO_MANY_REQUESTS");
});

test("an enabled authenticator app must be removed before another setup, but an unconfirmed setup can be repeated", async () => {
  const { client } = await appUser(zw, clock, "Two apps");
  expect(await client.post("/api/2fa/totp/setup")).toBeProblem(409, "CONFLICT");
  expect(await client.post("/api/2fa/totp/enable", { code: "123456" })).toBeProblem(409, "CONFLICT");
  const remove = { currentPassword: memberPassword };
  expect((await client.send("DELETE", "/api/2fa/totp", remove)).body).toEqual({ success: true });
  const first = code((await client.post("/api/2fa/totp/setup")).body);
  let { body: second } = await client.post("/api/2fa/totp/setup");
  // By chance, the code of the first one is one of the second, too.
  while ([-1, 0, 1].some((steps) => code(second, steps) === first))
    ({ body: second } = await client.post("/api/2fa/totp/setup"));
  expect(await client.post("/api/2fa/totp/enable", { code: first })).toBeProblem(400, "BAD_REQUEST");
  expect((await client.post("/api/2fa/totp/enable", { code: code(second) })).status).toBe(200);
});
