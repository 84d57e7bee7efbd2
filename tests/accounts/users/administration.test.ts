import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "kysely";
import { queries } from "../../../server/database/database.ts";
import { codeAt } from "../../support/second-factors/authenticator-app.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { adminPassword, memberPassword, useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright();
let member: RestClient;
let adminId: string;

beforeAll(async () => {
  member = await zw.member("Member");
  adminId = (await zw.admin.get("/api/auth/me")).body.id;
});

const password = "a password that nobody else has";
let count = 0;

async function add(fields: Record<string, unknown> = {}) {
  const username = `user-${++count}`;
  const { status, body } = await zw.admin.post("/api/users", { username, password, role: "member", ...fields });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body as { id: string; username: string };
}

async function trailOf(targetId: string) {
  const em = zw.services.database.fork();
  return await queries(em)
    .selectFrom("audit_entries")
    .select(["action", "actor_id", "before", "after"])
    .where("target_id", "=", targetId)
    .orderBy("id")
    .execute();
}

test("an administrator adds a user, who can sign in immediately", async () => {
  const email = "ada@example.com";
  const { status, body } = await zw.admin.post("/api/users", { username: "ada", password, email, role: "member" });
  expect({ status, body }).toEqual({
    status: 201,
    body: {
      id: expect.any(String),
      username: "ada",
      email,
      emailVerified: true,
      role: "member",
      displayName: null,
      disabled: false,
      hasPassword: true,
      domainCount: 0,
      createdAt: expect.any(String),
      lastLoginAt: null,
    },
  });
  const ada = await zw.signIn("ada", password);
  expect((await ada.get("/api/auth/me")).body).toMatchObject({ id: body.id, email });
  expect((await zw.admin.get(`/api/users/${body.id}`)).body.lastLoginAt).toEqual(expect.any(String));
});

test("a taken username or address is refused, regardless of case", async () => {
  await add({ username: "Taken", email: "taken@example.com" });
  for (const [field, fields] of [
    ["username", { username: "tAKEN" }],
    ["email", { username: "other", email: "Taken@Example.com" }],
  ] as const) {
    const answer = await zw.admin.post("/api/users", { password, role: "member", ...fields });
    expect(answer).toBeProblem(409, "CONFLICT");
    expect(answer.body.issues).toMatchObject([{ path: [field] }]);
  }
  const user = await add();
  expect(await zw.admin.put(`/api/users/${user.id}`, { username: "taken" })).toBeProblem(409, "CONFLICT");
});

test.each([
  ["a short password", { password: "short" }],
  ["no username", { username: "" }],
  ["a username with a space", { username: "a b" }],
  ["an invalid address", { email: "nobody" }],
  ["an unknown role", { role: "owner" }],
  ["an unknown field", { id: "x" }],
])("adding a user with %s is refused", async (_, fields) => {
  const user = { username: "refused", password, role: "member", ...fields };
  expect(await zw.admin.post("/api/users", user)).toBeProblem(400, "BAD_REQUEST");
});

test("users are listed by username, in pages, and can be searched", async () => {
  for (const username of ["list-c", "List-a", "list-b"]) await add({ username });
  await add({ username: "other-name", displayName: "Per 100% List-z" });
  const { body } = await zw.admin.get("/api/users?search=LIST-&limit=2");
  expect(body).toMatchObject({ total: 4, page: 1, limit: 2 });
  const next = await zw.admin.get("/api/users?search=LIST-&limit=2&page=2");
  expect([...body.users, ...next.body.users].map(({ username }) => username)).toEqual([
    "List-a",
    "list-b",
    "list-c",
    "other-name",
  ]);
  expect((await zw.admin.get("/api/users?search=100%25")).body.total).toBe(1);
  expect((await zw.admin.get("/api/users?search=_")).body.total).toBe(0);
  const admins = await zw.admin.get("/api/users?role=admin");
  expect(admins.body.users.map(({ role }: { role: string }) => role)).toEqual(["admin"]);
});

describe("changes to an account take effect with the next request", () => {
  test("a promotion or demotion takes effect with the next request", async () => {
    const user = await add();
    const client = await zw.signIn(user.username, password);
    expect((await client.get("/api/users")).status).toBe(403);
    expect((await zw.admin.put(`/api/users/${user.id}`, { role: "admin" })).body.role).toBe("admin");
    expect((await client.get("/api/users")).status).toBe(200);
    await zw.admin.put(`/api/users/${user.id}`, { role: "member" });
    expect((await client.get("/api/users")).status).toBe(403);
  });

  test("disabling an account ends its sessions with the next request, and enabling it does not restore them", async () => {
    const user = await add();
    const client = await zw.signIn(user.username, password);
    expect((await client.get("/api/auth/me")).status).toBe(200);
    expect((await zw.admin.put(`/api/users/${user.id}`, { disabled: true })).body.disabled).toBe(true);
    expect((await client.get("/api/auth/me")).status).toBe(401);
    const login = { username: user.username, password };
    expect((await zw.nobody.post("/api/auth/login", login)).status).toBe(401);
    await zw.admin.put(`/api/users/${user.id}`, { disabled: false });
    expect((await client.get("/api/auth/me")).status).toBe(401);
    expect((await zw.nobody.post("/api/auth/login", login)).status).toBe(200);
  });

  test("a new password set by an administrator takes effect with the next request", async () => {
    const user = await add();
    const client = await zw.signIn(user.username, password);
    await zw.admin.put(`/api/users/${user.id}`, { password: "another password that nobody has" });
    expect((await client.get("/api/auth/me")).status).toBe(401);
    expect((await zw.nobody.post("/api/auth/login", { username: user.username, password })).status).toBe(401);
    expect((await zw.signIn(user.username, "another password that nobody has")).token).toEqual(expect.any(String));
  });

  test("deleting an account takes effect with the next request", async () => {
    const user = await add();
    const client = await zw.signIn(user.username, password);
    expect(await zw.admin.delete(`/api/users/${user.id}`)).toMatchObject({ status: 200, body: { success: true } });
    expect((await client.get("/api/auth/me")).status).toBe(401);
    expect(await zw.admin.get(`/api/users/${user.id}`)).toBeProblem(404, "NOT_FOUND");
    expect(await zw.admin.delete(`/api/users/${user.id}`)).toBeProblem(404, "NOT_FOUND");
  });
});

test("administrators cannot change their own password, address or second factors without the current password", async () => {
  const own = await add({ role: "admin", email: "own@example.com" });
  const client = await zw.signIn(own.username, password);
  const path = `/api/users/${own.id}`;
  for (const change of [
    { password: "another password that nobody has" },
    { email: "thief@example.com" },
    { removeSecondFactors: true },
  ])
    expect(await client.put(path, change)).toBeProblem(403, "FORBIDDEN");
  const same = { username: own.username, email: "own@example.com", removeSecondFactors: false, displayName: "Own" };
  expect(await client.put(path, same)).toMatchObject({ status: 200, body: { displayName: "Own" } });
  expect((await client.get("/api/auth/me")).body).toMatchObject({ email: "own@example.com" });
  expect((await zw.admin.delete(path)).status).toBe(200);
});

test("a new password and the end of its old sessions are atomic: if one fails, both do", async () => {
  const user = await add();
  const client = await zw.signIn(user.username, password);
  const db = queries(zw.services.database.fork());
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$`.execute(
    db,
  );
  await sql`create trigger refuse before update of revoked_at on sessions execute function refuse()`.execute(db);
  try {
    const { status } = await zw.admin.put(`/api/users/${user.id}`, { password: "another password that nobody has" });
    expect(status).toBe(500);
  } finally {
    await sql`drop function refuse cascade`.execute(db);
  }
  expect((await zw.signIn(user.username, password)).token).toEqual(expect.any(String));
  expect((await client.get("/api/auth/me")).status).toBe(200);
});

describe("the last administrator", () => {
  test("the last administrator cannot be demoted, disabled or deleted", async () => {
    const path = `/api/users/${adminId}`;
    for (const answer of [
      await zw.admin.put(path, { role: "member" }),
      await zw.admin.put(path, { disabled: true }),
      await zw.admin.delete(path),
    ]) {
      expect(answer).toBeProblem(409, "CONFLICT");
      expect(answer.body.detail).toContain("last administrator");
    }
    expect((await zw.admin.get("/api/auth/me")).body.role).toBe("admin");
  });

  test("an administrator who has no way to sign in does not count as another one", async () => {
    const other = await add({ role: "admin" });
    await zw.admin.send("DELETE", `/api/users/${other.id}/access`, {});
    for (const fields of [{ role: "member" }, { disabled: true }])
      expect(await zw.admin.put(`/api/users/${adminId}`, fields)).toBeProblem(409, "CONFLICT");
    expect(await zw.admin.delete(`/api/users/${adminId}`)).toBeProblem(409, "CONFLICT");
    expect((await zw.admin.delete(`/api/users/${other.id}`)).status).toBe(200);
  });

  test("administrators who demote each other concurrently always leave at least one administrator", async () => {
    const others = await Promise.all([add({ role: "admin" }), add({ role: "admin" }), add({ role: "admin" })]);
    const ids = [adminId, ...others.map(({ id }) => id)];
    const clients = await Promise.all(others.map(({ username }) => zw.signIn(username, password)));
    const everyone = [zw.admin, ...clients];
    const answers = await Promise.all(
      everyone.map((client, index) => client.put(`/api/users/${ids[(index + 1) % ids.length]}`, { role: "member" })),
    );
    const em = zw.services.database.fork();
    const left = await queries(em).selectFrom("users").select("id").where("role", "=", "admin").execute();
    expect(left.length).toBeGreaterThanOrEqual(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(ids.length - left.length);
    await queries(em).updateTable("users").set({ role: "admin" }).where("id", "=", adminId).execute();
    zw.services.authenticator.forget(adminId);
    for (const { id } of others) await zw.admin.delete(`/api/users/${id}`);
  });
});

async function owner() {
  const user = await add();
  const { body: domain } = await zw.admin.post("/api/domains", { name: `${user.username}.example` });
  const em = zw.services.database.fork();
  await queries(em).updateTable("domains").set({ owner_id: user.id }).where("id", "=", domain.id).execute();
  return { user, domain };
}

describe("the domains of a deleted user", () => {
  test("a user who owns domains cannot be deleted without a new owner for them", async () => {
    const { user, domain } = await owner();
    const refused = await zw.admin.delete(`/api/users/${user.id}`);
    expect(refused).toBeProblem(409, "CONFLICT");
    expect(refused.body.detail).toContain("owns 1 domain");
    const heir = await add();
    expect((await zw.admin.delete(`/api/users/${user.id}?reassignTo=${heir.id}`)).status).toBe(200);
    const { body: left } = await zw.admin.get(`/api/domains/${domain.id}`);
    expect(left.ownerId).toBe(heir.id);
    expect(left.updatedAt).not.toBe(domain.updatedAt);
    expect((await zw.admin.get(`/api/users/${heir.id}`)).body.domainCount).toBe(1);
  });

  test("each domain that goes to another user with a deletion has an audit entry of its own", async () => {
    const { user, domain } = await owner();
    const { body: second } = await zw.admin.post("/api/domains", { name: `second.${user.username}.example` });
    expect((await zw.admin.put(`/api/domains/${second.id}`, { ownerId: user.id })).status).toBe(200);
    const heir = await add();
    expect((await zw.admin.delete(`/api/users/${user.id}?reassignTo=${heir.id}`)).status).toBe(200);
    for (const { id } of [domain, second]) {
      const { body } = await zw.admin.get(`/api/audit?domainId=${id}&action=domain.update&limit=1`);
      expect(body.entries).toMatchObject([
        { actorId: adminId, targetId: id, before: { ownerId: user.id }, after: { ownerId: heir.id } },
      ]);
    }
  });

  test("domains cannot be reassigned to a missing user, a disabled user or the user being deleted", async () => {
    const { user } = await owner();
    const disabled = await add();
    await zw.admin.put(`/api/users/${disabled.id}`, { disabled: true });
    for (const heir of [user.id, disabled.id, "01a1fb0f-6204-7000-abd4-276e976be8b7"]) {
      const answer = await zw.admin.delete(`/api/users/${user.id}?reassignTo=${heir}`);
      expect(answer).toBeProblem(400, "BAD_REQUEST");
    }
    expect((await zw.admin.get(`/api/users/${user.id}`)).status).toBe(200);
  });

  test("a domain's history still names its actors after they are deleted", async () => {
    const user = await add({ role: "admin" });
    const client = await zw.signIn(user.username, password);
    const { body: domain } = await client.post("/api/domains", { name: "history.example" });
    await client.post(`/api/domains/${domain.id}/records`, { recordType: "A", name: "www", value: "192.0.2.1" });
    expect((await zw.admin.delete(`/api/users/${user.id}`)).status).toBe(200);
    const { body } = await zw.admin.get(`/api/domains/${domain.id}/history`);
    expect(body.entries[0]).toMatchObject({ kind: "edit", actorId: user.id });
  });
});

test("account changes are audited, without passwords", async () => {
  const user = await add();
  await zw.admin.put(`/api/users/${user.id}`, { role: "admin", password: "yet another secret password" });
  await zw.admin.delete(`/api/users/${user.id}`);
  const trail = await trailOf(user.id);
  expect(trail).toMatchObject([
    { action: "user.create", actor_id: adminId, before: null, after: { username: user.username, role: "member" } },
    { action: "user.update", before: { role: "member" }, after: { role: "admin", passwordChanged: true } },
    { action: "user.delete", before: { username: user.username, role: "admin" }, after: null },
  ]);
  expect(JSON.stringify(trail)).not.toMatch(/yet another|argon2/);
});

test("members cannot manage users or invitations", async () => {
  expect((await zw.signIn("Member", memberPassword)).token).toEqual(expect.any(String));
  for (const answer of [
    await member.get("/api/users"),
    await member.post("/api/users", { username: "x1", password, role: "admin" }),
    await member.put(`/api/users/${adminId}`, { role: "member" }),
    await member.delete(`/api/users/${adminId}`),
    await member.get("/api/invitations"),
    await member.post("/api/invitations", {}),
  ]) {
    expect(answer).toBeProblem(403, "FORBIDDEN");
  }
  expect((await zw.signIn("admin", adminPassword)).token).toEqual(expect.any(String));
});

test("an administrator can remove a user's lost second factors", async () => {
  const user = await add();
  const client = await zw.signIn(user.username, password);
  const { body: setup } = await client.post("/api/2fa/totp/setup");
  expect((await client.post("/api/2fa/totp/enable", { code: codeAt(setup.secret, new Date()) })).status).toBe(200);
  const login = { username: user.username, password };
  expect((await zw.nobody.post("/api/auth/login", login)).body.requires2FA).toBe(true);
  expect((await zw.admin.put(`/api/users/${user.id}`, { removeSecondFactors: true })).status).toBe(200);
  expect((await zw.nobody.post("/api/auth/login", login)).body.user).toMatchObject({ id: user.id });
  expect((await trailOf(user.id)).at(-1)).toMatchObject({ action: "user.update", after: { secondFactorsRemoved: 1 } });
});
