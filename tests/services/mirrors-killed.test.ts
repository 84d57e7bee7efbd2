import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startPowerdns, type PowerdnsServer } from "../support/name-servers/powerdns-api.ts";
import type { RestClient } from "../support/rest-client.ts";
import { createDatabase } from "../support/servers/postgres.ts";
import { startService, type ServiceProcess } from "../support/service-process.ts";
import { startCloudflare, type CloudflareServer } from "../support/vendors/cloudflare/server.ts";
import type { LoopbackVendor } from "../support/vendors/loopback-vendor.ts";
import { startRoute53, type Route53Server } from "../support/vendors/route53/server.ts";
import type { Body } from "../support/zones.ts";
import { startFaultyProxy, type FaultyProxy } from "./failure/faulty-proxy.ts";
import { powerdnsWire } from "./failure/wire-requests.ts";

const zone = "killed-mirror.test";
let dataDir: string;
let cloudflare: CloudflareServer;
let route53: Route53Server;
let hostedZone: string;
let powerdns: PowerdnsServer;
/** Between Zonewright and PowerDNS. */
let proxy: FaultyProxy;
let service: ServiceProcess;
let start: () => Promise<ServiceProcess>;
let path: string;
let count = 0;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "zonewright-mirrors-"));
  [cloudflare, route53, powerdns] = await Promise.all([startCloudflare(), startRoute53(), startPowerdns()]);
  proxy = await startFaultyProxy(Number(new URL(powerdns.url).port), powerdnsWire);
  cloudflare.addZone(zone, "enterprise");
  hostedZone = route53.addZone(zone);
  const env = {
    DATA_DIR: dataDir,
    DATABASE_URL: await createDatabase(process.env["TEST_DATABASE_URL"] ?? "", "zonewright_killed_mirror"),
    EGRESS_ALLOW: "127.0.0.1",
  };
  start = () => startService(env);
  service = await start();
});
afterAll(async () => {
  await service.stop("SIGKILL");
  await proxy.stop();
  await Promise.all([cloudflare, route53, powerdns].map((server) => server.stop()));
  await rm(dataDir, { recursive: true, force: true });
});

/** Starts a change of the next record. The kill may leave it without an answer. */
async function edit(admin: RestClient): Promise<unknown> {
  count += 1;
  const record = { recordType: "A", name: `host${count}`, value: `192.0.2.${count}`, ttl: 300 };
  return await admin.post(`${path}/records`, record).catch(() => null);
}

async function killAndRestart(): Promise<RestClient> {
  await service.stop("SIGKILL");
  service = await start();
  return await service.signIn();
}

/** Waits until all mirrors follow. What a killed process held is free again by itself after half a minute. */
async function inSync(admin: RestClient): Promise<void> {
  await vi.waitFor(
    async () => {
      const { body: before } = await admin.get(`${path}/mirrors`);
      await Promise.all(before.mirrors.map(({ id }: Body) => admin.post(`${path}/mirrors/${id}/reconcile`)));
      const { body } = await admin.get(`${path}/mirrors`);
      const follows = { state: "in_sync", revision: body.revision, differences: 0 };
      expect(body.mirrors).toMatchObject(Array.from({ length: 4 }, () => follows));
    },
    { timeout: 120_000, interval: 1_000 },
  );
}

const isChange = ({ method }: { method: string }) => method === "POST";

/** The next change at a vendor arrives and gets no answer. @param after whether it is carried out */
async function unanswered(vendor: LoopbackVendor, after: boolean): Promise<void> {
  const arrived = Promise.withResolvers<void>();
  vendor.failNext({ after, reply: "never" }, 1, isChange);
  vendor.meanwhile(isChange, arrived.resolve);
  await arrived.promise;
}

/** The addresses at each place, as `name value`. */
async function everywhere(admin: RestClient): Promise<Record<string, string[]>> {
  const { body } = await admin.get(`${path}/records?limit=500`);
  const file = await readFile(join(dataDir, "zones", "second", `${zone}.zone`), "utf8");
  const places: Record<string, string[]> = {
    zonewright: body.records.flatMap(({ recordType, name, value }: Body) =>
      recordType === "A" ? [`${name} ${value}`] : [],
    ),
    cloudflare: cloudflare.records(zone).map(({ name, content }) => `${name} ${content}`),
    route53: route53.lines(hostedZone).flatMap((line) => lineOfAddress(line, /^(\S+) A \d+ (\S+)$/)),
    powerdns: (await powerdns.transfer(zone)).flatMap(({ name, type, rdata }) =>
      type === "A" ? [`${name} ${rdata}`] : [],
    ),
    files: file.split("\n").flatMap((line) => lineOfAddress(line, /^(\S+)\s+\d+\s+IN\s+A\s+(\S+)$/)),
  };
  const plain = (line: string) => line.replace(`.${zone}. `, " ").replace(`.${zone} `, " ");
  return Object.fromEntries(Object.entries(places).map(([name, lines]) => [name, lines.map(plain).toSorted()]));
}

function lineOfAddress(line: string, form: RegExp): string[] {
  const [, name, value] = form.exec(line) ?? [];
  return name === undefined ? [] : [`${name} ${value}`];
}

test("four mirrors have every record once after kills in the middle of changes, and of calls to three of them at once", async () => {
  let admin = await service.signIn();
  const kinds: [kind: string, config: object][] = [
    ["cloudflare", { apiToken: cloudflare.token, accountId: cloudflare.accountId, endpoint: cloudflare.url }],
    ["route53", { accessKeyId: route53.accessKeyId, secretAccessKey: route53.secretAccessKey, endpoint: route53.url }],
    ["powerdns", { url: `http://127.0.0.1:${proxy.port}`, apiKey: powerdns.apiKey }],
    ["zonefile", { folder: "second" }],
  ];
  const main = await admin.post("/api/provider-configs", { kind: "manual", name: "By hand" });
  const { body: domain } = await admin.post("/api/domains", { name: zone, providerConfigId: main.body.id });
  path = `/api/domains/${domain.id}`;
  for (const [kind, config] of kinds) {
    const { body } = await admin.post("/api/provider-configs", { kind, name: kind, config });
    const { status } = await admin.post(`${path}/mirrors`, { providerConfigId: body.id });
    expect(status).toBe(200);
  }
  await inSync(admin);
  for (const milliseconds of [20, 90]) {
    const edits = Array.from({ length: 6 }, () => edit(admin));
    await Promise.race([Promise.all(edits), sleep(milliseconds)]);
    admin = await killAndRestart();
    await Promise.all(edits);
  }
  // One call was carried out without an answer, one was not, and the answer to the third is on its way.
  const calls = [
    unanswered(cloudflare.vendor, true),
    unanswered(route53, false),
    proxy.next({ does: "hold answer", to: "change" }),
  ];
  await edit(admin);
  await Promise.all(calls);
  admin = await killAndRestart();
  await edit(admin);
  await inSync(admin);
  const { zonewright, ...places } = await everywhere(admin);
  expect(zonewright).toContain(`host${count} 192.0.2.${count}`);
  expect(places).toEqual(Object.fromEntries(Object.keys(places).map((name) => [name, zonewright])));
}, 240_000);
