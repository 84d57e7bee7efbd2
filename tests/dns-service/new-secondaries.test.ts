import { sql } from "kysely";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { queries } from "../../server/database/database.ts";
import { StandInSecondary } from "../support/name-servers/stand-in-secondary.ts";
import { patience } from "../support/patience.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0", JOBS: "off" } });
const zones = ["one.example", "two.example"];
const fields = { nameServers: "ns1.example.net", contact: "dns@example.net" };
const db = () => queries(zw.services.database.fork());
let secondary: StandInSecondary;
let away: StandInSecondary;
let ids: string[];

/** Both zones exist before their configuration lists a secondary. */
beforeAll(async () => {
  [secondary, away] = (await Promise.all([null, null].map((key) => StandInSecondary.start(key, () => new Date())))) as [
    StandInSecondary,
    StandInSecondary,
  ];
  away.answers = false;
  const { body: config } = await zw.admin.post("/api/provider-configs", {
    kind: "primary",
    name: "New",
    config: fields,
  });
  const made = zones.map((name) => zw.admin.post("/api/domains", { name, providerConfigId: config.id }));
  ids = (await Promise.all(made)).map(({ body }) => body.id);
  await untilAnnounced();
  for (const name of zones) secondary.serves.set(name, 7);
  const notify = `127.0.0.1:${secondary.port}, 127.0.0.1:${away.port}`;
  await zw.admin.put(`/api/provider-configs/${config.id}`, { config: { ...fields, notify } });
});
afterAll(() => {
  secondary.stop();
  away.stop();
});

/** Waits until both zones have been announced: to nobody. */
async function untilAnnounced(): Promise<void> {
  await vi.waitFor(async () => {
    const rows = await db().selectFrom("primary_zones").select("notified_serial").execute();
    expect(rows.filter(({ notified_serial: serial }) => serial !== null)).toHaveLength(zones.length);
  }, patience);
}

/** What is stored of secondaries, without asking them. */
async function known() {
  return await db()
    .selectFrom("primary_secondaries")
    .select(["zone_id", "address", sql<number | null>`serial::float8`.as("serial"), "error"])
    .execute();
}

const expected = () =>
  expect.arrayContaining(
    ids.flatMap((id) => [
      { zone_id: id, address: `127.0.0.1:${secondary.port}`, serial: 7, error: null },
      { zone_id: id, address: `127.0.0.1:${away.port}`, serial: null, error: expect.any(String) },
    ]),
  );

async function untilKnown(): Promise<void> {
  await vi.waitFor(async () => {
    const rows = await known();
    expect(rows).toHaveLength(4);
    expect(rows).toEqual(expected());
  }, patience);
}

test("secondaries that are added to a configuration are asked at once what they serve of each zone, before any NOTIFY, and the report says it", async () => {
  await untilKnown();
  for (const name of zones) expect(secondary.notified(name)).toEqual([]);
  const { body } = await zw.admin.get(`/api/domains/${ids[0]}/secondaries`);
  expect(body.secondaries).toMatchObject([
    { notified: true, serial: 7, inSync: false, lastNotifyAt: null, error: null },
    { notified: true, serial: null, inSync: false, lastNotifyAt: null, error: expect.any(String) },
  ]);
});

test("the check job asks secondaries without stored state, such as after the instance that changed the configuration was killed", async () => {
  await untilKnown();
  await db().deleteFrom("primary_secondaries").execute();
  await zw.services.secondaryCheck.runOnce();
  expect(await known()).toEqual(expected());
});
