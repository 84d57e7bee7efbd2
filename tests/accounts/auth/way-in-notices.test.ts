import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { useIdentityHarness } from "../../support/identity/harness.ts";
import type { Answer, RestClient } from "../../support/rest-client.ts";
import { Clock } from "../../support/clock.ts";
import { codeAt, middleOfStep, wrongCodeAt } from "../../support/second-factors/authenticator-app.ts";
import { addPasskey, securityKey, site } from "../../support/second-factors/security-key.ts";
import { startMailServer, type MailServer } from "../../support/servers/mail-server.ts";
import {
  adminPassword,
  memberPassword,
  onceStarted,
  startZonewright,
  type Zonewright,
} from "../../support/zonewright.ts";

const clock = new Clock();
let mail: MailServer;
let running: Zonewright & { stop(): Promise<void> };
beforeAll(async () => {
  mail = await startMailServer();
  // Without jobs, only the tests deliver.
  running = await startZonewright({ now: clock.now, env: { SMTP_URL: mail.url, SITE_URL: site, JOBS: "off" } });
});
afterAll(async () => {
  await running.stop();
  await mail.stop();
});
const zw = onceStarted(() => running);
const harness = useIdentityHarness(zw);

const currentPassword = memberPassword;
let users = 0;
let username: string;
let address: string;
let client: RestClient;
beforeEach(async () => {
  middleOfStep(clock);
  users += 1;
  [username, address] = [`user-${users}`, `user-${users}@example.com`];
  zw.admin.token = (await zw.signIn("admin", adminPassword)).token;
  await succeeds(zw.admin.post("/api/users", { username, email: address, password: memberPassword, role: "member" }));
  client = await zw.signIn(username, memberPassword);
  harness.be(users);
});

async function succeeds(call: Promise<Answer>): Promise<Answer> {
  const answer = await call;
  if (answer.status >= 300) throw new Error(`The call failed: ${JSON.stringify(answer.body)}`);
  return answer;
}

async function reported(event: string, reader = client) {
  const { body } = await reader.get("/api/notifications");
  return body.notifications.filter((one: { event: string }) => one.event === event);
}

async function enableApp(): Promise<string> {
  const { body } = await succeeds(client.post("/api/2fa/totp/setup"));
  await succeeds(client.post("/api/2fa/totp/enable", { code: codeAt(body.secret, clock.now()) }));
  return body.secret;
}

/** Each change to the ways into an account: the event, its metadata and title, and a function that makes it and returns its secrets. */
const changes: [event: string, details: object, title: string, make: () => Promise<string[]>][] = [
  [
    "security.factor_added",
    { method: "totp", name: null },
    "An authenticator app was added to the account USER",
    async () => [await enableApp()],
  ],
  [
    "security.factor_added",
    { method: "passkey", name: "Laptop" },
    "The passkey Laptop was added to the account USER",
    async () => (await addPasskey(client, securityKey(), "Laptop")).recoveryCodes,
  ],
  [
    "security.factor_added",
    { method: "email", name: null },
    "Sign-in codes by email were added to the account USER",
    async () => (await succeeds(client.post("/api/2fa/email/enable", { currentPassword }))).body.recoveryCodes,
  ],
  [
    "security.factor_removed",
    { method: "totp", name: null },
    "An authenticator app was removed from the account USER",
    async () => {
      const secret = await enableApp();
      await mail.next(address);
      await succeeds(client.send("DELETE", "/api/2fa/totp", { currentPassword }));
      return [secret];
    },
  ],
  [
    "security.factor_removed",
    { method: "passkey", name: "Laptop" },
    "The passkey Laptop was removed from the account USER",
    async () => {
      const { id, recoveryCodes } = await addPasskey(client, securityKey(), "Laptop");
      await mail.next(address);
      await succeeds(client.send("DELETE", `/api/2fa/passkeys/${id}`, {}));
      return recoveryCodes;
    },
  ],
  [
    "security.recovery_codes_replaced",
    {},
    "The recovery codes of the account USER were replaced",
    async () => {
      await enableApp();
      await mail.next(address);
      return (await succeeds(client.post("/api/2fa/recovery-codes", {}))).body.recoveryCodes;
    },
  ],
  [
    "security.identity_added",
    { providerId: "github", provider: "GitHub" },
    "Sign-in with GitHub was added to the account USER",
    async () => {
      expect(await harness.bind(client)).toMatchObject({ bound: "1" });
      return [];
    },
  ],
  [
    "security.identity_removed",
    { providerId: "github", provider: "GitHub" },
    "Sign-in with GitHub was removed from the account USER",
    async () => {
      await harness.bind(client);
      await mail.next(address);
      await succeeds(client.delete("/api/auth/oauth/unbind/github"));
      return [];
    },
  ],
  [
    "security.token_created",
    { tokenId: expect.any(String), name: "Script" },
    "The personal token Script was created for the account USER",
    async () => {
      const wish = { name: "Script", permissions: ["records:read"] };
      return [(await succeeds(client.post("/api/auth/me/tokens", wish))).body.token];
    },
  ],
  [
    "security.feed_created",
    { feedId: expect.any(String), name: "Renewals" },
    "The calendar feed Renewals was created for the account USER",
    async () => [(await succeeds(client.post("/api/auth/me/feeds", { name: "Renewals" }))).body.token],
  ],
  [
    "security.key_created",
    {
      keyId: expect.any(String),
      keyName: expect.stringMatching(/^zw-/),
      name: "Router",
      domainName: expect.stringMatching(/example$/),
    },
    "The TSIG key Router for keyed.example was created for the account USER",
    async () => {
      const { body: me } = await client.get("/api/auth/me");
      const { body: zone } = await zw.admin.post("/api/domains", { name: "keyed.example" });
      const assignment = { userId: me.id, domainId: zone.id, subdomainPattern: "*", access: "write" };
      await succeeds(zw.admin.post("/api/assignments", assignment));
      const wish = { name: "Router", domainId: zone.id };
      return [(await succeeds(client.post("/api/auth/me/tsig-keys", wish))).body.secret];
    },
  ],
  [
    "security.email_changed",
    {},
    "The email address of the account USER was changed",
    async () => {
      await succeeds(client.put("/api/auth/me/email", { currentPassword, email: `new-${address}` }));
      return [`new-${address}`];
    },
  ],
  [
    "security.password_changed",
    {},
    "The password of the account USER was changed",
    async () => {
      const newPassword = "three brass owls at noon";
      await succeeds(client.put("/api/auth/me/password", { currentPassword, newPassword }));
      return [newPassword];
    },
  ],
];

describe("a change to the ways into an account notifies its owner once, by mail to the prior address, without secrets", () => {
  test.each(changes)(
    "the owner is notified and mailed once of %s %o, without secrets",
    async (event, details, title, make) => {
      const secrets = await make();
      const [notice, ...others] = await reported(event);
      expect(others).toEqual([]);
      const { body: me } = await client.get("/api/auth/me");
      const metadata = { userId: me.id, username, ip: "127.0.0.1", ...details };
      expect(notice).toMatchObject({ level: "warning", title: title.replace("USER", username), metadata });
      expect(notice.content).toMatch(/127\.0\.0\.1.+If user-\d+ did not make it, .+\.$/);
      const { subject, text } = await mail.next(address);
      expect(text).toContain(username);
      await zw.services.background.settled();
      expect(mail.mails.filter(({ to }) => to === address)).toEqual([]);
      for (const secret of [...secrets, client.token])
        expect(JSON.stringify([notice, subject, text])).not.toContain(secret);
    },
  );
});

test("a user who turned off mail and notifications is still mailed of a change to the ways into their account", async () => {
  await succeeds(client.put("/api/auth/me/profile", { notificationsEnabled: false, emailNotificationsEnabled: false }));
  await succeeds(client.post("/api/auth/me/tokens", { name: "Script", permissions: [] }));
  expect((await mail.next(address)).subject).toBe(`The personal token Script was created for the account ${username}`);
});

test("a user who wants notifications by mail gets a single mail of a change to the ways into their account", async () => {
  await succeeds(client.put("/api/auth/me/profile", { emailNotificationsEnabled: true }));
  await succeeds(client.post("/api/auth/me/tokens", { name: "Script", permissions: [] }));
  await mail.next(address);
  await zw.services.mailDeliverer.run(new AbortController().signal);
  await zw.services.background.settled();
  expect(mail.mails.filter(({ to }) => to === address)).toEqual([]);
});

test("a user is mailed when an administrator revokes a way into their account", async () => {
  await enableApp();
  await mail.next(address);
  const { body: me } = await client.get("/api/auth/me");
  await succeeds(zw.admin.put(`/api/users/${me.id}`, { removeSecondFactors: true }));
  const { subject } = await mail.next(address);
  expect(subject).toBe(`Access to the account ${username} was revoked: second factors, recovery codes`);
  expect(await reported("security.access_revoked")).toHaveLength(1);
});

test("a refused change to the ways into an account notifies no one", async () => {
  const { body } = await client.post("/api/2fa/totp/setup");
  const code = wrongCodeAt(body.secret, clock.now());
  expect((await client.post("/api/2fa/totp/enable", { code })).status).toBe(400);
  expect((await client.delete("/api/auth/oauth/unbind/github")).status).toBe(404);
  expect((await client.get("/api/notifications")).body.notifications).toEqual([]);
});
