import { mkdir, rm, writeFile } from "node:fs/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, type Body, type Zone } from "../../support/zones.ts";

const zw = useZonewright();

let zone: Zone;
let record: Body;
beforeEach(async () => {
  zone = await fileZone(zw);
  record = await zone.add("A", "www", "192.0.2.1", 300);
});

async function breakAs(kind: string): Promise<void> {
  if (kind !== "broken text") await rm(zone.file);
  if (kind === "a folder") await mkdir(zone.file);
  if (kind === "broken text") await writeFile(zone.file, "www A nonsense\n");
}

describe.each(["a folder", "missing", "broken text"])("a provider that fails because the zone file is %s", (kind) => {
  test("a broken provider gives 502 to every edit, changes nothing, and the history records the failure", async () => {
    const before = await zone.detail();
    await breakAs(kind);
    const changes = [{ action: "delete", recordId: record.id }];
    const plan = (await zone.post("/records/plan", { changes })).body;
    const answers = [
      await zone.create({ recordType: "A", name: "new", value: "192.0.2.2" }),
      await zone.update(record.id, { ttl: 60 }),
      await zone.delete(record.id),
      await zone.post("/records/bulk", { records: [{ recordType: "A", name: "b", value: "192.0.2.2" }] }),
      await zone.post("/records/apply", { changes, planHash: plan.planHash }),
      await zone.post("/zonefile", { zonefile: "c A 192.0.2.3\n" }),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [502, "PROVIDER_ERROR"]));
    for (const { body } of answers) expect(body.detail).not.toContain(zw.dataDir);
    expect((await zone.post("/sync")).status).toBe(502);
    // The watch of the zone files may have reported the broken file meanwhile.
    const unwatched = { driftedAt: expect.toSatisfy(() => true), driftError: expect.toSatisfy(() => true) };
    expect(await zone.detail()).toEqual({ ...before, ...unwatched });
    expect(await zone.records()).toEqual([record]);
    expect((await zone.get("/snapshots")).body.total).toBe(0);
    const failed = (await zone.history()).slice(0, answers.length);
    expect(failed).toMatchObject(
      failed.map(() => ({ state: "failed", revision: null, creates: 0, updates: 0, deletes: 0, changes: [] })),
    );
    for (const { failures, finishedAt } of failed) {
      expect(failures).toMatchObject([{ error: expect.stringMatching(/\S/) }]);
      expect(finishedAt).not.toBeNull();
    }
  });

  test("a broken provider does not stop calls that do not need it, and edits work again once it recovers", async () => {
    const saved = await zone.readFile();
    await breakAs(kind);
    expect((await zone.update(record.id, { ttl: 300 })).status).toBe(200);
    expect((await zone.post("/records/bulk", { records: [{}] })).body).toMatchObject({ succeeded: 0 });
    expect((await zone.update(record.id, { comment: "note" })).body).toMatchObject({ comment: "note" });
    expect((await zone.get("/zonefile")).status).toBe(200);
    expect((await zone.post("/snapshots")).status).toBe(201);
    await rm(zone.file, { recursive: true, force: true });
    await writeFile(zone.file, saved);
    expect((await zone.update(record.id, { ttl: 60 })).status).toBe(200);
    expect(await zone.readFile()).toMatch(/^www +60 /m);
  });
});

describe("edits made by hand", () => {
  test("manual edits to other records survive an edit here", async () => {
    await zone.edit((text) => `${text}hand 77 A 192.0.2.9\nptr PTR x.example.\n`);
    await zone.update(record.id, { ttl: 60 });
    await zone.add("A", "new", "192.0.2.3");
    expect(await zone.readFile()).toMatch(/^hand +77 +IN A +192\.0\.2\.9$/m);
    expect((await zone.post("/sync")).body).toMatchObject({ synced: 4, created: 2, unchanged: 2 });
  });

  test("a manual edit to the same record refuses the edit here, with advice to sync", async () => {
    await zone.edit((text) => text.replace("192.0.2.1", "192.0.2.9"));
    const file = await zone.readFile();
    for (const answer of [await zone.update(record.id, { value: "192.0.2.2" }), await zone.delete(record.id)]) {
      expect(answer.status).toBe(502);
      expect(answer.body.detail).toMatch(/sync the zone/i);
    }
    expect(await zone.readFile()).toBe(file);
    expect(await zone.records()).toEqual([record]);
  });

  test("a manual edit to another record of the RRset does not hide one to this record", async () => {
    await zone.add("A", "www", "192.0.2.2");
    await zone.edit((text) => text.replace(/^www.*192\.0\.2\.2$/m, ""));
    const { status, body } = await zone.update(record.id, { ttl: 60 });
    expect(status).toBe(200);
    expect(body).toMatchObject({ ttl: 60, version: 2 });
    expect((await zone.history())[0]).toMatchObject({ state: "partial", failures: [{ value: "192.0.2.2" }] });
  });

  test("an edit here is refused if it would break a rule together with a manual edit", async () => {
    await zone.edit((text) => `${text}alias CNAME x.example.\nhost A 192.0.2.7\n`);
    const file = await zone.readFile();
    for (const edit of [
      { recordType: "A", name: "alias", value: "192.0.2.2" },
      { recordType: "CNAME", name: "host", value: "y.example" },
    ]) {
      const { status, body } = await zone.create(edit);
      expect([status, body.code]).toEqual([502, "PROVIDER_ERROR"]);
      expect(body.detail).toMatch(/CNAME.*sync the zone/i);
    }
    expect(await zone.readFile()).toBe(file);
  });

  test("a manual edit that refuses an atomic set leaves the comments in the set unchanged, too", async () => {
    await zone.edit((text) => `${text}alias CNAME x.example.\n`);
    const changes = [
      { action: "update", recordId: record.id, record: { comment: "only if all is done" } },
      { action: "create", record: { recordType: "A", name: "alias", value: "192.0.2.2" } },
    ];
    const plan = (await zone.post("/records/plan", { changes })).body;
    expect((await zone.post("/records/apply", { changes, planHash: plan.planHash })).status).toBe(409);
    expect(await zone.records()).toEqual([record]);
    expect((await zone.history())[0]).toMatchObject({ state: "failed", updates: 0 });
  });
});
