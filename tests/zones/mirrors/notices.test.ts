import { expect, test, vi } from "vitest";
import { NoticeLog } from "../../registry/expiry/notice-log.ts";
import { hour, minute } from "../../support/clock.ts";
import { patience } from "../../support/patience.ts";
import { refusal } from "../../support/vendors/cloudflare/server.ts";
import { useCloudflare } from "./cloud.ts";
import { adminPassword, useZonewright } from "../../support/zonewright.ts";
import { fileZone, type Zone } from "../../support/zones.ts";

/** A clock that stands still, so that nothing is tried again by itself. */
let time = Date.now();
const log = new NoticeLog();
const zw = useZonewright({
  env: { EGRESS_ALLOW: "127.0.0.1", JOBS: "off", DRIFT_CHECK: "hourly" },
  now: () => new Date(time),
  logTo: log,
});
const cloud = useCloudflare(zw);

async function mirrored(): Promise<{ zone: Zone; reconcile: () => Promise<string> }> {
  const zone = await fileZone(zw);
  await zone.add("A", "www", "192.0.2.1", 300);
  cloud.server.addZone(zone.name);
  const { body } = await zone.post("/mirrors", { providerConfigId: cloud.configId });
  const reconcile = async () =>
    (await zone.post(`/mirrors/${body.mirrorId}/reconcile`)).body.mirrors[0].state as string;
  expect(await reconcile()).toBe("in_sync");
  return { zone, reconcile };
}

test("a mirror that fails three times in a row is reported once, is listed as failing, and is reported once when it follows again", async () => {
  const { zone, reconcile } = await mirrored();
  cloud.server.vendor.failNext({ after: false, reply: refusal(403, 9_109, "Invalid access token") }, 1_000);
  expect([await reconcile(), await reconcile()]).toEqual(["failing", "failing"]);
  expect(log.next(zone.name)).toEqual([]);
  expect([await reconcile(), await reconcile()]).toEqual(["failing", "failing"]);
  expect(log.next(zone.name)).toEqual(["mirror.failing"]);
  const listed = async () => (await zw.admin.get(`/api/mirrors?state=failing&providerConfigId=${cloud.configId}`)).body;
  expect((await listed()).mirrors).toMatchObject([{ domainId: zone.id, state: "failing" }]);
  cloud.server.vendor.forgetFaults();
  expect([await reconcile(), await reconcile()]).toEqual(["in_sync", "in_sync"]);
  expect((await listed()).mirrors).toEqual([]);
  expect(log.next(zone.name)).toEqual(["mirror.recovered"]);
});

test("a mirror that fails twice and then follows is not reported", async () => {
  const { zone, reconcile } = await mirrored();
  cloud.server.vendor.failNext({ after: false, reply: refusal(403, 9_109, "Invalid access token") }, 1_000);
  expect([await reconcile(), await reconcile()]).toEqual(["failing", "failing"]);
  cloud.server.vendor.forgetFaults();
  expect(await reconcile()).toBe("in_sync");
  expect(log.next(zone.name)).toEqual([]);
});

const run = () => zw.services.mirrorReconciler.run(new AbortController().signal);

test("a pause of minutes that a provider asks for is one failure: no call is made before it ends, and nobody is notified", async () => {
  const { zone } = await mirrored();
  const state = async () => (await zone.get("/mirrors")).body.mirrors[0].state as string;
  const reply = { ...refusal(429, 971, "Please wait"), headers: { "retry-after": "300" } };
  cloud.server.vendor.failNext({ after: false, reply });
  await zone.add("A", "later", "192.0.2.2", 300);
  time += 2_000;
  await run();
  expect(await state()).toBe("failing");
  const { length } = cloud.server.calls;
  for (let wait = 0; wait < 4; wait++) {
    time += 70_000;
    await run();
    expect(await state()).toBe("failing");
  }
  expect(cloud.server.calls).toHaveLength(length);
  time += 30_000;
  await run();
  expect(await state()).toBe("in_sync");
  expect(log.next(zone.name)).toEqual([]);
});

test("what others change at a mirror is put back by the check that is due, and not before", async () => {
  const { zone } = await mirrored();
  const theirs = () => cloud.server.records(zone.name).filter(({ content }) => content === "192.0.2.7").length;
  cloud.server.addRecord(zone.name, { type: "A", name: `theirs.${zone.name}`, content: "192.0.2.7", ttl: 300 });
  time += 50 * minute;
  await run();
  expect(theirs()).toBe(1);
  time += hour;
  await run();
  await vi.waitFor(() => expect(theirs()).toBe(0), patience);
});

test("a pause of more than an hour that a provider asks for is reported at once, and once", async () => {
  // The token of the first sign-in has expired by now.
  zw.admin.token = (await zw.signIn("admin", adminPassword)).token;
  const { zone } = await mirrored();
  const reply = { ...refusal(429, 971, "Please wait"), headers: { "retry-after": "7200" } };
  cloud.server.vendor.failNext({ after: false, reply });
  await zone.add("A", "later", "192.0.2.2", 300);
  time += 2_000;
  await run();
  expect(log.next(zone.name)).toEqual(["mirror.failing"]);
  time += 7_200_000;
  await run();
  expect(log.next(zone.name)).toEqual(["mirror.recovered"]);
});
