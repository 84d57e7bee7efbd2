import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startDnspodServer, type DnspodServer } from "../../support/vendors/dnspod/server.ts";
import type { VendorCall } from "../../support/vendors/loopback-vendor.ts";
import { ovh } from "../../support/vendors/records/ovh.ts";
import { startRecordVendor, type RecordServer } from "../../support/vendors/records/server.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, type Body, type Zone } from "../../support/zones.ts";

// Vendors that serve what they store only on request, or show what they store only later.

/** A clock that stands still, so that nothing is tried again by itself. */
let time = Date.now();
const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" }, now: () => new Date(time) });

let zone: Zone;
beforeEach(async () => {
  time += 2_000;
  zone = await fileZone(zw);
});

/** Has the mirror of a zone reconciled a moment later, as the background does, and returns it. */
async function reconciled(mirrorId: string, seconds = 2): Promise<Body> {
  time += seconds * 1_000;
  const { body } = await zone.post(`/mirrors/${mirrorId}/reconcile`);
  return body.mirrors[0];
}

const notices = async (event: string): Promise<Body[]> =>
  (await zw.admin.get("/api/notifications?limit=100")).body.notifications.filter(
    ({ metadata, ...notice }: Body) => notice.event === event && metadata.domainId === zone.id,
  );

const isRefresh = ({ url }: VendorCall) => url.pathname.endsWith("/refresh");

describe("OVHcloud", () => {
  let vendor: RecordServer;
  let configId: string;
  beforeAll(async () => {
    vendor = await startRecordVendor(ovh);
    const config = { kind: "ovh", name: "OVH", config: vendor.config };
    configId = (await zw.admin.post("/api/provider-configs", config)).body.id;
  });
  afterAll(() => vendor.stop());
  beforeEach(() => {
    vendor.store.addZone(zone.name);
    vendor.calls.length = 0;
  });

  const refreshes = () => vendor.calls.filter(isRefresh).length;
  const refuseRefreshes = (times: number) =>
    vendor.failNext(
      { after: false, reply: { status: 409, body: JSON.stringify({ message: "The zone is locked" }) } },
      times,
      isRefresh,
    );

  test("a mirror that stored a change and did not serve it is asked to serve it, although nothing differs", async () => {
    const { mirrorId } = (await zone.post("/mirrors", { providerConfigId: configId })).body;
    expect(await reconciled(mirrorId)).toMatchObject({ state: "in_sync" });
    refuseRefreshes(1_000);
    await zone.add("A", "www", "192.0.2.1", 300);
    expect(await reconciled(mirrorId)).toMatchObject({ state: "failing" });
    expect(await reconciled(mirrorId, 60)).toMatchObject({
      state: "failing",
      error: expect.stringContaining("locked"),
    });
    vendor.forgetFaults();
    vendor.calls.length = 0;
    expect(await reconciled(mirrorId, 60)).toMatchObject({ state: "in_sync", error: null });
    expect(refreshes()).toBe(1);
    expect(await reconciled(mirrorId, 60)).toMatchObject({ state: "in_sync" });
    expect(refreshes()).toBe(1);
  });

  test("a move whose records are stored there and not served asks for that again", async () => {
    await zone.add("A", "www", "192.0.2.1", 300);
    refuseRefreshes(1_000);
    const first = await zw.admin.put(zone.path, { providerConfigId: configId });
    expect([first.status, first.body.message]).toEqual([502, expect.stringContaining("does not serve it")]);
    const again = await zw.admin.put(zone.path, { providerConfigId: configId });
    expect([again.status, again.body.message]).toEqual([502, expect.stringContaining("does not serve it")]);
    vendor.forgetFaults();
    vendor.calls.length = 0;
    expect((await zw.admin.put(zone.path, { providerConfigId: configId })).status).toBe(200);
    expect(refreshes()).toBe(1);
  });

  test("a change that is closed by force is served as far as it is stored, and its outcome is unknown if that fails", async () => {
    expect((await zw.admin.put(zone.path, { providerConfigId: configId })).status).toBe(200);
    for (const [isServed, expected] of [
      [false, { state: "partial", unknown: 1, failures: [{ error: expect.stringContaining("not served") }] }],
      [true, { state: "applied", unknown: 0, failures: [] }],
    ] as const) {
      refuseRefreshes(1_000);
      const record = { recordType: "A", name: isServed ? "one" : "two", value: "192.0.2.1", ttl: 300 };
      expect((await zone.create(record)).status).toBe(502);
      vendor.forgetFaults();
      if (!isServed) refuseRefreshes(1_000);
      vendor.calls.length = 0;
      expect((await zone.post("/sync", { force: true })).status).toBe(200);
      vendor.forgetFaults();
      expect(refreshes()).toBeGreaterThan(0);
      const entry = (await zone.history()).find(({ kind, repaired }: Body) => kind === "edit" || repaired);
      expect(entry).toMatchObject(expected);
    }
  });
});

describe("DNSPod", () => {
  let vendor: DnspodServer;
  let configId: string;
  let mirrorId: string;
  beforeAll(async () => {
    vendor = await startDnspodServer(() => new Date(time));
    const { url, secretId, secretKey } = vendor;
    const config = { kind: "dnspod", name: "DNSPod", config: { url, secretId, secretKey } };
    const { body } = await zw.admin.post("/api/provider-configs", config);
    configId = body.id;
  });
  afterAll(() => vendor.stop());
  beforeEach(async () => {
    vendor.account.addDomain(zone.name);
    vendor.account.indexLag = 0;
    mirrorId = (await zone.post("/mirrors", { providerConfigId: configId })).body.mirrorId;
    await reconciled(mirrorId);
    time += 31_000;
  });

  const showAll = () => {
    for (const record of vendor.account.domains.get(zone.name)?.records.values() ?? []) record.visibleFrom = 0;
  };
  const there = () =>
    vendor.account
      .records(zone.name)
      .filter(({ Type }) => Type === "A")
      .map(({ Name, Value }) => `${Name} ${Value}`)
      .toSorted();

  test("a mirror does not follow for good while the list there may lag: a record that was taken back goes once it shows", async () => {
    vendor.account.indexLag = 1_000;
    const { id } = await zone.add("A", "wrong", "192.0.2.66", 600);
    expect(await reconciled(mirrorId)).toMatchObject({ state: "in_sync" });
    await zone.delete(id);
    expect(await reconciled(mirrorId)).toMatchObject({ state: "behind", error: null });
    expect(await reconciled(mirrorId)).toMatchObject({ state: "behind", error: null });
    expect(there()).toEqual(["wrong 192.0.2.66"]);
    showAll();
    expect(await reconciled(mirrorId, 31)).toMatchObject({ state: "in_sync" });
    expect(there()).toEqual([]);
  });

  test("a mirror does not follow for good while a call without an answer may still be carried out", async () => {
    vendor.faults.next("CreateRecord", { kind: "does later", status: 502, body: {} });
    const { id } = await zone.add("A", "late", "192.0.2.67", 600);
    expect(await reconciled(mirrorId)).toMatchObject({ state: "failing" });
    await zone.delete(id);
    expect(await reconciled(mirrorId)).toMatchObject({ state: "failing" });
    vendor.faults.catchUp();
    expect(there()).toEqual(["late 192.0.2.67"]);
    expect(await reconciled(mirrorId, 61)).toMatchObject({ state: "in_sync", error: null });
    expect(there()).toEqual([]);
  });

  test("force counts for one attempt, also while the list there may lag: later records of others are not deleted", async () => {
    const addForeign = () => {
      for (let host = 0; host < 12; host++)
        vendor.account.place(zone.name, { Name: `x${host}`, Type: "A", Value: "192.0.2.7" });
    };
    await zone.add("A", "www", "192.0.2.1", 600);
    await reconciled(mirrorId);
    addForeign();
    time += 2_000;
    await zone.post(`/mirrors/${mirrorId}/reconcile`, { force: true });
    expect(there()).toEqual(["www 192.0.2.1"]);
    addForeign();
    expect(await reconciled(mirrorId, 61)).toMatchObject({
      state: "failing",
      foreign: 12,
      error: expect.stringContaining("force: true"),
    });
    expect(there()).toHaveLength(13);
  });

  test("a mirror whose list does not show a record yet does not fail because it is there", async () => {
    vendor.account.indexLag = 1_000;
    await zone.add("A", "one", "192.0.2.1", 600);
    expect(await reconciled(mirrorId)).toMatchObject({ state: "in_sync" });
    for (const name of ["two", "three", "four"]) {
      await zone.add("A", name, "192.0.2.2", 600);
      expect(await reconciled(mirrorId)).toMatchObject({ state: "behind", error: null, differences: 0 });
    }
    showAll();
    expect(await reconciled(mirrorId, 61)).toMatchObject({ state: "in_sync" });
    expect(there()).toEqual(["four 192.0.2.2", "one 192.0.2.1", "three 192.0.2.2", "two 192.0.2.2"]);
    expect(await notices("mirror.failing")).toEqual([]);
  });
});
