import { beforeEach, expect, test } from "vitest";
import { Clock, minute } from "../../support/clock.ts";
import { refusal } from "../../support/vendors/cloudflare/server.ts";
import { useCloudflare } from "./cloud.ts";
import type { VendorCall } from "../../support/vendors/loopback-vendor.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, type Zone } from "../../support/zones.ts";

// A domain whose main provider becomes one of its mirrors.

const clock = new Clock();
// The background would wait for the vendor, too. Each wait moves the clock for all, past the claims of others on their mirrors.
const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1", JOBS: "off" }, now: clock.now, pause: clock.pause });
const cloud = useCloudflare(zw);

let zone: Zone;
beforeEach(async () => {
  zone = await fileZone(zw, "www 300 A 192.0.2.1\n");
  await zone.post("/sync");
  cloud.server.addZone(zone.name);
});

async function mirrored(more: object = {}): Promise<string> {
  const { body } = await zone.post("/mirrors", { providerConfigId: cloud.configId, ...more });
  const { body: after } = await zone.post(`/mirrors/${body.mirrorId}/reconcile`);
  expect(after.mirrors).toMatchObject([{ state: "in_sync" }]);
  return body.mirrorId;
}

const move = () => zw.admin.put(zone.path, { providerConfigId: cloud.configId });
const there = () => cloud.server.records(zone.name).map(({ type, content }) => `${type} ${content}`);
const isBatch = ({ method, url }: VendorCall) => method === "POST" && url.pathname.endsWith("/batch");
const isList = ({ method, url }: VendorCall) => method === "GET" && url.pathname.endsWith("/dns_records");

test("a mirror becomes the main provider right after an edit that it does not have yet", async () => {
  await mirrored();
  const { id } = (await zone.records()).find(({ name }) => name === "www");
  expect((await zone.update(id, { value: "192.0.2.2" })).status).toBe(200);
  const { status, body } = await move();
  expect({ status, body }).toMatchObject({ status: 200, body: { providerConfigId: cloud.configId } });
  expect(there()).toContain("A 192.0.2.2");
  expect(there()).not.toContain("A 192.0.2.1");
  expect((await zone.get("/mirrors")).body.mirrors).toEqual([]);
});

test("a mirror that cannot get the newest records does not become the main provider, and the refusal says why", async () => {
  await mirrored();
  cloud.server.vendor.failNext({ after: false, reply: refusal(403, 9_109, "Not allowed here") }, 1_000, isBatch);
  await zone.add("A", "new", "192.0.2.3", 300);
  const { status, body } = await move();
  cloud.server.vendor.forgetFaults();
  expect([status, body.code]).toEqual([409, "CONFLICT"]);
  expect(body.message).toMatch(
    /^The mirror does not follow the domain: .*Not allowed here.* Reconcile it, then try again\.$/,
  );
});

test("a mirror with records of others becomes the main provider only without them", async () => {
  cloud.server.addRecord(zone.name, { type: "A", name: `theirs.${zone.name}`, content: "192.0.2.7", ttl: 300 });
  const mirrorId = await mirrored({ onDrift: "report" });
  const { status, body } = await move();
  expect([status, body.message]).toEqual([
    409,
    "The mirror has records that are not the domain's (1). Reconcile it with `force: true` to delete them, then try again.",
  ]);
  await zone.post(`/mirrors/${mirrorId}/reconcile`, { force: true });
  expect((await move()).status).toBe(200);
});

test("a move to a mirror whose provider has no calls left is refused soon: nobody can edit the zone meanwhile", async () => {
  await mirrored();
  const reply = { ...refusal(429, 971, "Please wait"), headers: { "retry-after": "40" } };
  // As often as the move asks.
  cloud.server.vendor.failNext({ after: false, reply }, 1_000, isList);
  const { status, body } = await move();
  expect([status, body.message]).toEqual([409, expect.stringContaining("accepts no more calls for now")]);
  cloud.server.vendor.forgetFaults();
  clock.advance(minute);
  expect((await move()).status).toBe(200);
});
