import { beforeAll, beforeEach, expect, test } from "vitest";
import { assign } from "../../accounts/assignments/assigned.ts";
import { entries } from "../../notifications/audit/trail.ts";
import { Clock, day, minute } from "../../support/clock.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { adminPassword, memberPassword, useZonewright } from "../../support/zonewright.ts";
import { manualZone, type Body, type Zone } from "../../support/zones.ts";
import { brokenRules, eventsOf, parsers } from "./reader.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now, env: { JOBS: "off" } });
const path = "/api/auth/me/feeds";
let zone: Zone;
let other: Zone;
let member: RestClient;

beforeAll(async () => {
  zone = await manualZone(zw);
  other = await manualZone(zw);
  member = await zw.member("ada");
  await assign(zw, member, zone.id, "www");
  for (const { path } of [zone, other]) await zw.admin.put(`${path}/expiry`, { expiresAt: "2031-03-01T22:30:00Z" });
});
// The clock moves on: each test begins with confirmed sessions.
beforeEach(async () => {
  zw.admin.token = (await zw.signIn("admin", adminPassword)).token;
  member = await zw.signIn("ada", memberPassword);
});

async function feed(owner: RestClient, wish: object = {}): Promise<Body> {
  const { status, body } = await owner.post(path, { name: "Renewals", ...wish });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body;
}

const fetched = (token: string) => zw.nobody.get(`/api/calendar/${token}.ics`);

async function summaries(token: string): Promise<string[]> {
  const { status, body } = await fetched(token);
  expect(status).toBe(200);
  return eventsOf(body).map(({ SUMMARY = "" }) => SUMMARY);
}

async function scheduled(title: string): Promise<string> {
  const record = { recordType: "A", name: "www", value: "192.0.2.1" };
  const { status, body } = await zw.admin.post(`${zone.path}/change-requests`, {
    title,
    changes: [{ action: "create", record }],
    applyAt: new Date(clock.now().getTime() + day).toISOString(),
  });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.id;
}

test("a calendar has the expiry dates as days and the scheduled requests as moments, with UIDs that stay when dates move", async () => {
  const id = await scheduled("Move, then; \\ wait");
  const { token, url } = await feed(zw.admin);
  expect(url).toMatch(new RegExp(`/api/calendar/${token}\\.ics$`));
  const { headers, body } = await fetched(token);
  expect(headers.get("content-type")).toBe("text/calendar; charset=utf-8");
  expect(headers.get("cache-control")).toBe("no-store");
  const events = eventsOf(body);
  const expiry = events.find(({ SUMMARY }) => SUMMARY === `${zone.name} expires`);
  expect(expiry).toMatchObject({ "DTSTART;VALUE=DATE": "20310301", UID: `${zone.id}-expiry@zonewright` });
  expect(events.find(({ UID }) => UID === `${id}-request@zonewright`)).toMatchObject({
    SUMMARY: `${zone.name}: Move, then; \\ wait`,
    DTSTART: expect.stringMatching(/^\d{8}T\d{6}Z$/),
  });
  expect(brokenRules(body)).toEqual([]);
  for (const read of Object.values(parsers))
    expect(read(body).find(({ uid }) => uid === expiry?.["UID"])).toMatchObject({
      summary: `${zone.name} expires`,
      start: "20310301",
    });
  await zw.admin.put(`${zone.path}/expiry`, { expiresAt: "2032-03-01T00:00:00Z" });
  const moved = eventsOf((await fetched(token)).body).find(({ UID }) => UID === expiry?.["UID"]);
  expect(moved?.["DTSTART;VALUE=DATE"]).toBe("20320301");
  await zw.admin.post(`/api/change-requests/${id}/withdraw`);
  expect((await fetched(token)).body).not.toContain(id);
});

test("a feed shows what its owner may see now, and a narrowed one only its domains", async () => {
  const whole = await feed(member);
  expect(await summaries(whole.token)).toEqual([`${zone.name} expires`]);
  await assign(zw, member, other.id, "*");
  expect((await summaries(whole.token)).toSorted()).toEqual(
    [`${zone.name} expires`, `${other.name} expires`].toSorted(),
  );
  const narrowed = await feed(member, { domainIds: [other.id] });
  expect(await summaries(narrowed.token)).toEqual([`${other.name} expires`]);
});

test("a feed for a domain that one may not see is refused", async () => {
  const unseen = await manualZone(zw);
  expect(await member.post(path, { name: "x", domainIds: [unseen.id] })).toBeProblem(400, "BAD_REQUEST");
});

test("the token is shown once, stored hashed, and audited without it", async () => {
  const { token, url: _, ...shown } = await feed(zw.admin, { name: "Phone" });
  const { body: list } = await zw.admin.get(path);
  expect(list.feeds[0]).toEqual(shown);
  const stored = await zw.services.database.fork().getConnection().execute("select * from calendar_feeds");
  expect(JSON.stringify(stored)).not.toContain(token);
  const [entry] = await entries(zw.admin, { targetId: shown["id"], action: "feed.create" });
  expect(entry?.after).toEqual({ name: "Phone", domainIds: null });
});

test("a fetch is noted, and a feed with another address is not", async () => {
  const used = await feed(zw.admin);
  const unused = await feed(zw.admin);
  await fetched(used.token);
  const { body } = await zw.admin.get(path);
  const lastUse = (id: string) => body.feeds.find((one: Body) => one.id === id).lastUsedAt;
  expect(lastUse(used.id)).toEqual(expect.stringMatching(/Z$/));
  expect(lastUse(unused.id)).toBeNull();
});

test("a revoked feed returns 404, and so does an unknown one", async () => {
  const { id, token } = await feed(member);
  expect(await zw.admin.delete(`${path}/${id}`)).toBeProblem(404, "NOT_FOUND");
  expect((await fetched(token)).status).toBe(200);
  expect((await member.delete(`${path}/${id}`)).status).toBe(200);
  expect(await fetched(token)).toBeProblem(404, "NOT_FOUND");
  expect(await fetched("x")).toBeProblem(404, "NOT_FOUND");
});

test("feeds of a disabled user return 404, and end when an administrator revokes the user's tokens", async () => {
  const bob = await zw.member("bob");
  const { body: me } = await bob.get("/api/auth/me");
  const { token } = await feed(bob);
  await zw.admin.put(`/api/users/${me.id}`, { disabled: true });
  expect((await fetched(token)).status).toBe(404);
  await zw.admin.put(`/api/users/${me.id}`, { disabled: false });
  expect((await fetched(token)).status).toBe(200);
  await zw.admin.send("DELETE", `/api/users/${me.id}/access`, { revoke: ["tokens"] });
  expect((await fetched(token)).status).toBe(404);
});

test("administrators see the feeds among a user's ways in, without their addresses, and revoke one", async () => {
  const carol = await zw.member("carol");
  const { body: me } = await carol.get("/api/auth/me");
  const one = await feed(carol);
  const other = await feed(carol);
  const { body } = await zw.admin.get(`/api/users/${me.id}/access`);
  expect(body.feeds.map(({ id }: Body) => id)).toEqual([other.id, one.id]);
  expect(JSON.stringify(body)).not.toContain(one.token);
  const left = await zw.admin.send("DELETE", `/api/users/${me.id}/access`, { ids: [one.id] });
  expect(left.body.feeds.map(({ id }: Body) => id)).toEqual([other.id]);
  expect((await fetched(one.token)).status).toBe(404);
  expect((await fetched(other.token)).status).toBe(200);
});

test("a session that was confirmed too long ago creates no feed", async () => {
  await clock.ahead(11 * minute, async () => {
    expect(await member.post(path, { name: "Late" })).toBeProblem(403, "REAUTHENTICATION_REQUIRED");
  });
});
