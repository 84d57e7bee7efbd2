import * as fc from "fast-check";
import { expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { manualZone, type Body, type Zone } from "../../support/zones.ts";

const zw = useZonewright();

const name = fc.constantFrom("@", "www", "mail");
const value = fc.constantFrom("192.0.2.1", "192.0.2.2", "192.0.2.3");
const ttl = fc.constantFrom(60, 300);
const record = fc.record({ recordType: fc.constant("A"), name, value, ttl });

type Step = (zone: Zone, records: Body[], snapshots: Body[]) => Promise<unknown>;

const step: fc.Arbitrary<Step> = fc.oneof(
  record.map(
    (input): Step =>
      (zone) =>
        zone.create(input),
  ),
  fc.array(record, { minLength: 1, maxLength: 4 }).map(
    (records): Step =>
      (zone) =>
        zone.post("/records/bulk", { records }),
  ),
  fc.tuple(fc.nat(), fc.record({ name, value, ttl }, { requiredKeys: [] })).map(
    ([pick, patch]): Step =>
      async (zone, records) =>
        records.length > 0 && zone.update(records[pick % records.length].id, patch),
  ),
  fc.nat().map(
    (pick): Step =>
      async (zone, records) =>
        records.length > 0 && zone.delete(records[pick % records.length].id),
  ),
  fc.array(record, { minLength: 1, maxLength: 4 }).map(
    (records): Step =>
      (zone) =>
        zone.post("/zonefile", {
          mode: "replace",
          zonefile: records.map(({ name, ttl, value }) => `${name} ${ttl} A ${value}\n`).join(""),
        }),
  ),
  fc.nat().map(
    (pick): Step =>
      async (zone, _records, snapshots) =>
        snapshots.length > 0 &&
        zone.post(`/snapshots/${snapshots[pick % snapshots.length].id}/rollback`, { force: true }),
  ),
);

interface VersionRow {
  record_id: string;
  version: number;
  since: number;
  until: number | null;
}

async function rowsOf(zone: Zone): Promise<VersionRow[]> {
  return await queries(zw.services.database.fork())
    .selectFrom("records")
    .select(["record_id", "version", "since", "until"])
    .where("domain_id", "=", zone.id)
    .orderBy("record_id")
    .orderBy("version")
    .execute();
}

function expectSoundVersions(rows: readonly VersionRow[], revision: number, recordCount: number): void {
  for (const versions of Map.groupBy(rows, ({ record_id }) => record_id).values()) {
    versions.forEach(({ version, since, until }, index) => {
      expect(version).toBe(index + 1);
      expect(since).toBeLessThan(until ?? Infinity);
      expect(until ?? revision).toBeLessThanOrEqual(revision);
      // No two versions of a record are live at one revision, so an open one is the last.
      expect(until ?? Infinity).toBeLessThanOrEqual(versions[index + 1]?.since ?? Infinity);
    });
  }
  expect(rows.filter(({ until }) => until === null)).toHaveLength(recordCount);
}

const lines = (records: Body[]) => records.map((record) => JSON.stringify(record)).toSorted();

test("after any edits, versions are sound, and each snapshot still shows the list as it was taken", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), async (steps) => {
      const zone = await manualZone(zw);
      const taken: { id: string; shown: Body[] }[] = [];
      let shown: Body[] = [];
      for (const run of steps) {
        await run(zone, shown, taken);
        shown = await zone.records();
        const { id } = (await zone.post("/snapshots")).body;
        taken.push({ id, shown });
        const { revision, recordCount } = await zone.detail();
        expect(recordCount).toBe(shown.length);
        expectSoundVersions(await rowsOf(zone), revision, recordCount);
      }
      for (const { id, shown } of taken) {
        const { body } = await zone.get(`/snapshots/${id}`);
        expect(body.records).toEqual(shown);
        expect(body.recordCount).toBe(shown.length);
      }
      const [first, last] = [taken[0], taken.at(-1)];
      const there = (await zone.get(`/snapshots/diff?from=${first?.id}&to=${last?.id}`)).body;
      const back = (await zone.get(`/snapshots/diff?from=${last?.id}&to=${first?.id}`)).body;
      expect(there.added.length - there.removed.length).toBe((last?.shown.length ?? 0) - (first?.shown.length ?? 0));
      expect(lines(back.removed)).toEqual(lines(there.added));
      expect(lines(back.added)).toEqual(lines(there.removed));
      expect(back.modified).toHaveLength(there.modified.length);
    }),
    { numRuns: 15 },
  );
});
