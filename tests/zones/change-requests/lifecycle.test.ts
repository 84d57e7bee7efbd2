import { beforeAll, describe, expect, test } from "vitest";
import { entries } from "../../notifications/audit/trail.ts";
import { assign, idOf } from "../../accounts/assignments/assigned.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { reverseNet, set } from "../../support/reverse-zones.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualZone, type Body, type Zone } from "../../support/zones.ts";
import { approve, creating, readRequest, request, requested, requireReview, verdict } from "./requested.ts";

const zw = useZonewright({ env: { JOBS: "off" } });

let ada: RestClient;
let bob: RestClient;
beforeAll(async () => {
  ada = await zw.member("ada");
  bob = await zw.member("bob");
});

/** A zone in which ada may write. */
async function zoneOfAda(make = manualZone): Promise<Zone> {
  const zone = await make(zw);
  await assign(zw, ada, zone.id, "*", "write");
  return zone;
}

const deleting = (some: string[]) => some.map((recordId) => ({ action: "delete", recordId }));
const names = async (zone: Zone) => (await zone.records()).map(({ name }) => name);
const noticesOf = async (client: RestClient, event: string, { id }: { id: string }): Promise<Body[]> =>
  (await client.get("/api/notifications")).body.notifications.filter(
    (one: Body) => one.event === event && one.metadata.changeRequestId === id,
  );

describe.each([
  ["a zone without a back end", manualZone],
  ["a zone in files", fileZone],
])("a request for %s", (_, make) => {
  test("changes nothing until it is approved and applied, and is then one change of its author", async () => {
    const zone = await zoneOfAda(make);
    await requireReview(zw, zone, "members");
    const made = await requested(ada, zone, creating("www"), { note: "See CHG-1." });
    expect(made).toMatchObject({
      state: "open",
      title: "For a test",
      note: "See CHG-1.",
      author: "ada",
      domainName: zone.name,
      creates: 1,
      outdated: false,
      problem: null,
      reviews: [],
      mayReview: false,
      mayApply: true,
      plan: { creates: [{ name: "www", value: "192.0.2.1" }], updates: [], deletes: [] },
    });
    expect(await names(zone)).not.toContain("www");
    expect((await verdict(ada, made, "apply")).body).toMatchObject({ status: 409, code: "REVIEW_REQUIRED" });
    const approved = await approve(zw.admin, made, "Looks right.");
    expect(approved.body).toMatchObject({
      state: "approved",
      reviews: [{ user: "admin", verdict: "approve", note: "Looks right.", counts: true }],
    });
    const applied = await verdict(ada, made, "apply");
    expect(applied.body).toMatchObject({ state: "applied", mayApply: false, outdated: false });
    expect(await names(zone)).toContain("www");
    const [set] = await zone.history();
    expect(set).toMatchObject({
      id: applied.body.changeSetId,
      actor: "ada",
      message: "For a test",
      changeRequestId: made.id,
      state: "applied",
    });
  });
});

describe("who may do what", () => {
  test("an author cannot review their own request, not even as an administrator", async () => {
    const zone = await manualZone(zw);
    const made = await requested(zw.admin, zone, creating("www"));
    expect(await approve(zw.admin, made)).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
    expect((await verdict(zw.admin, made, "reject")).status).toBe(403);
  });

  test("a member who sees the zone cannot review, and one who does not gets 404", async () => {
    const zone = await zoneOfAda();
    const made = await requested(zw.admin, zone, creating("www"));
    expect((await approve(ada, made)).status).toBe(403);
    expect((await verdict(ada, made, "apply")).status).toBe(403);
    expect((await verdict(bob, made, "reject")).status).toBe(404);
    expect((await bob.get(`/api/change-requests/${made.id}`)).status).toBe(404);
  });

  test("a member with some hosts sees only requests whose every name they see", async () => {
    const zone = await manualZone(zw);
    const dana = await zw.member("dana");
    await assign(zw, dana, zone.id, "dev*", "read");
    const inside = await requested(zw.admin, zone, creating("dev1"));
    const across = await requested(zw.admin, zone, [...creating("dev2"), ...creating("www")]);
    const { body } = await dana.get(`/api/change-requests?domain=${zone.id}`);
    expect(body.requests.map(({ id }: Body) => id)).toEqual([inside.id]);
    expect(body.counts).toMatchObject({ open: 1, toReview: 0 });
    expect((await dana.get(`/api/change-requests/${across.id}`)).status).toBe(404);
  });

  test("the pages of the list of requests fit together, read from either end", async () => {
    const zone = await zoneOfAda();
    const made: string[] = [];
    for (const host of ["a", "b", "c", "d", "e"]) made.unshift((await requested(ada, zone, creating(host))).id);
    const paged: string[] = [];
    for (const page of [1, 2, 3, 4]) {
      const { body } = await ada.get(`/api/change-requests?domain=${zone.id}&limit=2&page=${page}`);
      expect(body.total).toBe(5);
      paged.push(...body.requests.map(({ id }: Body) => id));
    }
    expect(paged).toEqual(made);
  });

  test("a member without write access cannot request a change", async () => {
    const zone = await manualZone(zw);
    await assign(zw, ada, zone.id, "*", "read");
    expect((await request(ada, zone, creating("www"))).status).toBe(403);
    expect((await request(bob, zone, creating("www"))).status).toBe(404);
  });

  test("only the author withdraws, and a closed request takes no further verdict", async () => {
    const zone = await zoneOfAda();
    const made = await requested(ada, zone, creating("www"));
    expect((await verdict(zw.admin, made, "withdraw")).status).toBe(403);
    expect((await verdict(ada, made, "withdraw")).body.state).toBe("withdrawn");
    for (const verb of ["reject", "apply"] as const)
      expect(await verdict(zw.admin, made, verb)).toMatchObject({ status: 409, body: { code: "CONFLICT" } });
    expect((await verdict(ada, made, "withdraw")).status).toBe(409);
  });

  test("a request over records of an author who no longer may write there is not applied", async () => {
    const zone = await zoneOfAda();
    const made = await requested(ada, zone, creating("www"));
    await approve(zw.admin, made);
    const { body } = await zw.admin.get("/api/assignments");
    const own = body.assignments.find(({ domainId }: Body) => domainId === zone.id);
    await zw.admin.delete(`/api/assignments/${own.id}`);
    expect((await verdict(zw.admin, made, "apply")).status).toBe(404);
    expect(await names(zone)).not.toContain("www");
    expect(await readRequest(zw.admin, made)).toMatchObject({ state: "approved", outdated: true });
  });
});

test("a reviewer reads no name of a reverse zone that only its author sees", async () => {
  const [net, zone] = [await reverseNet(zw), await manualZone(zw)];
  await set(zone, { reverse: "follow" });
  await net.zone.add("PTR", "1", "secret.example.net");
  const made = await requested(zw.admin, zone, creating("www", net.at(1)));
  const reviewer = await zw.member("reviewer-of-addresses");
  await assign(zw, reviewer, zone.id, "*", "read", { review: true });
  const { plan, mayReview } = await readRequest(reviewer, made);
  expect(mayReview).toBe(true);
  expect(plan.warnings).toEqual([
    `The PTR record of ${net.at(1)} stays: it points to a name, which is not managed here.`,
  ]);
  await zw.admin.post(`/api/change-requests/${made.id}/withdraw`);
  expect(JSON.stringify(await readRequest(reviewer, made))).not.toContain("secret");
});

test("a request names its domain as it is called now", async () => {
  const zone = await zoneOfAda();
  const made = await requested(ada, zone, creating("www"));
  expect(made.domainName).toBe(zone.name);
  await zw.admin.put(zone.path, { view: "office" });
  const now = `${zone.name}!office`;
  expect((await readRequest(ada, made)).domainName).toBe(now);
  const listed = (await zw.admin.get(`/api/change-requests?domain=${zone.id}`)).body.requests;
  expect(listed).toMatchObject([{ id: made.id, domainName: now }]);
  await approve(zw.admin, made);
  expect(await noticesOf(ada, "change.approved", made)).toMatchObject([{ metadata: { domainName: now } }]);
  await zw.admin.delete(zone.path);
  expect(await readRequest(ada, made)).toMatchObject({ domainId: null, domainName: now });
});

describe("what an approval covers", () => {
  test("an edit of other names leaves an approval in force", async () => {
    const zone = await zoneOfAda();
    const made = await requested(ada, zone, creating("www"));
    await approve(zw.admin, made);
    await zone.add("A", "mail", "192.0.2.9");
    expect(await readRequest(ada, made)).toMatchObject({ outdated: false, reviews: [{ counts: true }] });
    expect((await verdict(ada, made, "apply")).body.state).toBe("applied");
  });

  test("an edit of the same RRset ends an approval until somebody approves again", async () => {
    const zone = await zoneOfAda();
    const made = await requested(ada, zone, creating("www"));
    const { changesHash } = (await approve(zw.admin, made)).body;
    await zone.add("A", "www", "192.0.2.9", 3600);
    expect(await readRequest(ada, made)).toMatchObject({ outdated: true, reviews: [{ counts: false }] });
    expect(await verdict(ada, made, "apply")).toMatchObject({ status: 409, body: { code: "CONFLICT" } });
    expect(await verdict(zw.admin, made, "approve", { changesHash })).toMatchObject({
      status: 409,
      body: { code: "CONFLICT" },
    });
    await approve(zw.admin, made);
    expect((await verdict(ada, made, "apply")).body.state).toBe("applied");
  });

  test.each([
    ["its RRset was edited", async (zone: Zone) => await zone.add("A", "www", "192.0.2.9", 3600), "CONFLICT"],
    [
      "its reviewer lost the right",
      async (_zone: Zone, id: string) => await zw.admin.put(`/api/users/${id}`, { role: "member" }),
      "REVIEW_REQUIRED",
    ],
  ])("a request that is applied after %s waits for its reviewers again, who are notified", async (_, end, code) => {
    const zone = await zoneOfAda();
    const dan = await zw.member(`dan-${zone.name.split(".")[0]}`);
    const danId = await idOf(dan);
    await zw.admin.put(`/api/users/${danId}`, { role: "admin" });
    await requireReview(zw, zone, "members");
    const made = await requested(ada, zone, creating("www"));
    await approve(dan, made);
    await end(zone, danId);
    const waiting = async () =>
      (await zw.admin.get(`/api/change-requests?toReview=true&domain=${zone.id}`)).body.requests;
    expect(await waiting()).toEqual([]);
    for (let attempt = 0; attempt < 2; attempt++)
      expect((await verdict(ada, made, "apply")).body).toMatchObject({ status: 409, code });
    expect(await readRequest(zw.admin, made)).toMatchObject({ state: "open", mayReview: true });
    expect(await waiting()).toMatchObject([{ id: made.id }]);
    const [again, ...others] = await noticesOf(zw.admin, "change.requested", made);
    expect([again.title, others.length]).toEqual([`Review again: change request ${made.number} for ${zone.name}`, 1]);
    expect(await noticesOf(ada, "change.requested", made)).toEqual([]);
    const [entry] = await entries(zw.admin, { targetId: made.id, action: "change_request.reopen" });
    expect(entry).toMatchObject({ actorId: await idOf(ada), after: { domainId: zone.id, reason: expect.any(String) } });
    expect((await approve(zw.admin, made)).body.state).toBe("approved");
    expect((await verdict(ada, made, "apply")).body.state).toBe("applied");
  });

  test("whoever names what they read applies nothing else, whatever was approved since", async () => {
    const zone = await zoneOfAda();
    const made = await requested(ada, zone, creating("www"));
    const { changesHash } = (await approve(zw.admin, made)).body;
    await zone.add("A", "www", "192.0.2.9", 3600);
    const { changesHash: since } = (await approve(zw.admin, made)).body;
    expect(await verdict(ada, made, "apply", { changesHash })).toMatchObject({
      status: 409,
      body: { code: "CONFLICT", detail: expect.stringContaining("has changed since you read the request") },
    });
    expect((await verdict(ada, made, "apply", { changesHash: since })).body.state).toBe("applied");
  });

  test("a record that is deleted under a request makes it outdated, and says so", async () => {
    const zone = await zoneOfAda();
    const { id: recordId } = await zone.add("A", "www", "192.0.2.9");
    const made = await requested(ada, zone, [{ action: "update", recordId, record: { value: "192.0.2.1" } }]);
    await zone.delete(recordId);
    expect(await readRequest(ada, made)).toMatchObject({
      outdated: true,
      changesHash: null,
      problem: expect.stringContaining("no such record"),
      plan: { updates: [{ after: { value: "192.0.2.1" } }] },
    });
    expect((await verdict(zw.admin, made, "approve", { changesHash: made.changesHash })).status).toBe(409);
  });

  test("an approval of a reviewer who lost the right does not count", async () => {
    const zone = await zoneOfAda();
    const carl = await zw.member(`carl-${zone.name.split(".")[0]}`);
    const carlId = await idOf(carl);
    await zw.admin.put(`/api/users/${carlId}`, { role: "admin" });
    const made = await requested(ada, zone, creating("www"));
    expect((await approve(carl, made)).status).toBe(200);
    await zw.admin.put(`/api/users/${carlId}`, { role: "member" });
    expect((await readRequest(ada, made)).reviews).toMatchObject([{ counts: false }]);
    expect((await verdict(ada, made, "apply")).body).toMatchObject({ status: 409, code: "REVIEW_REQUIRED" });
    await approve(zw.admin, made);
    expect((await verdict(ada, made, "apply")).body.state).toBe("applied");
  });

  test("a reviewer whose token has ended approves the same changes again, and that approval counts", async () => {
    const zone = await zoneOfAda();
    const made = await requested(ada, zone, creating("www"));
    const { changesHash } = made;
    const permissions = ["requests:read", "requests:write"];
    const { body: token } = await zw.admin.post("/api/auth/me/tokens", { name: zone.name, permissions });
    const headers = { authorization: `Bearer ${token.token}` };
    const byToken = await zw.nobody.post(`/api/change-requests/${made.id}/approve`, { changesHash }, headers);
    expect(byToken.body).toMatchObject({ state: "approved", reviews: [{ counts: true }] });
    await zw.admin.delete(`/api/auth/me/tokens/${token.id}`);
    expect((await verdict(ada, made, "apply")).body).toMatchObject({ status: 409, code: "REVIEW_REQUIRED" });
    const again = await approve(zw.admin, made);
    expect(again.body).toMatchObject({ state: "approved", reviews: [{ counts: false }, { counts: true }] });
    expect(await noticesOf(ada, "change.approved", made)).toHaveLength(2);
    expect((await verdict(ada, made, "apply")).body.state).toBe("applied");
  });

  test("an approval covers a loss above the safety threshold; without one, the author must confirm it", async () => {
    const zone = await zoneOfAda();
    const ids = [];
    for (let host = 1; host <= 10; host++) ids.push((await zone.add("A", `h${host}`, "192.0.2.9")).id);
    const made = await requested(ada, zone, deleting(ids.slice(0, 4)));
    expect(made.plan.warnings.join(" ")).toContain("more than 30 %");
    expect((await verdict(ada, made, "apply")).body.code).toBe("CONFIRMATION_REQUIRED");
    await approve(zw.admin, made);
    expect((await verdict(ada, made, "apply")).body.state).toBe("applied");
    const other = await requested(ada, zone, deleting(ids.slice(4, 8)));
    expect((await verdict(ada, other, "apply", { force: true })).body.state).toBe("applied");
  });
});

test("where no review is required, an author applies their own request", async () => {
  const zone = await zoneOfAda();
  const made = await requested(ada, zone, creating("www"));
  expect((await verdict(ada, made, "apply")).body).toMatchObject({ state: "applied", reviews: [] });
});

test("an administrator cannot apply a member's request that nobody approved", async () => {
  const zone = await zoneOfAda();
  const made = await requested(ada, zone, creating("www"));
  expect((await verdict(zw.admin, made, "apply")).body.code).toBe("REVIEW_REQUIRED");
});

test("reviewers are notified of a request, and its author of each verdict and of the end", async () => {
  const zone = await zoneOfAda();
  const made = await requested(ada, zone, creating("www"));
  expect(await noticesOf(zw.admin, "change.requested", made)).toMatchObject([
    { level: "info", metadata: { number: made.number, author: "ada", domainId: zone.id } },
  ]);
  expect(await noticesOf(ada, "change.requested", made)).toEqual([]);
  await approve(zw.admin, made, "Fine.");
  expect(await noticesOf(ada, "change.approved", made)).toMatchObject([{ metadata: { by: "admin", note: "Fine." } }]);
  await verdict(ada, made, "apply");
  for (const client of [ada, zw.admin])
    expect(await noticesOf(client, "change.applied", made)).toMatchObject([{ level: "success" }]);
  const other = await requested(ada, zone, creating("mail"));
  await verdict(zw.admin, other, "reject", { note: "Not now." });
  expect(await noticesOf(ada, "change.rejected", other)).toMatchObject([{ metadata: { note: "Not now." } }]);
});

test("the audit trail says who requested, approved and applied", async () => {
  const zone = await zoneOfAda();
  const made = await requested(ada, zone, creating("www"));
  await approve(zw.admin, made);
  await verdict(zw.admin, made, "apply");
  const trail = await entries(zw.admin, { targetId: made.id });
  expect(trail.map(({ action }) => action)).toEqual([
    "change_request.apply",
    "change_request.approve",
    "change_request.create",
  ]);
  const [change] = await entries(zw.admin, { targetId: zone.id, action: "records.edit" });
  const [adaId, adminId] = [await idOf(ada), await idOf(zw.admin)];
  expect(change).toMatchObject({
    actorId: adaId,
    after: { changeRequestId: made.id, approvedBy: [adminId], appliedBy: adminId },
  });
});
