import { expect, test } from "vitest";
import { ZoneScope } from "../../../server/access/caller.ts";
import { zoneAt, zonesAt } from "../../../server/zones/changes/state/live-queries.ts";
import { slicedWork } from "../../../server/platform/slices.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { manualZone } from "../../support/zones.ts";

const zw = useZonewright();
const file = (from: number, to: number) =>
  Array.from(
    { length: to - from },
    (_, index) => `h${from + index} 300 A 10.0.${(from + index) >> 8}.${index & 255}\n`,
  );

test("a whole zone is read in pages, and other work runs between them", async () => {
  const zone = await manualZone(zw);
  await zone.post("/zonefile", { zonefile: file(0, 3_500).join("") });
  const { revision } = await zone.detail();
  const before = slicedWork.chunks;
  const records = await zoneAt(zw.services.database.fork(), zone.id, revision, ZoneScope.all);
  expect(records).toHaveLength(3_500);
  expect(slicedWork.chunks - before).toBeGreaterThanOrEqual(4);
});

test("a zone that changes while it is read is returned as of its revision", async () => {
  const zone = await manualZone(zw);
  await zone.post("/zonefile", { zonefile: file(0, 2_500).join("") });
  const { revision } = await zone.detail();
  const [first, second] = await zone.records("&search=h24");
  const em = () => zw.services.database.fork();
  const [read] = await Promise.all([
    zoneAt(em(), zone.id, revision, ZoneScope.all),
    zone.delete(first.id),
    zone.update(second.id, { value: "192.0.2.1" }),
    zone.add("A", "a0", "192.0.2.2"),
    zone.add("A", "z0", "192.0.2.3"),
  ]);
  const states = await zonesAt(em(), zone.id, [revision], ZoneScope.all);
  expect(read).toHaveLength(2_500);
  expect(read).toEqual(states.get(revision));
  expect(await zoneAt(em(), zone.id, revision, ZoneScope.all)).toEqual(read);
});
