import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { createClient, type WatchedChange } from "../../../client-sdk/src/index.ts";
import { permissions } from "../../../server/access/permissions.ts";
import { approve, creating, readRequest, requested, verdict } from "../../zones/change-requests/requested.ts";
import { accessRows } from "../../support/access-table.ts";
import { patience } from "../../support/patience.ts";
import { RestClient } from "../../support/rest-client.ts";
import { memberPassword, useZonewright } from "../../support/zonewright.ts";
import { Zone, freshName, lineOf, manualConfig, manualZone, type Body } from "../../support/zones.ts";

const zw = useZonewright();

let auditor: RestClient;
let auditorId: string;
/** A zone of the auditor's own, from before they were one; a zone of nobody's; one that is assigned to them with every right. */
let own: Zone;
let other: Zone;
let assigned: Zone;
let snapshotId: string;
let laterId: string;

beforeAll(async () => {
  const configId = await manualConfig(zw);
  await zw.admin.put(`/api/provider-configs/${configId}`, { membersMayUse: true });
  auditor = await zw.member("auditor");
  auditorId = (await auditor.get("/api/auth/me")).body.id;
  const { body } = await auditor.post("/api/domains", { name: freshName(), providerConfigId: configId });
  own = new Zone(zw, body, auditor);
  await own.add("A", "www", "192.0.2.1");
  other = await manualZone(zw);
  await other.add("A", "www", "192.0.2.2");
  snapshotId = (await other.post("/snapshots")).body.id;
  await other.add("TXT", "@", "secret of the zone");
  laterId = (await other.post("/snapshots")).body.id;
  assigned = await manualZone(zw);
  const wish = { userId: auditorId, domainId: assigned.id, access: "write", review: true, recordTypes: [] };
  await zw.admin.post("/api/assignments", wish);
  await zw.admin.put(`/api/users/${auditorId}`, { role: "auditor" });
});

const as = (zone: Zone) => new Zone(zw, zone, auditor);

describe("an auditor reads", () => {
  test("every zone: its details, records, history, snapshots, differences, exports and comparisons", async () => {
    const seen = as(other);
    expect((await seen.detail()).recordCount).toBe(2);
    expect((await seen.get("/records")).body.records.map(lineOf)).toEqual([
      "@ TXT secret of the zone",
      "www A 192.0.2.2",
    ]);
    expect((await seen.get("/history")).body.entries).toEqual((await other.get("/history")).body.entries);
    expect((await seen.get(`/snapshots/${snapshotId}`)).body.records.map(lineOf)).toEqual(["www A 192.0.2.2"]);
    const path = `/snapshots/diff?from=${snapshotId}&to=${laterId}`;
    const { status, body } = await seen.get(path);
    expect([status, body]).toEqual([200, (await other.get(path)).body]);
    expect((await seen.get("/zonefile")).body).toBe((await other.get("/zonefile")).body);
    expect((await seen.post("/compare", { with: own.id })).status).toBe(200);
    expect((await auditor.get("/api/records?search=secret")).body.total).toBe(1);
    expect((await auditor.get("/api/domains")).body.total).toBe((await zw.admin.get("/api/domains")).body.total);
  });

  test.each([
    "users",
    "audit",
    "assignments",
    "assignments/requests",
    "change-requests",
    "templates",
    "provider-configs",
  ])("/api/%s as administrators do", async (path) => {
    expect((await auditor.get(`/api/${path}`)).body).toEqual((await zw.admin.get(`/api/${path}`)).body);
  });

  test("neither channel configurations nor invitations", async () => {
    for (const path of ["notifications/configs", "invitations"])
      expect(await auditor.get(`/api/${path}`)).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
  });

  test("an open stream hears of changes of every zone", async () => {
    const changes: WatchedChange[] = [];
    const client = createClient({ url: zw.url, token: auditor.token });
    const watch = client.domains.watch.subscribe({ ids: [other.id] }, { onData: (change) => changes.push(change) });
    await vi.waitUntil(() => changes.length === 1, patience);
    await other.add("A", "heard", "192.0.2.9");
    await vi.waitUntil(() => changes.length === 2, patience);
    watch.unsubscribe();
    expect(changes.map(({ domainId }) => domainId)).toEqual([other.id, other.id]);
    await other.delete((await other.records("&search=heard"))[0]?.id ?? "");
  });

  test("change requests, but reviews, comments and applies none", async () => {
    for (const zone of [other, assigned, own]) {
      const made = await requested(zw.admin, zone, creating("requested"));
      expect(await readRequest(auditor, made)).toMatchObject({ state: "open", mayReview: false, mayApply: false });
      expect((await approve(auditor, made)).status).toBe(403);
      for (const verb of ["reject", "apply"] as const) expect((await verdict(auditor, made, verb)).status).toBe(403);
      expect((await auditor.post(`/api/change-requests/${made.id}/comments`, { text: "No" })).status).toBe(403);
    }
    expect((await auditor.get("/api/change-requests?toReview=true")).body).toMatchObject({
      total: 0,
      counts: { toReview: 0 },
    });
  });
});

describe("an auditor changes nothing", () => {
  test("neither in zones of their own nor in assigned ones, with a session or a personal token", async () => {
    const { body } = await auditor.post("/api/auth/me/tokens", { name: "All", permissions });
    const clients = [auditor, new RestClient(zw.url, body.token)];
    for (const zone of [own, assigned, other]) {
      const state = await new Zone(zw, zone, zw.admin).records();
      for (const client of clients) {
        const seen = new Zone(zw, zone, client);
        const answers = [
          await seen.create({ recordType: "A", name: "new", value: "192.0.2.7" }),
          await seen.post("/records/bulk", { records: [{ recordType: "A", name: "new", value: "192.0.2.7" }] }),
          await seen.post("/records/plan", { changes: creating("new") }),
          await seen.post("/change-requests", { title: "For a test", changes: creating("new") }),
          await seen.post("/zonefile", { zonefile: "new 300 A 192.0.2.7\n", mode: "merge", dryRun: true }),
          await seen.post("/snapshots"),
          await client.put(zone.path, { notes: "Mine" }),
          await client.delete(zone.path),
        ];
        expect(answers.map(({ status, body: { code } }) => [status, code])).toEqual(
          answers.map(() => [403, "FORBIDDEN"]),
        );
      }
      expect(await new Zone(zw, zone, zw.admin).records()).toEqual(state);
    }
  });

  test("a change that they requested before is not applied for them", async () => {
    const before = await zw.member("before");
    const { body: me } = await before.get("/api/auth/me");
    await zw.admin.post("/api/assignments", { userId: me.id, domainId: other.id, access: "write" });
    const made = await requested(before, other, creating("late"));
    await approve(zw.admin, made);
    await zw.admin.put(`/api/users/${me.id}`, { role: "auditor" });
    expect((await verdict(zw.admin, made, "apply")).status).toBe(403);
    expect((await other.records("&search=late")).length).toBe(0);
  });

  test("an auditor changes only their own account", async () => {
    const mine = await zw.member("own-account");
    const { body: me } = await mine.get("/api/auth/me");
    await zw.admin.put(`/api/users/${me.id}`, { role: "auditor" });
    expect((await mine.put("/api/auth/me/profile", { displayName: "An Auditor" })).status).toBe(200);
    const { body: token } = await mine.post("/api/auth/me/tokens", { name: "One", permissions: ["records:read"] });
    expect((await mine.delete(`/api/auth/me/tokens/${token.id}`)).status).toBe(200);
    const { body: feed } = await mine.post("/api/auth/me/feeds", { name: "One" });
    expect((await mine.delete(`/api/auth/me/feeds/${feed.id}`)).status).toBe(200);
    expect((await mine.post("/api/notifications/read-all")).status).toBe(200);
    const newPassword = "quite another long password";
    const passwords = { currentPassword: memberPassword, newPassword };
    expect((await mine.put("/api/auth/me/password", passwords)).status).toBe(200);
  });

  test("what changes the own account is open to auditors by every path below /api/auth/me", async () => {
    const mine = await zw.member("every-path");
    const { body: me } = await mine.get("/api/auth/me");
    await zw.admin.put(`/api/users/${me.id}`, { role: "auditor" });
    const paths = (await accessRows()).filter(
      ({ path, method }) => /^\/api\/(auth\/me|2fa)(\/|$)/.test(path) && method !== "GET",
    );
    const answers = await Promise.all(
      paths.map(async ({ method, path }) => {
        const { body } = await mine.send(method, path.replaceAll(/:\w+/g, randomUUID()), {});
        return [method, path, String(body.detail).startsWith("Auditors can change only")] as const;
      }),
    );
    expect(answers.length).toBeGreaterThan(20);
    expect(answers.filter(([, , isRefused]) => isRefused)).toEqual([]);
  });

  test("the role takes effect on open sessions with the next call, in both directions", async () => {
    const user = await zw.member("back-and-forth");
    const { body: me } = await user.get("/api/auth/me");
    const reads = async () => (await user.get(other.path)).status;
    const role = (name: string) => zw.admin.put(`/api/users/${me.id}`, { role: name });
    const seen: Body[] = [];
    for (const name of ["auditor", "member", "auditor"]) {
      await role(name);
      seen.push(await reads());
    }
    expect(seen).toEqual([200, 404, 200]);
  });

  test("the last administrator is not made an auditor", async () => {
    const { body: me } = await zw.admin.get("/api/auth/me");
    expect((await zw.admin.put(`/api/users/${me.id}`, { role: "auditor" })).status).toBe(409);
  });
});
