import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { queries } from "../../../server/database/database.ts";
import type { WaitingMail } from "../../../server/notifications/mail/outbox.ts";
import { Clock, hour } from "../../support/clock.ts";
import { patience } from "../../support/patience.ts";
import { startMailServer, type MailServer } from "../../support/servers/mail-server.ts";
import { startZonewright, type Zonewright } from "../../support/zonewright.ts";

const clock = new Clock();
let mail: MailServer;
let zw: Zonewright & { stop(): Promise<void> };
beforeAll(async () => {
  mail = await startMailServer();
  zw = await startZonewright({ env: { SMTP_URL: mail.url, SITE_URL: "https://dns.example.org" }, now: clock.now });
});
afterAll(async () => {
  await zw.stop();
  await mail.stop();
});

let count = 0;
let email: string;
beforeEach(async () => {
  const username = `late-${++count}`;
  email = `${username}@example.com`;
  await zw.services.users.create(zw.services.database.fork(), {
    username,
    email,
    password: "long enough for this",
    role: "member",
  });
});
afterEach(async () => {
  mail.refuseWith(null);
  mail.mails.length = 0;
  await sql`delete from jobs.job where name = 'mail.send'`.execute(queries(zw.services.database.fork()));
});

async function forgot(): Promise<void> {
  const { status } = await zw.nobody.post("/api/auth/password/forgot", { email });
  expect(status).toBe(200);
  await zw.services.background.settled();
}

interface Waiting {
  id: string;
  data: WaitingMail;
}
async function waiting(): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    select id, data from jobs.job where name = 'mail.send' and state < 'active' order by created_on desc
  `.execute(queries(zw.services.database.fork()));
  return rows;
}

async function stateOf(id: string): Promise<string | undefined> {
  const { rows } = await sql<{ state: string }>`select state from jobs.job where id = ${id}`.execute(
    queries(zw.services.database.fork()),
  );
  return rows[0]?.state;
}

async function makeDue(): Promise<void> {
  const em = zw.services.database.fork();
  await sql`update jobs.job set start_after = now() where name = 'mail.send'`.execute(queries(em));
  // Sends an expired mail to wake the queue, which would otherwise look for work within ten seconds.
  await zw.services.jobs.enqueue(em, "mail.send", { sealed: "", until: new Date(0).toISOString() });
}

test("a deferred mail is delivered later, and its link works", async () => {
  mail.refuseWith(451);
  await forgot();
  expect(mail.mails).toEqual([]);
  const [late] = await waiting();
  if (!late) throw new Error("A mail waits.");
  const { id, data } = late;
  // The link is as sensitive as a password, so it must not be readable in the queue.
  expect(Object.keys(data).toSorted()).toEqual(["sealed", "until"]);
  expect(JSON.stringify(data)).not.toMatch(/example\.com|#token=|\/reset-password/);

  mail.refuseWith(null);
  await makeDue();
  const { text } = await vi.waitFor(() => mail.next(email), patience);
  const [, token = ""] = /#token=([\w-]+)/.exec(text) ?? [];
  const reset = { token, newPassword: "another that is long enough" };
  expect((await zw.nobody.post("/api/auth/password/reset", reset)).status).toBe(200);
  await zw.services.background.settled();
  await vi.waitFor(async () => expect(await stateOf(id)).toBe("completed"), patience);
});

test("a mail that a slow mail server still holds up when the service stops is left to the job", async () => {
  const answers = Promise.withResolvers<void>();
  mail.holdUntil(answers.promise);
  expect((await zw.nobody.post("/api/auth/password/forgot", { email })).status).toBe(200);
  await vi.waitFor(async () => {
    zw.services.mail.leaveToJob();
    expect(await waiting()).toHaveLength(1);
  }, patience);
  await zw.services.background.settled();
  answers.resolve();
  expect((await mail.next(email)).text).toContain("#token=");
});

test("a permanently rejected mail is not retried", async () => {
  mail.refuseWith(550);
  await forgot();
  expect(await waiting()).toEqual([]);
});

test("a mail whose link has expired is not sent", async () => {
  mail.refuseWith(451);
  await forgot();
  const [late] = await waiting();
  mail.refuseWith(null);
  clock.advance(2 * hour);
  if (!late) throw new Error("A mail waits.");
  await zw.services.mail.job.work(late.data, new AbortController().signal);
  expect(mail.mails).toEqual([]);
});

test("a deferred mail that no key decrypts is dropped and logged", async () => {
  const sealed = "v1.0000000000000000.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA.AAAA";
  const until = new Date(clock.now().getTime() + hour).toISOString();
  await zw.services.mail.job.work({ sealed, until }, new AbortController().signal);
  expect(mail.mails).toEqual([]);
});
