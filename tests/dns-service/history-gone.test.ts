import { expect, test } from "vitest";
import { primary, settingsOf } from "../../server/dns-providers/primary.ts";
import { HistoryGone, wholeTransfer } from "../../server/dns-service/transfer.ts";
import { findZone } from "../../server/dns-service/zones.ts";
import { deleteOldSnapshots } from "../../server/zones/snapshots/retention.ts";
import { day, hour } from "../support/clock.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" } });
const zone = "example.com";
/** Records are read in pages of a thousand. */
const records = 2_500;

const config = { nameServers: "ns1.example.net", contact: "dns@example.net", allowTransfer: "127.0.0.0/8" };
let configId: string;

async function domain(): Promise<string> {
  const made = await zw.admin.post("/api/provider-configs", { kind: "primary", name: "Retained", config });
  configId = made.body.id;
  const { status, body } = await zw.admin.post("/api/domains", { name: zone, providerConfigId: configId });
  expect({ status, body }).toMatchObject({ status: 201 });
  const lines = Array.from({ length: records }, (_, index) => `h${String(index).padStart(4, "0")} 300 A 192.0.2.1`);
  const imported = await zw.admin.post(`/api/domains/${body.id}/zonefile`, { zonefile: `${lines.join("\n")}\n` });
  expect(imported.status).toBe(200);
  return body.id;
}

/** @returns the entries of a whole transfer of the zone as it is now */
async function begun() {
  const service = { configId, settings: settingsOf(primary.configSchema.parse(config)) };
  const served = await findZone(zw.services.database.fork(), [service], zone);
  if (!served) throw new Error("The zone is not served.");
  return wholeTransfer(zw.services.database, served).entries;
}

/** @returns how many entries came until the transfer ended, and why it broke off */
async function rest(entries: Awaited<ReturnType<typeof begun>>, afterFirstPage: () => Promise<void>) {
  let count = 0;
  try {
    for await (const { owner } of entries) {
      count += owner.length > 0 ? 1 : 0;
      if (count === 500) await afterFirstPage();
    }
    return { count, error: null };
  } catch (error) {
    return { count, error };
  }
}

/** Deletes what the shortest SNAPSHOT_RETENTION, a day, deletes some time from now. @returns how many versions that were */
async function retention(fromNow: number): Promise<number> {
  const before = new Date(Date.now() + fromNow - day);
  return (await deleteOldSnapshots(zw.services.database.fork(), before)).versions;
}

test("a transfer is of one revision whatever changes; no retention deletes what it reads within a day, and if it lasts longer it breaks off", async () => {
  const id = await domain();
  const { body } = await zw.admin.get(`/api/domains/${id}/records?name=h2400&limit=1`);
  const last = `/api/domains/${id}/records/${body.records[0].id}`;
  const change = async () => expect((await zw.admin.delete(last)).status).toBe(200);

  const whole = await rest(await begun(), async () => {
    await change();
    expect(await retention(23 * hour)).toBe(0);
  });
  // Two SOA records and the name server of the configuration.
  expect(whole).toEqual({ count: records + 3, error: null });

  const restored = await zw.admin.post(`/api/domains/${id}/records`, {
    recordType: "A",
    name: "h2400",
    value: "192.0.2.1",
  });
  expect(restored.status).toBe(201);
  const cut = await rest(await begun(), async () => {
    expect((await zw.admin.delete(`/api/domains/${id}/records/${restored.body.id}`)).status).toBe(200);
    expect(await retention(25 * hour)).toBeGreaterThan(0);
  });
  expect(cut.error).toBeInstanceOf(HistoryGone);
  expect(cut.count).toBeLessThan(records);
});
