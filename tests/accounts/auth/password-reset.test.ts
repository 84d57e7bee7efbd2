import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { Clock, hour, minute } from "../../support/clock.ts";
import { startMailServer, type MailServer } from "../../support/servers/mail-server.ts";
import { startZonewright, type Zonewright } from "../../support/zonewright.ts";

const clock = new Clock();
const oldPassword = "the password before the reset";
const newPassword = "the password after the reset";
let mail: MailServer;
let zw: Zonewright & { stop(): Promise<void> };

beforeAll(async () => {
  mail = await startMailServer();
  const env = { SMTP_URL: mail.url, MAIL_FROM: "Zonewright <dns@example.org>", SITE_URL: "https://dns.example.org" };
  zw = await startZonewright({ realHashes: true, env, now: clock.now });
});

afterAll(async () => {
  await zw.stop();
  await mail.stop();
});

let count = 0;
let user: { username: string; email: string };

beforeEach(async () => {
  const username = `forgetful-${++count}`;
  user = { username, email: `${username}@example.com` };
  await addUser({ password_hash: undefined });
});

async function addUser(columns: { password_hash?: string | null | undefined; disabled_at?: Date }) {
  const em = zw.services.database.fork();
  const { id } = await zw.services.users.create(em, { ...user, password: oldPassword, role: "member" });
  const set = Object.entries(columns).filter(([, value]) => value !== undefined);
  if (set.length > 0)
    await queries(em).updateTable("users").set(Object.fromEntries(set)).where("id", "=", id).execute();
}

async function forgot(email = user.email) {
  const { status, body } = await zw.nobody.post("/api/auth/password/forgot", { email });
  expect({ status, body }).toEqual({ status: 200, body: { success: true } });
  await zw.services.background.settled();
}

async function mailedToken(): Promise<string> {
  await forgot();
  const { text } = await mail.next(user.email);
  const [, token = ""] = /https:\/\/dns\.example\.org\/reset-password#token=([\w-]+)/.exec(text) ?? [];
  return token;
}

function reset(token: string, password = newPassword) {
  return zw.nobody.post("/api/auth/password/reset", { token, newPassword: password });
}

function login(password: string) {
  return zw.nobody.post("/api/auth/login", { username: user.username, password });
}

test("a password-reset link sets a new password, ends all sessions, and the owner is notified by mail", async () => {
  const session = await zw.signIn(user.username, oldPassword);
  await forgot();
  const letter = await mail.next(user.email);
  expect(letter).toMatchObject({ subject: "Set a new password", from: expect.stringContaining("dns@example.org") });
  expect(letter.html).toContain(`href="https://dns.example.org/reset-password#token=`);
  const [, token = ""] = /#token=([\w-]+)/.exec(letter.text) ?? [];
  expect(await reset(token)).toMatchObject({ status: 200, body: { success: true } });
  expect((await session.get("/api/auth/me")).status).toBe(401);
  expect((await login(oldPassword)).status).toBe(401);
  expect((await login(newPassword)).status).toBe(200);
  expect((await mail.next(user.email)).subject).toBe("Your password was changed");
});

test("a password-reset link works once, even for concurrent requests", async () => {
  const token = await mailedToken();
  const answers = await Promise.all(Array.from({ length: 5 }, (_, index) => reset(token, `${newPassword} ${index}`)));
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(4);
  const winner = answers.findIndex(({ status }) => status === 200);
  expect((await login(`${newPassword} ${winner}`)).status).toBe(200);
  await zw.services.background.settled();
});

test("unknown password-reset links cost no hashing: of sixty concurrent ones, each is refused as invalid", async () => {
  const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => reset(`made up ${index}`)));
  for (const answer of answers) expect(answer).toBeProblem(400, "BAD_REQUEST");
});

test("a password-reset link is valid for an hour, and using one invalidates the others", async () => {
  const old = await mailedToken();
  clock.advance(59 * minute);
  const young = await mailedToken();
  clock.advance(2 * minute);
  expect(await reset(old)).toBeProblem(400, "BAD_REQUEST");
  const other = await mailedToken();
  expect((await reset(young)).status).toBe(200);
  expect(await reset(other)).toBeProblem(400, "BAD_REQUEST");
  await zw.services.background.settled();
});

test("a password that breaks the rules is refused, and the password-reset link stays valid", async () => {
  const token = await mailedToken();
  expect(await reset(token, "short")).toBeProblem(400, "BAD_REQUEST");
  expect((await reset(token)).status).toBe(200);
});

test("a password-reset request does not reveal whether an account exists, and mails none without a password", async () => {
  const addresses = new Set(["nobody@example.com", "external@example.com", "disabled@example.com"]);
  await forgot("nobody@example.com");
  user = { username: "external", email: "external@example.com" };
  await addUser({ password_hash: null });
  await forgot();
  user = { username: "disabled", email: "disabled@example.com" };
  await addUser({ disabled_at: new Date() });
  await forgot();
  expect(mail.mails.filter(({ to }) => addresses.has(to))).toEqual([]);
});

test("password-reset requests ignore the case of the address, and send at most three links an hour", async () => {
  await forgot(user.email.toUpperCase());
  for (let more = 0; more < 4; more++) await forgot();
  expect(mail.mails.filter(({ to }) => to === user.email)).toHaveLength(3);
  clock.advance(hour + minute);
  await forgot();
  expect(mail.mails.filter(({ to }) => to === user.email)).toHaveLength(4);
});

test("concurrent password-reset requests also send at most three links an hour", async () => {
  clock.advance(2 * hour);
  mail.mails.length = 0;
  await Promise.all(Array.from({ length: 20 }, () => forgot()));
  expect(mail.mails.map(({ to }) => to)).toEqual([user.email, user.email, user.email]);
  mail.mails.length = 0;
});

test("a mail server's refusal does not fail a password-reset request, and the log does not contain the address", async () => {
  mail.refuseWith(451);
  await forgot();
  mail.refuseWith(null);
  expect(mail.mails.filter(({ to }) => to === user.email)).toEqual([]);
});

test("password-reset tokens are stored as hashes, and requests and resets are audited", async () => {
  const token = await mailedToken();
  const em = zw.services.database.fork();
  const rows = await queries(em).selectFrom("password_resets").selectAll().execute();
  expect(JSON.stringify(rows)).not.toContain(token);
  await reset(token);
  const trail = await queries(em).selectFrom("audit_entries").select("action").orderBy("id", "desc").limit(2).execute();
  expect(trail.map(({ action }) => action)).toEqual(["user.reset_password", "user.forgot_password"]);
});
