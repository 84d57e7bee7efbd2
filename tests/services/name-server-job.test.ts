import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startBind } from "../support/name-servers/bind.ts";
import { asPresented, recordLines } from "../support/records/presentation.ts";
import type { RestClient } from "../support/rest-client.ts";
import { startService, type ServiceProcess } from "../support/service-process.ts";
import type { UpdateServer } from "../support/name-servers/update-server.ts";

const zone = "job.example";
let dataDir: string;
let service: ServiceProcess;
let bind: UpdateServer;
let admin: RestClient;
let config: string;
let path: string;
let snapshot: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "zonewright-name-server-"));
  [service, bind] = await Promise.all([startService({ DATA_DIR: dataDir }), startBind([zone])]);
  admin = await service.signIn();
});

afterAll(async () => {
  await service.close();
  await bind.stop();
  await rm(dataDir, { recursive: true, force: true });
});

afterEach(expectAgreement);

/** Expects the list and the name server to agree. */
async function expectAgreement(): Promise<void> {
  const { body } = await admin.get(`${path}/records?limit=500`);
  expect(body.records).toHaveLength(body.total);
  expect(recordLines(await bind.transfer(zone))).toEqual(recordLines(asPresented(zone, body.records)));
}

test("a name server can be configured, tested and its zone imported, and the secret is not shown", async () => {
  const created = await admin.post("/api/provider-configs", { kind: "rfc2136", name: "BIND", config: bind.config });
  expect(created).toMatchObject({ status: 201, body: { config: { tsigSecret: "********", tsigName: bind.key.name } } });
  config = `/api/provider-configs/${created.body.id}`;
  expect((await admin.post(`${config}/test`)).body).toEqual({ success: true, error: null, zones: 1 });
  expect((await admin.get(`${config}/zones`)).body.zones).toEqual([{ name: zone, managed: false }]);
  const { body } = await admin.post(`${config}/import`, { zones: [zone] });
  expect(body.results).toMatchObject([{ name: zone, success: true, records: 2 }]);
  path = `/api/domains/${body.results[0].domainId}`;
  snapshot = (await admin.post(`${path}/snapshots`, {})).body.id;
});

test("records at a name server can be created one by one and in bulk", async () => {
  const text = { recordType: "TXT", name: "text", value: String.raw`say "hi" \ now; ` };
  expect((await admin.post(`${path}/records`, text)).status).toBe(201);
  const records = Array.from({ length: 100 }, (_, index) => ({
    recordType: "A",
    name: `host${index}`,
    value: `192.0.2.${index}`,
  }));
  const { body } = await admin.post(`${path}/records/bulk`, { records });
  expect(body.results.every(({ success }: { success: boolean }) => success)).toBe(true);
});

test("a plan swaps an address for an alias in one step at a name server", async () => {
  const { body: list } = await admin.get(`${path}/records?limit=500`);
  const host = list.records.find(({ name }: { name: string }) => name === "host7");
  const changes = [
    { action: "delete", recordId: host.id },
    { action: "create", record: { recordType: "CNAME", name: host.name, value: "www.example.net" } },
  ];
  const { body: plan } = await admin.post(`${path}/records/plan`, { changes });
  const applied = await admin.post(`${path}/records/apply`, { changes, planHash: plan.planHash });
  expect(applied).toMatchObject({ status: 200, body: { results: [{ success: true }, { success: true }] } });
});

test("a change that the name server refuses is reported, and not shown as made", async () => {
  const { status, body } = await admin.post(`${path}/records`, {
    recordType: "NS",
    name: "@",
    value: `nowhere.${zone}`,
  });
  expect(status).toBe(502);
  expect(body).toMatchObject({ code: "PROVIDER_ERROR", detail: expect.stringContaining("REFUSED") });
});

test("a rollback at a name server reverts everything", async () => {
  const { status, body } = await admin.post(`${path}/snapshots/${snapshot}/rollback`, { force: true });
  expect({ status, body }).toMatchObject({ status: 200, body: { success: true, failed: [] } });
});

test("a sync with a name server finds nothing to change", async () => {
  const { body } = await admin.post(`${path}/sync`);
  expect(body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
});
