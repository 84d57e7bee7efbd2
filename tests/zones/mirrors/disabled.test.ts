import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { configure, newZone } from "../../dns-providers/vendor-zone.ts";
import { Clock, minute } from "../../support/clock.ts";
import { patience } from "../../support/patience.ts";
import { startDnspodServer, type DnspodServer } from "../../support/vendors/dnspod/server.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, type Zone } from "../../support/zones.ts";

const clock = new Clock();
const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" }, now: clock.now, pause: clock.pause });
let vendor: DnspodServer;
let dnspod: string;
beforeAll(async () => {
  vendor = await startDnspodServer(clock.now);
  const { url, secretId, secretKey } = vendor;
  dnspod = await configure(zw, "dnspod", { url, secretId, secretKey }, [secretKey]);
});
afterAll(() => vendor.stop());

async function reaches(zone: Zone, state: object): Promise<void> {
  const check = async () => expect((await zone.get("/mirrors")).body.mirrors).toMatchObject([state]);
  await vi.waitFor(check, patience);
}

/** A person switches the records of a name on or off at DNSPod. */
function switchAt(zone: string, name: string, status: "ENABLE" | "DISABLE"): void {
  for (const record of vendor.account.records(zone)) if (record.Name === name) record.Status = status;
}

test("a record that somebody switches off at the main provider leaves the mirror, and comes back with it", async () => {
  const zone = await newZone(zw, dnspod, "main-off.example");
  const config = { kind: "zonefile", name: "Follows DNSPod", config: { folder: "follows-dnspod" } };
  const { body } = await zw.admin.post("/api/provider-configs", config);
  expect((await zone.post("/mirrors", { providerConfigId: body.id })).status).toBe(200);
  await zone.add("A", "www", "192.0.2.1", 600);
  await reaches(zone, { state: "in_sync" });
  const file = () => readFile(join(zw.dataDir, "zones", "follows-dnspod", `${zone.name}.zone`), "utf8");
  expect(await file()).toContain("192.0.2.1");

  switchAt(zone.name, "www", "DISABLE");
  expect((await zone.post("/sync")).status).toBe(200);
  await reaches(zone, { state: "unsupported", unsupported: 1, error: null });
  expect(await file()).not.toContain("192.0.2.1");

  switchAt(zone.name, "www", "ENABLE");
  expect((await zone.post("/sync")).status).toBe(200);
  await reaches(zone, { state: "in_sync" });
  expect(await file()).toContain("192.0.2.1");
});

test("a record that somebody switches off at a mirror that lists it as its own is reported until it is switched on again", async () => {
  const zone = await fileZone(zw);
  await zone.add("A", "www", "192.0.2.1", 600);
  const { body } = await zone.post("/mirrors", { providerConfigId: dnspod });
  await reaches(zone, { state: "in_sync" });
  const reconciled = async () => {
    // DNSPod shows by then what was sent before.
    clock.advance(minute);
    return (await zone.post(`/mirrors/${body.mirrorId}/reconcile`)).body.mirrors;
  };
  switchAt(zone.name, "www", "DISABLE");
  expect(await reconciled()).toMatchObject([
    {
      state: "failing",
      differences: 1,
      foreign: 0,
      error: expect.stringContaining("www A 192.0.2.1: DNSPod refused the change"),
    },
  ]);
  switchAt(zone.name, "www", "ENABLE");
  expect(await reconciled()).toMatchObject([{ state: "in_sync", differences: 0, error: null }]);
});
