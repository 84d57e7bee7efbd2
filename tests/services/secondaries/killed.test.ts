import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { DnsRelay } from "../../support/name-servers/dns-relay.ts";
import { untilServed, type Secondary } from "../../support/name-servers/secondary.ts";
import { startBindSecondary } from "../../support/name-servers/secondary-bind.ts";
import { freePorts } from "../../support/programs.ts";
import { asPresented, recordLines } from "../../support/records/presentation.ts";
import { createDatabase } from "../../support/servers/postgres.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { startService, type ServiceProcess } from "../../support/service-process.ts";

const zone = "killed.test";
const records = 30_000;
let dataDir: string;
let service: ServiceProcess;
let relay: DnsRelay | undefined;
let bind: Secondary | undefined;
let start: () => Promise<ServiceProcess>;
let ports: number[];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "zonewright-killed-"));
  ports = await freePorts(3);
  const [dnsPort = 0, relayPort = 0] = ports;
  const server = process.env["TEST_DATABASE_URL"] ?? "";
  const env = {
    DATA_DIR: dataDir,
    DATABASE_URL: await createDatabase(server, "zonewright_killed_transfer"),
    DNS_LISTEN: `127.0.0.1:${dnsPort}`,
  };
  start = () => startService(env);
  service = await start();
  relay = await DnsRelay.start(relayPort, dnsPort);
});
afterAll(async () => {
  await bind?.remove();
  relay?.stop();
  await service?.stop("SIGKILL");
  await rm(dataDir, { recursive: true, force: true });
});

async function listed(admin: RestClient, id: string): Promise<string[]> {
  const all: never[] = [];
  for (let page = 1; ; page++) {
    const { body } = await admin.get(`/api/domains/${id}/records?limit=500&page=${page}`);
    all.push(...(body.records as never[]));
    if (body.records.length < 500) return recordLines(asPresented(zone, all));
  }
}

test("after kill -9 in the middle of a transfer, BIND serves the zone as it was, and all of the new one once the service is back", async () => {
  const [, relayPort = 0, port = 0] = ports;
  const admin = await service.signIn();
  const config = { nameServers: "ns1.example.net", contact: "dns@example.net", notify: `127.0.0.1:${port}` };
  const made = await admin.post("/api/provider-configs", { kind: "primary", name: "Killed", config });
  const { body } = await admin.post("/api/domains", { name: zone, providerConfigId: made.body.id });
  const path = `/api/domains/${body.id}`;
  await admin.post(`${path}/records`, { recordType: "A", name: "old", value: "192.0.2.1" });
  const before = await listed(admin, body.id);
  // BIND tries again by itself after a second or two.
  const bindOptions = "min-retry-time 1; max-retry-time 2;";
  bind = await startBindSecondary({ primaryPort: relayPort, port, key: null, zones: [zone], bindOptions });
  await untilServed(bind, zone, before);

  const killed = relay?.cutAfter(200_000, () => service.stop("SIGKILL"));
  const lines = Array.from({ length: records }, (_, host) => `h${host} 300 A 198.51.${host >> 8}.${host & 255}\n`);
  // The kill may come before the answer.
  await admin.post(`${path}/zonefile`, { zonefile: lines.join("") }).catch(() => undefined);
  await killed;
  expect(recordLines(await bind.served(zone))).toEqual(before);

  service = await start();
  const again = await service.signIn();
  const inSync = async () => {
    const { body: report } = await again.get(`${path}/secondaries`);
    expect(report).toMatchObject({ secondaries: [{ inSync: true, lastTransferKind: "axfr" }] });
  };
  await vi.waitFor(inSync, { timeout: 180_000, interval: 500 });
  const after = await listed(again, body.id);
  expect(after).toHaveLength(before.length + records);
  await untilServed(bind, zone, after);
}, 300_000);
