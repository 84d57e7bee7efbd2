import { beforeAll, expect, test } from "vitest";
import { queries } from "../../../../server/database/database.ts";
import { codeAt, step, wrongCodeAt } from "../../../support/second-factors/authenticator-app.ts";
import { operationsOf, type ApiDocument } from "../../../support/api/api-document.ts";
import { Clock, minute } from "../../../support/clock.ts";
import { problemOf } from "../../../support/problems.ts";
import { RestClient } from "../../../support/rest-client.ts";
import { appUser, awaitingSecondFactor, login, type AppUser } from "../../../support/second-factors/app-user.ts";
import { adminPassword, memberPassword, useZonewright } from "../../../support/zonewright.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now });
const forTempTokens = ["/api/2fa/verify", "/api/2fa/email/send", "/api/2fa/passkey/options"];

let user: AppUser;
beforeAll(async () => {
  user = await appUser(zw, clock, "Ada");
});

function proof() {
  return { method: "totp", code: codeAt(user.secret, clock.now()) };
}

test("a tempToken opens only the endpoints of the second step", async () => {
  const pending = await awaitingSecondFactor(zw, "Ada");
  const { body } = await zw.nobody.get("/api/openapi.json");
  const closed = operationsOf(body as ApiDocument)
    .map(({ method, path, operation }) => ({ method, path: `/api${path}`, open: operation.security?.length === 0 }))
    .filter(({ path, open }) => !open && !forTempTokens.includes(path));
  expect(closed.length).toBeGreaterThan(40);
  for (const { method, path } of closed) {
    const answer = await pending.send(method, path.replaceAll(/\{\w+\}/g, crypto.randomUUID()));
    expect({ method, path, status: answer.status }).toEqual({ method, path, status: 401 });
  }
  // It can still complete the sign-in, but cannot be used as a refresh token.
  expect(await zw.nobody.post("/api/auth/refresh", { refreshToken: pending.token })).toBeProblem(401, "UNAUTHORIZED");
  expect((await pending.post("/api/2fa/verify", proof())).status).toBe(200);
});

test("only a tempToken opens the second step: access tokens, refresh tokens and requests without a token are refused", async () => {
  clock.advance(step);
  const pending = await awaitingSecondFactor(zw, "Ada");
  const { body } = await pending.post("/api/2fa/verify", proof());
  clock.advance(step);
  for (const token of [body.accessToken, body.refreshToken, zw.admin.token, "x".repeat(43), null]) {
    const client = new RestClient(zw.url, token);
    for (const path of forTempTokens) {
      const answer = await client.post(path, path.endsWith("verify") ? proof() : undefined);
      expect(answer).toBeProblem(401, "UNAUTHORIZED");
    }
  }
});

test("a tempToken is used up by success, remains valid after a failure, and expires after ten minutes", async () => {
  clock.advance(step);
  const pending = await awaitingSecondFactor(zw, "Ada");
  const wrong = { method: "totp", code: wrongCodeAt(user.secret, clock.now()) };
  expect(await pending.post("/api/2fa/verify", wrong)).toBeProblem(401, "UNAUTHORIZED");
  expect((await pending.post("/api/2fa/verify", proof())).status).toBe(200);
  const recovery = { method: "recovery", code: user.recoveryCodes[0] };
  expect(await pending.post("/api/2fa/verify", recovery)).toBeProblem(401, "UNAUTHORIZED");

  const late = await awaitingSecondFactor(zw, "Ada");
  const inTime = await awaitingSecondFactor(zw, "Ada");
  clock.advance(9.5 * minute);
  expect((await inTime.post("/api/2fa/verify", proof())).status).toBe(200);
  clock.advance(minute);
  expect(await late.post("/api/2fa/verify", recovery)).toBeProblem(401, "UNAUTHORIZED");
});

test("a wrong password returns no tempToken, but the same error as for an unknown user", async () => {
  const password = "a wrong password";
  const [known, unknown] = await Promise.all(
    ["Ada", "nobody"].map(async (username) =>
      problemOf(await zw.nobody.post("/api/auth/login", { username, password }), 401, "UNAUTHORIZED"),
    ),
  );
  expect({ ...known, requestId: "" }).toEqual({ ...unknown, requestId: "" });
});

test("the refresh cookie is set only when the second factor succeeds", async () => {
  const answer = await login(zw, "Ada", true);
  expect(answer.status).toBe(200);
  expect(answer.headers.getSetCookie()).toEqual([]);
  expect(answer.headers.get("cache-control")).toBe("no-store");
});

test("a user disabled before the second step cannot complete the sign-in", async () => {
  const leaving = await appUser(zw, clock, "Leaving");
  const pending = await awaitingSecondFactor(zw, "Leaving");
  const em = zw.services.database.fork();
  await queries(em).updateTable("users").set({ disabled_at: new Date() }).where("username", "=", "Leaving").execute();
  const recovery = { method: "recovery", code: leaving.recoveryCodes[0] };
  expect(await pending.post("/api/2fa/verify", recovery)).toBeProblem(401, "UNAUTHORIZED");
});

test("a new password ends sign-ins that are waiting for a second factor", async () => {
  const { client, username, secret } = await appUser(zw, clock, "PasswordMeanwhile");
  const half = await awaitingSecondFactor(zw, username);
  const change = { currentPassword: memberPassword, newPassword: "another password in the meantime" };
  expect((await client.put("/api/auth/me/password", change)).status).toBe(200);
  const proof = { method: "totp", code: codeAt(secret, clock.now()) };
  expect(await half.post("/api/2fa/verify", proof)).toBeProblem(401, "UNAUTHORIZED");
});

test("a sign-in whose password changes while it is being checked cannot complete the second step", async () => {
  const { client, username, secret } = await appUser(zw, clock, "PasswordBetween");
  const { body: user } = await client.get("/api/auth/me");
  const admin = await zw.signIn("admin", adminPassword);
  // Passwords are hashed two at a time, so the change completes while later sign-ins still check the old password.
  const [change, ...logins] = await Promise.all([
    admin.put(`/api/users/${user.id}`, { password: "a password that came in between" }),
    ...Array.from({ length: 5 }, () => login(zw, username)),
  ]);
  expect(change.status).toBe(200);
  for (const { status, body } of logins) {
    expect([200, 401]).toContain(status);
    const proof = { method: "totp", code: codeAt(secret, clock.now()) };
    const half = new RestClient(zw.url, body.tempToken ?? "none");
    expect(await half.post("/api/2fa/verify", proof)).toBeProblem(401, "UNAUTHORIZED");
  }
});
