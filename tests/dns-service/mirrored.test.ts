import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { storeSigning } from "../../server/zones/changes/state/store-signing.ts";
import { queries } from "../../server/database/database.ts";
import { StandInSecondary } from "../support/name-servers/stand-in-secondary.ts";
import { serialOfLine, transfer } from "../support/name-servers/transfer-client.ts";
import { patience } from "../support/patience.ts";
import { startCloudflare, type CloudflareServer } from "../support/vendors/cloudflare/server.ts";
import { useZonewright } from "../support/zonewright.ts";
import { addZone, fileZone, freshName, manualZone, type Zone } from "../support/zones.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0", EGRESS_ALLOW: "127.0.0.1" } });
const catalog = "mirrors.invalid";
let port = 0;
let secondary: StandInSecondary;
let configId: string;
let cloudflare: CloudflareServer;

beforeAll(async () => {
  [port = 0] = zw.services.dnsService.ports;
  secondary = await StandInSecondary.start(null, () => new Date());
  configId = await configure("Secondaries", { notify: `127.0.0.1:${secondary.port}`, catalogZone: catalog });
  cloudflare = await startCloudflare();
});
afterAll(async () => {
  secondary.stop();
  await cloudflare.stop();
});

async function configure(name: string, more: object): Promise<string> {
  const config = { nameServers: "ns1.example.net", contact: "dns@example.net", allowTransfer: "127.0.0.1", ...more };
  const { status, body } = await zw.admin.post("/api/provider-configs", { kind: "primary", name, config });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.id;
}

async function mirrored(zone: Zone): Promise<string> {
  const { status, body } = await zone.post("/mirrors", { providerConfigId: configId });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.mirrorId;
}

const served = async ({ name }: Zone, since?: number) =>
  await transfer(port, name, since === undefined ? {} : { since });
const records = (lines: readonly string[]) => lines.filter((line) => !line.includes(" SOA ")).toSorted();
const members = async () => (await transfer(port, catalog)).lines.filter((line) => line.includes(" PTR ")).join("\n");

async function inSync(zone: Zone): Promise<void> {
  const check = async () => {
    const { body } = await zone.get("/mirrors");
    expect(body.mirrors).toMatchObject([{ kind: "primary", state: "in_sync", revision: body.revision }]);
    const { body: report } = await zone.get("/secondaries");
    expect(report.secondaries).toMatchObject([{ notified: true, inSync: true, serial: report.serial }]);
  };
  await vi.waitFor(check, patience);
}

test("deleting a mirrored domain forgets its secondaries", async () => {
  const zone = await fileZone(zw);
  await mirrored(zone);
  await inSync(zone);
  const rows = async () => {
    const { dnsService, database } = zw.services;
    await dnsService.secondaries.written();
    const found = queries(database.fork()).selectFrom("primary_secondaries").select("identity");
    return await found.where("zone_id", "=", zone.id).execute();
  };
  expect(await rows()).not.toEqual([]);
  const { dnsService, database } = zw.services;
  const [known] = await dnsService.zones(database.fork(), zone.id);
  const [endpoint] = known?.service.settings.notify ?? [];
  if (!known || !endpoint) throw new Error("The zone has no secondary.");
  expect((await zw.admin.delete(`/api/domains/${zone.id}?force=true`)).status).toBe(200);
  expect(await rows()).toEqual([]);
  // An answer that was on its way.
  dnsService.secondaries.serves(known, endpoint, null, known.soa.serial);
  expect(await rows()).toEqual([]);
});

describe("a mirror from which secondaries transfer", () => {
  test("the plan lists the records, and then they are transferred, while the main provider stays", async () => {
    const zone = await fileZone(zw);
    await zone.add("A", "www", "192.0.2.1", 300);
    const { recordCount, providerConfigId } = await zone.detail();
    const plan = await zone.post("/mirrors", { providerConfigId: configId, dryRun: true });
    expect(plan.body).toMatchObject({ create: recordCount, update: 0, delete: 0, mirrorId: null });
    expect((await served(zone)).rcode).toBe(5);
    await mirrored(zone);
    const { lines } = await served(zone);
    expect(records(lines)).toContain(`www.${zone.name} 300 A 192.0.2.1`);
    expect(await zone.detail()).toMatchObject({ providerConfigId });
  });

  test("changes are announced, raise the serial, and are transferred as differences (RFC 1995 §4)", async () => {
    const zone = await fileZone(zw);
    await mirrored(zone);
    await inSync(zone);
    const serial = serialOfLine((await served(zone)).lines[0] ?? "");
    await zone.add("A", "new", "192.0.2.2", 300);
    await inSync(zone);
    expect(secondary.notified(zone.name)).toContain(serial + 1);
    const { lines } = await served(zone, serial);
    expect(lines.map(serialOfLine)[0]).toBe(serial + 1);
    expect(records(lines)).toEqual([`new.${zone.name} 300 A 192.0.2.2`]);
  });

  test("the history shows when it was live at its mirrors and on its secondaries", async () => {
    const zone = await fileZone(zw);
    await zone.add("A", "before", "192.0.2.3");
    await mirrored(zone);
    await inSync(zone);
    await zone.add("A", "live", "192.0.2.3");
    const arrived = async () => {
      const { body } = await zone.get("/history");
      expect(body.entries[0]).toMatchObject({
        propagation: { secondaries: 1, inSync: 1, seconds: expect.any(Number) },
        mirrors: { mirrors: 1, inSync: 1, seconds: expect.any(Number) },
      });
      // It was no mirror when the first record was made.
      expect(body.entries.at(-1)).toMatchObject({ mirrors: null });
    };
    await vi.waitFor(arrived, patience);
  });

  test("the zone is in the catalog, and leaves it with the mirror or the domain, which needs force", async () => {
    const zone = await fileZone(zw);
    const mirrorId = await mirrored(zone);
    expect(await members()).toContain(zone.name);
    const refusal = { status: 409, body: { code: "CONFIRMATION_REQUIRED" } };
    expect(await zone.client.delete(`${zone.path}/mirrors/${mirrorId}`)).toMatchObject(refusal);
    expect(await zone.client.delete(zone.path)).toMatchObject(refusal);
    expect((await zone.client.delete(`${zone.path}/mirrors/${mirrorId}?force=true`)).status).toBe(200);
    expect(await members()).not.toContain(zone.name);
    expect((await served(zone)).rcode).toBe(5);
    expect((await zone.client.delete(zone.path)).status).toBe(200);
  });

  test("a domain that moves to it, and to another main provider, keeps its serial rising", async () => {
    const zone = await fileZone(zw);
    await mirrored(zone);
    const serials = [serialOfLine((await served(zone)).lines[0] ?? "")];
    await zone.add("A", "first", "192.0.2.4");
    const own = (await zone.detail()).providerConfigId;
    expect((await zw.admin.put(zone.path, { providerConfigId: configId })).status).toBe(200);
    expect((await zone.get("/mirrors")).body.mirrors).toEqual([]);
    serials.push(serialOfLine((await served(zone)).lines[0] ?? ""));
    const back = await zw.admin.put(zone.path, { providerConfigId: own, force: true });
    expect({ status: back.status, body: back.body }).toMatchObject({ status: 200 });
    await mirrored(zone);
    serials.push(serialOfLine((await served(zone)).lines[0] ?? ""));
    expect(serials).toEqual(serials.toSorted((one, other) => one - other));
    expect(new Set(serials).size).toBeGreaterThan(1);
  });

  test("once its main provider signs the zone, secondaries of the serial before get what a whole transfer has, and are notified", async () => {
    const zone = await manualZone(zw);
    const zonefile = `@ 300 IN CDS 12345 13 2 ${"AB".repeat(32)}\nwww 300 A 192.0.2.1\n`;
    expect((await zone.post("/zonefile", { zonefile })).status).toBe(200);
    await mirrored(zone);
    await inSync(zone);
    const before = (await served(zone)).lines;
    expect(before.join("\n")).toContain(" CDS ");
    const since = serialOfLine(before[0] ?? "");
    const signing = { signed: true, managed: [] };
    const { database } = zw.services;
    await database.fork().transactional((tx) => storeSigning(tx, zone.id, signing, new Date()));
    const whole = (await served(zone)).lines;
    expect(whole.join("\n")).not.toContain(" CDS ");
    expect((await served(zone, since)).lines).toEqual(whole);
    const serial = serialOfLine(whole[0] ?? "");
    await vi.waitFor(() => expect(secondary.notified(zone.name)).toContain(serial), patience);
    await inSync(zone);
  });

  test("what no secondary can have is left out and counted: a record that the main provider proxies", async () => {
    const name = freshName();
    cloudflare.addZone(name);
    const { body: cloud } = await zw.admin.post("/api/provider-configs", {
      kind: "cloudflare",
      name,
      config: { apiToken: cloudflare.token, accountId: cloudflare.accountId, endpoint: cloudflare.url },
    });
    const zone = await addZone(zw, { name, providerConfigId: cloud.id });
    await zone.add("A", "plain", "192.0.2.5", 1);
    await mirrored(zone);
    expect((await zone.create({ recordType: "A", name: "hidden", value: "192.0.2.6", proxied: true })).status).toBe(
      201,
    );
    const unsupported = async () =>
      expect((await zone.get("/mirrors")).body.mirrors).toMatchObject([{ state: "unsupported", unsupported: 1 }]);
    await vi.waitFor(unsupported, patience);
    const lines = records((await served(zone)).lines);
    // An automatic TTL is the one that resolvers see.
    expect(lines).toContain(`plain.${name} 300 A 192.0.2.5`);
    expect(lines.join("\n")).not.toContain("hidden");
  });
});
