import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Clock, hour } from "../../support/clock.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { memberPassword, useZonewright } from "../../support/zonewright.ts";
import { Zone, manualZone, type Body } from "../../support/zones.ts";
import { idOf } from "./assigned.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now });
const day = 24 * hour;

let member: RestClient;
let zone: Zone;
let seen: Zone;

beforeAll(async () => {
  await zw.member("contractor");
});
beforeEach(async () => {
  zw.admin.token = (await zw.signIn("admin", "correct horse battery staple")).token;
  member = await zw.signIn("contractor", memberPassword);
  zone = await manualZone(zw);
  seen = new Zone(zw, zone, member);
  // What other tests left.
  await run();
  await member.delete("/api/notifications");
});

async function give(milliseconds: number): Promise<Body> {
  const expiresAt = new Date(clock.now().getTime() + milliseconds).toISOString();
  const wish = { userId: await idOf(member), domainId: zone.id, access: "write", expiresAt };
  const { status, body } = await zw.admin.post("/api/assignments", wish);
  if (status !== 201) throw new Error(JSON.stringify(body));
  expect(body.expiresAt).toBe(expiresAt);
  return body;
}

const run = () => zw.services.assignmentEnds.runOnce();

async function events(): Promise<string[]> {
  return (await member.get("/api/notifications")).body.notifications.map(({ event }: Body) => event).toReversed();
}

/** Signs both in anew: access tokens end before assignments do. */
async function later(milliseconds: number): Promise<void> {
  clock.advance(milliseconds);
  zw.admin.token = (await zw.signIn("admin", "correct horse battery staple")).token;
  member.token = (await zw.signIn("contractor", memberPassword)).token;
}

describe("an assignment with an end", () => {
  test("it ends on time without any job, in lists, search and writes", async () => {
    await give(3 * day);
    expect((await seen.create({ recordType: "TXT", name: "a", value: "ends" })).status).toBe(201);
    await later(3 * day - 1_000 * 60);
    expect((await seen.get("/records")).body.total).toBe(1);
    await later(2 * 60_000);
    expect((await seen.get("/records")).status).toBe(404);
    expect((await seen.create({ recordType: "TXT", name: "b", value: "late" })).status).toBe(404);
    expect((await member.get("/api/records?search=ends")).body.total).toBe(0);
    expect((await member.get("/api/domains")).body.total).toBe(0);
    expect((await member.get("/api/assignments")).body.total).toBe(0);
  });

  test("the member is notified a day before and at the end, each once, and the audit trail says that it ended", async () => {
    const { id } = await give(3 * day);
    await run();
    expect(await events()).toEqual(["assignment.create"]);
    await later(2 * day + hour);
    await run();
    await run();
    expect(await events()).toEqual(["assignment.create", "assignment.ending"]);
    await later(day);
    await Promise.all([run(), run()]);
    expect(await events()).toEqual(["assignment.create", "assignment.ending", "assignment.delete"]);
    const { body } = await zw.admin.get(`/api/audit?targetId=${id}`);
    expect(body.entries.map(({ action, actorId }: Body) => [action, actorId !== null])).toEqual([
      ["assignment.end", false],
      ["assignment.create", true],
    ]);
    expect(body.entries[0].before).toMatchObject({ domainId: zone.id, access: "write" });
    expect((await zw.admin.delete(`/api/assignments/${id}`)).status).toBe(404);
  });

  test("one that lasts less than a day is not announced again", async () => {
    await give(5 * hour);
    await run();
    expect(await events()).toEqual(["assignment.create"]);
  });

  test("one that has ended keeps nobody from giving the same again", async () => {
    await give(hour);
    await later(2 * hour);
    await give(3 * day);
    expect((await seen.get("/records")).status).toBe(200);
  });

  test.each([
    ["in the past", "2020-01-01T00:00:00Z"],
    ["that is no time", "tomorrow"],
  ])("an end %s is refused", async (_what, expiresAt) => {
    const wish = { userId: await idOf(member), domainId: zone.id, expiresAt };
    expect((await zw.admin.post("/api/assignments", wish)).status).toBe(400);
  });
});
