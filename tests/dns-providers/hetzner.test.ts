import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { callProvider } from "../../server/zones/changes/provider-call.ts";
import { Clock, minute } from "../support/clock.ts";
import type { VendorCall } from "../support/vendors/loopback-vendor.ts";
import { hetzner } from "../support/vendors/rrsets/hetzner.ts";
import { startRrsetVendor, type RrsetServer } from "../support/vendors/rrsets/server.ts";
import { useZonewright } from "../support/zonewright.ts";
import type { Body, Zone } from "../support/zones.ts";
import { failureOf } from "./vendor-api/calling.ts";
import { useVendor, a, zone as vendorZone } from "./rrset-vendor.ts";
import { configure, newZone, recordOf } from "./vendor-zone.ts";
import { create, update } from "./zone-folder.ts";

// What only Hetzner does: it sets the TTL of an RRset and its records by two calls. What it shares with others is in rrset-kinds.test.ts.

const clock = new Clock();
const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1", JOBS: "off" }, now: clock.now });
let server: RrsetServer;
let zone: Zone;
beforeAll(async () => {
  server = await startRrsetVendor(hetzner);
  server.store.addZone("kontor.example");
  zone = await newZone(zw, await configure(zw, "hetzner", server.config, []), "kontor.example");
});
afterAll(() => server.stop());
afterEach(() => server.forgetFaults());

const setsRecords = ({ url }: VendorCall) => url.pathname.endsWith("/set_records");
const setsTtl = ({ url }: VendorCall) => url.pathname.endsWith("/change_ttl");
const cut = { after: false, reply: null };
const linesOf = (name: string) => server.store.lines(zone.name).filter((line) => line.startsWith(`${name} `));

/** Has the changes settled that are left open, once what a vendor shows is final. */
async function settled(): Promise<Body> {
  await zw.services.repair.runOnce();
  clock.advance(minute);
  await zw.services.repair.runOnce();
  return (await zone.history())[0];
}

test("a change of value and TTL that is cut off after its TTL leaves the RRset as it was", async () => {
  const { id } = await zone.add("A", "www", "192.0.2.1", 3_600);
  server.failNext(cut, 1, setsRecords);
  expect((await zone.update(id, { value: "192.0.2.9", ttl: 60 })).status).toBe(502);
  expect(linesOf("www")).toEqual(["www A 60 192.0.2.1"]);
  expect(await settled()).toMatchObject({ state: "failed", repaired: true });
  expect(linesOf("www")).toEqual(["www A 3600 192.0.2.1"]);
  expect((await zone.post("/sync", { dryRun: true })).body.plan).toMatchObject({
    creates: [],
    updates: [],
    deletes: [],
  });
});

test("a TTL that is taken back is taken back for the other records of the RRset, too", async () => {
  const { id } = await zone.add("A", "pair", "192.0.2.1", 3_600);
  await zone.add("A", "pair", "192.0.2.2", 3_600);
  server.failNext(cut, 1, setsRecords);
  expect((await zone.update(id, { value: "192.0.2.9", ttl: 60 })).status).toBe(502);
  expect(await settled()).toMatchObject({ state: "failed", repaired: true });
  expect(linesOf("pair")).toEqual(["pair A 3600 192.0.2.1", "pair A 3600 192.0.2.2"]);
  expect((await recordOf(zone, "pair", "192.0.2.2")).ttl).toBe(3_600);
  expect((await zone.post("/sync", { dryRun: true })).body.plan).toMatchObject({
    creates: [],
    updates: [],
    deletes: [],
  });
});

test("a TTL that cannot be taken back is reported", async () => {
  const { id } = await zone.add("A", "stays", "192.0.2.1", 3_600);
  server.failNext(cut, 1, setsRecords);
  expect((await zone.update(id, { value: "192.0.2.9", ttl: 60 })).status).toBe(502);
  server.failNext(
    { after: false, reply: { status: 422, body: JSON.stringify({ error: { code: "x", message: "No" } }) } },
    9,
    setsTtl,
  );
  const { state, failures } = await settled();
  expect([state, failures[0].error]).toEqual(["failed", expect.stringContaining("new TTL")]);
  expect((await recordOf(zone, "stays", "192.0.2.1")).ttl).toBe(3_600);
});

const vendor = useVendor(hetzner);

const says = (code: string) => ({
  after: false,
  reply: { status: 423, body: JSON.stringify({ error: { code, message: code } }) },
});

test("an RRset that somebody has protected meanwhile is refused at once, and a locked zone is waited for", async () => {
  vendor.server.failNext(says("protected"), 9, hetzner.isWrite);
  expect(await vendor.apply([create(a("www"))])).toEqual([
    { ok: false, message: "Hetzner refused the change: protected (423)" },
  ]);
  expect(vendor.server.calls.filter(hetzner.isWrite)).toHaveLength(1);
  vendor.server.forgetFaults();
  vendor.server.failNext(says("locked"), 2, hetzner.isWrite);
  expect(await vendor.apply([create(a("www"))])).toEqual([{ ok: true }]);
});

test("what is decided at once after a call without an answer takes the TTL back, too", async () => {
  await vendor.apply([create(a("www"))]);
  vendor.server.failNext(cut, 9, setsRecords);
  const changed = callProvider(vendor.provider, vendorZone, [update(a("www"), a("www", "192.0.2.9", 60))], {});
  expect((await failureOf(changed)).effect).toBe("none");
  expect(vendor.held()).toEqual(["www A 3600 192.0.2.1"]);
});

test("what is decided at once takes the TTL of the other records of the RRset back, too", async () => {
  await vendor.apply([create(a("pair")), create(a("pair", "192.0.2.2"))]);
  vendor.server.failNext(cut, 9, setsRecords);
  const pair = [
    update(a("pair"), a("pair", "192.0.2.9", 60)),
    update(a("pair", "192.0.2.2"), a("pair", "192.0.2.2", 60)),
  ];
  expect((await failureOf(callProvider(vendor.provider, vendorZone, pair, {}))).effect).toBe("none");
  expect(vendor.held()).toEqual(["pair A 3600 192.0.2.1", "pair A 3600 192.0.2.2"]);
});

test("an all-or-nothing set that is cut off after a TTL takes all of it back", async () => {
  await vendor.apply([create(a("set")), create(a("set", "192.0.2.2"))]);
  vendor.server.failNext(cut, 9, setsRecords);
  const set = [create(a("first")), update(a("set"), a("set", "192.0.2.9", 60))];
  const changed = callProvider(vendor.provider, vendorZone, set, { atomic: true });
  expect((await failureOf(changed)).effect).toBe("none");
  expect(vendor.held()).toEqual(["set A 3600 192.0.2.1", "set A 3600 192.0.2.2"]);
});
