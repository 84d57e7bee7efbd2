import { beforeEach, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { DriftJob } from "../../../server/zones/drift/drift-job.ts";
import { createLog } from "../../../server/platform/log.ts";
import { ProviderComparison } from "../../../server/zones/changes/state/compare-with-provider.ts";
import { Clock, hour } from "../../support/clock.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualConfig, manualZone, type Body, type Zone } from "../../support/zones.ts";

const zw = useZonewright({ env: { JOBS: "off" } });

// More than the safety threshold allows.
const lines = Array.from({ length: 12 }, (_, index) => `t${index} 300 TXT "a${index}" "b"\n`).join("");
const cut = (index: number) => [`a${index}`, "b"];

let zone: Zone;
beforeEach(async () => {
  zone = await fileZone(zw, `www 300 A 192.0.2.1\n${lines}`);
  await asStoredBy01(zone);
});

/** Rewrites the rows to what 0.1 stored, as the migration leaves them. */
async function asStoredBy01({ id }: Zone): Promise<void> {
  const db = queries(zw.services.database.fork());
  await db.updateTable("records").set({ strings: "" }).where("domain_id", "=", id).execute();
  await db.updateTable("domains").set({ splits_unread: true }).where("id", "=", id).execute();
}

const texts = () => zone.records("&type=TXT");
const strings = async () => (await texts()).map((record: Body) => JSON.stringify(record.strings)).toSorted();
const allRead = Array.from({ length: 12 }, (_, index) => JSON.stringify(cut(index))).toSorted();

async function checkDrift(reported: unknown[] = []): Promise<void> {
  const clock = new Clock();
  clock.advance(2 * hour);
  const job = new DriftJob({
    database: zw.services.database,
    connections: zw.services.providerConfigs.connections,
    comparison: new ProviderComparison(clock.now, clock.pause),
    log: createLog("silent"),
    now: clock.now,
    every: "hourly",
    onDrift: (drift) => {
      reported.push(drift);
    },
  });
  await job.runOnce();
}

describe("TXT records that 0.1 stored without their strings", () => {
  test("the first sync reads the strings of 0.1 records and reports no change, without force", async () => {
    expect(await strings()).toEqual(Array.from({ length: 12 }, () => "null"));
    const nothing = { status: 200, body: { created: 0, updated: 0, deleted: 0, unchanged: 13 } };
    expect(await zone.post("/sync", { dryRun: true })).toMatchObject(nothing);
    expect(await zone.post("/sync")).toMatchObject(nothing);
    expect(await strings()).toEqual(allRead);
    expect(await texts()).toMatchObject(Array.from({ length: 12 }, () => ({ version: 1 })));
    expect(await zone.detail()).toMatchObject({ revision: 1 });
  });

  test("a drift check reads the strings of 0.1 records despite a known serial, and reports no drift", async () => {
    const reported: unknown[] = [];
    await checkDrift(reported);
    expect(reported).toEqual([]);
    expect((await zone.detail()).drift).toBeNull();
    expect(await strings()).toEqual(allRead);
  });

  test("a sync finds real differences among 0.1 records without strings", async () => {
    await zone.edit((text) => text.replace('"a3" "b"', '"a3" "c"').replace("192.0.2.1", "192.0.2.2"));
    const { body } = await zone.post("/sync", { dryRun: true });
    expect(body).toMatchObject({ created: 0, updated: 2, deleted: 0, unchanged: 11 });
    await zone.post("/sync", { force: true });
    expect((await texts()).find(({ name }) => name === "t3")).toMatchObject({ value: "a3c", strings: ["a3", "c"] });
  });

  test("a change to a 0.1 record finds it at the provider and preserves its strings", async () => {
    const [first] = await texts();
    const changed = await zone.update(first.id, { ttl: 60 });
    expect(changed).toMatchObject({ status: 200, body: { ttl: 60, strings: cut(0) } });
    expect(await zone.readFile()).toContain('"a0" "b"');
    expect((await zone.delete(first.id)).status).toBe(200);
    expect((await zone.post("/sync")).body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
  });

  test("a plan for 0.1 records without strings can be applied as shown", async () => {
    const [first] = await texts();
    const changes = [{ action: "update", recordId: first.id, record: { ttl: 60 } }];
    const { body: plan } = await zone.post("/records/plan", { changes });
    expect(plan.updates).toMatchObject([{ changes: { ttl: [300, 60] }, after: { strings: cut(0) } }]);
    expect((await zone.post("/records/apply", { changes, planHash: plan.planHash })).status).toBe(200);
  });

  test("a snapshot with 0.1 records shows no difference in strings, and a rollback to it leaves them alone", async () => {
    const { body: snapshot } = await zone.post("/snapshots");
    const [first, second] = await texts();
    await zone.update(first.id, { ttl: 60 });
    await zone.delete(second.id);
    await asStoredBy01Closed(zone);
    const { body: later } = await zone.post("/snapshots");
    const { body: diff } = await zone.get(`/snapshots/diff?from=${snapshot.id}&to=${later.id}`);
    expect(diff).toMatchObject({ added: [], modified: [{ changes: { ttl: [300, 60] } }] });
    expect(Object.keys(diff.modified[0].changes)).toEqual(["ttl"]);
    expect((await zone.post(`/snapshots/${snapshot.id}/rollback`)).body).toMatchObject({ success: true });
    expect((await texts()).find(({ id }) => id === first.id)).toMatchObject({ ttl: 300, strings: cut(0) });
  });

  test("a move to another provider preserves the strings of 0.1 records", async () => {
    const { status } = await zw.admin.put(zone.path, { providerConfigId: await manualConfig(zw) });
    expect(status).toBe(200);
    expect(await strings()).toEqual(allRead);
  });
});

/** Versions that ended before their strings were read, as those of 0.1 did. */
async function asStoredBy01Closed({ id }: Zone): Promise<void> {
  const db = queries(zw.services.database.fork());
  await db
    .updateTable("records")
    .set({ strings: "" })
    .where("domain_id", "=", id)
    .where("until", "is not", null)
    .execute();
}

test("texts of 0.1 in a zone without a provider are split at every 255 octets, as they were served", async () => {
  const manual = await manualZone(zw);
  const { id } = await manual.add("TXT", "www", "ab");
  await asStoredBy01(manual);
  expect((await manual.update(id, { ttl: 60 })).body).toMatchObject({ strings: null });
  expect((await manual.get("/zonefile")).body).toContain('"ab"');
});
