import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { queries, type EntityManager } from "../../../server/database/database.ts";
import { claimDue } from "../../../server/zones/drift/drift-job.ts";
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

/** Adds zones of a configuration in the order of their names, each checked a second after the one before. */
async function addChecked(config: string, count: number, from: Date): Promise<void> {
  await sql`
    insert into domains (
      id, name, provider_zone, provider_config_id, tags, expiry_remind_days, auto_check_expiry, record_count, drift_checked_at
    )
    select gen_random_uuid(), name, name, ${config}::uuid, '{}', '{}', false, 0, ${from}::timestamptz + n * interval '1 second'
    from (select n, 'z' || lpad(n::text, 5, '0') || '.' || ${config} || '.example' as name from generate_series(1, ${count}::int) n) as zone
  `.execute(queries(zw.services.database.fork()));
}

/** How many rows of domains a transaction has read. A connection's counters may still hold what earlier ones on it read. */
async function domainsRead(tx: EntityManager): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (seq_tup_read + idx_tup_fetch)::int as count from pg_stat_xact_user_tables where relname = 'domains'
  `.execute(queries(tx));
  return rows[0]?.count ?? 0;
}

test("a claim takes the zone that has waited longest, and reads few of those that are paused or not due", async () => {
  const database = zw.services.database;
  const now = clock.now();
  const [since, earlier] = [new Date(now.getTime() - hour), new Date(now.getTime() - 5 * hour)];
  const add = async (name: string) =>
    (
      await zw.admin.post("/api/provider-configs", {
        kind: "digitalocean",
        name,
        config: { token: vendor.token, endpoint: vendor.url },
      })
    ).body.id as string;
  const [pausedId, oneId, otherId, freshId] = [
    await add("One"),
    await add("Two"),
    await add("Three"),
    await add("Four"),
  ];
  await addChecked(pausedId, 500, new Date(earlier.getTime() - hour));
  await addChecked(oneId, 3, earlier);
  await addChecked(otherId, 3, new Date(earlier.getTime() + 500));
  await addChecked(freshId, 500, now);
  const { body } = await zw.admin.get("/api/provider-configs");
  const paused = (body.configs as { id: string; name: string }[]).filter(
    ({ id }) => ![oneId, otherId, freshId].includes(id),
  );
  await sql`analyze domains`.execute(queries(database.fork()));
  await database.fork().transactional(async (tx) => {
    const before = await domainsRead(tx);
    const claimed: string[] = [];
    for (let turn = 0; turn < 7; turn++) {
      const zone = await claimDue(
        tx,
        now,
        since,
        paused.map(({ id }) => id),
      );
      if (zone) claimed.push(zone.name);
    }
    const inOrder = [1, 2, 3].flatMap((n) => [oneId, otherId].map((config) => `z0000${n}.${config}.example`));
    expect(claimed).toEqual(inOrder);
    const count = (await domainsRead(tx)) - before;
    expect(count).toBeGreaterThan(10);
    expect(count).toBeLessThan(300);
  });
});
