import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { useIdentityHarness } from "../../support/identity/harness.ts";
import { Clock, minute } from "../../support/clock.ts";
import type { Answer, RestClient } from "../../support/rest-client.ts";
import { addPasskey, securityKey, site } from "../../support/second-factors/security-key.ts";
import { startMailServer, type MailServer } from "../../support/servers/mail-server.ts";
import {
  adminPassword,
  memberPassword,
  onceStarted,
  startZonewright,
  type Zonewright,
} from "../../support/zonewright.ts";
import { vendorClient } from "../../support/identity/vendors.ts";

const clock = new Clock();
let mail: MailServer;
let running: Zonewright & { stop(): Promise<void> };
beforeAll(async () => {
  mail = await startMailServer();
  running = await startZonewright({ now: clock.now, env: { SMTP_URL: mail.url, SITE_URL: site } });
});
afterAll(async () => {
  await running.stop();
  await mail.stop();
});
const zw = onceStarted(() => running);
const harness = useIdentityHarness(zw);

const password = memberPassword;
const watcher = "watcher@example.com";
let count = 0;
let username: string;
let id: string;
let stolen: RestClient;

beforeAll(async () => {
  const them = { username: "watcher", email: watcher, password, role: "admin" } as const;
  await zw.services.users.create(zw.services.database.fork(), them);
  const client = await zw.signIn("watcher", password);
  const wishes = { notificationsEnabled: false, emailNotificationsEnabled: false };
  await made(client.put("/api/auth/me/profile", wishes));
});

beforeEach(async () => {
  count += 1;
  username = `user-${count}`;
  zw.admin.token = (await zw.signIn("admin", adminPassword)).token;
  id = (await made(zw.admin.post("/api/users", { username, password, role: "member" }))).body.id;
  stolen = await zw.signIn("admin", adminPassword);
  mail.mails.length = 0;
});

async function made(call: Promise<Answer>): Promise<Answer> {
  const answer = await call;
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
  return answer;
}

/** Makes every session too old to count as confirmed. */
function letThemGrowOld(): void {
  clock.advance(11 * minute);
}

const user = () => `/api/users/${id}`;
const provider = () => `/api/oauth/providers/${harness.configId}`;

/** The calls that would let the holder of an administrator's stolen access token keep access. */
const giving: [what: string, call: () => Promise<Answer>][] = [
  ["adding an administrator", () => stolen.post("/api/users", { username: "ghost", password, role: "admin" })],
  ["adding a member", () => stolen.post("/api/users", { username: "ghost", password, role: "member" })],
  ["inviting an administrator", () => stolen.post("/api/invitations", { role: "admin" })],
  ["inviting a member", () => stolen.post("/api/invitations", {})],
  ["setting a password", () => stolen.put(user(), { password: "owned by somebody else" })],
  ["setting an address", () => stolen.put(user(), { email: "ghost@example.com" })],
  ["removing the address", () => stolen.put(user(), { email: null })],
  ["vouching for an address", () => stolen.put(user(), { emailVerified: true })],
  ["promoting to administrator", () => stolen.put(user(), { role: "admin" })],
  ["enabling an account", () => stolen.put(user(), { disabled: false })],
  ["removing second factors", () => stolen.put(user(), { removeSecondFactors: true })],
  ["reducing access to the password", () => stolen.send("DELETE", `${user()}/access`, { revoke: ["totp", "tokens"] })],
  [
    "reducing access to an identity",
    () => stolen.send("DELETE", `${user()}/access`, { revoke: ["password", "passkeys"] }),
  ],
  ["configuring a provider", () => stolen.post("/api/oauth/providers", { providerId: "google", clientId: "x" })],
  [
    "redirecting a provider",
    () =>
      stolen.put(provider(), {
        userInfoUrl: "https://gitlab.com/attacker/u.json",
        clientSecret: vendorClient.clientSecret,
      }),
  ],
  ["enabling a provider", () => stolen.put(provider(), { enabled: true })],
];

/** The state that a refused call must not change. */
async function state(client = stolen) {
  const paths = [user(), `${user()}/access`, "/api/invitations", "/api/oauth/providers", "/api/users?search=ghost"];
  return await Promise.all(paths.map(async (path) => (await client.get(path)).body));
}

test.each(giving)("in a session confirmed long ago, %s is refused and changes nothing", async (_what, call) => {
  letThemGrowOld();
  const before = await state();
  expect(await call()).toBeProblem(403, "REAUTHENTICATION_REQUIRED");
  expect(await state()).toEqual(before);
});

/** Changes the database as another instance does. For a second, this one trusts what it read before: docs/decisions/0017-revocation.md. */
const elsewhere = () => queries(zw.services.database.fork());

test.each(giving)(
  "in a session that another instance has just ended, %s is refused and changes nothing",
  async (_what, call) => {
    const before = await state(zw.admin);
    const { body } = await stolen.get("/api/auth/me/sessions");
    const session = elsewhere().updateTable("sessions").where("id", "=", body.sessions[0].id);
    await session.set({ revoked_at: clock.now() }).execute();
    expect(await call()).toBeProblem(401, "UNAUTHORIZED");
    expect(await state(zw.admin)).toEqual(before);
  },
);

test.each(giving)(
  "by somebody whom another instance has just demoted, %s is refused and changes nothing",
  async (_what, call) => {
    const before = await state(zw.admin);
    const rogue = { username: `rogue-${count}`, email: null, password, role: "admin" } as const;
    const { id: rogueId } = await zw.services.users.create(zw.services.database.fork(), rogue);
    stolen = await zw.signIn(rogue.username, password);
    expect((await stolen.get("/api/auth/me")).status).toBe(200);
    await elsewhere().updateTable("users").where("id", "=", rogueId).set({ role: "member" }).execute();
    expect(await call()).toBeProblem(403, "FORBIDDEN");
    expect(await state(zw.admin)).toEqual(before);
  },
);

test("removing a passkey by its ID requires a confirmed session", async () => {
  const client = await zw.signIn(username, password);
  const { id: passkey } = await addPasskey(client, securityKey());
  letThemGrowOld();
  const removal = { ids: [passkey] };
  expect(await stolen.send("DELETE", `${user()}/access`, removal)).toBeProblem(403, "REAUTHENTICATION_REQUIRED");
  expect((await stolen.get(`${user()}/access`)).body.passkeys).toHaveLength(1);
  expect((await stolen.post("/api/auth/me/confirm", { password: adminPassword })).status).toBe(200);
  expect((await stolen.send("DELETE", `${user()}/access`, removal)).body.passkeys).toEqual([]);
});

test("revoking access or changing a display name requires no confirmed session", async () => {
  const client = await zw.signIn(username, password);
  const { id: token } = (await client.post("/api/auth/me/tokens", { name: "Script", permissions: [] })).body;
  letThemGrowOld();
  const answers = [
    await stolen.put(user(), { displayName: "Another", role: "member", emailVerified: false }),
    await stolen.send("DELETE", `${user()}/access`, { ids: [token] }),
    await stolen.send("DELETE", `${user()}/access`, { revoke: ["sessions", "tokens"] }),
    await stolen.delete(`${user()}/access`),
    await stolen.put(user(), { disabled: true }),
    await stolen.put(provider(), { enabled: false }),
    await stolen.delete(user()),
  ];
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  zw.admin.token = (await zw.signIn("admin", adminPassword)).token;
  expect((await zw.admin.put(provider(), { enabled: true })).status).toBe(200);
  // One mail for each change of the provider, awaited here so that no later test receives them.
  const subjects = [(await mail.next(watcher)).subject, (await mail.next(watcher)).subject];
  expect(subjects).toEqual([expect.stringMatching(/ was changed$/), expect.stringMatching(/ was changed$/)]);
});

async function notices(event: string) {
  const { body } = await zw.admin.get("/api/notifications");
  return body.notifications.filter((one: { event: string }) => one.event === event);
}

/** The metadata of a notice that identify the administrator who caused it. */
async function origin() {
  const { body: me } = await zw.admin.get("/api/auth/me");
  return { byUserId: me.id, byUsername: "admin", ip: "127.0.0.1" };
}

describe("administrators get notifications and mails about new administrators and providers, whatever their settings", () => {
  test("administrators are notified when an administrator is added", async () => {
    const name = `added-${count}`;
    const { body } = await made(zw.admin.post("/api/users", { username: name, password, role: "admin" }));
    const title = `${name} was added as an administrator`;
    const [notice] = await notices("security.administrator_added");
    const metadata = { ...(await origin()), userId: body.id, username: name, how: "created", invitationId: null };
    expect(notice).toMatchObject({ title, level: "warning", metadata });
    const { subject, text } = await mail.next(watcher);
    expect([subject, text]).toEqual([title, expect.stringContaining("made by admin from 127.0.0.1")]);
  });

  test("administrators are notified once when a member is promoted to administrator", async () => {
    await made(zw.admin.put(user(), { role: "admin" }));
    await made(zw.admin.put(user(), { role: "admin", displayName: "Still" }));
    expect((await mail.next(watcher)).subject).toBe(`${username} was made an administrator`);
    await zw.services.background.settled();
    expect(mail.mails.filter(({ to }) => to === watcher)).toEqual([]);
  });

  test("administrators are notified when an administrator is enabled again", async () => {
    await made(zw.admin.put(user(), { role: "admin", disabled: true }));
    await made(zw.admin.put(user(), { disabled: false }));
    expect((await mail.next(watcher)).subject).toBe(`${username} was enabled as an administrator`);
  });

  test("administrators are notified when a user registers as an administrator", async () => {
    const { body } = await made(zw.admin.post("/api/invitations", { role: "admin" }));
    const name = `registered-${count}`;
    await made(zw.nobody.post("/api/auth/register", { inviteCode: body.code, username: name, password }));
    expect((await mail.next(watcher)).subject).toBe(`${name} registered as an administrator`);
    const [notice] = await notices("security.administrator_added");
    expect(notice.metadata).toMatchObject({ username: name, how: "registered", invitationId: body.id, byUserId: null });
  });

  test("administrators are notified when an identity provider is configured, changed or deleted", async () => {
    const config = { providerId: "gitlab", ...vendorClient };
    const { body } = await made(zw.admin.post("/api/oauth/providers", config));
    const at = `/api/oauth/providers/${body.id}`;
    await made(zw.admin.put(at, {}));
    await made(zw.admin.put(at, { tokenUrl: "https://git.example.com/token", clientSecret: "another secret" }));
    await made(zw.admin.delete(at));
    const reported = (await notices("security.sign_in_provider_changed")).slice(0, 3);
    const common = { ...(await origin()), configId: body.id, providerId: "gitlab", provider: "GitLab" };
    expect(reported.map(({ metadata }: { metadata: object }) => metadata)).toEqual([
      { ...common, change: "deleted", fields: [] },
      { ...common, change: "changed", fields: ["tokenUrl", "clientSecret"] },
      { ...common, change: "created", fields: [] },
    ]);
    expect(JSON.stringify(reported)).not.toContain("another secret");
    const subjects = [await mail.next(watcher), await mail.next(watcher), await mail.next(watcher)];
    expect(subjects.map(({ subject }) => subject).toSorted()).toEqual([
      "Sign-in with GitLab was changed",
      "Sign-in with GitLab was created",
      "Sign-in with GitLab was deleted",
    ]);
  });
});
