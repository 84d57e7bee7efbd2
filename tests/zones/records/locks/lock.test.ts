import { beforeEach, describe, expect, test } from "vitest";
import { assign } from "../../../accounts/assignments/assigned.ts";
import { entries } from "../../../notifications/audit/trail.ts";
import { readRequest, request, requested, verdict } from "../../change-requests/requested.ts";
import { forwardZone, reverseNet } from "../../../support/reverse-zones.ts";
import { useZonewright } from "../../../support/zonewright.ts";
import { fileZone, freshName, manualConfig, manualZone, Zone, type Body } from "../../../support/zones.ts";

const zw = useZonewright({ env: { JOBS: "off" } });

let count = 0;
let zone: Zone;
let record: Body;
beforeEach(async () => {
  count += 1;
  zone = await manualZone(zw);
  record = await zone.add("A", "www", "192.0.2.1", 300);
});

const lock = (id: string, locked: boolean, of = zone) => of.update(id, { locked });
const present = async (id = record.id) => (await zone.records()).find((one) => one.id === id);

/** The zone as a member sees it who may write all of it. */
async function asWriter(of = zone): Promise<Zone> {
  const member = await zw.member(`writer-${count}`);
  await assign(zw, member, of.id, "*", "write");
  return new Zone(zw, of, member);
}

/** A new zone as its owner sees it, who is no administrator, and a record of it. */
async function owned(): Promise<{ zone: Zone; record: Body }> {
  const owner = await zw.member(`owner-${count}`);
  const providerConfigId = await manualConfig(zw);
  await zw.admin.put(`/api/provider-configs/${providerConfigId}`, { membersMayUse: true });
  const { body } = await owner.post("/api/domains", { name: freshName(), providerConfigId });
  const own = new Zone(zw, body, owner);
  return { zone: own, record: await own.add("A", "www", "192.0.2.1", 300) };
}

describe("a lock", () => {
  test("the owner and administrators set and clear a lock without `unlock`", async () => {
    const { zone: owner, record } = await owned();
    expect(record.locked).toBe(false);
    expect((await lock(record.id, true, owner)).body).toMatchObject({ locked: true, version: 2 });
    expect((await lock(record.id, false, new Zone(zw, owner))).body).toMatchObject({ locked: false, version: 3 });
    expect((await zone.create({ recordType: "A", name: "new", value: "192.0.2.2", locked: true })).body.locked).toBe(
      true,
    );
  });

  test("others neither set nor clear a lock, and change no locked record even with `unlock`", async () => {
    const writer = await asWriter();
    const refused = { status: 403, body: { code: "FORBIDDEN" } };
    expect(await lock(record.id, true, writer)).toMatchObject(refused);
    expect(await writer.create({ recordType: "A", name: "new", value: "192.0.2.2", locked: true })).toMatchObject(
      refused,
    );
    await lock(record.id, true);
    expect(await lock(record.id, false, writer)).toMatchObject(refused);
    for (const answer of [
      await writer.update(record.id, { value: "192.0.2.2", unlock: true }),
      await writer.client.delete(`${zone.path}/records/${record.id}?unlock=true`),
      await writer.post("/records/plan", { changes: [{ action: "delete", recordId: record.id }], unlock: true }),
      await writer.post("/zonefile", { zonefile: "www 60 A 192.0.2.1\n", unlock: true }),
      await request(writer.client, zone, [{ action: "delete", recordId: record.id }], { unlock: true }),
    ]) {
      expect(answer).toMatchObject(refused);
      expect(answer.body.detail).toContain("www A 192.0.2.1 is locked; only the domain's owner and administrators");
    }
    expect(await present()).toMatchObject({ value: "192.0.2.1", version: 2, locked: true });
  });

  test("the owner changes and deletes a locked record with `unlock`, and it stays locked while it is there", async () => {
    const { zone: owner, record } = await owned();
    await lock(record.id, true, owner);
    expect((await owner.update(record.id, { value: "192.0.2.2" })).body).toMatchObject({
      status: 409,
      code: "CONFIRMATION_REQUIRED",
      detail: "www A 192.0.2.1 is locked. To change it, repeat the call with unlock: true.",
    });
    expect((await owner.update(record.id, { value: "192.0.2.2", unlock: true })).body).toMatchObject({
      value: "192.0.2.2",
      locked: true,
    });
    expect((await owner.delete(record.id)).status).toBe(409);
    expect((await owner.client.delete(`${owner.path}/records/${record.id}?unlock=true`)).status).toBe(200);
    expect(await owner.records()).toEqual([]);
  });

  test("a narrowed token of an administrator changes the locked records within it, with `unlock`", async () => {
    await lock(record.id, true);
    const other = await zone.add("A", "other", "192.0.2.9");
    const permissions = ["records:read", "records:write"];
    const narrowed = { name: `narrow-${count}`, permissions, domainIds: [zone.id], hostPattern: "www" };
    const { token } = (await zw.admin.post("/api/auth/me/tokens", narrowed)).body;
    const headers = { authorization: `Bearer ${token}` };
    const update = (id: string, patch: object) => zw.nobody.put(`${zone.path}/records/${id}`, patch, headers);
    expect((await update(record.id, { value: "192.0.2.2" })).status).toBe(409);
    expect((await update(record.id, { value: "192.0.2.2", unlock: true })).status).toBe(200);
    expect((await update(other.id, { locked: true })).status).toBe(404);
  });

  test("clearing a lock does not let the same call change the record without `unlock`", async () => {
    await lock(record.id, true);
    expect((await zone.update(record.id, { locked: false, value: "192.0.2.2" })).status).toBe(409);
    expect(await present()).toMatchObject({ locked: true, value: "192.0.2.1" });
    expect((await zone.update(record.id, { locked: false, value: "192.0.2.2", unlock: true })).body).toMatchObject({
      locked: false,
      value: "192.0.2.2",
    });
  });

  test("the comment of a locked record stays free to those who may write the record", async () => {
    await lock(record.id, true);
    const writer = await asWriter();
    expect((await writer.update(record.id, { comment: "ask first" })).body).toMatchObject({
      comment: "ask first",
      locked: true,
    });
  });

  test("another record of the RRset cannot give a locked record its TTL, and beside it nothing is held up", async () => {
    await lock(record.id, true);
    const writer = await asWriter();
    const beside = { recordType: "A", name: "www", value: "192.0.2.2" };
    expect((await writer.create({ ...beside, ttl: 60 })).status).toBe(403);
    expect((await writer.create(beside)).body).toMatchObject({ ttl: 300, locked: false });
    expect((await writer.create({ ...beside, name: "other", ttl: 60 })).status).toBe(201);
  });

  test("an item of a bulk create that would give a locked record its TTL fails alone", async () => {
    await lock(record.id, true);
    const writer = await asWriter();
    for (const [client, words] of [
      [writer, /^ttl: www A 192\.0\.2\.1 is locked; only the domain's owner/],
      [zone, /^ttl: www A 192\.0\.2\.1 is locked\. To change it, repeat the call with unlock: true\./],
    ] as const) {
      const records = [
        { recordType: "A", name: "www", value: "192.0.2.2", ttl: 60 },
        { recordType: "A", name: "fine", value: client === zone ? "192.0.2.3" : "192.0.2.4" },
      ];
      expect((await client.post("/records/bulk", { records })).body.results).toMatchObject([
        { success: false, error: expect.stringMatching(words) },
        { success: true },
      ]);
    }
    const records = [{ recordType: "A", name: "www", value: "192.0.2.2", ttl: 60 }];
    expect((await zone.post("/records/bulk", { records, unlock: true })).body).toMatchObject({ succeeded: 1 });
    expect(await present()).toMatchObject({ ttl: 60, locked: true });
  });

  test("an item of a bulk create that sets a lock without the right fails alone", async () => {
    const writer = await asWriter();
    const records = [
      { recordType: "A", name: "a", value: "192.0.2.3", locked: true },
      { recordType: "A", name: "b", value: "192.0.2.3" },
    ];
    const { body } = await writer.post("/records/bulk", { records });
    expect(body.results).toMatchObject([
      { success: false, error: expect.stringContaining("locked") },
      { success: true },
    ]);
  });

  test("`locked` lists locked records only, and says so of earlier revisions", async () => {
    const other = await zone.add("A", "other", "192.0.2.2");
    await lock(other.id, true);
    expect(await zone.records("&locked=true")).toMatchObject([{ id: other.id, locked: true }]);
    expect(await zone.records("&locked=true&search=www")).toEqual([]);
    expect(await zone.records("&locked=false")).toHaveLength(2);
    const { revision } = await zone.detail();
    expect(await zone.records(`&locked=true&at=${revision - 1}`)).toEqual([]);
    expect((await zone.get("/records?locked=maybe")).status).toBe(400);
  });

  test("the audit trail says who locked a record, and the history has the change", async () => {
    await lock(record.id, true);
    const [entry] = await entries(zw.admin, { targetId: zone.id });
    expect(entry?.before).toEqual({ records: [expect.not.objectContaining({ locked: true })] });
    expect(entry).toMatchObject({ action: "records.edit", after: { updates: 1, records: [{ locked: true }] } });
    expect((await zone.history())[0]).toMatchObject({ updates: 1, changes: [{ recordId: record.id }] });
  });

  test("a plan warns of the lock, shows a new lock as a change, and can be applied with `unlock` only", async () => {
    await lock(record.id, true);
    const changes = [
      { action: "update", recordId: record.id, record: { ttl: 60, locked: false } },
      { action: "create", record: { recordType: "A", name: "new", value: "192.0.2.4", locked: true } },
    ];
    const { body: plan } = await zone.post("/records/plan", { changes });
    expect(plan.warnings).toEqual(["www A 192.0.2.1 is locked. To change it, repeat the call with unlock: true."]);
    expect(plan.updates).toMatchObject([{ changes: { ttl: [300, 60], locked: [true, false] } }]);
    const { planHash } = plan;
    expect((await zone.post("/records/plan", { changes, unlock: true })).body).toMatchObject({
      warnings: [],
      planHash,
    });
    expect((await zone.post("/records/apply", { changes, planHash })).body.code).toBe("CONFIRMATION_REQUIRED");
    expect((await zone.post("/records/apply", { changes, planHash, unlock: true })).body.results).toMatchObject([
      { record: { ttl: 60, locked: false } },
      { record: { locked: true } },
    ]);
  });
});

describe("what compares whole zones", () => {
  test("a rollback leaves locks as they are now, and restores a deleted record with its lock", async () => {
    const gone = await zone.add("A", "gone", "192.0.2.9");
    await lock(gone.id, true);
    const { id } = (await zone.post("/snapshots")).body;
    await zone.client.delete(`${zone.path}/records/${gone.id}?unlock=true`);
    await lock(record.id, true);
    await zone.add("A", "later", "192.0.2.8");
    expect((await zone.post(`/snapshots/${id}/rollback`, {})).body).toMatchObject({
      created: 1,
      deleted: 1,
      updated: 0,
    });
    expect(await present()).toMatchObject({ locked: true });
    expect(await present(gone.id)).toMatchObject({ locked: true });
  });

  test("a dry run of a rollback or import warns of locked records that it would touch", async () => {
    const { id } = (await zone.post("/snapshots")).body;
    await zone.update(record.id, { ttl: 60 });
    await lock(record.id, true);
    const warning = "www A 192.0.2.1 is locked. To change it, repeat the call with unlock: true.";
    const zonefile = "other 60 A 192.0.2.1\n";
    for (const answer of [
      await zone.post(`/snapshots/${id}/rollback`, { dryRun: true }),
      await zone.post("/zonefile", { zonefile, mode: "replace", dryRun: true }),
    ]) {
      expect(answer.status).toBe(200);
      expect(answer.body.plan.warnings).toContain(warning);
    }
    const dry = await zone.post("/zonefile", { zonefile, mode: "replace", dryRun: true, unlock: true });
    expect(dry.body.plan.warnings).not.toContain(warning);
  });

  test("reverting the change that set a lock clears it, and reverting an earlier change does not", async () => {
    await zone.update(record.id, { comment: "note" });
    const [earlier] = await zone.history();
    await lock(record.id, true);
    expect((await zone.post(`/history/${earlier?.id}/revert`, {})).status).toBe(200);
    expect(await present()).toMatchObject({ locked: true, comment: null });
    await lock(record.id, false);
    await lock(record.id, true);
    const [latest] = await zone.history();
    expect((await (await asWriter()).post(`/history/${latest?.id}/revert`, {})).status).toBe(403);
    expect((await zone.post(`/history/${latest?.id}/revert`, {})).status).toBe(200);
    expect(await present()).toMatchObject({ locked: false });
  });

  test("drift shows a locked record that differs at the provider, and a sync neither takes it nor drops its lock", async () => {
    zone = await fileZone(zw, "www 300 A 192.0.2.1\nold 300 A 192.0.2.2\n");
    const before = await zone.readFile();
    for (const { id } of await zone.records()) await lock(id, true);
    expect(await zone.readFile()).toBe(before);
    await zone.edit((text) => text.replace("192.0.2.1", "192.0.2.8").replace(/^old.*$/m, ""));
    const dry = await zone.post("/sync", { dryRun: true });
    expect(dry.body).toMatchObject({ updated: 1, deleted: 1 });
    expect(dry.body.plan.warnings[0]).toMatch(/^old A 192\.0\.2\.2, www A 192\.0\.2\.1 are locked\. .*unlock: true\.$/);
    expect((await zone.post("/sync", { force: true })).body.code).toBe("CONFIRMATION_REQUIRED");
    expect(await zone.records("&locked=true")).toHaveLength(2);
    expect((await zone.post("/sync", { force: true, unlock: true })).body).toMatchObject({ updated: 1, deleted: 1 });
    expect(await zone.records()).toMatchObject([{ value: "192.0.2.8", locked: true }]);
  });
});

describe("changes that go on without the caller", () => {
  test("a change request for a locked record takes its author's right and `unlock`, and is applied with it", async () => {
    await lock(record.id, true);
    const changes = [{ action: "update", recordId: record.id, record: { value: "192.0.2.2" } }];
    expect((await request(zw.admin, zone, changes)).body.code).toBe("CONFIRMATION_REQUIRED");
    const made = await requested(zw.admin, zone, changes, { unlock: true });
    const reviewer = await zw.member(`reviewer-${count}`);
    await assign(zw, reviewer, zone.id, "*", "read", { review: true });
    const warnings = ["www A 192.0.2.1 is locked. The request changes it all the same."];
    expect(await readRequest(reviewer, made)).toMatchObject({ mayReview: true, unlock: true, plan: { warnings } });
    expect((await verdict(zw.admin, made, "apply")).body.state).toBe("applied");
    expect(await present()).toMatchObject({ value: "192.0.2.2", locked: true });
  });

  test("the owner's request is not applied to a record that was locked since, and warns of it", async () => {
    const made = await requested(zw.admin, zone, [{ action: "delete", recordId: record.id }]);
    expect(made).toMatchObject({ unlock: false, plan: { warnings: [] } });
    await lock(record.id, true);
    const warnings = ["www A 192.0.2.1 is locked. The request cannot change it: it was made without `unlock`."];
    expect((await readRequest(zw.admin, made)).plan.warnings).toEqual(warnings);
    expect((await verdict(zw.admin, made, "apply")).status).toBe(409);
  });

  test("a record that is locked after a change of it was requested is not changed", async () => {
    const writer = await asWriter();
    const made = await requested(writer.client, zone, [{ action: "delete", recordId: record.id }]);
    await lock(record.id, true);
    expect((await writer.client.get(`/api/change-requests/${made.id}`)).body.problem).toContain("is locked");
    expect((await verdict(writer.client, made, "apply")).status).toBe(403);
    expect(await present()).toMatchObject({ locked: true });
  });

  test("a locked PTR record does not follow an address, and the plan says why", async () => {
    const net = await reverseNet(zw);
    const forward = await forwardZone(zw, "follow");
    const host = await forward.add("A", "www", net.at(1));
    const [pointer] = await net.zone.records();
    await lock(pointer?.id, true, net.zone);
    const changes = [{ action: "delete", recordId: host.id }];
    const { body: plan } = await forward.post("/records/plan", { changes });
    expect(plan.reverse).toMatchObject([{ included: false, reason: "The PTR record of 1 is locked." }]);
    await forward.post("/records/apply", { changes, planHash: plan.planHash, unlock: true });
    expect(await net.zone.records()).toMatchObject([{ id: pointer?.id, locked: true }]);
  });
});
