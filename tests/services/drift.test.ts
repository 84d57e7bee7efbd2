import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { DriftJob, type OnDrift } from "../../server/zones/drift/drift-job.ts";
import { ProviderComparison } from "../../server/zones/changes/state/compare-with-provider.ts";
import { fileZone } from "../support/zones.ts";
import { startBind } from "../support/name-servers/bind.ts";
import { Clock, hour } from "../support/clock.ts";
import { dig } from "../support/name-servers/dig.ts";
import { nsupdate } from "../support/name-servers/nsupdate.ts";
import type { UpdateServer } from "../support/name-servers/update-server.ts";
import { useZonewright } from "../support/zonewright.ts";

const zone = "drifting.example";
const zw = useZonewright({ env: { JOBS: "off" } });
const clock = new Clock();
let bind: UpdateServer;
let path: string;
let reported: Parameters<OnDrift>[0][];

beforeAll(async () => {
  bind = await startBind([zone]);
  const { body } = await zw.admin.post("/api/provider-configs", { kind: "rfc2136", name: "BIND", config: bind.config });
  const imported = await zw.admin.post(`/api/provider-configs/${body.id}/import`, { zones: [zone] });
  path = `/api/domains/${imported.body.results[0].domainId}`;
});
afterAll(() => bind.stop());
beforeEach(() => {
  reported = [];
});

/** An instance's job. */
function job(): DriftJob {
  return new DriftJob({
    database: zw.services.database,
    connections: zw.services.providerConfigs.connections,
    comparison: new ProviderComparison(clock.now, clock.pause),
    log: zw.services.log,
    now: clock.now,
    every: "hourly",
    onDrift: (drift) => {
      reported.push(drift);
    },
  });
}

async function drift(): Promise<unknown> {
  clock.advance(hour);
  await job().runOnce();
  return (await zw.admin.get(path)).body.drift;
}

test("an edit made elsewhere at a name server is found, and settled by a sync or by reverting it", async () => {
  expect(await drift()).toBeNull();
  await nsupdate(bind, zone, [
    `update add hand.${zone}. 300 A 192.0.2.1`,
    `update delete ns.${zone}. A 127.0.0.1`,
    `update add ns.${zone}. 3600 A 192.0.2.53`,
  ]);
  expect(await drift()).toMatchObject({ created: 1, updated: 1, deleted: 0 });
  expect((await zw.admin.post(`${path}/sync`, { force: true })).body).toMatchObject({ created: 1, updated: 1 });
  expect(await drift()).toBeNull();

  await nsupdate(bind, zone, [`update delete hand.${zone}. A`]);
  expect(await drift()).toMatchObject({ created: 0, updated: 0, deleted: 1 });
  await nsupdate(bind, zone, [`update add hand.${zone}. 300 A 192.0.2.1`]);
  expect(await drift()).toBeNull();
  expect(reported).toHaveLength(2);
});

test("an edit made elsewhere at a name server is pushed over, dig shows ours again, and a revert shows theirs", async () => {
  await nsupdate(bind, zone, [
    `update add hand.${zone}. 300 A 192.0.2.9`,
    `update add extra.${zone}. 300 TXT "theirs"`,
    `update delete ns.${zone}. A 192.0.2.53`,
    `update add ns.${zone}. 3600 A 192.0.2.54`,
  ]);
  expect(await drift()).toMatchObject({ created: 2, updated: 1, deleted: 0 });
  const { planHash } = (await zw.admin.post(`${path}/push`, { dryRun: true })).body;
  const { body } = await zw.admin.post(`${path}/push`, { planHash, force: true });
  expect(body).toMatchObject({ success: true, updated: 1, deleted: 2, failed: [] });
  const answer = async (name: string, type: string) =>
    (await dig(bind.port, `${name}.${zone}`, type)).map(({ rdata }) => rdata).toSorted();
  const answers = async () => await Promise.all([answer("ns", "A"), answer("hand", "A"), answer("extra", "TXT")]);
  expect(await answers()).toEqual([["192.0.2.53"], ["192.0.2.1"], []]);
  expect(await drift()).toBeNull();
  expect((await zw.admin.post(`${path}/history/${body.changeSetId}/revert`, { force: true })).status).toBe(200);
  expect(await answers()).toEqual([["192.0.2.54"], ["192.0.2.1", "192.0.2.9"], ['"theirs"']]);
});

test("a change made by Zonewright is not reported as drift", async () => {
  const record = { recordType: "A", name: "ours", value: "192.0.2.2" };
  expect((await zw.admin.post(`${path}/records`, record)).status).toBe(201);
  expect([await drift(), reported]).toEqual([null, []]);
});

test("two instances share the drift checks, and each drifted zone is reported once", async () => {
  const zones = [];
  for (let count = 0; count < 30; count++) zones.push(await fileZone(zw, "www A 192.0.2.1\n"));
  for (const each of zones) await each.edit((text) => `${text}hand A 192.0.2.2\n`);
  clock.advance(hour);
  await Promise.all([job().runOnce(), job().runOnce()]);
  expect(reported.map(({ name }) => name).toSorted()).toEqual(zones.map(({ name }) => name).toSorted());
});
