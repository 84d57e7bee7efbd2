import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { bootstrapFile, startRdapServer, type RdapServer } from "../../registry/expiry/registries.ts";
import { Clock, day } from "../../support/clock.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { startMailServer, type MailServer } from "../../support/servers/mail-server.ts";
import {
  adminPassword,
  memberPassword,
  onceStarted,
  startZonewright,
  type Zonewright,
} from "../../support/zonewright.ts";
import { Zone, freshName, manualConfig, type Body } from "../../support/zones.ts";

/*
 * Whoever is notified by email is locked against deletion until the transaction ends, and that transaction holds rows that the deletion needs.
 * Only PostgreSQL shows whether they wait for each other in a circle.
 */

/** The embedded database has one connection, on which nothing waits for anything. */
const rounds = process.env["TEST_DATABASE_URL"] === undefined ? 1 : 6;
const clock = new Clock();
const { signal } = new AbortController();
let mail: MailServer;
let registries: RdapServer[];
let list: RdapServer;
let running: Zonewright & { stop(): Promise<void> };
const zw = onceStarted(() => running);
/** What registries say of every domain. */
let status = "";
let heir: string;

beforeAll(async () => {
  mail = await startMailServer();
  // One for each lookup, because each is asked at most once a second.
  registries = await Promise.all(
    Array.from({ length: rounds }, () =>
      startRdapServer(() => ({ objectClassName: "domain", status: [status], events: [] })),
    ),
  );
  list = await startRdapServer(() =>
    bootstrapFile(Object.fromEntries(registries.map(({ url }, index) => [`t${index}`, url]))),
  );
  const env = {
    SMTP_URL: mail.url,
    RDAP_BOOTSTRAP_URL: `${list.url}/dns.json`,
    EGRESS_ALLOW: "127.0.0.1",
    JOBS: "off",
  };
  running = await startZonewright({ env, now: clock.now });
  heir = (await zw.admin.get("/api/auth/me")).body.id;
  await zw.admin.put(`/api/provider-configs/${await manualConfig(zw)}`, { membersMayUse: true });
});
afterAll(async () => {
  await running.stop();
  await Promise.all([mail, list, ...registries].map((server) => server.stop()));
});

beforeEach(async () => {
  zw.admin.token = (await zw.signIn("admin", adminPassword)).token;
});

interface Member {
  id: string;
  client: RestClient;
}

/** A member who is notified by email. */
async function mailed(): Promise<Member> {
  const username = freshName().replace(".", "-");
  const account = { username, password: memberPassword, email: `${username}@example.com`, role: "member" };
  const { id } = (await zw.admin.post("/api/users", account)).body;
  const client = await zw.signIn(username, memberPassword);
  const wish = { notificationsEnabled: true, emailNotificationsEnabled: true };
  expect((await client.put("/api/auth/me/profile", wish)).status).toBe(200);
  return { id, client };
}

async function zoneOf(owner: RestClient, name = freshName()): Promise<Zone> {
  const { status: made, body } = await owner.post("/api/domains", { name, providerConfigId: await manualConfig(zw) });
  expect(made).toBe(201);
  return new Zone(zw, body, zw.admin);
}

async function assigned({ id: userId }: Member, more: object = {}): Promise<{ zone: Zone; id: string }> {
  const zone = await zoneOf(zw.admin);
  const { status: made, body } = await zw.admin.post("/api/assignments", { userId, domainId: zone.id, ...more });
  expect(made).toBe(201);
  return { zone, id: body.id };
}

const statusOf = async (call: Promise<Body>) => (await call).status;

/** Each prepares what a member is notified of, and returns the calls. */
const notifying: Record<string, (member: Member, round: number) => Promise<(() => Promise<unknown>)[]>> = {
  "a lookup that finds other registration data": async ({ client }, round) => {
    const { path } = await zoneOf(client, `${freshName().split(".")[0]}.t${round}`);
    status = "client hold";
    await zw.admin.post(`${path}/check-expiry`);
    status = "server hold";
    clock.advance(2_000);
    return [() => statusOf(zw.admin.post(`${path}/check-expiry`))];
  },
  "the deletion of a domain that is assigned to them, and named by their token": async (member) => {
    const { zone } = await assigned(member);
    const token = { name: "Narrowed", permissions: ["records:read"], domainIds: [zone.id] };
    expect((await member.client.post("/api/auth/me/tokens", token)).status).toBe(201);
    return [() => statusOf(zw.admin.delete(zone.path))];
  },
  "the end of their assignments": async (member) => {
    // One that has ended meanwhile would be refused.
    clock.standStill();
    const expiresAt = new Date(clock.now().getTime() + 1_000).toISOString();
    await assigned(member, { expiresAt });
    await assigned(member, { expiresAt: new Date(clock.now().getTime() + day + 1_000).toISOString() });
    clock.advance(2_000);
    return [() => zw.services.assignmentEnds.runOnce(signal)];
  },
  "the withdrawal of their assignments": async (member) => {
    const both = [await assigned(member), await assigned(member)];
    return both.map(
      ({ id }) =>
        () =>
          statusOf(zw.admin.delete(`/api/assignments/${id}`)),
    );
  },
  "reminders of their records": async (member) => {
    const reviewAt = new Date(clock.now().getTime() + 1_000).toISOString();
    for (const zone of [await zoneOf(member.client), (await assigned(member)).zone])
      for (const name of ["a", "b", "c"])
        expect(
          (await zone.create({ recordType: "A", name, value: "192.0.2.1", ownerId: member.id, reviewAt })).status,
        ).toBe(201);
    clock.advance(2_000);
    return [() => zw.services.reviewReminders.runOnce(signal)];
  },
};

test.each(Object.entries(notifying))("a member can be deleted beside %s, and neither fails", async (_what, prepare) => {
  for (let round = 0; round < rounds; round++) {
    const member = await mailed();
    const calls = await prepare(member, round);
    const [deleted, ...others] = await Promise.all([
      zw.admin.delete(`/api/users/${member.id}?reassignTo=${heir}`),
      ...calls.map((call) => call()),
    ]);
    expect(deleted?.status).toBe(200);
    // Undefined: a job. An assignment may be gone with its member.
    for (const other of others) expect([undefined, 200, 404]).toContain(other);
  }
});
