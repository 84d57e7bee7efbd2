import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { knownKind } from "../../server/dns-providers/kinds.ts";
import { callProvider, readAll } from "../../server/zones/changes/provider-call.ts";
import { Clock, minute } from "../support/clock.ts";
import type { VendorCall } from "../support/vendors/loopback-vendor.ts";
import { linode } from "../support/vendors/records/linode.ts";
import { startRecordVendor, type RecordServer } from "../support/vendors/records/server.ts";
import { useZonewright } from "../support/zonewright.ts";
import type { Body, Zone } from "../support/zones.ts";
import { withAccount, zone as vendorZone } from "./record-vendor.ts";
import { failureOf } from "./vendor-api/calling.ts";
import { applySet, configure, newZone } from "./vendor-zone.ts";
import { create, record, update } from "./zone-folder.ts";

// What only Linode does: records that have the TTL of their domain, which new ones get until a second call. What it shares with others is in
// record-kinds.test.ts.

const clock = new Clock();
const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1", JOBS: "off" }, now: clock.now });
let server: RecordServer;
let zone: Zone;
beforeAll(async () => {
  server = await startRecordVendor(linode);
  server.store.addZone("kontor.example");
  zone = await newZone(zw, await configure(zw, "linode", server.config, []), "kontor.example");
});
afterAll(() => server.stop());
afterEach(() => server.forgetFaults());

const fields = { target: "192.0.2.1", priority: 0, weight: 0, port: 0, tag: null };
const setsTtl = ({ method }: VendorCall) => method === "PUT";
const cut = { after: false, reply: null };
const a = (name: string, ttl: number, value = "192.0.2.1") => record(name, "A", value, ttl);
const heldAt = (name: string) => server.store.lines(zone.name).filter((line) => line.startsWith(`${name} `));

/** Has the changes settled that are left open, once what a vendor shows is final. */
async function settled(): Promise<Body> {
  await zw.services.repair.runOnce();
  clock.advance(minute);
  await zw.services.repair.runOnce();
  return (await zone.history())[0];
}

test("a record without a TTL of its own is shown with its domain's, and keeps that through an edit of its value", async () => {
  await withAccount(linode, async (vendor, provider) => {
    vendor.store.add(vendorZone, { type: "A", name: "www", ttl: 0, fields });
    for (const [own, shown] of [
      [300, 300],
      [0, 86_400],
    ] as const) {
      linode.domainTtls.set(vendorZone, own);
      const [www] = await readAll(provider, vendorZone);
      expect(www?.ttl).toBe(shown);
    }
    linode.domainTtls.set(vendorZone, 300);
    const [www] = await readAll(provider, vendorZone);
    if (!www) throw new Error("The record is missing");
    await provider.applyChanges(vendorZone, [update(www, { ...www, value: "192.0.2.2" })]);
    expect(vendor.store.lines(vendorZone)).toEqual(["www A 0 192.0.2.2 0 0 0 "]);
    linode.domainTtls.set(vendorZone, 3_600);
    const [later] = await readAll(provider, vendorZone);
    if (!later) throw new Error("The record is missing");
    await provider.applyChanges(vendorZone, [update(later, { ...later, ttl: 7_200 })]);
    expect(vendor.store.lines(vendorZone)).toEqual(["www A 7200 192.0.2.2 0 0 0 "]);
    await provider.applyChanges(vendorZone, [create(a("new", 3_600)), create(a("other", 300))]);
    const ttls = new Map((await readAll(provider, vendorZone)).map(({ name, ttl }) => [name, ttl]));
    expect([ttls.get("new"), ttls.get("other")]).toEqual([3_600, 300]);
    linode.domainTtls.clear();
  });
});

test.each([30, 120])("a record with a TTL of %i seconds can be written", async (ttl) => {
  expect(knownKind("linode").unsupportedReason?.(a("quick", ttl))).toBeNull();
  await withAccount(linode, async (vendor, provider) => {
    expect((await provider.applyChanges(vendorZone, [create(a("quick", ttl))])).outcomes).toEqual([{ ok: true }]);
    expect(vendor.store.lines(vendorZone)).toEqual([`quick A ${ttl} 192.0.2.1 0 0 0 `]);
  });
});

test("a new record whose TTL could not be set is taken back, and can be added again", async () => {
  server.failNext(cut, 1, setsTtl);
  const lost = { recordType: "A", name: "lost", value: "192.0.2.1", ttl: 300 };
  expect((await zone.post("/records", lost)).status).toBe(502);
  expect(heldAt("lost")).toEqual(["lost A 0 192.0.2.1 0 0 0 "]);
  expect(await settled()).toMatchObject({ state: "failed", repaired: true });
  expect(heldAt("lost")).toEqual([]);
  expect((await zone.post("/records", lost)).status).toBe(201);
  expect(heldAt("lost")).toEqual(["lost A 300 192.0.2.1 0 0 0 "]);
});

test.each([
  ["renamed", a("old", 300), a("new", 300)],
  ["given another type", a("old", 300), record("old", "CNAME", "target.example", 300)],
  ["renamed and had the TTL of its domain", a("old", 86_400), a("new", 300)],
])("a record that is %s stays as it was if the TTL of the new one is lost", async (_, before, after) => {
  await withAccount(linode, async (vendor, provider) => {
    await provider.applyChanges(vendorZone, [create(before)]);
    const held = vendor.store.lines(vendorZone);
    vendor.failNext(cut, 1, setsTtl);
    const failure = await failureOf(callProvider(provider, vendorZone, [update(before, after)], {}));
    expect(failure.effect).toBe("none");
    expect(vendor.store.lines(vendorZone)).toEqual(held);
  });
});

test("a record whose new name was left open with another TTL gets its old name back", async () => {
  const { body } = await zone.post("/records", { recordType: "A", name: "moving", value: "192.0.2.1", ttl: 300 });
  server.failNext(cut, 1, setsTtl);
  await zone.update(body.id, { name: "moved" });
  expect(await settled()).toMatchObject({ state: "failed", repaired: true });
  expect([heldAt("moving"), heldAt("moved")]).toEqual([["moving A 300 192.0.2.1 0 0 0 "], []]);
});

test("a new record whose TTL was set without an answer is made", async () => {
  server.failNext({ after: true, reply: null }, 1, setsTtl);
  await zone.post("/records", { recordType: "A", name: "made", value: "192.0.2.1", ttl: 300 });
  expect(await settled()).toMatchObject({ state: "applied" });
  expect(heldAt("made")).toEqual(["made A 300 192.0.2.1 0 0 0 "]);
});

test("a record of somebody else's with another TTL than new ones have is not taken back", async () => {
  server.failNext(cut, 1, ({ method }) => method === "POST");
  await zone.post("/records", { recordType: "A", name: "theirs", value: "192.0.2.1", ttl: 300 });
  server.store.add(zone.name, { type: "A", name: "theirs", ttl: 3_600, fields });
  expect(await settled()).toMatchObject({ state: "failed", repaired: true });
  expect(heldAt("theirs")).toEqual(["theirs A 3600 192.0.2.1 0 0 0 "]);
});

test("of an all-or-nothing set nothing stays if the TTL of a new record cannot be set", async () => {
  server.failNext({ after: false, reply: { status: 503, body: "{}" } }, 1, ({ method, body }) => {
    return method === "PUT" && body.includes("192.0.2.8");
  });
  await applySet(zone, [
    { action: "create", record: { recordType: "A", name: "one", value: "192.0.2.7", ttl: 300 } },
    { action: "create", record: { recordType: "A", name: "two", value: "192.0.2.8", ttl: 300 } },
  ]);
  expect(await settled()).toMatchObject({ state: "failed" });
  expect([heldAt("one"), heldAt("two")]).toEqual([[], []]);
});

test("what is decided at once after a lost TTL takes the new record back, too, and a refused TTL does", async () => {
  await withAccount(linode, async (vendor, provider) => {
    vendor.failNext(cut, 1, setsTtl);
    const failure = await failureOf(callProvider(provider, vendorZone, [create(a("www", 300))], {}));
    expect(failure.effect).toBe("none");
    expect(vendor.store.lines(vendorZone)).toEqual([]);
    vendor.failNext({ after: false, reply: linode.refusal("Not this TTL") }, 1, setsTtl);
    const { outcomes } = await provider.applyChanges(vendorZone, [create(a("www", 300))]);
    expect(outcomes).toEqual([{ ok: false, message: "Linode refused the change: Not this TTL (400)" }]);
    expect(vendor.store.lines(vendorZone)).toEqual([]);
  });
});
