import { afterAll, beforeAll, expect, test } from "vitest";
import { untilServed, type Secondary } from "../../support/name-servers/secondary.ts";
import { startBindSecondary } from "../../support/name-servers/secondary-bind.ts";
import { startKnotSecondary } from "../../support/name-servers/secondary-knot.ts";
import { startPowerdnsSecondary } from "../../support/name-servers/secondary-powerdns.ts";
import { freePorts } from "../../support/programs.ts";
import { asPresented, recordLines } from "../../support/records/presentation.ts";
import { onceStarted, startZonewright, type Zonewright } from "../../support/zonewright.ts";

const kinds = [startBindSecondary, startKnotSecondary, startPowerdnsSecondary];
const catalog = "catalog.invalid";
let running: (Zonewright & { stop(): Promise<void> }) | undefined;
let secondaries: Secondary[] = [];
let configId: string;
const zw = onceStarted(() => running);

beforeAll(async () => {
  const [dnsPort = 0, ...ports] = await freePorts(kinds.length + 1);
  running = await startZonewright({ env: { DNS_LISTEN: `127.0.0.1:${dnsPort}` } });
  const notify = ports.map((port) => `127.0.0.1:${port}`).join(",");
  const config = { nameServers: "ns1.example.net", contact: "dns@example.net", notify, catalogZone: catalog };
  const { body } = await zw.admin.post("/api/provider-configs", { kind: "primary", name: "Catalog", config });
  configId = body.id;
  secondaries = await Promise.all(
    kinds.map((start, index) => start({ primaryPort: dnsPort, port: ports[index], key: null, catalog })),
  );
}, 60_000);
afterAll(async () => {
  await Promise.all(secondaries.map((secondary) => secondary.remove()));
  await running?.stop();
});

async function create(name: string): Promise<string> {
  const { body } = await zw.admin.post("/api/domains", { name, providerConfigId: configId });
  return body.id;
}

async function untilAllServe(zone: string, wanted: readonly string[]): Promise<void> {
  await Promise.all(secondaries.map((secondary) => untilServed(secondary, zone, wanted, 60_000)));
}

async function linesOf(zone: string, id: string): Promise<string[]> {
  const { body } = await zw.admin.get(`/api/domains/${id}/records?limit=100`);
  return recordLines(asPresented(zone, body.records));
}

test("a domain appears at BIND, Knot and PowerDNS when it is added, changes there, and disappears when it is deleted (RFC 9432)", async () => {
  const zones = ["one.test", "two.test"];
  const ids = new Map<string, string>();
  for (const zone of zones) ids.set(zone, await create(zone));
  for (const [zone, id] of ids) await untilAllServe(zone, await linesOf(zone, id));
  const [[zone = "", id = ""] = []] = ids;
  await zw.admin.post(`/api/domains/${id}/records`, { recordType: "A", name: "www", value: "192.0.2.1" });
  await untilAllServe(zone, await linesOf(zone, id));
  expect((await zw.admin.delete(`/api/domains/${id}?force=true`)).status).toBe(200);
  await untilAllServe(zone, []);
  // A zone of the same name starts anew, with a serial of its own.
  const again = await create(zone);
  await untilAllServe(zone, await linesOf(zone, again));
  const [, other = ""] = zones;
  await untilAllServe(other, await linesOf(other, ids.get(other) ?? ""));
}, 180_000);
