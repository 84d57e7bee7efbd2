import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createDatabase } from "../support/servers/postgres.ts";
import { startService, type ServiceProcess } from "../support/service-process.ts";
import { startCloudflare, type CloudflareServer } from "../support/vendors/cloudflare/server.ts";

const zone = "killed-mirror.test";
let dataDir: string;
let cloudflare: CloudflareServer;
let service: ServiceProcess;
let start: () => Promise<ServiceProcess>;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "zonewright-mirrors-"));
  cloudflare = await startCloudflare();
  cloudflare.addZone(zone, "enterprise");
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
  await cloudflare.stop();
  await rm(dataDir, { recursive: true, force: true });
});

test("a mirror has every record once after kills in the middle of changes and of its reconciliation", async () => {
  let admin = await service.signIn();
  const config = { apiToken: cloudflare.token, accountId: cloudflare.accountId, endpoint: cloudflare.url };
  const [main, second] = await Promise.all([
    admin.post("/api/provider-configs", { kind: "manual", name: "By hand" }),
    admin.post("/api/provider-configs", { kind: "cloudflare", name: "Cloud", config }),
  ]);
  const { body: domain } = await admin.post("/api/domains", { name: zone, providerConfigId: main.body.id });
  const path = `/api/domains/${domain.id}`;
  const { body: mirror } = await admin.post(`${path}/mirrors`, { providerConfigId: second.body.id });
  let count = 0;
  for (const milliseconds of [20, 90, 180, 260]) {
    const edits = Array.from({ length: 6 }, () => {
      count += 1;
      const record = { recordType: "A", name: `host${count}`, value: `192.0.2.${count}`, ttl: 300 };
      // The kill leaves some without an answer.
      return admin.post(`${path}/records`, record).catch(() => null);
    });
    await Promise.race([Promise.all(edits), sleep(milliseconds)]);
    await service.stop("SIGKILL");
    await Promise.all(edits);
    service = await start();
    admin = await service.signIn();
  }
  await admin.post(`${path}/records`, { recordType: "A", name: "last", value: "192.0.2.200", ttl: 300 });
  // What a killed process held is free again by itself after half a minute.
  await vi.waitFor(
    async () => {
      const { body } = await admin.post(`${path}/mirrors/${mirror.mirrorId}/reconcile`);
      expect(body.mirrors).toMatchObject([{ state: "in_sync", revision: body.revision, differences: 0 }]);
    },
    { timeout: 120_000, interval: 1_000 },
  );
  const { body } = await admin.get(`${path}/records?limit=100`);
  const wanted = body.records.map(({ name, value }: { name: string; value: string }) => `${name}.${zone} ${value}`);
  expect(wanted).toContain(`last.${zone} 192.0.2.200`);
  expect(
    cloudflare
      .records(zone)
      .map(({ name, content }) => `${name} ${content}`)
      .toSorted(),
  ).toEqual(wanted.toSorted());
}, 240_000);
