import { rm, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DriftJob, type OnDrift } from "../../../server/zones/drift/drift-job.ts";
import { ProviderComparison } from "../../../server/zones/changes/state/compare-with-provider.ts";
import { createLog } from "../../../server/platform/log.ts";
import { fileZone, type Zone } from "../../support/zones.ts";
import { holdLease } from "./hold-lease.ts";
import { Clock, hour } from "../../support/clock.ts";
import { useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright({ env: { JOBS: "off" } });
const clock = new Clock();

let reported: Parameters<OnDrift>[0][];
let zone: Zone;
beforeEach(async () => {
  zone = await fileZone(zw, "www 300 A 192.0.2.1\nold 300 TXT x\nttl 300 A 192.0.2.2\n");
  reported = [];
});
afterEach(() => zw.admin.delete(zone.path));

/** A run an hour after the last. */
async function later(): Promise<void> {
  clock.advance(hour);
  const job = new DriftJob({
    database: zw.services.database,
    connections: zw.services.providerConfigs.connections,
    comparison: new ProviderComparison(clock.now, clock.pause),
    log: createLog("info", { write: () => undefined }),
    now: clock.now,
    every: "hourly",
    onDrift: (drift) => {
      reported.push(drift);
    },
  });
  await job.runOnce();
}

test.each<[string, string, () => Promise<unknown>]>([
  ["is gone", "There is no zone file for", () => rm(zone.file)],
  ["has a broken line", "line", () => zone.edit((text) => `${text}broken A\n`)],
])(
  "a zone file that cannot be read because it %s is shown on the domain and reported once, until it reads again",
  async (_why, said, happens) => {
    const content = await zone.readFile();
    const before = await zone.detail();
    await happens();
    await later();
    const found = await zone.detail();
    const driftError = expect.stringContaining(said);
    expect(found).toEqual({ ...before, driftedAt: expect.any(String), driftError });
    const { body } = await zw.admin.get(`/api/domains?drift=true&search=${zone.name}`);
    expect(body.domains).toMatchObject([{ id: zone.id, driftedAt: found.driftedAt, driftError: found.driftError }]);
    const none = { created: 0, updated: 0, deleted: 0 };
    expect(reported).toEqual([{ domainId: zone.id, name: zone.name, counts: none, error: found.driftError }]);
    await later();
    expect(reported).toHaveLength(1);
    expect(await zone.detail()).toEqual(found);
    await writeFile(zone.file, content);
    await later();
    expect(await zone.detail()).toEqual(before);
    await happens();
    await later();
    expect(reported).toHaveLength(2);
  },
);

test("a zone file that reads again and differs is reported as drift", async () => {
  await zone.edit((text) => `${text}new A 192.0.2.9\nbroken A\n`);
  await later();
  await zone.edit((text) => text.replace("broken A\n", ""));
  await later();
  expect(await zone.detail()).toMatchObject({ driftError: null, drift: { created: 1, updated: 0, deleted: 0 } });
  expect(reported.map(({ error, counts: { created } }) => [error === null, created])).toEqual([
    [false, 0],
    [true, 1],
  ]);
});

test("a zone file that cannot be read is not reported while the zone is being changed here", async () => {
  await rm(zone.file);
  await holdLease(zw, zone, 3_600);
  await later();
  expect([(await zone.detail()).drift, (await zone.detail()).driftError, reported]).toEqual([null, null, []]);
  await holdLease(zw, zone, -1);
  await later();
  expect(reported).toHaveLength(1);
});

test("a zone file that could not be read agrees again after a sync", async () => {
  await zone.edit((text) => `${text}broken A\n`);
  await later();
  await zone.edit((text) => text.replace("broken A\n", "new A 192.0.2.9\n"));
  expect((await zone.post("/sync")).body).toMatchObject({ created: 1 });
  expect(await zone.detail()).toMatchObject({ driftedAt: null, driftError: null, drift: null });
});
