import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { serialDistance } from "../../../server/dns/wire/serials.ts";
import { deleteOldSnapshots } from "../../../server/snapshots/retention.ts";
import { binary } from "../../support/binaries.ts";
import { untilServed, type Secondary } from "../../support/name-servers/secondary.ts";
import { startBindSecondary } from "../../support/name-servers/secondary-bind.ts";
import { freePorts, mustRun } from "../../support/programs.ts";
import { asPresented, recordLines } from "../../support/records/presentation.ts";
import { onceStarted, startZonewright, type Zonewright } from "../../support/zonewright.ts";

const signingTypes = new Set(["RRSIG", "DNSKEY", "NSEC", "CDS", "CDNSKEY", "TYPE65534"]);
let running: (Zonewright & { stop(): Promise<void> }) | undefined;
let dnsPort = 0;
const secondaries: Secondary[] = [];
const zw = onceStarted(() => running);

beforeAll(async () => {
  [dnsPort = 0] = await freePorts(1);
  running = await startZonewright({ env: { DNS_LISTEN: `127.0.0.1:${dnsPort}` } });
});
afterAll(async () => {
  for (const secondary of secondaries) await secondary.remove();
  await running?.stop();
});

/** Adds a zone that is announced to a port, where no secondary runs yet. */
async function create(zone: string, port: number, more: object = {}): Promise<string> {
  const config = { nameServers: "ns1.example.net", contact: "dns@example.net", notify: `127.0.0.1:${port}`, ...more };
  const made = await zw.admin.post("/api/provider-configs", { kind: "primary", name: zone, config });
  const { status, body } = await zw.admin.post("/api/domains", { name: zone, providerConfigId: made.body.id });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.id;
}

async function follow(zone: string, port: number, bindZone = ""): Promise<Secondary> {
  const secondary = await startBindSecondary({ primaryPort: dnsPort, port, key: null, zones: [zone], bindZone });
  secondaries.push(secondary);
  return secondary;
}

async function add(id: string, name: string): Promise<void> {
  const { status } = await zw.admin.post(`/api/domains/${id}/records`, { recordType: "A", name, value: "192.0.2.1" });
  expect(status).toBe(201);
}

async function apiLines(zone: string, id: string): Promise<string[]> {
  const { body } = await zw.admin.get(`/api/domains/${id}/records?limit=100`);
  return recordLines(asPresented(zone, body.records));
}

async function wholeTransfers(): Promise<number> {
  const text = await (await fetch(`${zw.url}/metrics`)).text();
  return Number(/^zonewright_zone_transfers_total\{kind="axfr"\} (\d+)/m.exec(text)?.[1] ?? 0);
}

test("BIND follows serials across their wrap-around by differences (RFC 1982 §3)", async () => {
  const zone = "wrapped.test";
  const [port = 0] = await freePorts(1);
  const id = await create(zone, port);
  const changes = 6;
  const em = zw.services.database.fork();
  await queries(em)
    .updateTable("primary_zones")
    .set({ serial_base: 2 ** 32 - changes / 2 })
    .where("domain_id", "=", id)
    .execute();
  const before = (await zw.admin.get(`/api/domains/${id}/secondaries`)).body.serial;
  expect(before).toBeGreaterThan(2 ** 32 - 10);
  const secondary = await follow(zone, port);
  await untilServed(secondary, zone, await apiLines(zone, id));
  const whole = await wholeTransfers();
  for (let change = 0; change < changes; change++) {
    await add(id, `host${change}`);
    await untilServed(secondary, zone, await apiLines(zone, id));
  }
  const inSync = async () => {
    const { body } = await zw.admin.get(`/api/domains/${id}/secondaries`);
    expect(body).toMatchObject({ serial: (before + changes) % 2 ** 32, secondaries: [{ inSync: true }] });
  };
  await vi.waitFor(inSync, { timeout: 20_000, interval: 100 });
  expect(await wholeTransfers()).toBe(whole);
}, 120_000);

test("a secondary whose serial is older than the stored history gets the whole zone", async () => {
  const zone = "retained.test";
  const [port = 0] = await freePorts(1);
  const id = await create(zone, port);
  await add(id, "first");
  const secondary = await follow(zone, port);
  await untilServed(secondary, zone, await apiLines(zone, id));
  await secondary.stop();
  for (const name of ["second", "third", "fourth"]) await add(id, name);
  const removed = (await zw.admin.get(`/api/domains/${id}/records?limit=100`)).body.records.find(
    (record: { name: string }) => record.name === "first",
  );
  expect((await zw.admin.delete(`/api/domains/${id}/records/${removed.id}`)).status).toBe(200);
  const { versions } = await deleteOldSnapshots(zw.services.database.fork(), new Date(Date.now() + 60_000));
  expect(versions).toBeGreaterThan(0);
  const whole = await wholeTransfers();
  await secondary.restart();
  await zw.services.secondaryCheck.runOnce();
  await untilServed(secondary, zone, await apiLines(zone, id));
  expect(await wholeTransfers()).toBe(whole + 1);
}, 120_000);

test("BIND signs a zone on the way (inline-signing): after each change it serves the API's records with a complete chain of signatures", async () => {
  const zone = "signed-inline.test";
  const [port = 0] = await freePorts(1);
  const id = await create(zone, port, { signingSecondaries: `127.0.0.1:${port}` });
  const secondary = await follow(zone, port, "inline-signing yes; dnssec-policy default;");
  const isVerified = async () => {
    const served = await secondary.served(zone);
    const plain = served.filter(({ type }) => !signingTypes.has(type));
    expect(recordLines(plain)).toEqual(await apiLines(zone, id));
    const signed = new Set(served.flatMap(({ type, rdata }) => (type === "RRSIG" ? [rdata.split(" ")[0]] : [])));
    expect(signed).toContain("soa");
    const file = join(secondary.folder, "served.zone");
    const query = ["@127.0.0.1", "-p", String(port), "+tcp", "+onesoa", `${zone}.`, "AXFR"];
    await writeFile(file, await mustRun(binary("dig"), query));
    // -z: one key signs everything.
    await mustRun(binary("dnssec-verify"), ["-z", "-o", zone, file]);
  };
  await vi.waitFor(isVerified, { timeout: 60_000, interval: 200 });
  for (const name of ["www", "mail"]) {
    await add(id, name);
    await vi.waitFor(isVerified, { timeout: 60_000, interval: 200 });
  }
  // Its serial runs ahead by its signatures, which says nothing about whether it follows.
  const report = async () => (await zw.admin.get(`/api/domains/${id}/secondaries`)).body;
  const inSync = async () => expect(await report()).toMatchObject({ secondaries: [{ signs: true, inSync: true }] });
  await vi.waitFor(inSync, { timeout: 20_000, interval: 100 });
  const [served = ""] = (await secondary.served(zone)).flatMap(({ type, rdata }) => (type === "SOA" ? [rdata] : []));
  const { serial } = await report();
  expect(serialDistance(serial, Number(served.split(" ")[2]))).toBeGreaterThan(0);
  await zw.services.secondaryCheck.runOnce();
  await inSync();
  expect(await aheadOf(zone)).toBe(0);
}, 300_000);

/** How often the zone was reported to have a secondary that is ahead. */
async function aheadOf(zone: string): Promise<number> {
  const { body } = await zw.admin.get("/api/notifications");
  return body.notifications.filter(
    ({ title }: { title: string }) => title.includes(" is ahead with ") && title.includes(zone),
  ).length;
}
