import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { deleteExpired } from "../../../server/composition/job-list.ts";
import { entries } from "../../notifications/audit/trail.ts";
import { Clock, day, hour, minute } from "../../support/clock.ts";
import { problemOf } from "../../support/problems.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { startMailServer, type MailServer } from "../../support/servers/mail-server.ts";
import { openVerification, verificationToken } from "../../support/verify-email.ts";
import { adminPassword, memberPassword, startZonewright, type Zonewright } from "../../support/zonewright.ts";

const clock = new Clock();
let mail: MailServer;
let zw: Zonewright & { stop(): Promise<void> };

beforeAll(async () => {
  mail = await startMailServer();
  // Without jobs, only the tests deliver.
  const env = { SMTP_URL: mail.url, SITE_URL: "https://dns.example.org", JOBS: "off" };
  zw = await startZonewright({ env, now: clock.now });
});

afterAll(async () => {
  await zw.stop();
  await mail.stop();
});

const currentPassword = memberPassword;
const path = "/api/auth/me/email";
let count = 0;

/** Creates a separate member for each test, and an address not yet in use. */
async function someone(email: string | null = null) {
  const username = `verified-${(count += 1)}`;
  const input = { username, password: memberPassword, email, role: "member" } as const;
  const { id } = await zw.services.users.create(zw.services.database.fork(), input);
  return { id, username, address: `${username}@example.com`, client: await zw.signIn(username, memberPassword) };
}

/** Advances the clock and signs the administrator in again. */
async function later(milliseconds: number): Promise<void> {
  clock.advance(milliseconds);
  zw.admin.token = (await zw.signIn("admin", adminPassword)).token;
}

const setAddress = (client: RestClient, email: string) => client.put(path, { currentPassword, email });
const me = async (client: RestClient) => (await client.get("/api/auth/me")).body;

async function forgot(email: string) {
  await zw.nobody.post("/api/auth/password/forgot", { email });
  await zw.services.background.settled();
}

/** Returns the mails sent to an address, once no background work is pending. */
async function mailsTo(address: string) {
  await zw.services.background.settled();
  return mail.mails.filter(({ to }) => to.toLowerCase() === address.toLowerCase()).map(({ subject }) => subject);
}

describe("a new address", () => {
  test("a new address is set immediately, but stays unverified until its mailed link is opened, once", async () => {
    const { id, client, address } = await someone();
    expect(await setAddress(client, address)).toMatchObject({
      status: 200,
      body: { email: address, emailVerified: false },
    });
    expect((await zw.admin.get(`/api/users/${id}`)).body).toMatchObject({ email: address, emailVerified: false });
    const letter = await mail.next(address);
    expect(letter.subject).toBe("Confirm your email address");
    expect(letter.html).toContain('href="https://dns.example.org/verify-email#token=');
    const [, token = ""] = /#token=([\w-]+)/.exec(letter.text) ?? [];
    const verified = await zw.nobody.post("/api/auth/email/verify", { token });
    expect(verified).toMatchObject({ status: 200, body: { success: true } });
    expect(await me(client)).toMatchObject({ email: address, emailVerified: true });
    expect((await zw.admin.get(`/api/users/${id}`)).body.emailVerified).toBe(true);
    const again = await zw.nobody.post("/api/auth/email/verify", { token });
    expect(problemOf(again, 400, "BAD_REQUEST")).toMatchObject({
      detail: expect.stringContaining("This link is invalid or has expired. Request a new one."),
      issues: [{ path: ["token"] }],
    });
    const [entry] = await entries(zw.admin, { action: "user.verify_email", targetId: id });
    expect(entry).toMatchObject({ actorId: null, before: { emailVerified: false }, after: { emailVerified: true } });
  });

  test("an unverified address gets its verification link and no other mail", async () => {
    const { id, username, client, address } = await someone();
    await setAddress(client, address);
    await client.put("/api/auth/me/profile", { emailNotificationsEnabled: true });
    const { services } = zw;
    const tell = async () => {
      await services.notifications.notify(services.database.fork(), {
        event: "zone.drift",
        title: "A notification for a test",
        content: "Of what happened.",
        level: "info",
        metadata: {},
        to: { userIds: [id] },
      });
      await services.mailDeliverer.run(new AbortController().signal);
    };
    await forgot(address);
    await tell();
    const refused = await client.post("/api/2fa/email/enable", { currentPassword });
    expect(problemOf(refused, 409, "CONFLICT").detail).toContain("not verified");
    await client.put("/api/auth/me/password", { currentPassword, newPassword: `${memberPassword}!` });
    expect(await mailsTo(address)).toEqual(["Confirm your email address"]);

    const again = { currentPassword: `${memberPassword}!` };
    await client.post(`${path}/resend`);
    await mail.next(address);
    expect((await openVerification(zw.nobody, mail, address)).status).toBe(200);
    await forgot(address);
    await tell();
    expect((await client.post("/api/2fa/email/enable", again)).status).toBe(200);
    expect((await mailsTo(address)).toSorted()).toEqual([
      "A notification for a test",
      "Set a new password",
      `Sign-in codes by email were added to the account ${username}`,
    ]);
  });

  test("an unverified address is not a second factor, and the account stays protected", async () => {
    const { username, client, address } = await someone(`before-${count}@example.com`);
    const { body: enabled } = await client.post("/api/2fa/email/enable", { currentPassword });
    await setAddress(client, address);
    const login = await zw.nobody.post("/api/auth/login", { username, password: memberPassword });
    expect(login.body).toMatchObject({ requires2FA: true, methods: [] });
    const bearer = { authorization: `Bearer ${login.body.tempToken}` };
    expect(await zw.nobody.post("/api/2fa/email/send", undefined, bearer)).toBeProblem(409, "CONFLICT");
    const [code] = enabled.recoveryCodes;
    expect((await zw.nobody.post("/api/2fa/verify", { method: "recovery", code }, bearer)).status).toBe(200);
    expect((await openVerification(zw.nobody, mail, address)).status).toBe(200);
    const next = await zw.nobody.post("/api/auth/login", { username, password: memberPassword });
    expect(next.body.methods).toEqual(["email"]);
  });

  test("a new address that differs only in case stays verified and gets no link", async () => {
    const { client, address } = await someone();
    const { id } = await me(client);
    await zw.admin.put(`/api/users/${id}`, { email: address });
    expect((await setAddress(client, address.toUpperCase())).body).toMatchObject({
      email: address.toUpperCase(),
      emailVerified: true,
    });
    expect(await mailsTo(address.toUpperCase())).toEqual([]);
  });

  test("a new address is reported to the old one only if the old one was verified", async () => {
    const { client, address } = await someone();
    await setAddress(client, address);
    await setAddress(client, `other-${address}`);
    expect(await mailsTo(address)).toEqual(["Confirm your email address"]);
    expect((await openVerification(zw.nobody, mail, `other-${address}`)).status).toBe(200);
    await setAddress(client, `third-${address}`);
    expect(await mailsTo(`other-${address}`)).toEqual(["Your email address was changed"]);
  });
});

describe("a verification link", () => {
  test("a verification link is valid for 24 hours", async () => {
    const { client, address } = await someone();
    await setAddress(client, address);
    const token = await verificationToken(mail, address);
    const late = await clock.ahead(day, () => zw.nobody.post("/api/auth/email/verify", { token }));
    expect(late).toBeProblem(400, "BAD_REQUEST");
    expect((await zw.nobody.post("/api/auth/email/verify", { token })).status).toBe(200);
  });

  test.each<[string, (user: Awaited<ReturnType<typeof someone>>) => Promise<unknown>]>([
    ["another address", ({ client, address }) => setAddress(client, `new-${address}`)],
    [
      "a new password",
      ({ client }) =>
        client.put("/api/auth/me/password", { currentPassword, newPassword: "five cranes at the harbour" }),
    ],
    ["a rescue", ({ id }) => zw.admin.delete(`/api/users/${id}/access`)],
    ["disabling the account", ({ id }) => zw.admin.put(`/api/users/${id}`, { disabled: true })],
    ["a newer link", ({ client }) => client.post(`${path}/resend`)],
  ])("a verification link ends with %s", async (_what, change) => {
    const user = await someone();
    await setAddress(user.client, user.address);
    const token = await verificationToken(mail, user.address);
    await change(user);
    expect(await zw.nobody.post("/api/auth/email/verify", { token })).toBeProblem(400, "BAD_REQUEST");
    expect((await zw.admin.get(`/api/users/${user.id}`)).body.emailVerified).toBe(false);
  });

  test("a verification link is stored as a hash, and is not in the audit trail", async () => {
    const { client, address } = await someone();
    await setAddress(client, address);
    const token = await verificationToken(mail, address);
    const db = queries(zw.services.database.fork());
    const stored = JSON.stringify([
      await db.selectFrom("email_verifications").selectAll().execute(),
      await db.selectFrom("audit_entries").selectAll().execute(),
    ]);
    expect(stored).toContain(address);
    expect(stored).not.toContain(token);
  });

  test("an expired verification link is deleted, along with counters that no limit needs", async () => {
    const { client, address } = await someone();
    await setAddress(client, address);
    const { database } = zw.services;
    const rows = async () => {
      const db = queries(database.fork());
      const links = await db.selectFrom("email_verifications").select("email").where("email", "=", address).execute();
      return [links.length, (await db.selectFrom("mail_allowances").select("key").execute()).length];
    };
    await deleteExpired(database, clock.now());
    expect((await rows())[0]).toBe(1);
    await deleteExpired(database, new Date(clock.now().getTime() + day + minute));
    expect(await rows()).toEqual([0, 0]);
  });

  test("a verification link is resent on request, but only for an unverified address", async () => {
    const { client, address } = await someone();
    const nothing = await client.post(`${path}/resend`);
    expect(problemOf(nothing, 409, "CONFLICT").detail).toContain("no email address");
    await setAddress(client, address);
    await mail.next(address);
    expect(await client.post(`${path}/resend`)).toMatchObject({ status: 200, body: { success: true } });
    expect((await openVerification(zw.nobody, mail, address)).status).toBe(200);
    const verified = await client.post(`${path}/resend`);
    expect(problemOf(verified, 409, "CONFLICT").detail).toContain("already verified");
  });
});

describe("an unverified address", () => {
  test("an unverified address blocks no one: the first to verify it gets it, and other claims fail", async () => {
    const [first, second] = [await someone(), await someone()];
    const shared = `shared-${count}@example.com`;
    expect((await setAddress(first.client, shared)).status).toBe(200);
    const slow = await verificationToken(mail, shared);
    const otherwise = shared.replace("shared", "Shared");
    expect((await setAddress(second.client, otherwise)).status).toBe(200);
    expect((await openVerification(zw.nobody, mail, otherwise)).status).toBe(200);
    const late = await zw.nobody.post("/api/auth/email/verify", { token: slow });
    expect(problemOf(late, 409, "CONFLICT").detail).toContain(`Another account has the address ${shared}.`);
    expect(await first.client.post(`${path}/resend`)).toBeProblem(409, "CONFLICT");
    expect(await me(first.client)).toMatchObject({ email: shared, emailVerified: false });
    expect(await me(second.client)).toMatchObject({ emailVerified: true });
    const third = await someone();
    expect(problemOf(await setAddress(third.client, shared), 409, "CONFLICT").issues).toMatchObject([
      { path: ["email"] },
    ]);
  });

  test("of several users opening links for one address concurrently, only one verifies it", async () => {
    const shared = `crowd-${count}@example.com`;
    const people = [await someone(), await someone(), await someone()];
    const tokens: string[] = [];
    for (const { client } of people) {
      await setAddress(client, shared);
      tokens.push(await verificationToken(mail, shared));
    }
    const answers = await Promise.all(tokens.map((token) => zw.nobody.post("/api/auth/email/verify", { token })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
  });

  test("an address one user has not verified can be set by an administrator for another", async () => {
    const { client, address } = await someone();
    await setAddress(client, address);
    const other = await someone();
    expect((await zw.admin.put(`/api/users/${other.id}`, { email: address })).body).toMatchObject({
      emailVerified: true,
    });
    expect(await openVerification(zw.nobody, mail, address)).toBeProblem(409, "CONFLICT");
  });

  test("the address of a user who registers with an invitation is unverified at first", async () => {
    const { body: invitation } = await zw.admin.post("/api/invitations", { maxUses: 3 });
    const address = `invited-${count}@example.com`;
    const account = { inviteCode: invitation.code, password: memberPassword, email: address };
    for (const username of ["invited-a", "invited-b"]) {
      expect((await zw.nobody.post("/api/auth/register", { ...account, username })).status).toBe(201);
      // Two mails at the same time arrive in any order.
      await zw.services.background.settled();
    }
    const ada = await zw.signIn("invited-a", memberPassword);
    expect(await me(ada)).toMatchObject({ email: address, emailVerified: false });
    expect((await openVerification(zw.nobody, mail, address)).status).toBe(200);
    expect((await me(ada)).emailVerified).toBe(true);
    const third = await zw.nobody.post("/api/auth/register", { ...account, username: "invited-c" });
    expect(third).toBeProblem(409, "CONFLICT");
  });
});

describe("verification mails are limited", () => {
  test("a user can request five verification links an hour across all addresses, and a refusal changes nothing", async () => {
    const { client, address } = await someone();
    for (let sent = 0; sent < 5; sent++) expect((await setAddress(client, `${sent}-${address}`)).status).toBe(200);
    for (const refused of [await setAddress(client, `5-${address}`), await client.post(`${path}/resend`)]) {
      expect(problemOf(refused, 429, "TOO_MANY_REQUESTS").detail).toMatch(
        /^Only 5 confirmation mails an hour can be sent for an account\. Try again in \d+ seconds\.$/,
      );
      const seconds = Number(refused.headers.get("retry-after"));
      expect(seconds).toBeGreaterThan(3_000);
      expect(seconds).toBeLessThanOrEqual(3_600);
    }
    expect((await me(client)).email).toBe(`4-${address}`);
    expect(await mailsTo(`5-${address}`)).toEqual([]);
    await later(hour + minute);
    const { username } = await me(await zw.signIn(address.split("@")[0] ?? "", memberPassword));
    const again = await zw.signIn(username, memberPassword);
    expect((await setAddress(again, `5-${address}`)).status).toBe(200);
  });

  test("forty concurrent address changes send five verification links", async () => {
    const { client, address } = await someone();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => setAddress(client, `${index}-${address}`)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(35);
    await zw.services.background.settled();
    expect(mail.mails.filter(({ to }) => to.endsWith(`-${address}`))).toHaveLength(5);
  });

  test("an address gets three verification links a day, from all requesters, in any spelling and for any reason", async () => {
    const target = `target-${count}@example.com`;
    const { body: invitation } = await zw.admin.post("/api/invitations", { maxUses: 3 });
    const account = { inviteCode: invitation.code, password: memberPassword, email: target };
    expect((await zw.nobody.post("/api/auth/register", { ...account, username: `targeted-${count}` })).status).toBe(
      201,
    );
    const [first, second] = [await someone(), await someone()];
    await setAddress(first.client, target);
    await first.client.post(`${path}/resend`);
    const refused = await setAddress(second.client, target.toUpperCase());
    expect(problemOf(refused, 429, "TOO_MANY_REQUESTS").detail).toContain(
      "Only 3 confirmation mails a day can be sent to an address.",
    );
    expect((await me(second.client)).email).toBeNull();
    const fourth = await zw.nobody.post("/api/auth/register", { ...account, username: `silent-${count}` });
    expect(fourth.status).toBe(201);
    await zw.services.background.settled();
    expect(mail.mails.filter(({ to }) => to.toLowerCase() === target)).toHaveLength(3);
    await later(day + minute);
    const again = await zw.signIn(second.username, memberPassword);
    expect((await setAddress(again, target.toUpperCase())).status).toBe(200);
  });
});

describe("addresses set by an administrator", () => {
  test("an address set by an administrator is verified without a link, and the old one is notified", async () => {
    const { id, client, address } = await someone(`old-${count}@example.com`);
    const old = (await me(client)).email;
    expect((await zw.admin.put(`/api/users/${id}`, { email: address })).body).toMatchObject({ emailVerified: true });
    expect((await mail.next(old)).text).toContain("An administrator changed the email address");
    expect(await mailsTo(address)).toEqual([]);
  });

  test("an administrator verifies an address only by an explicit flag, not by sending the unchanged address", async () => {
    const { id, client, address } = await someone();
    await setAddress(client, address);
    const { body } = await zw.admin.get(`/api/users/${id}`);
    expect((await zw.admin.put(`/api/users/${id}`, { email: body.email })).body.emailVerified).toBe(false);
    expect((await zw.admin.put(`/api/users/${id}`, { emailVerified: true })).body.emailVerified).toBe(true);
    expect((await zw.admin.put(`/api/users/${id}`, { emailVerified: false })).body.emailVerified).toBe(false);
    const unvouched = await zw.admin.put(`/api/users/${id}`, { email: `un-${address}`, emailVerified: false });
    expect(unvouched.body).toMatchObject({ email: `un-${address}`, emailVerified: false });
  });

  test("administrators cannot verify their own address", async () => {
    const { body: own } = await zw.admin.get("/api/auth/me");
    await zw.admin.put(path, { currentPassword: adminPassword, email: "root@example.com" });
    expect(await zw.admin.put(`/api/users/${own.id}`, { emailVerified: true })).toBeProblem(403, "FORBIDDEN");
  });

  test("an administrator's rescue unverifies an address verified by link, but not one verified by an administrator", async () => {
    const [linked, vouched] = [await someone(), await someone(`vouched-${count}@example.com`)];
    await setAddress(linked.client, linked.address);
    await openVerification(zw.nobody, mail, linked.address);
    const password = "seven grey herons by the sea";
    expect((await zw.admin.put(`/api/users/${linked.id}`, { password })).body.emailVerified).toBe(false);
    expect((await zw.admin.put(`/api/users/${vouched.id}`, { password })).body.emailVerified).toBe(true);
    expect((await mail.next(linked.address)).subject).toBe("Your password was changed");
    await forgot(linked.address);
    expect(await mailsTo(linked.address)).toEqual([]);
  });
});
