import { beforeEach, describe, expect, test } from "vitest";
import { entries } from "../../notifications/audit/trail.ts";
import { codeAt, middleOfStep } from "../../support/second-factors/authenticator-app.ts";
import { Clock, minute } from "../../support/clock.ts";
import { browserFor, comeBack, authorize, exchange, invite, site } from "../../support/identity/external-sign-in.ts";
import { useIdentityHarness } from "../../support/identity/harness.ts";
import { problemOf } from "../../support/problems.ts";
import { RestClient } from "../../support/rest-client.ts";
import { appUser } from "../../support/second-factors/app-user.ts";
import { addPasskey, securityKey } from "../../support/second-factors/security-key.ts";
import { useZonewright } from "../../support/zonewright.ts";

const clock = new Clock();
const zw = useZonewright({ env: { SITE_URL: site }, now: clock.now });
const harness = useIdentityHarness(zw);
let lastId = 0;
let id = 0;
beforeEach(() => {
  id = lastId += 1;
  harness.be(id);
});

describe("external registration", () => {
  test("external registration grants the invitation's role, uses up the invitation, and is audited", async () => {
    const inviteCode = await invite(zw, { role: "admin" });
    const { body, headers } = await harness.register({ inviteCode });
    expect(body.user).toEqual({ id: expect.any(String), username: `user-${id}`, email: null, role: "admin" });
    expect(headers.get("set-cookie")).toMatch(/^refresh_token=/);
    const [entry] = await entries(zw.admin, { action: "identity.register" });
    expect(entry).toMatchObject({ actorId: body.user.id, targetId: body.user.id, after: { providerId: "github" } });
    harness.be((lastId += 1));
    expect(await harness.register({ inviteCode })).toBeProblem(400, "BAD_REQUEST");
  });

  test("external registration with an invalid code can be retried with the same pending token", async () => {
    const { pending_token: pendingToken } = await harness.goThrough();
    const register = (fields: object) => zw.nobody.post("/api/auth/oauth/github/register", { pendingToken, ...fields });
    const { issues } = problemOf(await register({ inviteCode: "AAAAA-AAAAA" }), 400, "BAD_REQUEST");
    expect(issues).toMatchObject([{ path: ["inviteCode"] }]);
    expect(await register({})).toBeProblem(400, "BAD_REQUEST");
    const code = await invite(zw);
    expect(await register({ code, inviteCode: `${code}X` })).toBeProblem(400, "BAD_REQUEST");
    expect((await register({ code, inviteCode: code })).status).toBe(201);
    expect(await register({ code: await invite(zw) })).toBeProblem(401, "UNAUTHORIZED");
  });

  test("a pending token expires after ten minutes", async () => {
    const { pending_token: pendingToken } = await harness.goThrough();
    const inviteCode = await invite(zw);
    const late = () => zw.nobody.post("/api/auth/oauth/github/register", { pendingToken, inviteCode });
    expect(await clock.ahead(10 * minute, late)).toBeProblem(401, "UNAUTHORIZED");
  });

  test("of twenty concurrent registrations with one token, one creates an account and uses an invitation", async () => {
    const { pending_token: pendingToken } = await harness.goThrough();
    const inviteCode = await invite(zw, { maxUses: 100 });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => zw.nobody.post("/api/auth/oauth/github/register", { pendingToken, inviteCode })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(19);
    const { body } = await zw.admin.get("/api/invitations");
    expect(body.invitations[0]).toMatchObject({ uses: 1 });
    expect((await zw.admin.get(`/api/users?search=user-${id}`)).body.total).toBe(1);
  });

  test("one person registering in two tabs gets one account", async () => {
    const pending = [await harness.goThrough(), await harness.goThrough()];
    const answers = await Promise.all(
      pending.map(async ({ pending_token: pendingToken }) =>
        zw.nobody.post("/api/auth/oauth/github/register", { pendingToken, inviteCode: await invite(zw) }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
  });

  test("several people with the same user name at the provider get different user names", async () => {
    const names: string[] = [];
    for (let count = 0; count < 3; count++) {
      harness.be((lastId += 1), { login: "Twin" });
      names.push((await harness.register()).body.user.username);
    }
    expect(names).toEqual(["Twin", "Twin-2", "Twin-3"]);
    harness.be((lastId += 1), { login: "ADMIN" });
    expect((await harness.register()).body.user.username).toBe("ADMIN-2");
  });

  test("concurrent registrations with the same user name get different user names", async () => {
    const pending: string[] = [];
    for (let count = 0; count < 4; count++) {
      harness.be((lastId += 1), { login: "Crowd" });
      pending.push((await harness.goThrough())["pending_token"] ?? "");
    }
    const inviteCode = await invite(zw, { maxUses: 10 });
    const answers = await Promise.all(
      pending.map((pendingToken) => zw.nobody.post("/api/auth/oauth/github/register", { pendingToken, inviteCode })),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(new Set(answers.map(({ body }) => body.user.username)).size).toBe(4);
  });

  test("external registration sets the address verified by the provider, even if an unverified account claims it", async () => {
    const claimant = await zw.member("address-claimant");
    const claim = { currentPassword: "another long enough password", email: "claimed@example.org" };
    expect((await claimant.put("/api/auth/me/email", claim)).body).toMatchObject({ emailVerified: false });
    harness.be((lastId += 1), { login: "vouched", email: "claimed@example.org", verified: true });
    const client = await harness.newcomer();
    expect((await client.get("/api/auth/me")).body).toMatchObject({
      email: "claimed@example.org",
      emailVerified: true,
    });
    expect((await claimant.get("/api/auth/me")).body).toMatchObject({ emailVerified: false });
  });

  test("external registration never takes over an account with the same address, verified or not", async () => {
    const owner = await zw.member("address-owner");
    const { body: me } = await owner.get("/api/auth/me");
    await zw.admin.put(`/api/users/${me.id}`, { email: "shared@example.org" });
    for (const verified of [true, false]) {
      harness.be((lastId += 1), { login: "claimant", email: "Shared@Example.org", verified });
      const { body } = await harness.register();
      expect(body.user).toMatchObject({ username: expect.stringMatching(/^claimant/), email: null });
    }
    expect((await owner.get("/api/auth/oauth/bindings")).body).toEqual({ bindings: [] });
  });
});

describe("external sign-in", () => {
  test("external sign-in is audited with the provider and without secrets", async () => {
    await harness.newcomer();
    const { body } = await harness.signIn();
    const [entry] = await entries(zw.admin, { action: "identity.sign_in" });
    const after = { providerId: "github", secondFactorNeeded: false };
    expect(entry).toMatchObject({ actorId: body.user.id, targetId: body.user.id, after });
    const [session] = await entries(zw.admin, { action: "auth.sign_in" });
    expect(session).toMatchObject({ actorId: body.user.id, after: { method: "github" } });
  });

  test("external sign-in still requires the account's second factor", async () => {
    middleOfStep(clock);
    const { client, secret } = await appUser(zw, clock, "careful");
    expect(await harness.bind(client)).toMatchObject({ bound: "1" });
    const { status, headers, body } = await harness.signIn();
    expect(status).toBe(200);
    expect(body).toEqual({ requires2FA: true, tempToken: expect.any(String), methods: ["totp"] });
    expect(headers.get("set-cookie")).toBeNull();
    const half = new RestClient(zw.url, body.tempToken);
    expect(await half.get("/api/auth/me")).toBeProblem(401, "UNAUTHORIZED");
    const verified = await half.post("/api/2fa/verify", { method: "totp", code: codeAt(secret, clock.now()) });
    expect(verified.body.user.username).toBe("careful");
  });

  test("external sign-in to a disabled account is refused, even with an earlier ticket", async () => {
    const client = await harness.newcomer();
    const { body: me } = await client.get("/api/auth/me");
    const { ticket } = await harness.goThrough();
    await zw.admin.put(`/api/users/${me.id}`, { disabled: true });
    expect(await exchange(zw, ticket)).toBeProblem(401, "UNAUTHORIZED");
    expect(await harness.goThrough()).toEqual({ error: "account_disabled" });
    await zw.admin.put(`/api/users/${me.id}`, { disabled: false });
    expect((await harness.signIn()).status).toBe(200);
    await zw.admin.delete(`/api/users/${me.id}`);
    expect(await harness.goThrough()).toHaveProperty("needs_invite");
  });
});

describe("disabled providers", () => {
  test("a disabled provider allows no sign-in to start or complete, no ticket and no registration", async () => {
    await harness.newcomer();
    const { ticket } = await harness.goThrough();
    const browser = browserFor(zw);
    const back = harness.vendor.agree(await authorize(browser, "github"));
    harness.be((lastId += 1));
    const { pending_token: pendingToken } = await harness.goThrough();
    const at = `/api/oauth/providers/${harness.configId}`;
    expect((await zw.admin.put(at, { enabled: false })).body.enabled).toBe(false);
    expect((await zw.nobody.get("/api/auth/oauth/providers")).body.providers).not.toContainEqual(
      expect.objectContaining({ providerId: "github" }),
    );
    const { location } = await browser.get(`${site}/api/auth/oauth/github/authorize`);
    expect(location?.href).toBe(`${site}/?error=provider_disabled`);
    expect(await comeBack(browser, back)).toEqual({ error: "state_invalid" });
    expect(await exchange(zw, ticket)).toBeProblem(401, "UNAUTHORIZED");
    const registered = await zw.nobody.post("/api/auth/oauth/github/register", {
      pendingToken,
      inviteCode: await invite(zw),
    });
    expect(registered).toBeProblem(401, "UNAUTHORIZED");
    expect(await zw.admin.post("/api/auth/oauth/github/bind/start")).toBeProblem(409, "CONFLICT");
    await zw.admin.put(at, { enabled: true });
  });

  test("a disabled provider does not count as a sign-in method, so the only other one cannot be removed", async () => {
    const client = await harness.newcomer();
    const { id: passkey } = await addPasskey(client, securityKey());
    await zw.admin.put(`/api/oauth/providers/${harness.configId}`, { enabled: false });
    expect(await client.send("DELETE", `/api/2fa/passkeys/${passkey}`)).toBeProblem(409, "CONFLICT");
    await zw.admin.put(`/api/oauth/providers/${harness.configId}`, { enabled: true });
    expect((await client.send("DELETE", `/api/2fa/passkeys/${passkey}`)).status).toBe(200);
  });
});
