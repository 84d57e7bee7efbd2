import { afterAll, beforeAll, expect, test } from "vitest";
import { queries } from "../../../../server/database/database.ts";
import { Clock, minute, second } from "../../../support/clock.ts";
import { startMailServer, type MailServer } from "../../../support/servers/mail-server.ts";
import { problemOf } from "../../../support/problems.ts";
import type { RestClient } from "../../../support/rest-client.ts";
import { awaitingSecondFactor, login, statusesOf } from "../../../support/second-factors/app-user.ts";
import { memberPassword, startZonewright, type Zonewright } from "../../../support/zonewright.ts";

const clock = new Clock();
const password = { currentPassword: memberPassword };
let mail: MailServer;
let zw: Zonewright & { stop(): Promise<void> };

beforeAll(async () => {
  mail = await startMailServer();
  zw = await startZonewright({ now: clock.now, env: { SMTP_URL: mail.url } });
});
afterAll(async () => {
  await zw.stop();
  await mail.stop();
});

async function setAddress(username: string, email: string | null): Promise<void> {
  const em = zw.services.database.fork();
  await queries(em)
    .updateTable("users")
    .set({ email, email_verified_by: email === null ? null : "administrator" })
    .where("username", "=", username)
    .execute();
}

/** A member who gets sign-in codes by mail. */
async function mailUser(username: string): Promise<{ client: RestClient; address: string; recoveryCodes: string[] }> {
  const client = await zw.member(username);
  const address = `${username.toLowerCase()}@example.com`;
  await setAddress(username, address);
  const { status, body } = await client.post("/api/2fa/email/enable", password);
  expect(status).toBe(200);
  return { client, address, recoveryCodes: body.recoveryCodes };
}

/** Requests a code and reads it from the mail. */
async function codeFor(pending: RestClient, address: string): Promise<string> {
  const { status, body } = await pending.post("/api/2fa/email/send");
  expect([status, body]).toEqual([200, { success: true }]);
  return newestCode(address);
}

/** Of all mails to an address those with a code: mails about its account arrive in any order beside them. */
function codesTo(address: string) {
  return mail.mails.filter(({ to, subject }) => to.includes(address) && subject.includes("sign-in code"));
}

function newestCode(address: string): string {
  const { subject, text, html } = codesTo(address).at(-1) ?? {};
  const [code = ""] = /\b\d{6}\b/.exec(text ?? "") ?? [];
  expect(code).toHaveLength(6);
  expect(html).toContain(code);
  expect(subject).not.toContain(code);
  return code;
}

function anotherThan(code: string, by = 1): string {
  return String((Number(code) + by) % 1_000_000).padStart(6, "0");
}

test("enabling email codes requires an address and the correct password, and returns recovery codes", async () => {
  const client = await zw.member("Ada");
  expect(await client.post("/api/2fa/email/enable")).toBeProblem(409, "CONFLICT");
  expect(await client.post("/api/2fa/email/enable", { currentPassword: "wrong" })).toBeProblem(403, "FORBIDDEN");
  expect(await client.post("/api/2fa/email/enable", password)).toBeProblem(409, "CONFLICT");
  await setAddress("Ada", "ada@example.com");
  const { status, body } = await client.post("/api/2fa/email/enable", password);
  expect(status).toBe(200);
  expect(body.recoveryCodes).toHaveLength(10);
  expect(await client.post("/api/2fa/email/enable", password)).toBeProblem(409, "CONFLICT");
  expect((await client.get("/api/2fa")).body).toMatchObject({ totp: false, email: true });
  expect((await login(zw, "Ada")).body.methods).toEqual(["email"]);
});

test("an email code is sent to the user's address and completes a sign-in once", async () => {
  const { address } = await mailUser("Once");
  const pending = await awaitingSecondFactor(zw, "Once");
  const code = await codeFor(pending, address);
  const proof = { method: "email", code };
  const answer = await pending.post("/api/2fa/verify", proof);
  expect(answer.status).toBe(200);
  expect(answer.body.user.email).toBe(address);
  expect(await (await awaitingSecondFactor(zw, "Once")).post("/api/2fa/verify", proof)).toBeProblem(
    401,
    "UNAUTHORIZED",
  );
});

test("an email code is valid only for the sign-in that requested it", async () => {
  const { address } = await mailUser("Bound");
  const [asking, other] = [await awaitingSecondFactor(zw, "Bound"), await awaitingSecondFactor(zw, "Bound")];
  const proof = { method: "email", code: await codeFor(asking, address) };
  expect(await other.post("/api/2fa/verify", proof)).toBeProblem(401, "UNAUTHORIZED");
  expect((await asking.post("/api/2fa/verify", proof)).status).toBe(200);
});

test("an email code sent in ten concurrent requests starts one session", async () => {
  const { address } = await mailUser("Racing");
  const pending = await awaitingSecondFactor(zw, "Racing");
  const proof = { method: "email", code: await codeFor(pending, address) };
  const answers = await Promise.all(Array.from({ length: 10 }, () => pending.post("/api/2fa/verify", proof)));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => ![200, 401, 429].includes(status))).toEqual([]);
});

test("an email code expires after ten minutes, or when another is sent", async () => {
  const { address } = await mailUser("Late");
  const first = await awaitingSecondFactor(zw, "Late");
  const old = await codeFor(first, address);
  clock.advance(minute);
  const fresh = await codeFor(first, address);
  const earlier = old === fresh ? anotherThan(fresh) : old;
  expect(await first.post("/api/2fa/verify", { method: "email", code: earlier })).toBeProblem(401, "UNAUTHORIZED");
  expect((await first.post("/api/2fa/verify", { method: "email", code: fresh })).status).toBe(200);

  clock.advance(minute);
  const second = await awaitingSecondFactor(zw, "Late");
  const late = await codeFor(second, address);
  clock.advance(10 * minute);
  expect(await second.post("/api/2fa/verify", { method: "email", code: late })).toBeProblem(401, "UNAUTHORIZED");
});

test("the correct email code is refused after five wrong ones", async () => {
  const { address } = await mailUser("Guessed");
  const pending = await awaitingSecondFactor(zw, "Guessed");
  const code = await codeFor(pending, address);
  for (const by of [1, 2, 3, 4, 5]) {
    const answer = await pending.post("/api/2fa/verify", { method: "email", code: anotherThan(code, by) });
    expect(answer).toBeProblem(401, "UNAUTHORIZED");
  }
  const { status } = await pending.post("/api/2fa/verify", { method: "email", code });
  expect([401, 429]).toContain(status);
});

test("a user gets one email code a minute and five an hour across all sign-ins, with Retry-After", async () => {
  clock.standStill();
  const { address } = await mailUser("Flooded");
  const sent = () => codesTo(address).length;
  const together = await Promise.all(Array.from({ length: 5 }, () => awaitingSecondFactor(zw, "Flooded")));
  const answers = await Promise.all(together.map((pending) => pending.post("/api/2fa/email/send")));
  expect(statusesOf(answers)).toEqual([200, 429, 429, 429, 429]);
  expect(sent()).toBe(1);
  const waiting = answers.find(({ status }) => status === 429);
  if (waiting) problemOf(waiting, 429, "TOO_MANY_REQUESTS");
  const seconds = Number(waiting?.headers.get("retry-after"));
  expect(seconds).toBeGreaterThan(50);
  expect(seconds).toBeLessThanOrEqual(60);

  clock.advance(seconds * second);
  for (const mails of [2, 3, 4, 5]) {
    expect((await (await awaitingSecondFactor(zw, "Flooded")).post("/api/2fa/email/send")).status).toBe(200);
    expect(sent()).toBe(mails);
    clock.advance(minute);
  }
  const full = await (await awaitingSecondFactor(zw, "Flooded")).post("/api/2fa/email/send");
  expect(full).toBeProblem(429, "TOO_MANY_REQUESTS");
  const wait = Number(full.headers.get("retry-after"));
  expect(wait).toBeGreaterThan(50 * 60);
  clock.advance(wait * second);
  expect((await (await awaitingSecondFactor(zw, "Flooded")).post("/api/2fa/email/send")).status).toBe(200);
  expect(sent()).toBe(6);
});

test("a user who lost their address still needs a second factor, and can use a recovery code", async () => {
  const { recoveryCodes } = await mailUser("Unreachable");
  await setAddress("Unreachable", null);
  const { body } = await login(zw, "Unreachable");
  expect(body).toMatchObject({ requires2FA: true, methods: [] });
  const pending = await awaitingSecondFactor(zw, "Unreachable");
  expect(await pending.post("/api/2fa/email/send")).toBeProblem(409, "CONFLICT");
  const proof = { method: "recovery", code: recoveryCodes[0] };
  expect((await pending.post("/api/2fa/verify", proof)).status).toBe(200);
});

test("disabling email codes requires the password", async () => {
  const { client } = await mailUser("Off");
  expect(await client.send("DELETE", "/api/2fa/email", { currentPassword: "wrong" })).toBeProblem(403, "FORBIDDEN");
  expect((await client.send("DELETE", "/api/2fa/email", password)).body).toEqual({ success: true });
  expect((await login(zw, "Off")).body).toHaveProperty("accessToken");
  expect(await client.send("DELETE", "/api/2fa/email", password)).toBeProblem(409, "CONFLICT");
});

test("an unreachable mail server fails only the request for an email code, with 503", async () => {
  const { recoveryCodes } = await mailUser("Waiting");
  await mail.stop();
  const pending = await awaitingSecondFactor(zw, "Waiting");
  expect(await pending.post("/api/2fa/email/send")).toBeProblem(503, "UNAVAILABLE");
  const proof = { method: "recovery", code: recoveryCodes[0] };
  expect((await pending.post("/api/2fa/verify", proof)).status).toBe(200);
  mail = await startMailServer();
});
