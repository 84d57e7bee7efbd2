import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sql } from "kysely";
import { queries } from "../../../server/database/database.ts";
import { entries } from "../../notifications/audit/trail.ts";
import { useIdentityHarness } from "../../support/identity/harness.ts";
import { site } from "../../support/identity/external-sign-in.ts";
import type { Answer } from "../../support/rest-client.ts";
import { addPasskey, securityKey } from "../../support/second-factors/security-key.ts";
import { startMailServer, type MailServer } from "../../support/servers/mail-server.ts";
import {
  adminPassword,
  memberPassword,
  onceStarted,
  startZonewright,
  type Zonewright,
} from "../../support/zonewright.ts";
import { mailed, nothingOpens, outstanding, plantWaysIn, type PlantedAccount } from "./ways-in.ts";

const newPassword = "seven grey herons by the sea";
let mail: MailServer;
let running: Zonewright & { stop(): Promise<void> };
const zw = onceStarted(() => running);

beforeAll(async () => {
  mail = await startMailServer();
  running = await startZonewright({ env: { SMTP_URL: mail.url, SITE_URL: site } });
});
const harness = useIdentityHarness(zw);
afterAll(async () => {
  await running.stop();
  await mail.stop();
});

interface Way {
  id: string;
}

describe("an administrator's rescue removes all of an attacker's access", () => {
  test("a new password from an administrator revokes every other way into the account", async () => {
    const account = await plantWaysIn(zw, harness, mail);
    const { status, body } = await zw.admin.put(`/api/users/${account.id}`, { password: newPassword });
    expect({ status, body }).toMatchObject({ status: 200, body: { hasPassword: true } });
    const attempts = await account.tryEach();
    expect(attempts).toEqual(nothingOpens(attempts));
    const login = await zw.nobody.post("/api/auth/login", { username: account.username, password: newPassword });
    expect(login).toMatchObject({ status: 200, body: { user: { id: account.id } } });
    const letter = await mailed(mail, `${account.username}@example.com`, "Your password was changed");
    expect(letter).toContain("An administrator set a new password");
    const [entry] = await entries(zw.admin, { action: "user.update", targetId: account.id });
    expect(entry?.before?.["access"]).toMatchObject({
      tokens: ["Planted", "Planted"],
      keys: ["Planted"],
      passkeys: ["Key"],
      identities: ["github"],
      totp: true,
      email: true,
      recoveryCodes: 10,
    });
  });

  test("DELETE /api/users/:id/access revokes every way into the account, including the password", async () => {
    const account = await plantWaysIn(zw, harness, mail);
    const answer = await zw.admin.delete(`/api/users/${account.id}/access`);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        hasPassword: false,
        sessions: [],
        tokens: [],
        keys: [],
        passkeys: [],
        identities: [],
        totp: false,
        email: false,
      },
    });
    const attempts = await account.tryEach();
    expect(attempts).toEqual(nothingOpens(attempts));
    const [entry] = await entries(zw.admin, { action: "user.revoke_access", targetId: account.id });
    expect(entry?.before).toMatchObject({ password: true, passkeys: ["Key"], identities: ["github"], totp: true });
    expect((await zw.admin.put(`/api/users/${account.id}`, { password: newPassword })).status).toBe(200);
    expect((await zw.signIn(account.username, newPassword)).token).toEqual(expect.any(String));
  });
});

describe("a rescue between a proof and its session prevents the session", () => {
  test.each<[string, string, (account: PlantedAccount) => Promise<Answer>]>([
    ["a ticket", "delete on identity_tickets", (account) => account.exchangeTicket()],
    ["a passkey", "update on passkeys", (account) => account.usePasskey()],
  ])("a rescue prevents the session of a sign-in already proven by %s", async (_what, moment, prove) => {
    const account = await plantWaysIn(zw, harness, mail);
    const db = queries(zw.services.database.fork());
    // Does what a rescue does to the account, at the moment the proof is used.
    await sql`create function rescue() returns trigger language plpgsql as $$ begin
      update users set access_epoch = access_epoch + 1 where id = old.user_id; return old; end $$`.execute(db);
    await sql.raw(`create trigger rescue after ${moment} for each row execute function rescue()`).execute(db);
    try {
      expect(await prove(account)).toBeProblem(401, "UNAUTHORIZED");
    } finally {
      await sql`drop function rescue cascade`.execute(db);
    }
    const { body } = await zw.admin.get(`/api/users/${account.id}/access`);
    expect(body.sessions).toHaveLength(2);
  });
});

describe("pending links, tickets, sign-ins and challenges end when the account changes", () => {
  const own = { currentPassword: memberPassword };
  test.each<[string, (account: PlantedAccount) => Promise<unknown>]>([
    [
      "its password by its owner",
      ({ client }) => client.put("/api/auth/me/password", { ...own, newPassword, revoke: [] }),
    ],
    [
      "its address by its owner",
      ({ client, id }) => client.put("/api/auth/me/email", { ...own, email: `${id}@example.net` }),
    ],
    ["its address by an administrator", ({ id }) => zw.admin.put(`/api/users/${id}`, { email: `${id}@example.org` })],
    ["its role", ({ id }) => zw.admin.put(`/api/users/${id}`, { role: "admin" })],
    [
      "its state, there and back",
      async ({ id }) => {
        await zw.admin.put(`/api/users/${id}`, { disabled: true });
        await zw.admin.put(`/api/users/${id}`, { disabled: false });
      },
    ],
  ])("pending links, tickets, sign-ins and challenges end with a change of %s", async (_what, change) => {
    const account = await plantWaysIn(zw, harness, mail);
    await change(account);
    const attempts = await account.tryEach();
    expect(outstanding.filter((name) => attempts[name])).toEqual([]);
  });

  test("a new display name ends no pending link, ticket, sign-in or challenge", async () => {
    const account = await plantWaysIn(zw, harness, mail);
    await zw.admin.put(`/api/users/${account.id}`, { displayName: "Another" });
    const attempts = await account.tryEach();
    expect(outstanding.filter((name) => attempts[name])).toEqual(outstanding);
    for (const name of ["session", "passkey", "identity", "a token without expiry"]) expect(attempts[name]).toBe(true);
  });
});

describe("an administrator's view of an account's access", () => {
  /** For tests that leave it as it is. */
  let account: PlantedAccount;
  beforeAll(async () => {
    account = await plantWaysIn(zw, harness, mail);
  });

  test("an administrator sees every way into an account, without its secrets", async () => {
    const { status, body } = await zw.admin.get(`/api/users/${account.id}/access`);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        hasPassword: true,
        sessions: [expect.objectContaining({ current: false }), expect.objectContaining({ current: false })],
        tokens: [expect.objectContaining({ name: "Planted" }), expect.objectContaining({ name: "Planted" })],
        feeds: [],
        keys: [expect.objectContaining({ name: "Planted" })],
        passkeys: [{ id: expect.any(String), name: "Key", createdAt: expect.any(String), lastUsedAt: null }],
        identities: [
          {
            id: expect.any(String),
            providerId: "github",
            subject: expect.any(String),
            email: null,
            displayName: expect.any(String),
            createdAt: expect.any(String),
          },
        ],
        totp: true,
        email: true,
        recoveryCodesLeft: 10,
      },
    });
    // The random letters of a key's name may spell a word.
    const shown = JSON.stringify(body).replaceAll(/"zw-[a-z2-7]{13}"/g, '"a key"');
    expect(shown).not.toMatch(/hash|secret|argon2|publicKey/i);
  });

  test("an administrator can revoke single ways into an account without affecting the others", async () => {
    const { id, username, client } = await plantWaysIn(zw, harness, mail);
    const path = `/api/users/${id}/access`;
    const { body: before } = await zw.admin.get(path);
    const ids = [before.tokens[0], before.keys[0], before.passkeys[0], before.identities[0]].map(({ id }: Way) => id);
    const { status, body } = await zw.admin.send("DELETE", path, { ids });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      hasPassword: true,
      totp: true,
      keys: [],
      passkeys: [],
      identities: [],
      recoveryCodesLeft: 10,
    });
    expect(body.tokens).toEqual([before.tokens[1]]);
    expect(body.sessions).toHaveLength(2);
    const title = `Access to the account ${username} was revoked: 1 personal token, 1 TSIG key, 1 passkey, sign-in with github`;
    expect(await mailed(mail, `${username}@example.com`, title)).toContain("contact an administrator immediately");
    const { body: inbox } = await client.get("/api/notifications");
    expect(inbox.notifications[0]).toMatchObject({ event: "security.access_revoked", title });
    const kinds = await zw.admin.send("DELETE", path, { revoke: ["totp", "email", "tokens"] });
    expect(kinds.body).toMatchObject({ totp: false, email: false, tokens: [], recoveryCodesLeft: 0 });
    expect(kinds.body.sessions).toHaveLength(2);
  });

  test("an administrator's revocation with an ID of another account revokes nothing", async () => {
    const other = await zw.member("of-another-account");
    const { body: foreign } = await other.post("/api/auth/me/tokens", { name: "Foreign", permissions: [] });
    const path = `/api/users/${account.id}/access`;
    const { body: before } = await zw.admin.get(path);
    const ids = [before.tokens[0].id, foreign.id];
    expect(ids).toEqual([expect.any(String), expect.any(String)]);
    expect(await zw.admin.send("DELETE", path, { ids })).toBeProblem(404, "NOT_FOUND");
    expect((await zw.admin.get(path)).body).toEqual(before);
  });

  test.each([
    ["an unknown kind", { revoke: ["windows"] }],
    ["no kind", { revoke: [] }],
    ["kinds and ids together", { revoke: ["tokens"], ids: ["01a1fb0f-6204-7000-abd4-276e976be8b7"] }],
    ["an invalid ID", { ids: ["x"] }],
  ])("a revocation with %s is refused", async (_what, body) => {
    const { body: user } = await zw.admin.get("/api/auth/me");
    expect(await zw.admin.send("DELETE", `/api/users/${user.id}/access`, body)).toBeProblem(400, "BAD_REQUEST");
  });

  test("administrators cannot revoke their own access, so the last administrator always keeps theirs", async () => {
    const { body: me } = await zw.admin.get("/api/auth/me");
    expect(await zw.admin.delete(`/api/users/${me.id}/access`)).toBeProblem(403, "FORBIDDEN");
  });

  test("a passkey that alone signs administrators in stays until one of them has another way in", async () => {
    const { body: me } = await zw.admin.get("/api/auth/me");
    const others = (await zw.admin.get("/api/users?role=admin")).body.users.filter((user: Way) => user.id !== me.id);
    for (const other of others) await zw.admin.put(`/api/users/${other.id}`, { role: "member" });
    const account = { username: "has-only-a-passkey", password: memberPassword, role: "admin" };
    const { id } = (await zw.admin.post("/api/users", account)).body;
    const client = await zw.signIn(account.username, memberPassword);
    await addPasskey(client, securityKey());
    expect((await zw.admin.send("DELETE", `/api/users/${id}/access`, { revoke: ["password"] })).status).toBe(200);
    // The one who calls has a session, but no way to sign in again.
    expect((await client.send("DELETE", `/api/users/${me.id}/access`, { revoke: ["password"] })).status).toBe(200);
    const path = `/api/users/${id}`;
    for (const kept of [{}, { disabled: false, displayName: "Kept" }])
      expect(await zw.admin.put(path, { ...kept, removeSecondFactors: true })).toBeProblem(409, "CONFLICT");
    expect((await zw.admin.get(`${path}/access`)).body.passkeys).toHaveLength(1);
    // A member's passkeys do not matter here.
    const { id: memberId } = await plantWaysIn(zw, harness, mail);
    expect((await zw.admin.put(`/api/users/${memberId}`, { removeSecondFactors: true })).status).toBe(200);
    expect((await client.put(`/api/users/${me.id}`, { password: adminPassword })).status).toBe(200);
    zw.admin.token = (await zw.signIn("admin", adminPassword)).token;
    expect((await zw.admin.put(path, { removeSecondFactors: true })).status).toBe(200);
    expect((await zw.admin.get(`${path}/access`)).body.passkeys).toEqual([]);
    expect((await zw.admin.delete(path)).status).toBe(200);
  });

  test("an administrator's new password can leave chosen ways into the account, but always ends its sessions", async () => {
    const { id } = await plantWaysIn(zw, harness, mail);
    const path = `/api/users/${id}`;
    expect(await zw.admin.put(path, { revoke: ["tokens"] })).toBeProblem(400, "BAD_REQUEST");
    expect((await zw.admin.put(path, { password: newPassword, revoke: ["tokens"] })).status).toBe(200);
    const { body } = await zw.admin.get(`${path}/access`);
    expect(body).toMatchObject({ sessions: [], tokens: [], totp: true, email: true });
    expect([body.passkeys.length, body.identities.length]).toEqual([1, 1]);
  });
});

describe("changing one's own password", () => {
  const password = "/api/auth/me/password";
  const change = { currentPassword: memberPassword, newPassword };

  test("changing one's own password ends the other sessions and counts the remaining ways into the account", async () => {
    const account = await plantWaysIn(zw, harness, mail);
    expect(await account.client.put(password, change)).toMatchObject({
      status: 200,
      body: { success: true, remaining: { sessions: 0, tokens: 2, keys: 1, passkeys: 1, identities: 1 } },
    });
  });

  test("changing one's own password can revoke all other access in the same call, except the current session", async () => {
    const account = await plantWaysIn(zw, harness, mail);
    const revoke = ["sessions", "tokens", "passkeys", "identities", "keys"];
    expect(await account.client.put(password, { ...change, revoke })).toMatchObject({
      status: 200,
      body: { success: true, remaining: { sessions: 0, tokens: 0, keys: 0, passkeys: 0, identities: 0 } },
    });
    const { session, ...others } = await account.tryEach();
    expect(session).toBe(true);
    expect({ ...others, "a new token": false, "a new TSIG key": false }).toEqual(nothingOpens(others));
    const [entry] = await entries(zw.admin, { action: "user.change_password", targetId: account.id });
    expect(entry?.before).toMatchObject({ sessions: 1, tokens: ["Planted", "Planted"], passkeys: ["Key"] });
  });

  test("changing one's own password keeps other sessions that the call excludes", async () => {
    const account = await plantWaysIn(zw, harness, mail);
    const answer = await account.client.put(password, { ...change, revoke: [] });
    expect(answer.body.remaining).toEqual({ sessions: 1, tokens: 2, keys: 1, passkeys: 1, identities: 1 });
    expect((await account.tryEach())["another session"]).toBe(true);
  });

  test("changing one's own password with an unknown kind of access to revoke is refused", async () => {
    const client = await zw.member("of-no-kind");
    expect(await client.put(password, { ...change, revoke: ["windows"] })).toBeProblem(400, "BAD_REQUEST");
  });
});
