import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { startDigitalOcean, type DigitalOceanServer } from "../../support/vendors/digitalocean/server.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { freshName, Zone } from "../../support/zones.ts";

// What is stored can be read although its provider cannot be asked.

const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1", JOBS: "off" } });
let vendor: DigitalOceanServer;
beforeAll(async () => {
  vendor = await startDigitalOcean();
});
afterAll(() => vendor.stop());

let configId: string;
let zone: Zone;
beforeEach(async () => {
  const config = { token: vendor.token, endpoint: vendor.url };
  configId = (await zw.admin.post("/api/provider-configs", { kind: "digitalocean", name: freshName(), config })).body
    .id;
  const name = freshName();
  zone = new Zone(zw, (await zw.admin.post("/api/domains", { name, providerConfigId: configId })).body);
  await zone.add("A", "www", "192.0.2.1", 300);
});

test("a zone is exported, and its health shown, while a secret of its configuration cannot be opened", async () => {
  await sql`update provider_configs set config = jsonb_set(config, '{token}', '"v1.lost"') where id = ${configId}::uuid`.execute(
    queries(zw.services.database.fork()),
  );
  const [file, table, health] = [
    await zone.get("/zonefile"),
    await zone.get("/export?format=csv"),
    await zone.get("/health"),
  ];
  expect([file.status, table.status, health.status]).toEqual([200, 200, 200]);
  for (const { body } of [file, table]) expect(body).toContain("192.0.2.1");
  expect(file.body).toMatch(/^@\s.*\sSOA\s/m);
  // What needs the provider says why it cannot be asked.
  const record = { recordType: "A", name: "new", value: "192.0.2.2" };
  for (const refused of [
    await zone.create(record),
    await zone.post("/records/plan", { changes: [{ action: "create", record }] }),
    await zone.post("/sync", { dryRun: true }),
  ])
    expect([refused.status, refused.body.message]).toEqual([502, expect.stringContaining("cannot be read")]);
});

test("an export does not wait for a provider that does not answer", async () => {
  const held = Promise.withResolvers<void>();
  vendor.meanwhile(
    () => true,
    () => held.promise,
  );
  const { status, body } = await zone.get("/zonefile");
  held.resolve();
  expect(status).toBe(200);
  expect(body).toMatch(/\sSOA\s/);
});
