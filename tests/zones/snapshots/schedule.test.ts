import { sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { makeScheduledSnapshots } from "../../../server/zones/snapshots/retention.ts";
import { manualZone, type Body, type Zone } from "../../support/zones.ts";
import { useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright({ env: { JOBS: "off" } });

let zone: Zone;
beforeEach(async () => {
  zone = await manualZone(zw);
});

const at = (text: string) => makeScheduledSnapshots(zw.services.database.fork(), new Date(text));
const scheduled = async (): Promise<Body[]> => (await zone.get("/snapshots?trigger=scheduled")).body.snapshots;
const schedule = (snapshotSchedule: string) => zw.admin.put(zone.path, { snapshotSchedule });

describe("a domain with a daily schedule", () => {
  test("a daily schedule takes one snapshot per UTC day, and one for any missed days", async () => {
    await schedule("daily");
    await zone.add("A", "www", "192.0.2.1");
    for (const time of [
      "2026-03-02T10:00:00Z",
      "2026-03-02T23:59:59Z",
      "2026-03-03T00:00:00Z",
      "2026-03-03T12:00:00Z",
      "2026-03-09T08:00:00Z",
    ]) {
      await at(time);
    }
    const made = await scheduled();
    expect(made.map(({ createdAt }) => createdAt)).toEqual([
      "2026-03-09T08:00:00.000Z",
      "2026-03-03T00:00:00.000Z",
      "2026-03-02T10:00:00.000Z",
    ]);
    expect(made[0]).toMatchObject({
      trigger: "scheduled",
      createdBy: null,
      recordCount: 1,
      version: made[1]?.version + 1,
    });
    expect(made[0]?.records).toMatchObject([{ name: "www", value: "192.0.2.1" }]);
  });

  test("two instances together take one scheduled snapshot, and other domains get none", async () => {
    const other = await manualZone(zw);
    await schedule("daily");
    const made = await Promise.all([at("2026-03-02T10:00:00Z"), at("2026-03-02T10:00:00Z")]);
    expect(made.toSorted((a, b) => a - b)).toEqual([0, 1]);
    expect((await other.get("/snapshots")).body.total).toBe(0);
  });

  test("a disabled domain gets no scheduled snapshots", async () => {
    await schedule("daily");
    await zw.admin.put(zone.path, { status: "disabled" });
    expect(await at("2026-03-02T10:00:00Z")).toBe(0);
    await zw.admin.put(zone.path, { status: "active" });
    expect(await at("2026-03-02T10:00:00Z")).toBe(1);
  });
});

test("a weekly schedule takes one snapshot from each Monday on", async () => {
  await schedule("weekly");
  // 2026-03-01 is a Sunday.
  for (const day of ["2026-02-25", "2026-03-01", "2026-03-02", "2026-03-08", "2026-03-09"])
    await at(`${day}T10:00:00Z`);
  expect((await scheduled()).map(({ createdAt }) => createdAt.slice(0, 10))).toEqual([
    "2026-03-09",
    "2026-03-02",
    "2026-02-25",
  ]);
});

test("a schedule that is switched off takes no more snapshots", async () => {
  await schedule("daily");
  expect(await at("2026-03-02T10:00:00Z")).toBe(1);
  await schedule("off");
  expect(await at("2026-03-05T10:00:00Z")).toBe(0);
});

test("scheduled snapshots are taken even for more domains than fit one statement", async () => {
  await sql`
    insert into domains (id, name, provider_zone, provider_config_id, expiry_remind_days, auto_check_expiry, snapshot_schedule)
    select gen_random_uuid(), 'many-' || number || '.example', 'many-' || number || '.example', provider_config_id, '{}', false, 'daily'
    from domains, generate_series(1, 1203) number where id = ${zone.id}
  `.execute(queries(zw.services.database.fork()));
  expect(await at("2026-03-02T10:00:00Z")).toBe(1_203);
  expect(await at("2026-03-02T10:10:00Z")).toBe(0);
});
