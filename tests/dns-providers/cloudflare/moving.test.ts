import { expect, test } from "vitest";
import { embeddedConfig, manualConfig, manualZone, type Zone } from "../../support/zones.ts";
import { difference, linesAt, none, useCloudflare, writes } from "./cloudflare.ts";

const cf = useCloudflare();
const mail = { type: "MX", ttl: 1, content: "route1.mx.cloudflare.net", priority: 5 };

async function moved(zone: Zone) {
  return await cf.zw.admin.put(zone.path, { providerConfigId: await cf.configure() });
}

test("a domain moves to a new zone at Cloudflare with its records unchanged", async () => {
  const zone = await manualZone(cf.zw);
  await zone.add("A", "www", "192.0.2.1", 300);
  await zone.add("NS", "@", "ns1.example.net");
  const before = await zone.records();
  expect((await moved(zone)).status).toBe(200);
  expect(await zone.records()).toEqual(before);
  expect(await difference(zone)).toEqual(none);
  expect(await zone.history()).toHaveLength(2);
});

test("Cloudflare's own records do not block a move and become part of the domain", async () => {
  const zone = await manualZone(cf.zw);
  await zone.add("A", "www", "192.0.2.1", 300);
  cf.server.addZone(zone.name);
  cf.server.addRecord(zone.name, { ...mail, name: zone.name }, { read_only: true });
  const { status, body } = await moved(zone);
  expect({ status, body }).toMatchObject({ status: 200, body: { recordCount: 2, revision: 2 } });
  expect(writes(cf.server)).toHaveLength(1);
  expect(await zone.lines()).toEqual(["@ MX 5 route1.mx.cloudflare.net", "www A 192.0.2.1"]);
  expect(linesAt(cf.server, zone)).toHaveLength(2);
  expect(await difference(zone)).toEqual(none);
  expect((await zone.history())[0]).toMatchObject({
    kind: "sync",
    state: "applied",
    creates: 1,
    updates: 0,
    deletes: 0,
  });
  const { snapshots } = (await zone.get("/snapshots")).body;
  expect(snapshots).toMatchObject([{ trigger: "on_change", recordCount: 1 }]);
});

test("other records at Cloudflare block a move, and nothing changes on either side", async () => {
  const zone = await manualZone(cf.zw);
  await zone.add("A", "www", "192.0.2.1", 300);
  const before = await zone.detail();
  cf.server.addZone(zone.name);
  cf.server.addRecord(zone.name, { ...mail, name: zone.name }, { read_only: true });
  cf.server.addRecord(zone.name, { type: "A", name: "parked", ttl: 300, content: "203.0.113.9" });
  const { status, body } = await moved(zone);
  expect([status, body.detail]).toEqual([409, expect.stringContaining("has other records at that provider")]);
  expect([await zone.detail(), writes(cf.server)]).toEqual([before, []]);
});

test("a move names an unsupported record before anything is sent to Cloudflare", async () => {
  const zone = await manualZone(cf.zw);
  await zone.add("A", "www", "192.0.2.1", 29);
  const { status, body } = await moved(zone);
  expect([status, body.issues[0].message]).toEqual([
    400,
    expect.stringMatching(/^www A: Cloudflare requires a TTL from 30 to 86400/),
  ]);
  expect(writes(cf.server)).toEqual([]);
});

test("an automatic TTL becomes 300 seconds when a domain leaves Cloudflare", async () => {
  const zone = await cf.zone();
  await zone.add("A", "www", "192.0.2.1", 1);
  await zone.add("A", "ftp", "192.0.2.2", 120);
  const ttls = async () => (await zone.records()).map(({ name, ttl }) => [name, ttl]);
  for (const providerConfigId of [await manualConfig(cf.zw), await embeddedConfig(cf.zw)]) {
    expect((await cf.zw.admin.put(zone.path, { providerConfigId })).status).toBe(200);
    expect(await ttls()).toEqual([
      ["ftp", 120],
      ["www", 300],
    ]);
  }
  expect(await zone.readFile()).toMatch(/www\s+300\s/);
  expect((await zone.history())[0]).toMatchObject({ kind: "sync", updates: 1 });
});

test("a domain with proxied records does not move to a provider without a proxy", async () => {
  const zone = await cf.zone();
  await zone.create({ recordType: "A", name: "www", value: "192.0.2.1", proxied: true });
  const { status, body } = await cf.zw.admin.put(zone.path, { providerConfigId: await embeddedConfig(cf.zw) });
  expect([status, body.issues[0].message]).toEqual([400, expect.stringContaining("no proxy")]);
});
