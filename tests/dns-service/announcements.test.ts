import { expect, test } from "vitest";
import { queries } from "../../server/database/database.ts";
import { claimSerial, storeAnnouncements } from "../../server/dns-service/secondaries.ts";
import type { ServedZone } from "../../server/dns-service/zones.ts";
import { useZonewright } from "../support/zonewright.ts";
import { addZone, freshName, type Zone } from "../support/zones.ts";

// Without DNS_LISTEN the service itself announces nothing, so that only the tests do.
const zw = useZonewright({ env: { JOBS: "off" } });

async function primaryZone(): Promise<Zone> {
  const name = freshName();
  // Port 9 takes no messages.
  const config = { nameServers: "ns1.example.net", contact: "dns@example.net", notify: "127.0.0.1:9" };
  const { body } = await zw.admin.post("/api/provider-configs", { kind: "primary", name, config });
  return await addZone(zw, { name, providerConfigId: body.id });
}

const em = () => zw.services.database.fork();

async function served({ id }: Zone): Promise<ServedZone> {
  const [zone] = await zw.services.dnsService.zones(em(), id);
  if (!zone) throw new Error("The zone is not served.");
  return zone;
}

const notifiedSerial = async ({ id }: Zone) => {
  const found = queries(em()).selectFrom("primary_zones").select("notified_serial").where("domain_id", "=", id);
  return Number((await found.executeTakeFirstOrThrow()).notified_serial);
};

/** A zone whose newest serial nobody has announced, as it was read before and after two changes. */
async function changed(): Promise<{ zone: Zone; views: [ServedZone, ServedZone] }> {
  const zone = await primaryZone();
  await zone.add("A", "first", "192.0.2.1");
  const older = await served(zone);
  await zone.add("A", "second", "192.0.2.2");
  const newer = await served(zone);
  const unannounced = { notified_serial: older.serialBase + older.revision - 1 };
  await queries(em()).updateTable("primary_zones").set(unannounced).where("domain_id", "=", zone.id).execute();
  await queries(em()).deleteFrom("secondary_revisions").where("domain_id", "=", zone.id).execute();
  return { zone, views: [older, newer] };
}

test("an instance that read a zone before a newer serial was claimed cannot claim an older one", async () => {
  const { zone, views } = await changed();
  const [older, newer] = views;
  expect(await claimSerial(em(), newer)).toBe(older.revision);
  expect(await claimSerial(em(), older)).toBeNull();
  expect(await claimSerial(em(), newer)).toBeNull();
  expect(await notifiedSerial(zone)).toBe(newer.serialBase + newer.revision);
});

test("a serial that was claimed before the base was reset does not keep a lower one from being claimed", async () => {
  const { zone, views } = await changed();
  const [, newer] = views;
  const before = { notified_serial: newer.serialBase + newer.revision + 5_000_000 };
  await queries(em()).updateTable("primary_zones").set(before).where("domain_id", "=", zone.id).execute();
  expect(await claimSerial(em(), newer)).toBe(newer.revision);
  expect(await claimSerial(em(), newer)).toBeNull();
});

test("a secondary that two announcements cover counts once in the history", async () => {
  const { zone, views } = await changed();
  const [older, newer] = views;
  await storeAnnouncements(em(), [
    { zones: [newer], since: older.revision },
    { zones: [older], since: older.revision },
  ]);
  for (const { propagation } of (await zone.history()).slice(0, 2))
    expect(propagation).toMatchObject({ secondaries: 1 });
});
