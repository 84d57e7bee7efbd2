import { beforeEach, describe, expect, test } from "vitest";
import { fileZone, type Body, type Zone } from "../support/zones.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();

const broken = ["x A 192.0.2.1", "x CNAME y.example"];

let zone: Zone;
beforeEach(async () => {
  zone = await fileZone(zw, "x CNAME y.example.\nx A 192.0.2.1\n");
});

const rollback = async (snapshot: Body) =>
  (await zone.post(`/snapshots/${snapshot.id}/rollback`, { force: true })).body;

async function mended(): Promise<Body> {
  const snapshot = (await zone.post("/snapshots")).body;
  const cname = (await zone.records()).find(({ recordType }) => recordType === "CNAME");
  expect((await zone.delete(cname.id)).status).toBe(200);
  return snapshot;
}

describe("names that break a zone rule", () => {
  test("a rollback does not restore a name that breaks a rule, and reports it", async () => {
    const snapshot = await mended();
    const other = (await zone.records())[0];
    await zone.update(other.id, { ttl: 60 });
    const { success, updated, failed } = await rollback(snapshot);
    expect({ success, updated }).toEqual({ success: false, updated: 1 });
    expect(failed).toEqual([
      {
        recordType: "CNAME",
        name: "x",
        value: "y.example",
        strings: null,
        error: expect.stringMatching(/must be the only record/),
      },
    ]);
    expect(await zone.lines()).toEqual(["x A 192.0.2.1"]);
    expect((await zone.post("/sync")).body).toMatchObject({ synced: 1, unchanged: 1 });
  });

  test("a name that breaks a rule stays as it is when other names change", async () => {
    const snapshot = (await zone.post("/snapshots")).body;
    await zone.add("A", "other", "192.0.2.2");
    expect(await rollback(snapshot)).toMatchObject({ success: true, failed: [], deleted: 1 });
    expect(await zone.lines()).toEqual(broken);
  });
});

test("a manual edit is still reported by the next plan after another edit", async () => {
  await zone.edit((text) => `${text}hand A 192.0.2.7\n`);
  await zone.add("A", "new", "192.0.2.2");
  const changes = [{ action: "create", record: { recordType: "A", name: "next", value: "192.0.2.3" } }];
  const warnings = async () => (await zone.post("/records/plan", { changes })).body.warnings;
  expect(await warnings()).toHaveLength(1);
  await zone.post("/sync", { force: true });
  await zone.add("A", "other", "192.0.2.2");
  expect(await warnings()).toEqual([]);
});
