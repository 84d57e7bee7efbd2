import { beforeAll, expect, test } from "vitest";
import { deleteExpiredChallenges } from "../../../../server/accounts/auth/housekeeping.ts";
import { queries } from "../../../../server/database/database.ts";
import { codeAt, middleOfStep } from "../../../support/second-factors/authenticator-app.ts";
import { Clock, minute } from "../../../support/clock.ts";
import { problemOf } from "../../../support/problems.ts";
import { appUser, awaitingSecondFactor, statusesOf } from "../../../support/second-factors/app-user.ts";
import { addPasskey, securityKey, site } from "../../../support/second-factors/security-key.ts";
import { memberPassword, useZonewright } from "../../../support/zonewright.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now, env: { SITE_URL: site } });

beforeAll(() => {
  middleOfStep(clock);
});

async function idOf(username: string): Promise<string> {
  const em = zw.services.database.fork();
  const { id } = await queries(em)
    .selectFrom("users")
    .select("id")
    .where("username", "=", username)
    .executeTakeFirstOrThrow();
  return id;
}

/** The audit entries of one user's actions, oldest first. */
async function trailOf(username: string) {
  const em = zw.services.database.fork();
  return await queries(em)
    .selectFrom("audit_entries")
    .select(["action", "target_type", "before", "after", "ip", "request_id"])
    .where("actor_id", "=", await idOf(username))
    .where((eb) => eb.or([eb("action", "like", "two\\_factor.%"), eb("action", "like", "auth.%")]))
    .orderBy("id")
    .execute();
}

test("adding and removing second factors and completing a second step are audited, without secrets", async () => {
  const user = await appUser(zw, clock, "Ada");
  const key = securityKey();
  const { id, recoveryCodes } = await addPasskey(user.client, key, "Laptop");
  expect(recoveryCodes).toBeNull();
  const pending = await awaitingSecondFactor(zw, "Ada");
  const used = user.recoveryCodes[0];
  await pending.post("/api/2fa/verify", { method: "recovery", code: "0000-0000-0000-0000" });
  await pending.post("/api/2fa/verify", { method: "recovery", code: used });
  const { body: options } = await zw.nobody.post("/api/auth/passkey/options");
  await zw.nobody.post("/api/auth/passkey", { credential: key.getJSON(site, options) });
  const password = { currentPassword: memberPassword };
  await user.client.post("/api/2fa/recovery-codes", password);
  await user.client.send("DELETE", `/api/2fa/passkeys/${id}`, password);
  await user.client.send("DELETE", "/api/2fa/totp", password);

  const trail = await trailOf("Ada");
  const relevant = trail.filter(({ after }) => JSON.stringify(after) !== '{"method":"password"}');
  expect(relevant.map(({ action, target_type, before, after }) => ({ action, target_type, before, after }))).toEqual([
    { action: "two_factor.enable", target_type: "user", before: null, after: { method: "totp" } },
    { action: "two_factor.enable", target_type: "passkey", before: null, after: { method: "passkey", name: "Laptop" } },
    { action: "auth.second_factor_failed", target_type: "user", before: null, after: { method: "recovery" } },
    { action: "auth.sign_in", target_type: "session", before: null, after: { method: "recovery" } },
    { action: "auth.sign_in", target_type: "session", before: null, after: { method: "passkey" } },
    { action: "two_factor.recovery_codes", target_type: "user", before: null, after: null },
    {
      action: "two_factor.disable",
      target_type: "passkey",
      before: { method: "passkey", name: "Laptop" },
      after: null,
    },
    { action: "two_factor.disable", target_type: "user", before: { method: "totp" }, after: null },
  ]);
  for (const { ip, request_id } of relevant) {
    expect(ip).toContain("127.0.0.1");
    expect(request_id).not.toBeNull();
  }
  const reported = JSON.stringify(trail);
  for (const secret of [user.secret, used, memberPassword, pending.token]) expect(reported).not.toContain(secret);
});

test("a user without a password can remove a second factor only within ten minutes of the sign-in", async () => {
  const user = await appUser(zw, clock, "Passwordless");
  const pending = await awaitingSecondFactor(zw, "Passwordless");
  const em = zw.services.database.fork();
  await queries(em).updateTable("users").set({ password_hash: null }).where("username", "=", "Passwordless").execute();
  const { body } = await pending.post("/api/2fa/verify", { method: "recovery", code: user.recoveryCodes[0] });
  const fresh = { authorization: `Bearer ${body.accessToken}` };
  clock.advance(9 * minute);
  expect((await zw.nobody.send("POST", "/api/2fa/recovery-codes", {}, fresh)).status).toBe(200);
  clock.advance(1.1 * minute);
  expect(await zw.nobody.send("DELETE", "/api/2fa/totp", {}, fresh)).toBeProblem(403, "REAUTHENTICATION_REQUIRED");
  expect((await zw.nobody.get("/api/2fa", fresh)).body.totp).toBe(true);
});

test("guesses of the current password are limited as at sign-in", async () => {
  const { client } = await appUser(zw, clock, "Guessed");
  const guess = () => client.send("DELETE", "/api/2fa/totp", { currentPassword: "a wrong password" });
  const answers = await Promise.all(Array.from({ length: 10 }, guess));
  expect(statusesOf(answers)).toEqual([403, 403, 403, 403, 403, 429, 429, 429, 429, 429]);
  const right = await client.send("DELETE", "/api/2fa/totp", { currentPassword: memberPassword });
  problemOf(right, 429, "TOO_MANY_REQUESTS");
});

test("expired sign-in and passkey challenges are deleted, and pending ones are not", async () => {
  const count = async (table: "sign_in_challenges" | "passkey_challenges") => {
    const em = zw.services.database.fork();
    return (await queries(em).selectFrom(table).select("expires_at").execute()).length;
  };
  const user = await appUser(zw, clock, "Leaving it");
  await awaitingSecondFactor(zw, "Leaving it");
  await user.client.post("/api/2fa/passkeys/options");
  clock.advance(11 * minute);
  const waiting = await awaitingSecondFactor(zw, "Leaving it");
  await zw.nobody.post("/api/auth/passkey/options");
  await deleteExpiredChallenges(zw.services.database.fork(), clock.now());
  expect([await count("sign_in_challenges"), await count("passkey_challenges")]).toEqual([1, 1]);
  const proof = { method: "totp", code: codeAt(user.secret, clock.now()) };
  expect((await waiting.post("/api/2fa/verify", proof)).status).toBe(200);
});
