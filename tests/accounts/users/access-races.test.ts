import { afterAll, beforeAll, expect, test } from "vitest";
import { sql } from "kysely";
import { queries, type EntityManager } from "../../../server/database/database.ts";
import { useIdentityHarness } from "../../support/identity/harness.ts";
import { invite, site } from "../../support/identity/external-sign-in.ts";
import { patience } from "../../support/patience.ts";
import type { Answer, RestClient } from "../../support/rest-client.ts";
import { startMailServer, type MailServer } from "../../support/servers/mail-server.ts";
import { memberPassword, onceStarted, startZonewright, type Zonewright } from "../../support/zonewright.ts";
import { plantWaysIn } from "./ways-in.ts";

const newPassword = "seven grey herons by the sea";
let mail: MailServer;
let running: Zonewright & { stop(): Promise<void> };
const zw = onceStarted(() => running);

beforeAll(async () => {
  mail = await startMailServer();
  // Real hashes take time, so the rescue overlaps sign-ins whose passwords are still being checked.
  running = await startZonewright({ realHashes: true, env: { SMTP_URL: mail.url, SITE_URL: site } });
});
const harness = useIdentityHarness(zw);
afterAll(async () => {
  await running.stop();
  await mail.stop();
});

test("an administrator's rescue leaves no session, token, key or passkey created by concurrent calls", async () => {
  for (let round = 0; round < 3; round++) {
    const account = await plantWaysIn(zw, harness, mail);
    const [gained, rescue] = await Promise.all([
      account.tryAtOnce(),
      zw.admin.put(`/api/users/${account.id}`, { password: newPassword }),
    ]);
    expect(rescue.status).toBe(200);
    for (const client of gained) expect((await client.get("/api/v1/domains")).status).toBe(401);
    expect((await zw.admin.get(`/api/users/${account.id}/access`)).body).toMatchObject({
      sessions: [],
      tokens: [],
      keys: [],
      passkeys: [],
      identities: [],
    });
  }
});

let count = 0;

async function someone(role: "admin" | "member"): Promise<{ id: string; client: RestClient }> {
  const username = `someone-${(count += 1)}`;
  const { status, body } = await zw.admin.post("/api/users", { username, password: memberPassword, role });
  expect(status).toBe(201);
  return { id: body.id, client: await zw.signIn(username, memberPassword) };
}

/** Returns how many others wait for what a transaction has locked, or for one of those who do. */
async function waitingFor(tx: EntityManager): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    with recursive waiting as materialized (
      select distinct pid, pg_blocking_pids(pid) as holders from pg_locks where not granted
    ), behind (pid) as (
      select pg_backend_pid() union select waiting.pid from waiting join behind on behind.pid = any(waiting.holders)
    )
    select (count(*) - 1)::int as total from behind`.execute(queries(tx));
  return rows[0]?.total ?? 0;
}

/**
 * Locks a user's row and makes calls: each once those before it wait or have been answered. Then executes `last` and releases the row, so that
 * the calls which wait go on in their order. The embedded database has one connection, so there each follows the answer of the one before.
 */
async function inOrder(
  userId: string,
  calls: readonly (() => Promise<Answer>)[],
  last: (em: EntityManager) => Promise<unknown> = () => Promise.resolve(),
): Promise<Answer[]> {
  const em = zw.services.database.fork();
  if (process.env["TEST_DATABASE_URL"] === undefined) {
    await last(em);
    const answers: Answer[] = [];
    for (const call of calls) answers.push(await call());
    return answers;
  }
  const made: Promise<Answer>[] = [];
  await em.transactional(async (tx) => {
    // As strong as needed: a notification to the user does not wait for it.
    await sql`select from users where id = ${userId} for no key update`.execute(queries(tx));
    let answered = 0;
    const settled = async () => answered + (await waitingFor(tx));
    for (const call of calls) {
      made.push(
        call().finally(() => {
          answered += 1;
        }),
      );
      await expect.poll(settled, patience).toBeGreaterThanOrEqual(made.length);
    }
    await last(tx);
  });
  return await Promise.all(made);
}

const endings: [what: string, status: number, end: (path: string) => Promise<Answer>, after: object][] = [
  ["demoted", 403, (path) => zw.admin.put(path, { role: "member" }), { role: "member", disabled: false }],
  ["disabled", 401, (path) => zw.admin.put(path, { disabled: true }), { role: "admin", disabled: true }],
  ["rescued", 401, (path) => zw.admin.put(path, { password: newPassword }), { role: "admin", disabled: false }],
];

test.each(endings)(
  "calls by an administrator who is %s at the same time give no access, and do not undo it",
  async (_what, status, end, after) => {
    const [{ id, client }, member] = [await someone("admin"), await someone("member")];
    const path = `/api/users/${id}`;
    const ghost = { username: `ghost-of-${id}`, password: newPassword, role: "admin" };
    const calls = {
      "their own role": () => client.put(path, { role: "admin", disabled: false }),
      "another administrator": () => client.post("/api/users", ghost),
      "a member's password": () => client.put(`/api/users/${member.id}`, { password: newPassword }),
      "an invitation": () => client.post("/api/invitations", { role: "admin", maxUses: 5 }),
      "another provider": () => client.post("/api/oauth/providers", { providerId: "google", clientId: "x" }),
      "a provider": () => client.put(`/api/oauth/providers/${harness.configId}`, { enabled: true }),
    };
    const [ended, ...answers] = await inOrder(id, [() => end(path), ...Object.values(calls)]);
    expect(ended?.status).toBe(200);
    expect(Object.fromEntries(Object.keys(calls).map((name, index) => [name, answers[index]?.status]))).toEqual(
      Object.fromEntries(Object.keys(calls).map((name) => [name, status])),
    );
    expect((await zw.admin.get(path)).body).toMatchObject(after);
    expect((await member.client.get("/api/auth/me")).status).toBe(200);
    // An invitation works again with its creator's role, if nothing has ended it.
    expect((await zw.admin.put(path, { role: "admin", disabled: false })).status).toBe(200);
    const { body } = await zw.admin.get("/api/invitations?limit=100");
    expect(body.invitations.filter(({ createdBy }: { createdBy: string }) => createdBy === id)).toEqual([]);
  },
);

test("concurrent changes to a user who becomes an administrator meanwhile all succeed", async () => {
  const { id, client } = await someone("member");
  const change = { currentPassword: memberPassword, newPassword, revoke: ["identities"] };
  const answers = await inOrder(
    id,
    [
      () => client.put("/api/auth/me/password", change),
      () => zw.admin.put(`/api/users/${id}`, { displayName: "Somebody" }),
    ],
    (em) => queries(em).updateTable("users").set({ role: "admin" }).where("id", "=", id).execute(),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
});

test("an administrator is demoted while somebody registers with their invitation, which has then ended", async () => {
  const { id, client } = await someone("admin");
  const { code: inviteCode } = (await client.post("/api/invitations", { role: "admin", maxUses: 5 })).body;
  harness.be(8_001);
  const answers = await inOrder(id, [
    () => zw.admin.put(`/api/users/${id}`, { role: "member" }),
    () => harness.register({ inviteCode }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 400]);
  expect(answers[1]?.body.issues).toMatchObject([{ path: ["inviteCode"] }]);
});

test("a new user and an administrator who registers at the same time under that name both get an account", async () => {
  const { id } = await someone("admin");
  const inviteCode = await invite(zw, { role: "admin" });
  const username = `twin-${id}`;
  harness.be(8_000, { login: username });
  const answers = await inOrder(id, [
    () => zw.admin.post("/api/users", { username, password: newPassword, role: "member" }),
    () => harness.register({ inviteCode }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  expect(answers[1]?.body.user).toMatchObject({ username: `${username}-2`, role: "admin" });
});
