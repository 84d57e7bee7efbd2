import { afterAll, beforeAll, expect, test } from "vitest";
import { fileZone, type Zone } from "../../support/zones.ts";
import { Clock, hour, minute } from "../../support/clock.ts";
import { startDigitalOcean, type DigitalOceanServer } from "../../support/vendors/digitalocean/server.ts";
import { adminPassword, useZonewright } from "../../support/zonewright.ts";

const clock = new Clock();
const lines: string[] = [];
const zw = useZonewright({
  env: { EGRESS_ALLOW: "127.0.0.1", JOBS: "off" },
  now: clock.now,
  logTo: { write: (line) => void lines.push(line) },
  // Waiting here never ends.
  pause: () => new Promise(() => undefined),
});
let vendor: DigitalOceanServer;
beforeAll(async () => {
  vendor = await startDigitalOcean();
});
afterAll(() => vendor.stop());

const names = Array.from({ length: 6 }, (_, index) => `paused-${index}.example`);

/** The zones that the vendor was asked for. */
function asked(): Set<string | undefined> {
  return new Set(vendor.calls.map(({ url }) => names.find((name) => url.pathname.includes(name))));
}

async function addVendorZones(): Promise<void> {
  const config = { token: vendor.token, endpoint: vendor.url };
  const input = { kind: "digitalocean", name: "Paused", config };
  const { body } = await zw.admin.post("/api/provider-configs", input);
  for (const name of names) {
    expect((await zw.admin.post("/api/domains", { name, providerConfigId: body.id })).status).toBe(201);
  }
}

/** A zone file that was edited by hand. */
async function editedZone(): Promise<Zone> {
  const zone = await fileZone(zw, "www 300 A 192.0.2.1\n");
  await zone.post("/sync");
  await zone.edit((text) => `${text}new 60 A 192.0.2.9\n`);
  return zone;
}

/** The level of a log line. */
const [info, warn] = [30, 40];

/** The logged pauses: level and configuration. */
function loggedPauses(): unknown[] {
  const reported = lines.map((line) => JSON.parse(line) as { level: unknown; config?: string; msg: string });
  return reported
    .filter(({ msg }) => /asked for a pause|keeps asking for pauses/.test(msg))
    .map(({ level, config }) => [level, config]);
}

/** Runs the check this much later. */
async function checked(milliseconds: number): Promise<void> {
  clock.advance(milliseconds);
  vendor.calls.length = 0;
  await zw.services.drift.runOnce();
  // The administrator's token has expired by then.
  zw.admin.token = (await zw.signIn("admin", adminPassword)).token;
}

test("a vendor account that asked for a pause delays no other zones, and is checked after it", async () => {
  await addVendorZones();
  const elsewhere = await editedZone();
  vendor.failNext({ after: false, reply: { status: 429, headers: { "retry-after": "1800" }, body: "{}" } }, 4);
  await checked(hour);
  expect((await elsewhere.detail()).drift).toMatchObject({ created: 1 });
  // Concurrent checks each call the vendor at most once.
  expect(vendor.calls.length).toBeLessThanOrEqual(4);

  await checked(20 * minute);
  expect(vendor.calls).toEqual([]);

  vendor.forgetFaults();
  await checked(11 * minute);
  expect(asked()).toEqual(new Set(names));
  await checked(minute);
  expect(vendor.calls).toEqual([]);
});

test("a vendor account that keeps asking for pauses is logged once, then with a warning after a period", async () => {
  lines.length = 0;
  vendor.failNext({ after: false, reply: { status: 429, headers: { "retry-after": "600" }, body: "{}" } }, 100);
  await checked(hour);
  for (let run = 0; run < 5; run++) await checked(11 * minute);
  expect(loggedPauses()).toEqual([[info, "Paused"]]);
  for (let run = 0; run < 5; run++) await checked(11 * minute);
  expect(loggedPauses()).toEqual([
    [info, "Paused"],
    [warn, "Paused"],
  ]);

  vendor.forgetFaults();
  await checked(11 * minute);
  vendor.failNext({ after: false, reply: { status: 429, headers: { "retry-after": "600" }, body: "{}" } }, 4);
  await checked(hour);
  expect(loggedPauses().slice(2)).toEqual([[info, "Paused"]]);
});
