import { beforeEach, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { entries } from "../../notifications/audit/trail.ts";
import { Clock, minute, second } from "../../support/clock.ts";
import { RestClient } from "../../support/rest-client.ts";
import { appUser, awaitingSecondFactor, statusesOf, type AppUser } from "../../support/second-factors/app-user.ts";
import { codeAt, middleOfStep, step, wrongCodeAt } from "../../support/second-factors/authenticator-app.ts";
import { addPasskey, securityKey, site } from "../../support/second-factors/security-key.ts";
import { adminPassword, memberPassword, useZonewright } from "../../support/zonewright.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now, env: { SITE_URL: site, TRUST_PROXY: "loopback" } });
const password = memberPassword;
const newToken = { name: "Script", permissions: ["records:read"] };

let users = 0;
let name: string;
beforeEach(() => {
  users += 1;
  name = `user-${users}`;
  middleOfStep(clock);
});

/** Makes the client's session too old to count as confirmed. Its access token remains valid for four minutes. */
function letItGrowOld(): void {
  clock.advance(11 * minute);
}

function confirm(client: RestClient, body: object) {
  return client.post("/api/auth/me/confirm", body);
}

async function confirmedUntil(client: RestClient): Promise<string | null> {
  const { status, body } = await client.get("/api/auth/me");
  expect(status).toBe(200);
  return body.confirmedUntil;
}

/** Reports whether the session is confirmed, using a call that requires it. */
async function isConfirmed(client: RestClient): Promise<boolean> {
  const { status, body } = await client.post("/api/auth/me/tokens", newToken);
  if (status === 201) return true;
  expect([status, body.code]).toEqual([403, "REAUTHENTICATION_REQUIRED"]);
  return false;
}

/** A user with an authenticator app and an old session. */
async function oldAppUser(): Promise<AppUser> {
  const user = await appUser(zw, clock, name);
  letItGrowOld();
  return user;
}

const app = ({ secret }: AppUser) => ({ method: "totp", code: codeAt(secret, clock.now()) });

async function withoutPassword(): Promise<void> {
  const users = queries(zw.services.database.fork()).updateTable("users");
  await users.set({ password_hash: null }).where("username", "=", name).execute();
}

describe("a session confirmed more than ten minutes ago", () => {
  test("an unconfirmed session adds no way into the account, and the error says what to do", async () => {
    const client = await zw.member(name);
    const left = Date.parse((await confirmedUntil(client)) ?? "") - clock.now().getTime();
    expect([left > 9 * minute, left <= 10 * minute]).toEqual([true, true]);
    letItGrowOld();
    expect(await confirmedUntil(client)).toBeNull();
    const refused = await client.post("/api/auth/me/tokens", newToken);
    expect(refused).toBeProblem(403, "REAUTHENTICATION_REQUIRED");
    expect(refused.body.message).toMatch(/POST \/api\/auth\/me\/confirm/);
    expect(await client.post("/api/2fa/totp/setup")).toBeProblem(403, "REAUTHENTICATION_REQUIRED");
    expect(await client.post("/api/2fa/passkeys/options")).toBeProblem(403, "REAUTHENTICATION_REQUIRED");
    expect(await client.post("/api/auth/oauth/github/bind/start")).toBeProblem(403, "REAUTHENTICATION_REQUIRED");
    expect((await client.get("/api/auth/me/tokens")).body.tokens).toEqual([]);
  });

  test("an unconfirmed session learns what is wrong with its input, such as a common password, before it has to confirm", async () => {
    const client = await zw.member(name);
    const { body: me } = await client.get("/api/auth/me");
    const admin = await zw.signIn("admin", adminPassword);
    letItGrowOld();
    const common = "password1234";
    const newcomer = { username: `new-${name}`, role: "member", password: common };
    expect(await client.post("/api/auth/me/tokens", { ...newToken, name: "" })).toBeProblem(400, "BAD_REQUEST");
    expect(await client.post("/api/auth/me/tsig-keys", {})).toBeProblem(400, "BAD_REQUEST");
    expect(await admin.post("/api/invitations", { maxUses: 0 })).toBeProblem(400, "BAD_REQUEST");
    expect(await admin.post("/api/oauth/providers", { providerId: "nobody" })).toBeProblem(400, "BAD_REQUEST");
    for (const refused of [
      await admin.post("/api/users", newcomer),
      await admin.put(`/api/users/${me.id}`, { password: common }),
    ]) {
      expect(refused).toBeProblem(400, "BAD_REQUEST");
      expect(refused.body.issues).toEqual([{ path: ["password"], message: expect.stringMatching(/easy to guess/) }]);
    }
    await withoutPassword();
    const first = await client.put("/api/auth/me/password", { newPassword: common });
    expect(first).toBeProblem(400, "BAD_REQUEST");
    // Once nothing is wrong, it has to.
    for (const refused of [
      await admin.post("/api/users", { ...newcomer, password: memberPassword }),
      await admin.put(`/api/users/${me.id}`, { password: adminPassword }),
      await client.put("/api/auth/me/password", { newPassword: adminPassword }),
    ])
      expect(refused).toBeProblem(403, "REAUTHENTICATION_REQUIRED");
  });

  test("an unconfirmed session cannot complete registration of a passkey or app begun while it was confirmed", async () => {
    const client = await zw.member(name);
    const { body: options } = await client.post("/api/2fa/passkeys/options");
    const { body: setup } = await client.post("/api/2fa/totp/setup");
    clock.advance(6 * minute);
    const { body: later } = await client.post("/api/2fa/passkeys/options");
    clock.advance(4.1 * minute);
    for (const one of [options, later]) {
      const credential = securityKey().createJSON(site, one);
      const answer = await client.post("/api/2fa/passkeys", { name: "Key", credential });
      expect(answer).toBeProblem(403, "REAUTHENTICATION_REQUIRED");
    }
    const code = codeAt(setup.secret, clock.now());
    expect(await client.post("/api/2fa/totp/enable", { code })).toBeProblem(403, "REAUTHENTICATION_REQUIRED");
    expect((await client.get("/api/2fa")).body).toMatchObject({ totp: false, passkeys: [] });
  });

  test("an unconfirmed session stays unconfirmed after a token refresh", async () => {
    await zw.member(name);
    const { body: started } = await zw.nobody.post("/api/auth/login", { username: name, password });
    letItGrowOld();
    const { body } = await zw.nobody.post("/api/auth/refresh", { refreshToken: started.refreshToken });
    expect(await isConfirmed(new RestClient(zw.url, body.accessToken))).toBe(false);
  });

  test("an unconfirmed session can still revoke tokens and sessions", async () => {
    const client = await zw.member(name);
    const { body: token } = await client.post("/api/auth/me/tokens", newToken);
    const other = await zw.signIn(name, password);
    const { sessions } = (await other.get("/api/auth/me/sessions")).body;
    letItGrowOld();
    expect((await client.delete(`/api/auth/me/tokens/${token.id}`)).status).toBe(200);
    const { id } = sessions.find(({ current }: { current: boolean }) => current);
    expect((await client.delete(`/api/auth/me/sessions/${id}`)).status).toBe(200);
  });
});

describe("a correct current password in the body", () => {
  test("a correct current password replaces a confirmed session, and confirms it if there is no second factor", async () => {
    const client = await zw.member(name);
    letItGrowOld();
    expect(await client.put("/api/auth/me/email", { email: `${name}@example.com` })).toBeProblem(
      403,
      "REAUTHENTICATION_REQUIRED",
    );
    const email = { email: `${name}@example.com`, currentPassword: password };
    const { status, body } = await client.put("/api/auth/me/email", email);
    expect([status, Date.parse(body.confirmedUntil) > clock.now().getTime()]).toEqual([200, true]);
    expect(await isConfirmed(client)).toBe(true);
  });

  test("a correct current password permits only its own call for an account with a second factor", async () => {
    const { client } = await oldAppUser();
    expect((await client.post("/api/2fa/recovery-codes", { currentPassword: password })).status).toBe(200);
    expect(await isConfirmed(client)).toBe(false);
  });

  test("changing the address requires the current password even in a confirmed session", async () => {
    const client = await zw.member(name);
    expect(await client.put("/api/auth/me/email", { email: `${name}@example.com` })).toBeProblem(400, "BAD_REQUEST");
  });

  test("a wrong current password is refused, however fresh the session", async () => {
    const { client } = await appUser(zw, clock, name);
    const wrong = { currentPassword: "not this one" };
    expect(await client.send("DELETE", "/api/2fa/totp", wrong)).toBeProblem(403, "FORBIDDEN");
    letItGrowOld();
    expect(await client.send("DELETE", "/api/2fa/totp", wrong)).toBeProblem(403, "FORBIDDEN");
    expect(await client.send("DELETE", "/api/2fa/totp", {})).toBeProblem(403, "REAUTHENTICATION_REQUIRED");
    expect((await client.get("/api/2fa")).body.totp).toBe(true);
  });

  test("the current password is optional while the session is confirmed", async () => {
    const { client } = await appUser(zw, clock, name);
    expect((await client.send("DELETE", "/api/2fa/totp", {})).status).toBe(200);
  });
});

describe("confirming a session", () => {
  test("confirmation by password permits guarded calls for ten minutes, in that session only", async () => {
    const client = await zw.member(name);
    const other = await zw.signIn(name, password);
    letItGrowOld();
    const { status, body } = await confirm(client, { password });
    expect(status).toBe(200);
    expect(await confirmedUntil(client)).toBe(body.confirmedUntil);
    expect(Date.parse(body.confirmedUntil) - clock.now().getTime()).toBeLessThanOrEqual(10 * minute);
    expect([await isConfirmed(client), await isConfirmed(other)]).toEqual([true, false]);
  });

  test("a confirmation ends after ten minutes", async () => {
    clock.standStill();
    await zw.member(name);
    const { body: started } = await zw.nobody.post("/api/auth/login", { username: name, password });
    const client = new RestClient(zw.url, started.accessToken);
    clock.advance(14 * minute);
    expect((await confirm(client, { password })).status).toBe(200);
    const { body } = await client.post("/api/auth/refresh", { refreshToken: started.refreshToken });
    client.token = body.accessToken;
    clock.advance(10 * minute - 20 * second);
    expect(await isConfirmed(client)).toBe(true);
    clock.advance(20 * second);
    expect(await isConfirmed(client)).toBe(false);
  });

  test("a confirmation takes effect on other instances immediately", async () => {
    const client = await zw.member(name);
    letItGrowOld();
    expect(await isConfirmed(client)).toBe(false);
    const sessions = queries(zw.services.database.fork()).updateTable("sessions");
    const { body } = await client.get("/api/auth/me/sessions");
    // Written as by another instance, without notifying this one.
    await sessions.set({ confirmed_at: clock.now() }).where("id", "=", body.sessions[0].id).execute();
    expect(await isConfirmed(client)).toBe(true);
  });

  test("confirmation of an account with a second factor requires the password together with a code", async () => {
    const user = await oldAppUser();
    expect(await confirm(user.client, { password })).toBeProblem(400, "BAD_REQUEST");
    expect(await confirm(user.client, app(user))).toBeProblem(400, "BAD_REQUEST");
    expect(await isConfirmed(user.client)).toBe(false);
    expect((await confirm(user.client, { password, ...app(user) })).status).toBe(200);
    expect(await isConfirmed(user.client)).toBe(true);
  });

  test("a code used for confirmation cannot be reused, for confirmation or for sign-in", async () => {
    const user = await oldAppUser();
    const proof = app(user);
    const answers = await Promise.all([1, 2, 3].map(() => confirm(user.client, { password, ...proof })));
    expect(statusesOf(answers)).toEqual([200, 403, 403]);
    const pending = await awaitingSecondFactor(zw, name);
    expect((await pending.post("/api/2fa/verify", proof)).status).toBe(401);
    clock.advance(step);
    const next = app(user);
    expect((await pending.post("/api/2fa/verify", next)).status).toBe(200);
    expect(await confirm(user.client, { password, ...next })).toBeProblem(403, "FORBIDDEN");
  });

  test("confirmation accepts a recovery code once", async () => {
    const { client, recoveryCodes } = await oldAppUser();
    const proof = { password, method: "recovery", code: recoveryCodes[0] };
    expect((await confirm(client, proof)).status).toBe(200);
    expect(await confirm(client, proof)).toBeProblem(403, "FORBIDDEN");
    expect((await client.get("/api/2fa")).body.recoveryCodesLeft).toBe(9);
  });

  test("confirmation by passkey requires no password, and accepts each assertion once", async () => {
    const client = await zw.member(name);
    expect(await client.post("/api/auth/me/confirm/options")).toBeProblem(409, "CONFLICT");
    const key = securityKey();
    await addPasskey(client, key);
    letItGrowOld();
    const { body: options } = await client.post("/api/auth/me/confirm/options");
    const credential = key.getJSON(site, options);
    expect((await confirm(client, { method: "passkey", credential })).status).toBe(200);
    expect(await isConfirmed(client)).toBe(true);
    expect(await confirm(client, { method: "passkey", credential })).toBeProblem(403, "FORBIDDEN");
  });

  test("confirmation refuses a passkey assertion made for another session, another user or a sign-in", async () => {
    const client = await zw.member(name);
    const key = securityKey();
    await addPasskey(client, key);
    const { body: signIn } = await zw.nobody.post("/api/auth/passkey", {
      credential: key.getJSON(site, (await zw.nobody.post("/api/auth/passkey/options")).body),
    });
    const elsewhere = new RestClient(zw.url, signIn.accessToken);
    const stranger = await zw.member(`${name}-stranger`);
    const strangersKey = securityKey();
    await addPasskey(stranger, strangersKey);
    letItGrowOld();
    const answers = [
      key.getJSON(site, (await elsewhere.post("/api/auth/me/confirm/options")).body),
      key.getJSON(site, (await zw.nobody.post("/api/auth/passkey/options")).body),
      strangersKey.getJSON(site, (await stranger.post("/api/auth/me/confirm/options")).body),
    ];
    for (const credential of answers)
      expect(await confirm(client, { method: "passkey", credential })).toBeProblem(403, "FORBIDDEN");
    const { body: options } = await client.post("/api/auth/me/confirm/options");
    // Conversely, an assertion for confirmation does not sign in.
    const credential = key.getJSON(site, options);
    expect((await zw.nobody.post("/api/auth/passkey", { credential })).status).toBe(401);
    expect(await isConfirmed(client)).toBe(false);
  });

  test("confirmation of an account without a password accepts a passkey, but not a code alone", async () => {
    const user = await appUser(zw, clock, name);
    const key = securityKey();
    await addPasskey(user.client, key);
    await withoutPassword();
    letItGrowOld();
    expect(await confirm(user.client, app(user))).toBeProblem(409, "CONFLICT");
    expect(await confirm(user.client, { password })).toBeProblem(409, "CONFLICT");
    const { body: options } = await user.client.post("/api/auth/me/confirm/options");
    const proof = { method: "passkey", credential: key.getJSON(site, options) };
    expect((await confirm(user.client, proof)).status).toBe(200);
    expect((await user.client.put("/api/auth/me/email", { email: `${name}@example.com` })).status).toBe(200);
  });

  test.each([
    ["nothing", {}],
    ["an empty password", { password: "" }],
    ["a password that is not a string", { password: ["x"] }],
    ["a code without its method", { password, code: "123456" }],
    ["a method without its code", { password, method: "totp" }],
    ["a code of five digits", { password, method: "totp", code: "12345" }],
    ["an invalid recovery code", { password, method: "recovery", code: "123456" }],
    ["a code by email", { password, method: "email", code: "123456" }],
    ["a missing passkey", { method: "passkey" }],
    ["an invalid passkey", { method: "passkey", credential: { id: "x", rawId: "x", type: "public-key" } }],
    ["an unknown field", { password, rememberMe: true }],
  ])("confirmation by %s gets 400 and does not count as an attempt", async (_what, proof) => {
    const client = await zw.member(name);
    letItGrowOld();
    for (let tries = 0; tries < 6; tries++) expect(await confirm(client, proof)).toBeProblem(400, "BAD_REQUEST");
    expect((await confirm(client, { password })).status).toBe(200);
  });

  test("wrong proofs in a confirmation get 403, five at most in a session, and do not lock other sessions and sign-ins out", async () => {
    const user = await oldAppUser();
    const guess = (proof: object) => confirm(user.client, proof);
    const wrong = { password: "not this one at all", method: "totp", code: "000000" };
    const passwords = await Promise.all(Array.from({ length: 8 }, () => guess(wrong)));
    expect(statusesOf(passwords)).toEqual([403, 403, 403, 403, 403, 429, 429, 429]);
    expect((await zw.nobody.post("/api/auth/login", { username: name, password })).status).toBe(200);

    const other = await appUser(zw, clock, `${name}-other`);
    letItGrowOld();
    const code = { password, method: "recovery", code: "0000-0000-0000-0000" };
    const codes = await Promise.all(Array.from({ length: 7 }, () => confirm(other.client, code)));
    expect(statusesOf(codes)).toEqual([403, 403, 403, 403, 403, 429, 429]);
    expect((await confirm(other.client, { password, ...app(other) })).status).toBe(429);
    const pending = await awaitingSecondFactor(zw, `${name}-other`);
    expect((await pending.post("/api/2fa/verify", app(other))).status).toBe(200);
  });

  test("confirmation with a personal token is refused", async () => {
    const client = await zw.member(name);
    const { body } = await client.post("/api/auth/me/tokens", newToken);
    const program = new RestClient(zw.url, body.token);
    expect(await confirm(program, { password })).toBeProblem(403, "FORBIDDEN");
    expect(await program.post("/api/auth/me/confirm/options")).toBeProblem(403, "FORBIDDEN");
  });

  test("successful and failed confirmations are audited, without the proof", async () => {
    const user = await oldAppUser();
    await confirm(user.client, { password: "not this one at all", ...app(user) });
    const code = wrongCodeAt(user.secret, clock.now());
    await confirm(user.client, { password, method: "totp", code });
    const proof = app(user);
    await confirm(user.client, { password, ...proof });
    const { body: me } = await user.client.get("/api/auth/me");
    zw.admin.token = (await zw.signIn("admin", "correct horse battery staple")).token;
    const mine = (await entries(zw.admin, { actorId: me.id })).filter(({ action }) =>
      action.startsWith("auth.confirm"),
    );
    expect(mine.map(({ action, after }) => [action, after]).toReversed()).toEqual([
      ["auth.confirmation_failed", null],
      ["auth.confirmation_failed", { method: "totp" }],
      ["auth.confirm", { methods: ["password", "totp"] }],
    ]);
    // Six digits may be part of an id by chance.
    expect(JSON.stringify(mine)).not.toMatch(new RegExp(`(?<![\\da-f])${proof.code}(?![\\da-f])`));
  });
});
