import { beforeEach, expect, test } from "vitest";
import { queries } from "../../server/database/database.ts";
import { deleteOldSnapshots } from "../../server/snapshots/retention.ts";
import { makeScheduledSnapshots } from "../../server/snapshots/schedule.ts";
import { manualZone, type Body, type Zone } from "../support/zones.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { JOBS: "off" } });

let zone: Zone;
beforeEach(async () => {
  // What earlier tests left would be counted, too: snapshots, then their versions.
  await retain("2200-01-01");
  await retain("2200-01-01");
  zone = await manualZone(zw);
});

const em = () => zw.services.database.fork();
const schedule = (day: string) => makeScheduledSnapshots(em(), new Date(`${day}T10:00:00Z`));
const retain = (day: string) => deleteOldSnapshots(em(), new Date(`${day}T10:00:00Z`));
const snapshots = async (): Promise<Body[]> => (await zone.get("/snapshots")).body.snapshots;
const versions = async () =>
  (await queries(em()).selectFrom("records").select("value").where("domain_id", "=", zone.id).execute()).map(
    ({ value }) => value,
  );

test("old scheduled snapshots go, then the versions that only they showed; the zone and what was asked for stay", async () => {
  await zw.admin.put(zone.path, { snapshotSchedule: "daily" });
  const record = await zone.add("TXT", "@", "first");
  await schedule("2026-01-01");
  await zone.update(record.id, { value: "second" });
  await schedule("2026-01-02");
  await zone.update(record.id, { value: "third" });
  const kept = (await zone.post("/snapshots")).body;
  await zone.update(record.id, { value: "fourth" });
  await schedule("2026-01-04");
  await zone.update(record.id, { value: "fifth" });

  expect(await retain("2026-01-03")).toEqual({ snapshots: 2, versions: 0 });
  expect((await snapshots()).map(({ trigger }) => trigger)).toEqual(["scheduled", "manual"]);
  // Nobody who was reading one of them found half of it.
  expect(await versions()).toHaveLength(5);
  expect(await retain("2026-01-03")).toEqual({ snapshots: 0, versions: 2 });
  expect((await versions()).toSorted()).toEqual(["fifth", "fourth", "third"]);

  const shown = await Promise.all((await snapshots()).map(({ id }) => zone.get(`/snapshots/${id}`)));
  expect(shown.map(({ body }) => body.records.map(({ value }: Body) => value))).toEqual([["fourth"], ["third"]]);
  const [newest] = await snapshots();
  expect((await zone.get(`/snapshots/diff?from=${kept.id}&to=${newest?.id}`)).body.modified).toHaveLength(1);
  expect((await zone.post(`/snapshots/${kept.id}/rollback`)).body).toMatchObject({ success: true, updated: 1 });
  expect((await zone.get("/records")).body.records).toMatchObject([{ value: "third" }]);
});

test("a snapshot of the very revision at which a record ended does not keep it", async () => {
  const record = await zone.add("A", "gone", "192.0.2.1");
  await zone.delete(record.id);
  await zone.post("/snapshots");
  expect(await retain("2200-01-01")).toEqual({ snapshots: 0, versions: 1 });
});

test("a snapshot that somebody asked for stays however old it is, with the versions that it shows, in each of several zones", async () => {
  const others = await Promise.all(Array.from({ length: 5 }, () => manualZone(zw)));
  for (const other of others) {
    const record = await other.add("TXT", "@", "one");
    await other.post("/snapshots");
    await other.update(record.id, { value: "two" });
  }
  expect(await retain("2200-01-01")).toEqual({ snapshots: 0, versions: 0 });
  for (const other of others) expect((await other.get("/snapshots")).body.snapshots).toHaveLength(1);
});
