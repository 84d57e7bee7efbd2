import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { DnsRelay } from "../../support/name-servers/dns-relay.ts";
import { untilServed, type Secondary } from "../../support/name-servers/secondary.ts";
import { startBindSecondary } from "../../support/name-servers/secondary-bind.ts";
import { freePorts } from "../../support/programs.ts";
import { recordLines } from "../../support/records/presentation.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { migratedDatabase } from "../../support/servers/postgres.ts";
import { startService, type ServiceProcess } from "../../support/service-process.ts";
import { kinds } from "./four-servers.ts";
import { listed } from "./random-edits.ts";

const zone = "killed.test";
const other = "killed-secondaries.test";
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
  const env = {
    DATA_DIR: dataDir,
    DATABASE_URL: await migratedDatabase("zonewright_killed_transfer"),
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

/** @returns the id of a new domain */
async function create(admin: RestClient, name: string, notify: string): Promise<string> {
  const config = { nameServers: "ns1.example.net", contact: "dns@example.net", notify };
  const made = await admin.post("/api/provider-configs", { kind: "primary", name, config });
  const { status, body } = await admin.post("/api/domains", { name, providerConfigId: made.body.id });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.id;
}

function zoneFile(): string {
  return Array.from({ length: records }, (_, host) => `h${host} 300 A 198.51.${host >> 8}.${host & 255}\n`).join("");
}

test("after kill -9 in the middle of a transfer, BIND serves the zone as it was, and all of the new one once the service is back", async () => {
  const [, relayPort = 0, port = 0] = ports;
  const admin = await service.signIn();
  const id = await create(admin, zone, `127.0.0.1:${port}`);
  const path = `/api/domains/${id}`;
  await admin.post(`${path}/records`, { recordType: "A", name: "old", value: "192.0.2.1" });
  const before = await listed(admin, zone, id);
  // BIND tries again by itself after a second or two.
  const bindOptions = "min-retry-time 1; max-retry-time 2;";
  bind = await startBindSecondary({ primaryPort: relayPort, port, key: null, zones: [zone], bindOptions });
  await untilServed(bind, zone, before);

  const killed = relay?.cutAfter(200_000, () => service.stop("SIGKILL"));
  // The kill may come before the answer.
  await admin.post(`${path}/zonefile`, { zonefile: zoneFile() }).catch(() => undefined);
  await killed;
  expect(recordLines(await bind.served(zone))).toEqual(before);

  service = await start();
  const again = await service.signIn();
  const inSync = async () => {
    const { body: report } = await again.get(`${path}/secondaries`);
    expect(report).toMatchObject({ secondaries: [{ inSync: true, lastTransferKind: "axfr" }] });
  };
  await vi.waitFor(inSync, { timeout: 180_000, interval: 500 });
  const after = await listed(again, zone, id);
  expect(after).toHaveLength(before.length + records);
  await untilServed(bind, zone, after);
});

test("after kill -9 of a secondary in the middle of a transfer, it never serves a part of the zone, and soon all of it: BIND, Knot, NSD and PowerDNS", async () => {
  const [dnsPort = 0] = ports;
  const admin = await service.signIn();
  const servers = await Promise.all(
    kinds.map(async (startKind) => {
      const [relayPort = 0, port = 0] = await freePorts(2);
      return { startKind, port, relayPort, relay: await DnsRelay.start(relayPort, dnsPort) };
    }),
  );
  const notify = servers.map(({ port }) => `127.0.0.1:${port}`).join(",");
  const id = await create(admin, other, notify);
  const before = await listed(admin, other, id);
  const secondaries = await Promise.all(
    servers.map(({ startKind, port, relayPort }) =>
      startKind({ primaryPort: relayPort, port, key: null, zones: [other] }),
    ),
  );
  try {
    await Promise.all(secondaries.map((secondary) => untilServed(secondary, other, before)));
    const killed = secondaries.map((secondary, index) =>
      servers[index]?.relay.cutAfter(200_000, () => secondary.stop("SIGKILL")),
    );
    expect((await admin.post(`/api/domains/${id}/zonefile`, { zonefile: zoneFile() })).status).toBe(200);
    const after = await listed(admin, other, id);
    expect(after).toHaveLength(before.length + records);
    await Promise.all(
      secondaries.map(async (secondary, index) => {
        await killed[index];
        await secondary.restart();
        const counts = new Set<number>();
        const whole = async () => {
          const served = recordLines(await secondary.served(other));
          counts.add(served.length);
          if (served.join("\n") !== after.join("\n"))
            throw new Error(`${secondary.name} serves ${served.length} records:\n${secondary.log().slice(-1_500)}`);
        };
        await vi.waitFor(whole, { timeout: 150_000, interval: 200 });
        expect([0, before.length, after.length]).toEqual(expect.arrayContaining([...counts]));
      }),
    );
  } finally {
    await Promise.all(secondaries.map((secondary) => secondary.remove()));
    for (const { relay: one } of servers) one.stop();
  }
});
