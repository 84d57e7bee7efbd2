import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { serialDistance } from "../../../server/dns/wire/serials.ts";
import { untilServed, type Secondary } from "../../support/name-servers/secondary.ts";
import { startBindSecondary } from "../../support/name-servers/secondary-bind.ts";
import { startBind } from "../../support/name-servers/bind.ts";
import { dig } from "../../support/name-servers/dig.ts";
import {
  hostNotifiedAt,
  hostTransfersFrom,
  inPlaceOfKey,
  secondaryOn,
} from "../../support/name-servers/documented-secondary.ts";
import { emptyZone, freshKey } from "../../support/name-servers/update-server.ts";
import { substituted } from "../../support/pages/page-configuration.ts";
import { freePorts } from "../../support/programs.ts";
import { asPresented, recordLines } from "../../support/records/presentation.ts";
import { onceStarted, startZonewright, type Zonewright } from "../../support/zonewright.ts";

const key = freshKey();
let running: (Zonewright & { stop(): Promise<void> }) | undefined;
let bind: Secondary;
let unsigned: Secondary;
let ports: number[];
const zw = onceStarted(() => running);

beforeAll(async () => {
  ports = await freePorts(5);
  const [dnsPort = 0, bindPort = 0, unsignedPort = 0] = ports;
  running = await startZonewright({ env: { DNS_LISTEN: `127.0.0.1:${dnsPort}` }, schedules: true });
  bind = await startBindSecondary({ primaryPort: dnsPort, port: bindPort, key, zones: ["signed.test"] });
  unsigned = await startBindSecondary({ primaryPort: dnsPort, port: unsignedPort, key: null, zones: ["plain.test"] });
});

afterAll(async () => {
  await bind?.remove();
  await unsigned?.remove();
  await running?.stop();
});

async function configure(name: string, config: object): Promise<string> {
  const fields = { nameServers: "ns1.example.net, ns2.example.net", contact: "hostmaster@example.net" };
  const { status, body } = await zw.admin.post("/api/provider-configs", {
    kind: "primary",
    name,
    config: { ...fields, ...config },
  });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.id;
}

async function apiLines(zone: string, id: string): Promise<string[]> {
  const { body } = await zw.admin.get(`/api/domains/${id}/records?limit=200`);
  return recordLines(asPresented(zone, body.records));
}

test.each([
  ["signed with TSIG", "signed.test"],
  ["by address alone", "plain.test"],
])(
  "BIND as a secondary, %s, serves the API's records after each change, and gets differences by IXFR",
  async (_, zone) => {
    const [secondary, port] = zone === "signed.test" ? [bind, ports[1]] : [unsigned, ports[2]];
    const keys = zone === "signed.test" ? { tsigKeys: `${key.name}:${key.algorithm}:${key.secret}` } : {};
    const configId = await configure(zone, { notify: `127.0.0.1:${port}`, ...keys });
    const created = await zw.admin.post("/api/domains", { name: zone, providerConfigId: configId });
    expect(created).toMatchObject({ status: 201 });
    const { id } = created.body;
    await untilServed(secondary, zone, await apiLines(zone, id));
    for (let index = 0; index < 5; index++) {
      const { status, body } = await zw.admin.post(`/api/domains/${id}/records`, {
        recordType: "A",
        name: `host${index}`,
        value: `192.0.2.${index}`,
      });
      expect({ status, body }).toMatchObject({ status: 201 });
      await untilServed(secondary, zone, await apiLines(zone, id));
      const report = await zw.admin.get(`/api/domains/${id}/secondaries`);
      expect(report.body.secondaries).toMatchObject([{ inSync: true, lastTransferKind: "ixfr" }]);
    }
  },
);

async function add(id: string, name: string): Promise<void> {
  const record = { recordType: "A", name, value: "192.0.2.1", ttl: 300 };
  const { status, body } = await zw.admin.post(`/api/domains/${id}/records`, record);
  expect({ status, body }).toMatchObject({ status: 201 });
}

test("a hosting company that is notified at one address and transfers from another, configured as in the guide, serves each change and is reported at both addresses", async () => {
  const zone = "hosted.test";
  const [dnsPort = 0, , , port = 0] = ports;
  const [notifiedAt, transfersFrom] = [`127.0.0.1:${port}`, "127.0.0.5"];
  const text = substituted(await secondaryOn(`"allowTransfer": "${hostTransfersFrom}"`), {
    [hostNotifiedAt]: notifiedAt,
    [hostTransfersFrom]: transfersFrom,
    ...inPlaceOfKey(key),
  });
  const configId = await configure(zone, JSON.parse(text) as object);
  const { body } = await zw.admin.post("/api/domains", { name: zone, providerConfigId: configId });
  await add(body.id, "first");
  // Not earlier: once it was refused, BIND transfers from its other address.
  const secondary = await startBindSecondary({ primaryPort: dnsPort, port, key, zones: [zone], transfersFrom });
  onTestFinished(() => secondary.remove());
  await untilServed(secondary, zone, await apiLines(zone, body.id));
  await add(body.id, "second");
  await untilServed(secondary, zone, await apiLines(zone, body.id));
  const reported = async () => {
    const { body: report } = await zw.admin.get(`/api/domains/${body.id}/secondaries`);
    expect(report.secondaries).toMatchObject([
      { address: notifiedAt, notified: true, inSync: true, lastTransferAt: null, error: null },
      { address: transfersFrom, notified: false, inSync: true, lastTransferKind: "ixfr" },
    ]);
  };
  await vi.waitFor(reported, { timeout: 60_000, interval: 100 });
});

/** The serial that a server on a port of loopback serves. */
async function serialAt(port: number, zone: string): Promise<number> {
  const [soa] = await dig(port, "+tcp", `${zone}.`, "SOA");
  return Number(soa?.rdata.split(" ")[2]);
}

test("a zone moves from BIND by dynamic updates to secondaries and back: its secondary goes on with a higher serial, and BIND gets what was added", async () => {
  const zone = "moved.test";
  const [dnsPort = 0, , , , port = 0] = ports;
  // Newer than the serial that a new zone would get here (RFC 1982 §3.2).
  const content = emptyZone(zone).replace(" 1 3600 ", " 3000000000 3600 ");
  const server = await startBind([zone], { contentOf: () => content });
  onTestFinished(() => server.stop());
  const made = await zw.admin.post("/api/provider-configs", { kind: "rfc2136", name: "BIND", config: server.config });
  const { body } = await zw.admin.post("/api/domains", { name: zone, providerConfigId: made.body.id });
  const move = async (providerConfigId: string) => {
    const { status, body: moved } = await zw.admin.put(`/api/domains/${body.id}`, { providerConfigId });
    expect({ status, moved }).toMatchObject({ status: 200 });
  };
  for (const name of ["one", "two", "three"]) await add(body.id, name);
  // It follows BIND first, and then Zonewright with the zone that it stored.
  const follow = { port, zones: [zone] };
  const before = await startBindSecondary({ ...follow, primaryPort: server.port, key: server.key });
  onTestFinished(() => before.remove());
  await untilServed(before, zone, await apiLines(zone, body.id));
  const old = await serialAt(port, zone);
  expect(old).toBeGreaterThanOrEqual(3_000_000_000);
  await before.stop();
  await move(await configure("Secondaries of BIND's zone", { notify: `127.0.0.1:${port}` }));
  const after = await startBindSecondary({ ...follow, primaryPort: dnsPort, key: null, folder: before.folder });
  onTestFinished(() => after.remove());
  await untilServed(after, zone, await apiLines(zone, body.id));
  await add(body.id, "four");
  const lines = await apiLines(zone, body.id);
  await untilServed(after, zone, lines);
  expect(lines).toHaveLength(7);
  expect(serialDistance(old, await serialAt(port, zone))).toBeGreaterThan(0);

  await move(made.body.id);
  await add(body.id, "five");
  const again = await apiLines(zone, body.id);
  expect(recordLines(await server.transfer(zone))).toEqual(again);
  expect(again.filter((line) => line.endsWith(" A 192.0.2.1"))).toHaveLength(5);
  expect(await dig(dnsPort, "+tcp", `${zone}.`, "SOA")).toEqual([]);
});
