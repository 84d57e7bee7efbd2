import { expect, test, vi } from "vitest";
import { minute, second } from "../../support/clock.ts";
import { patience } from "../../support/patience.ts";
import type { VendorCall } from "../../support/vendors/loopback-vendor.ts";
import { refusal } from "../../support/vendors/cloudflare/server.ts";
import { useCloudflare } from "./cloud.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, type Zone } from "../../support/zones.ts";

/** Only waiting for the vendor passes time: on a slow machine the calls would stay within its limit by themselves. */
let time = Date.now();
const now = () => new Date(time);
const zw = useZonewright({
  env: { EGRESS_ALLOW: "127.0.0.1", JOBS: "off" },
  now,
  async pause(milliseconds) {
    time += milliseconds;
    await Promise.resolve();
  },
});
const cloud = useCloudflare(zw);

const isChange = ({ method, url }: VendorCall) => method === "POST" && url.pathname.endsWith("/batch");
const mirrorOf = async (zone: Zone) => (await zone.get("/mirrors")).body.mirrors[0];
const stateOf = async (zone: Zone): Promise<string> => (await mirrorOf(zone)).state;
async function reconcile(zone: Zone): Promise<string> {
  const { id } = await mirrorOf(zone);
  return (await zone.post(`/mirrors/${id}/reconcile`)).body.mirrors[0].state;
}

async function mirroredZones(count: number): Promise<Zone[]> {
  const zones: Zone[] = [];
  for (let index = 0; index < count; index++) {
    const zone = await fileZone(zw);
    cloud.server.addZone(zone.name);
    await zone.post("/mirrors", { providerConfigId: cloud.configId });
    expect(await reconcile(zone)).toBe("in_sync");
    zones.push(zone);
  }
  return zones;
}

test("after an outage all mirrors follow although the vendor limits calls, those that are behind for longest first", async () => {
  const zones = await mirroredZones(8);
  cloud.server.vendor.failNext({ after: false, reply: refusal(403, 9_109, "Invalid access token") }, 1_000);
  const late = [...zones.slice(4), ...zones.slice(0, 4)];
  for (const zone of late) {
    await zone.add("A", "late", "192.0.2.44", 300);
    expect(await reconcile(zone)).toBe("failing");
    time += second;
  }
  cloud.server.vendor.forgetFaults();
  cloud.server.forgetCalls();
  const limits = cloud.server.vendor.limitCalls([{ calls: 2, seconds: 1 }], now, (seconds) => ({
    ...refusal(429, 971, "Please wait and consider throttling your request speed"),
    headers: { "retry-after": String(seconds) },
  }));
  time += minute;
  await zw.services.mirrorReconciler.run(new AbortController().signal);
  for (const zone of late) await vi.waitFor(async () => expect(await stateOf(zone)).toBe("in_sync"), patience);
  expect(limits.refused).toBeGreaterThan(0);
  const order = cloud.server.vendor.calls.filter(isChange).map(({ url }) => {
    const id = url.pathname.split("/").at(-3);
    return late.findIndex(({ name }) => cloud.server.zone(name).id === id);
  });
  // Two may be under way at the same time, so that one is overtaken by the next.
  const first = [...new Set(order)];
  expect(first).toHaveLength(late.length);
  for (const [place, index] of first.entries()) expect(Math.abs(place - index)).toBeLessThanOrEqual(1);
});
