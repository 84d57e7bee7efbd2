import { rename } from "node:fs/promises";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { assign, idOf } from "../../accounts/assignments/assigned.ts";
import { entries } from "../../notifications/audit/trail.ts";
import { Clock, day, hour, minute } from "../../support/clock.ts";
import { problemOf } from "../../support/problems.ts";
import { RestClient } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualZone, type Body, type Zone } from "../../support/zones.ts";
import { approve, creating, readRequest, request, requested, requireReview, verdict } from "./requested.ts";

const clock = new Clock();
/** Jobs run when a test says so. */
const zw = useZonewright({ env: { JOBS: "off" }, now: clock.now });
const run = () => zw.services.requestSchedule.runOnce();

let ada: RestClient;
let zone: Zone;
beforeAll(async () => {
  ada = await zw.member("ada");
});
beforeEach(async () => {
  zone = await manualZone(zw);
  await assign(zw, ada, zone.id, "*", "write");
});

const inAnHour = () => ({ applyAt: new Date(clock.now().getTime() + hour).toISOString() });
const byScript = (name: string) => ({ title: "By a script", changes: creating(name), ...inAnHour() });
const names = async (of: Zone = zone) => (await of.records()).map(({ name }) => name);
const failuresOf = async (client: RestClient, { id }: { id: string }): Promise<Body[]> =>
  (await client.get("/api/notifications")).body.notifications.filter(
    (one: Body) => one.event === "change.failed" && one.metadata.changeRequestId === id,
  );

describe("a set time", () => {
  test.each([
    ["in the past", -minute],
    ["now", 0],
    ["in a hundred years", 36_525 * day],
    ["in 367 days", 367 * day],
  ])("%s is refused, and names the field", async (_, ahead) => {
    const applyAt = new Date(clock.now().getTime() + ahead).toISOString();
    const answer = await request(ada, zone, creating("www"), { applyAt });
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: ["applyAt"] }] } });
  });

  test.each(["soon", "2027-02-30T00:00:00Z", 0, "", "9999-12-31T23:59:59Z"])("%j is refused", async (applyAt) => {
    expect((await request(ada, zone, creating("www"), { applyAt })).status).toBe(400);
  });
});

describe("a scheduled request", () => {
  test("a scheduled request is applied once approved, at its time and not before", async () => {
    await requireReview(zw, zone, "members");
    const made = await requested(ada, zone, creating("www"), inAnHour());
    await approve(zw.admin, made);
    await run();
    expect(await names()).not.toContain("www");
    await clock.ahead(hour + minute, run);
    expect(await readRequest(ada, made)).toMatchObject({ state: "applied", changeSetId: expect.any(String) });
    expect(await names()).toContain("www");
    const [entry] = await entries(zw.admin, { targetId: made.id, action: "change_request.apply" });
    expect(entry).toMatchObject({ actorId: null });
    expect((await zone.history())[0]).toMatchObject({ actor: "ada", changeRequestId: made.id });
  });

  test("a scheduled request without approval stays open at its time, and is applied by the first run after its approval", async () => {
    await requireReview(zw, zone, "members");
    const applyAt = new Date(clock.now().getTime() + minute).toISOString();
    const made = await requested(ada, zone, creating("www"), { applyAt });
    await clock.ahead(2 * minute, async () => {
      await run();
      expect((await readRequest(ada, made)).state).toBe("open");
      await approve(zw.admin, made);
      await run();
    });
    expect((await readRequest(ada, made)).state).toBe("applied");
  });

  test("a request approved hours after its time is tried for an hour from then if its provider cannot be reached", async () => {
    const files = await fileZone(zw);
    // Sessions end within the hours that pass here.
    const permissions = ["requests:read", "requests:write"];
    const scriptOf = async (client: RestClient) =>
      new RestClient(zw.url, (await client.post("/api/auth/me/tokens", { name: files.name, permissions })).body.token);
    const [author, reviewer] = [await scriptOf(ada), await scriptOf(zw.admin)];
    await assign(zw, ada, files.id, "*", "write");
    await requireReview(zw, files, "members");
    const applyAt = new Date(clock.now().getTime() + minute).toISOString();
    const [first, second] = [
      await requested(ada, files, creating("first"), { applyAt }),
      await requested(ada, files, creating("second"), { applyAt }),
    ];
    await rename(files.file, `${files.file}.away`);
    await clock.ahead(7 * hour, async () => {
      for (const made of [first, second]) await approve(reviewer, made);
      await run();
      expect(await readRequest(author, first)).toMatchObject({ state: "approved", reason: null });
      await rename(`${files.file}.away`, files.file);
      expect((await verdict(author, first, "apply")).body.state).toBe("applied");
      await rename(files.file, `${files.file}.away`);
      await clock.ahead(50 * minute, run);
      expect((await readRequest(author, second)).state).toBe("approved");
      await clock.ahead(61 * minute, run);
      expect(await readRequest(author, second)).toMatchObject({ state: "failed", reason: expect.any(String) });
    });
    await rename(`${files.file}.away`, files.file);
  });

  test("a scheduled request is applied without approval if its author may edit the zone directly", async () => {
    const made = await requested(ada, zone, creating("www"), inAnHour());
    await clock.ahead(2 * hour, run);
    expect((await readRequest(ada, made)).state).toBe("applied");
  });

  test("a scheduled request is applied once, however many runs find it at the same time", async () => {
    const files = await fileZone(zw);
    const made = await requested(zw.admin, files, creating("www"), inAnHour());
    const { revision } = await files.detail();
    // A session would have ended by then.
    const permissions = ["requests:read", "requests:write", "records:write"];
    const { body: token } = await zw.admin.post("/api/auth/me/tokens", { name: files.name, permissions });
    await clock.ahead(2 * hour, async () => {
      const byHand = verdict(new RestClient(zw.url, token.token), made, "apply");
      const [{ status }] = await Promise.all([byHand, run(), run(), run()]);
      expect([200, 409]).toContain(status);
      await run();
    });
    expect(await files.detail()).toMatchObject({ revision: revision + 1 });
    expect((await readRequest(zw.admin, made)).state).toBe("applied");
  });

  test("a scheduled request fails if its RRset is no longer what was approved, and everybody concerned is notified", async () => {
    await requireReview(zw, zone, "members");
    const made = await requested(ada, zone, creating("www"), inAnHour());
    await approve(zw.admin, made);
    await zone.add("A", "www", "192.0.2.9");
    await clock.ahead(2 * hour, run);
    expect(await readRequest(ada, made)).toMatchObject({
      state: "failed",
      reason: expect.stringContaining("The zone has changed"),
    });
    expect((await zone.lines()).filter((line) => line.includes("192.0.2.1"))).toEqual([]);
    for (const client of [ada, zw.admin]) expect(await failuresOf(client, made)).toMatchObject([{ level: "error" }]);
  });

  test("an attempt before its time, while its RRset differs, leaves a scheduled request approved and applied at its time", async () => {
    await requireReview(zw, zone, "members");
    const made = await requested(ada, zone, creating("www"), inAnHour());
    await approve(zw.admin, made);
    const other = await zone.add("A", "www", "192.0.2.9", 3600);
    expect((await verdict(ada, made, "apply")).body).toMatchObject({ status: 409, code: "CONFLICT" });
    expect(await readRequest(ada, made)).toMatchObject({ state: "approved", applying: false });
    await zone.delete(other["id"]);
    await clock.ahead(2 * hour, run);
    expect((await readRequest(ada, made)).state).toBe("applied");
  });

  test("a scheduled request whose reviewer lost the right before an early attempt waits for another approval", async () => {
    await requireReview(zw, zone, "members");
    const dan = await zw.member("dan");
    const danPath = `/api/users/${await idOf(dan)}`;
    await zw.admin.put(danPath, { role: "admin" });
    const made = await requested(ada, zone, creating("www"), inAnHour());
    await approve(dan, made);
    await zw.admin.put(danPath, { role: "member" });
    expect((await verdict(ada, made, "apply")).body).toMatchObject({ status: 409, code: "REVIEW_REQUIRED" });
    await clock.ahead(2 * hour, run);
    expect(await readRequest(ada, made)).toMatchObject({ state: "open", reason: null });
    await approve(zw.admin, made);
    await clock.ahead(2 * hour, run);
    expect((await readRequest(ada, made)).state).toBe("applied");
  });

  test("a scheduled request fails if its author lost the right to write there", async () => {
    const made = await requested(ada, zone, creating("www"), inAnHour());
    const { body } = await zw.admin.get("/api/assignments");
    for (const { id, domainId } of body.assignments)
      if (domainId === zone.id) await zw.admin.delete(`/api/assignments/${id}`);
    await clock.ahead(2 * hour, run);
    expect((await readRequest(zw.admin, made)).state).toBe("failed");
    expect(await names()).not.toContain("www");
  });

  test("a scheduled request fails if the personal token that made it was deleted", async () => {
    const permissions = ["requests:read", "requests:write", "records:write"];
    const { body: token } = await ada.post("/api/auth/me/tokens", { name: zone.name, permissions });
    const headers = { authorization: `Bearer ${token.token}` };
    const body = { title: "By a script", changes: creating("www"), ...inAnHour() };
    const made = (await zw.nobody.post(`${zone.path}/change-requests`, body, headers)).body;
    await ada.delete(`/api/auth/me/tokens/${token.id}`);
    await clock.ahead(2 * hour, run);
    expect(await readRequest(ada, made)).toMatchObject({
      state: "failed",
      reason: expect.stringContaining("personal token"),
    });
  });

  test("a scheduled request needs `records:write` of the token that made it, unless somebody approved it", async () => {
    const permissions = ["requests:read", "requests:write"];
    const { body: token } = await ada.post("/api/auth/me/tokens", { name: zone.name, permissions });
    const headers = { authorization: `Bearer ${token.token}` };
    const one = (await zw.nobody.post(`${zone.path}/change-requests`, byScript("one"), headers)).body;
    const two = (await zw.nobody.post(`${zone.path}/change-requests`, byScript("two"), headers)).body;
    await approve(zw.admin, two);
    await clock.ahead(2 * hour, run);
    expect((await readRequest(ada, one)).state).toBe("failed");
    expect((await readRequest(ada, two)).state).toBe("applied");
  });

  test("a rejected or withdrawn scheduled request is not applied", async () => {
    const one = await requested(ada, zone, creating("one"), inAnHour());
    const two = await requested(ada, zone, creating("two"), inAnHour());
    await verdict(zw.admin, one, "reject");
    await verdict(ada, two, "withdraw");
    await clock.ahead(2 * hour, run);
    expect(await names()).toEqual([]);
  });
});

/** Marks a request as if an attempt were under way. */
const claimed = async ({ id }: { id: string }, since: Date) => {
  await queries(zw.services.database.fork())
    .updateTable("change_requests")
    .set({ applying_token: id, applying_at: since })
    .where("id", "=", id)
    .execute();
};

describe("an attempt that a crash interrupted", () => {
  test("holds the request until it is too old to be under way, and then the request can be applied", async () => {
    const made = await requested(ada, zone, creating("www"));
    await claimed(made, clock.now());
    await run();
    for (const verb of ["apply", "withdraw"] as const)
      expect(await verdict(ada, made, verb)).toMatchObject({ status: 409, body: { code: "CONFLICT" } });
    await clock.ahead(3 * minute, run);
    expect((await verdict(ada, made, "apply")).body.state).toBe("applied");
  });

  test("until its outcome is known, a request says that it is being applied, and every verdict gets 409", async () => {
    const seen = await requested(ada, zone, creating("www"));
    expect(seen).toMatchObject({ state: "open", applying: false });
    await approve(zw.admin, seen);
    // The change is in the zone when the process dies.
    await zone.add("A", "www", "192.0.2.1");
    await claimed(seen, clock.now());
    const plan = { creates: [expect.objectContaining({ name: "www", value: "192.0.2.1" })], updates: [], deletes: [] };
    for (const client of [ada, zw.admin])
      expect(await readRequest(client, seen)).toMatchObject({
        state: "approved",
        applying: true,
        plan,
        problem: null,
        outdated: false,
        mayReview: false,
        mayApply: false,
      });
    const { body: list } = await zw.admin.get(`/api/change-requests?domain=${zone.id}`);
    expect(list.requests).toMatchObject([{ id: seen.id, applying: true }]);
    const { changesHash } = seen;
    const verdicts = [
      await verdict(zw.admin, seen, "approve", { changesHash }),
      await verdict(zw.admin, seen, "reject"),
      await verdict(zw.admin, seen, "apply"),
      await verdict(ada, seen, "apply"),
      await verdict(ada, seen, "withdraw"),
    ];
    for (const answer of verdicts)
      expect(problemOf(answer, 409, "CONFLICT").detail).toBe(
        "This request is being applied. Read it again in a few seconds.",
      );
  });

  test("a request that is being applied waits for nobody's review", async () => {
    const made = await requested(ada, zone, creating("www"));
    const waiting = async () =>
      (await zw.admin.get(`/api/change-requests?toReview=true&domain=${zone.id}`)).body.requests.length;
    expect(await waiting()).toBe(1);
    await claimed(made, clock.now());
    expect(await waiting()).toBe(0);
  });

  test("an interrupted attempt to apply a request ends as its change set did", async () => {
    const made = await requested(ada, zone, creating("www"));
    expect((await verdict(ada, made, "apply")).body.state).toBe("applied");
    // As if the process had died before the request ended.
    await queries(zw.services.database.fork())
      .updateTable("change_requests")
      .set({ state: "open", closed_at: null, applying_token: made.id, applying_at: clock.now() })
      .where("id", "=", made.id)
      .execute();
    expect((await verdict(ada, made, "apply")).status).toBe(409);
    await run();
    expect(await readRequest(ada, made)).toMatchObject({ state: "applied", applying: false, mayApply: false });
    expect((await zone.history()).filter(({ changeRequestId }: Body) => changeRequestId === made.id)).toHaveLength(1);
  });
});

test("the audit trail names whoever approved a request that the service applied", async () => {
  const made = await requested(ada, zone, creating("www"), inAnHour());
  await approve(zw.admin, made);
  await clock.ahead(2 * hour, run);
  const [change] = await entries(zw.admin, { targetId: zone.id, action: "records.edit" });
  expect(change).toMatchObject({ after: { approvedBy: [await idOf(zw.admin)], appliedBy: null } });
});
