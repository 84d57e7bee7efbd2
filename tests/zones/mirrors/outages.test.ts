import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { patience } from "../../support/patience.ts";
import { refusal } from "../../support/vendors/cloudflare/server.ts";
import { useCloudflare } from "./cloud.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, type Zone } from "../../support/zones.ts";

/** A clock that stands still, so that nothing is tried again by itself. */
let time = Date.now();
const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" }, now: () => new Date(time) });
const cloud = useCloudflare(zw);

/** Waits until the mirrors of zones are in a state. */
async function reach(zones: readonly Zone[], ...states: string[]): Promise<void> {
  for (const zone of zones) {
    await vi.waitFor(async () => {
      const { body } = await zone.get("/mirrors");
      expect(body.mirrors.map(({ state }: { state: string }) => state)).toEqual(states);
    }, patience);
  }
}

async function mirroredZones(count: number): Promise<Zone[]> {
  const zones: Zone[] = [];
  for (let index = 0; index < count; index++) {
    const zone = await fileZone(zw);
    cloud.server.addZone(zone.name);
    expect((await zone.post("/mirrors", { providerConfigId: cloud.configId })).status).toBe(200);
    zones.push(zone);
  }
  await reach(zones, "in_sync");
  return zones;
}

/** Has the vendor refuse every call while records are added to zones, one after another. */
async function outage(zones: readonly Zone[]): Promise<void> {
  cloud.server.vendor.failNext({ after: false, reply: refusal(403, 9_109, "Invalid access token") }, 1_000);
  for (const zone of zones) {
    time += 2_000;
    await zone.add("A", "late", "192.0.2.44", 300);
  }
  await reach(zones, "failing");
  cloud.server.vendor.forgetFaults();
}

const isChange = ({ method, url }: { method: string; url: URL }) =>
  method === "POST" && url.pathname.endsWith("/batch");

test("once a provider is back, the mirrors there follow without waiting for their next attempt, those that are behind for longest first", async () => {
  const [first, ...others] = await mirroredZones(6);
  const zones = [...others.toReversed(), first].filter((zone) => zone !== undefined);
  await outage(zones);
  cloud.server.forgetCalls();
  // After failures the provider has one place, and two once an attempt succeeds. One of these stays taken, so that the rest come one by one.
  const held = Promise.withResolvers<void>();
  let changes = 0;
  cloud.server.vendor.meanwhile(
    (call) => isChange(call) && (changes += 1) === 3,
    () => held.promise,
  );
  const oldest = zones[0];
  const { body } = (await oldest?.get("/mirrors")) ?? { body: null };
  await oldest?.post(`/mirrors/${body.mirrors[0].id}/reconcile`);
  const names = () =>
    cloud.server.vendor.calls.filter(isChange).map(({ url }) => {
      const id = url.pathname.split("/").at(-3);
      return zones.find(({ name }) => cloud.server.zone(name).id === id)?.name;
    });
  await vi.waitFor(() => expect(names()).toHaveLength(zones.length), patience);
  held.resolve();
  time += 60_000;
  await reach(zones, "in_sync");
  const wanted = zones.map(({ name }) => name);
  // The third and the fourth are under way at the same time.
  expect(new Set(names().slice(2, 4))).toEqual(new Set(wanted.slice(2, 4)));
  expect([...names().slice(0, 2), ...names().slice(4)]).toEqual([...wanted.slice(0, 2), ...wanted.slice(4)]);
});

test("a mirror that follows is behind only since the records that it has, also if the zone changes meanwhile", async () => {
  const zones = await mirroredZones(1);
  const [zone] = zones;
  const mirror = async () => (await zone?.get("/mirrors"))?.body.mirrors[0];
  await outage(zones);
  let before: unknown;
  cloud.server.vendor.meanwhile(isChange, async () => {
    before = (await mirror()).lagSeconds;
    await zone?.add("A", "meanwhile", "192.0.2.45", 300);
    time += 10_000;
  });
  // From now on the mirror is due: the background may be first to try it.
  time += 300_000;
  await zw.services.mirrorReconciler.run(new AbortController().signal);
  await vi.waitFor(async () => expect(await mirror()).toMatchObject({ state: "behind", lagSeconds: 10 }), patience);
  expect(before).toBe(300);
  time += 2_000;
  await zone?.post(`/mirrors/${(await mirror()).id}/reconcile`);
  await reach(zones, "in_sync");
});

test("after a clock that was ahead was set back, mirrors follow without waiting until it is that late again", async () => {
  const ahead = 120_000;
  time += ahead;
  const zones = await mirroredZones(1);
  time -= ahead;
  await zones[0]?.add("A", "back", "192.0.2.46", 300);
  // The clock stands still: no later time makes the mirror due.
  await reach(zones, "in_sync");
  expect(cloud.server.records(zones[0]?.name ?? "").map(({ content }) => content)).toContain("192.0.2.46");
});

test("a provider that does not answer holds up its own mirrors only", async () => {
  const [zone] = await mirroredZones(1);
  const config = { kind: "zonefile", name: "Second", config: { folder: "second" } };
  const { body } = await zw.admin.post("/api/provider-configs", config);
  await zone?.post("/mirrors", { providerConfigId: body.id });
  const zones = zone ? [zone] : [];
  await reach(zones, "in_sync", "in_sync");
  const held = Promise.withResolvers<void>();
  // A call is given up after 20 seconds, and made again.
  cloud.server.vendor.meanwhile(
    () => true,
    () => held.promise,
    1_000,
  );
  for (const value of ["192.0.2.51", "192.0.2.52"]) {
    time += 2_000;
    await zone?.add("A", "quick", value, 300);
    const file = join(zw.dataDir, "zones", "second", `${zone?.name}.zone`);
    await vi.waitFor(async () => expect(await readFile(file, "utf8")).toContain(value), patience);
    await reach(zones, "behind", "in_sync");
  }
  held.resolve();
  const { body: list } = (await zone?.get("/mirrors")) ?? { body: null };
  await zone?.post(`/mirrors/${list.mirrors[0].id}/reconcile`);
  await reach(zones, "in_sync", "in_sync");
});
