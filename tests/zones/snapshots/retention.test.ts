import { stringify } from "superjson";
import { beforeEach, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { deleteOldSnapshots, makeScheduledSnapshots } from "../../../server/zones/snapshots/retention.ts";
import { Clock, second } from "../../support/clock.ts";
import { fileZone, manualZone, type Body, type Zone } from "../../support/zones.ts";
import { useZonewright } from "../../support/zonewright.ts";

const clock = new Clock();
const zw = useZonewright({ env: { JOBS: "off" }, now: clock.now });

const em = () => zw.services.database.fork();
const schedule = (day: string) => makeScheduledSnapshots(em(), new Date(`${day}T10:00:00Z`));
const retain = (before: Date) => deleteOldSnapshots(em(), before);
const endOfTime = new Date("2200-01-01T00:00:00Z");

let zone: Zone;
beforeEach(async () => {
  // Snapshots and versions left by earlier tests would be counted, too.
  await retain(endOfTime);
  await retain(endOfTime);
  zone = await manualZone(zw);
});

/** A moment between what was done before and what is done after. */
function moment(): Date {
  clock.advance(second);
  const now = clock.now();
  clock.advance(second);
  return now;
}

const snapshots = async (): Promise<Body[]> => (await zone.get("/snapshots")).body.snapshots;
const versions = async (of = zone) =>
  (await queries(em()).selectFrom("records").select("value").where("domain_id", "=", of.id).execute())
    .map(({ value }) => value)
    .toSorted();
/** The TXT value in the zone's export of each revision; the status where there is none. */
const states = async () => {
  const answers = await Promise.all([0, 1, 2, 3, 4, 5].map(exported));
  return answers.map(({ status, body }) => (status === 200 ? (/TXT\s+"(\w+)"/.exec(String(body))?.[1] ?? "") : status));
};
const exported = (revision: number) => zone.get(`/zonefile?revision=${revision}`);

test("expired scheduled snapshots are deleted with their versions; the zone and manual snapshots stay", async () => {
  await zw.admin.put(zone.path, { snapshotSchedule: "daily" });
  const record = await zone.add("TXT", "@", "first");
  await schedule("2026-01-01");
  await zone.update(record.id, { value: "second" });
  await schedule("2026-01-02");
  await zone.update(record.id, { value: "third" });
  const kept = (await zone.post("/snapshots")).body;
  await zone.update(record.id, { value: "fourth" });
  await schedule("2200-01-04");
  await zone.update(record.id, { value: "fifth" });

  expect(await retain(endOfTime)).toEqual({ snapshots: 2, versions: 0 });
  expect((await snapshots()).map(({ trigger }) => trigger)).toEqual(["scheduled", "manual"]);
  // Versions go in the next run, so no reader of a deleted snapshot sees half of it.
  expect(await versions()).toHaveLength(5);
  expect(await retain(endOfTime)).toEqual({ snapshots: 0, versions: 2 });
  expect(await versions()).toEqual(["fifth", "fourth", "third"]);

  const shown = await Promise.all((await snapshots()).map(({ id }) => zone.get(`/snapshots/${id}`)));
  expect(shown.map(({ body }) => body.records.map(({ value }: Body) => value))).toEqual([["fourth"], ["third"]]);
  const [newest] = await snapshots();
  expect((await zone.get(`/snapshots/diff?from=${kept.id}&to=${newest?.id}`)).body.modified).toHaveLength(1);
  expect((await zone.post(`/snapshots/${kept.id}/rollback`)).body).toMatchObject({ success: true, updated: 1 });
  expect((await zone.get("/records")).body.records).toMatchObject([{ value: "third" }]);
});

test("a snapshot taken at the revision that deleted a record does not preserve the record", async () => {
  const record = await zone.add("A", "gone", "192.0.2.1");
  await zone.delete(record.id);
  await zone.post("/snapshots");
  expect(await retain(endOfTime)).toEqual({ snapshots: 0, versions: 1 });
});

test("manual snapshots stay at any age, with the versions they show, in several zones", async () => {
  const others = await Promise.all(Array.from({ length: 5 }, () => manualZone(zw)));
  for (const other of others) {
    const record = await other.add("TXT", "@", "one");
    await other.post("/snapshots");
    await other.update(record.id, { value: "two" });
  }
  expect(await retain(endOfTime)).toEqual({ snapshots: 0, versions: 0 });
  for (const other of others) expect((await other.get("/snapshots")).body.snapshots).toHaveLength(1);
});

describe("versions replaced within the retention period", () => {
  let before: Date;
  beforeEach(async () => {
    // Revisions 1 to 3 are made before that moment, 4 and 5 after it.
    const record = await zone.add("TXT", "@", "first");
    await zone.update(record.id, { value: "second" });
    await zone.update(record.id, { value: "third" });
    before = moment();
    await zone.update(record.id, { value: "fourth" });
    await zone.update(record.id, { value: "fifth" });
  });

  test("replaced versions stay within the retention period without a snapshot, and older ones are deleted", async () => {
    expect(await retain(before)).toEqual({ snapshots: 0, versions: 2 });
    expect(await versions()).toEqual(["fifth", "fourth", "third"]);
    expect(await zone.detail()).toMatchObject({ revision: 5, historyFrom: 3 });
    expect((await zone.get("/snapshots/diff?fromRevision=3&toRevision=5")).body.modified).toHaveLength(1);
    const gone = await zone.get("/snapshots/diff?fromRevision=2&toRevision=5");
    expect(gone).toMatchObject({ status: 410, body: { code: "HISTORY_GONE" } });
    expect(await zone.post("/restore", { revision: 2 })).toMatchObject({ status: 410 });
    // A later, earlier cutoff never moves historyFrom back to deleted versions.
    expect(await retain(new Date("2000-01-01"))).toEqual({ snapshots: 0, versions: 0 });
    expect(await zone.detail()).toMatchObject({ historyFrom: 3 });
  });

  test("every state from historyFrom on can be restored, and older ones only from a snapshot", async () => {
    expect(await states()).toEqual(["", "first", "second", "third", "fourth", "fifth"]);
    await queries(em())
      .insertInto("snapshots")
      .values({
        id: "01a1fb0f-6204-7000-abd4-276e976be801",
        domain_id: zone.id,
        version: 1,
        revision: 1,
        trigger: "manual",
        record_count: 1,
        created_at: before,
      })
      .execute();
    await retain(before);
    expect(await states()).toEqual([410, "first", 410, "third", "fourth", "fifth"]);
  });

  test("a state before historyFrom is refused over REST and tRPC, naming the oldest revision", async () => {
    await retain(before);
    const refused = await exported(2);
    expect(refused).toBeProblem(410, "HISTORY_GONE");
    expect(refused.body.detail).toContain("Use revision 3 or newer");
    const input = encodeURIComponent(stringify({ id: zone.id, revision: 2 }));
    expect(await zw.admin.get(`/trpc/records.exportZonefile?input=${input}`)).toMatchObject({
      status: 410,
      body: { error: { json: { data: { code: "HISTORY_GONE", httpStatus: 410 } } } },
    });
    expect(await exported(6)).toBeProblem(400, "BAD_REQUEST");
    expect(await exported(-1)).toBeProblem(400, "BAD_REQUEST");
  });

  test("changes within the retention period keep their details, and older ones only who and when", async () => {
    await retain(before);
    const history = await zone.history();
    expect(history.map(({ revision, updates, changes }) => [revision, updates, changes.length])).toEqual([
      [5, 1, 1],
      [4, 1, 1],
      [3, 1, 0],
      [2, 1, 0],
      [1, 0, 0],
    ]);
    expect(history[1]?.["changes"][0]).toMatchObject({
      action: "update",
      before: { value: "third" },
      after: { value: "fourth" },
    });
  });
});

test("an import takes a snapshot of the previous state only if it changes something", async () => {
  const imported = await fileZone(zw, "www A 192.0.2.1\n");
  const { body: text } = await imported.get("/zonefile");
  expect((await imported.post("/zonefile", { zonefile: String(text), mode: "merge" })).status).toBe(200);
  expect((await imported.get("/snapshots")).body.total).toBe(0);
  expect((await imported.post("/zonefile", { zonefile: "new A 192.0.2.2\n", mode: "merge" })).body.created).toBe(1);
  const { body } = await imported.get("/snapshots");
  expect(body.snapshots.map(({ trigger, recordCount }: Body) => [trigger, recordCount])).toEqual([["on_change", 1]]);
});
