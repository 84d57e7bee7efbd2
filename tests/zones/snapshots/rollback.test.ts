import { rm } from "node:fs/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualZone, type Body, type Zone } from "../../support/zones.ts";

const zw = useZonewright();

let zone: Zone;
beforeEach(async () => {
  zone = await fileZone(zw);
});

const take = async (): Promise<Body> => (await zone.post("/snapshots")).body;
const rollback = (snapshot: Body, body?: object) => zone.post(`/snapshots/${snapshot.id}/rollback`, body);

async function edited(): Promise<{ snapshot: Body; changed: Body; gone: Body; come: Body }> {
  const changed = await zone.add("A", "changed", "192.0.2.1", 300);
  const gone = (await zone.create({ recordType: "MX", name: "@", value: "10 mail.example.net", comment: "note" })).body;
  await zone.add("TXT", "same", 'say "hi"');
  const snapshot = await take();
  await zone.update(changed.id, { value: "192.0.2.2", name: "renamed", ttl: 60 });
  await zone.delete(gone.id);
  const come = await zone.add("A", "come", "192.0.2.3");
  return { snapshot, changed, gone, come };
}

const data = (records: Body[]) =>
  records.map(({ id, recordType, name, value, ttl, comment }) => ({ id, recordType, name, value, ttl, comment }));

describe.each([
  ["in a master file", () => fileZone(zw)],
  ["in Zonewright only", () => manualZone(zw)],
])("a rollback of a zone %s", (where, make) => {
  beforeEach(async () => {
    zone = await make();
  });

  test("a rollback restores the snapshot's state, with the records' ids and new versions", async () => {
    const { snapshot, changed, gone } = await edited();
    const { status, body } = await rollback(snapshot);
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: true, created: 1, updated: 1, deleted: 1, failed: [], plan: null });
    const records = await zone.records();
    expect(data(records)).toEqual(data(snapshot.records));
    expect(records.find(({ id }) => id === gone.id)).toMatchObject({ version: 2, comment: "note" });
    expect(records.find(({ id }) => id === changed.id)).toMatchObject({ version: 3 });
    const inSync = { status: 200, body: { unchanged: 3, created: 0, updated: 0, deleted: 0 } };
    expect(await zone.post("/sync")).toMatchObject(where === "in a master file" ? inSync : { status: 400 });
  });

  test("a revision is restored as a snapshot of it would be, and no other than the reviewed changes are made", async () => {
    const { snapshot, come } = await edited();
    const restore = (body: object) => zone.post("/restore", { revision: snapshot.revision, ...body });
    const { body: dry } = await restore({ dryRun: true });
    expect(dry).toMatchObject({
      snapshot: null,
      created: 1,
      updated: 1,
      deleted: 1,
      plan: { deletes: [{ id: come.id }] },
    });
    expect(await restore({ planHash: "0".repeat(64) })).toMatchObject({ status: 409 });
    const { status, body } = await restore({ planHash: dry.planHash });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      success: true,
      created: 1,
      updated: 1,
      deleted: 1,
      snapshot: { trigger: "on_change" },
    });
    expect(data(await zone.records())).toEqual(data(snapshot.records));
    expect((await zone.history())[0]).toMatchObject({ kind: "rollback" });
    const { revision } = await zone.detail();
    expect(await zone.post("/restore", { revision: revision + 1 })).toMatchObject({ status: 400 });
  });

  test("a rollback takes a new on_change snapshot of the resulting zone", async () => {
    const { snapshot } = await edited();
    const { body } = await rollback(snapshot);
    expect(body.snapshot).toMatchObject({ version: 2, trigger: "on_change", recordCount: 3 });
    expect(body.snapshot.records).toEqual(await zone.records());
    expect((await zone.get("/snapshots")).body.total).toBe(2);
  });

  test("a rollback run dry returns the plan and changes nothing", async () => {
    const { snapshot, come } = await edited();
    const before = [await zone.detail(), await zone.records(), await zone.history()];
    const { status, body } = await rollback(snapshot, { dryRun: true });
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: true, snapshot: null, created: 1, updated: 1, deleted: 1, failed: [] });
    expect(body.plan).toMatchObject({
      creates: [{ recordType: "MX" }],
      updates: [{ changes: { value: ["192.0.2.2", "192.0.2.1"], ttl: [60, 300] } }],
      deletes: [{ id: come.id }],
    });
    expect([await zone.detail(), await zone.records(), await zone.history()]).toEqual(before);
  });

  test("a rollback can be rolled back, and one to the current state only takes a snapshot", async () => {
    const { snapshot } = await edited();
    const later = await take();
    await rollback(snapshot);
    expect((await rollback(later)).body).toMatchObject({ success: true, created: 1, updated: 1, deleted: 1 });
    expect(data(await zone.records())).toEqual(data(later.records));
    const { revision } = await zone.detail();
    expect((await rollback(later)).body).toMatchObject({
      created: 0,
      updated: 0,
      deleted: 0,
      snapshot: { version: 5 },
    });
    expect(await zone.detail()).toMatchObject({ revision });
  });

  test("a rollback above the threshold, or to an empty zone, needs force", async () => {
    const empty = await take();
    await zone.post("/zonefile", {
      zonefile: Array.from({ length: 10 }, (_, index) => `h${index} A 192.0.2.1\n`).join(""),
    });
    const ten = await take();
    const records = await zone.records();
    for (const { id } of records.slice(0, 4)) await zone.delete(id);
    await zone.post("/zonefile", { zonefile: "a A 192.0.2.1\nb A 192.0.2.1\nc A 192.0.2.1\nd A 192.0.2.1\n" });
    for (const snapshot of [empty, ten]) {
      const { status, body } = await rollback(snapshot);
      expect([status, body.code]).toEqual([409, "CONFIRMATION_REQUIRED"]);
      expect((await rollback(snapshot, { dryRun: true })).status).toBe(200);
    }
    expect((await rollback(ten, { force: true })).body).toMatchObject({ success: true, created: 4, deleted: 4 });
    expect(data(await zone.records())).toEqual(data(records));
    expect((await rollback(empty, { force: true })).body).toMatchObject({ success: true, deleted: 10 });
    expect(await zone.records()).toEqual([]);
  });
});

describe("rollbacks that a provider refuses", () => {
  test("a partly refused rollback reports the failures, makes the rest, and snapshots the result", async () => {
    const { snapshot, changed } = await edited();
    await zone.edit((text) => text.replace(/^renamed.*$/m, ""));
    const { status, body } = await rollback(snapshot);
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: false, created: 1, updated: 0, deleted: 1 });
    expect(body.failed).toMatchObject([{ recordType: "A", name: "changed", error: expect.stringMatching(/sync/) }]);
    const records = await zone.records();
    expect(body.snapshot.records).toEqual(records);
    expect(records.find(({ id }) => id === changed.id)).toMatchObject({ name: "renamed", value: "192.0.2.2" });
    expect((await zone.history())[0]).toMatchObject({ kind: "rollback", state: "partial", creates: 1, deletes: 1 });
  });

  test("a rollback that is refused as a whole is 502 and takes no snapshot", async () => {
    const { snapshot } = await edited();
    const before = await zone.records();
    await rm(zone.file);
    const { status, body } = await rollback(snapshot);
    expect([status, body.code]).toEqual([502, "PROVIDER_ERROR"]);
    expect(await zone.records()).toEqual(before);
    expect((await zone.get("/snapshots")).body.total).toBe(1);
  });
});

test.each([
  ["dryRun", "true"],
  ["force", 1],
])("a rollback with %s %j is 400 and names the field", async (field, given) => {
  const { status, body } = await rollback(await take(), { [field]: given });
  expect(status).toBe(400);
  expect(body.issues).toMatchObject([{ path: [field] }]);
});
