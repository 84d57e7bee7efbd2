import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { serialDistance } from "../../../server/dns/wire/serials.ts";
import { binary } from "../../support/binaries.ts";
import type { Secondary } from "../../support/name-servers/secondary.ts";
import { startBindSecondary } from "../../support/name-servers/secondary-bind.ts";
import { freePorts, mustRun } from "../../support/programs.ts";
import { asPresented, recordLines } from "../../support/records/presentation.ts";
import { onceStarted, startZonewright, type Zonewright } from "../../support/zonewright.ts";

const signingTypes = new Set(["RRSIG", "DNSKEY", "NSEC", "CDS", "CDNSKEY", "TYPE65534"]);
let running: (Zonewright & { stop(): Promise<void> }) | undefined;
let dnsPort = 0;
let secondary: Secondary | undefined;
const zw = onceStarted(() => running);

beforeAll(async () => {
  [dnsPort = 0] = await freePorts(1);
  running = await startZonewright({ env: { DNS_LISTEN: `127.0.0.1:${dnsPort}` }, schedules: true });
});
afterAll(async () => {
  await secondary?.remove();
  await running?.stop();
});

async function add(id: string, name: string): Promise<void> {
  const { status } = await zw.admin.post(`/api/domains/${id}/records`, { recordType: "A", name, value: "192.0.2.1" });
  expect(status).toBe(201);
}

async function apiLines(zone: string, id: string): Promise<string[]> {
  const { body } = await zw.admin.get(`/api/domains/${id}/records?limit=100`);
  return recordLines(asPresented(zone, body.records));
}

test("BIND signs a zone on the way (inline-signing): after each change it serves the API's records with a complete chain of signatures", async () => {
  const zone = "signed-inline.test";
  const [port = 0] = await freePorts(1);
  const place = `127.0.0.1:${port}`;
  const config = {
    nameServers: "ns1.example.net",
    contact: "dns@example.net",
    notify: place,
    signingSecondaries: place,
  };
  const made = await zw.admin.post("/api/provider-configs", { kind: "primary", name: zone, config });
  const { status, body } = await zw.admin.post("/api/domains", { name: zone, providerConfigId: made.body.id });
  expect({ status, body }).toMatchObject({ status: 201 });
  const { id } = body;
  const bindZone = "inline-signing yes; dnssec-policy default;";
  const bind = await startBindSecondary({ primaryPort: dnsPort, port, key: null, zones: [zone], bindZone });
  secondary = bind;
  const isVerified = async () => {
    const served = await bind.served(zone);
    const plain = served.filter(({ type }) => !signingTypes.has(type));
    expect(recordLines(plain)).toEqual(await apiLines(zone, id));
    const signed = new Set(served.flatMap(({ type, rdata }) => (type === "RRSIG" ? [rdata.split(" ")[0]] : [])));
    expect(signed).toContain("soa");
    const file = join(bind.folder, "served.zone");
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
  await vi.waitFor(inSync, { timeout: 60_000, interval: 100 });
  const [served = ""] = (await bind.served(zone)).flatMap(({ type, rdata }) => (type === "SOA" ? [rdata] : []));
  const { serial } = await report();
  expect(serialDistance(serial, Number(served.split(" ")[2]))).toBeGreaterThan(0);
  await zw.services.secondaryCheck.runOnce();
  await inSync();
  expect(await aheadOf(zone)).toBe(0);
});

/** How often the zone was reported to have a secondary that is ahead. */
async function aheadOf(zone: string): Promise<number> {
  const { body } = await zw.admin.get("/api/notifications");
  return body.notifications.filter(
    ({ title }: { title: string }) => title.includes(" is ahead with ") && title.includes(zone),
  ).length;
}
