import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { pgbenchScript } from "../../bench/writes.ts";
import { startProgram } from "../support/programs.ts";
import type { RestClient } from "../support/rest-client.ts";
import { createDatabase } from "../support/servers/postgres.ts";
import { startService, type ServiceProcess } from "../support/service-process.ts";
import { freePorts } from "../support/programs.ts";

let dataDir: string;
let databaseUrl: string;
let service: ServiceProcess;
let admin: RestClient;
let domainId: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "zonewright-baseline-"));
  databaseUrl = await createDatabase(process.env["TEST_DATABASE_URL"] ?? "", "zonewright_baseline");
  service = await startService({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl, JOBS: "off" });
  admin = await service.signIn();
  const { body: config } = await admin.post("/api/provider-configs", { kind: "manual", name: "By hand" });
  const { body: domain } = await admin.post("/api/domains", { name: "bench.example", providerConfigId: config.id });
  domainId = domain.id;
});
afterAll(async () => {
  await service.close();
  await rm(dataDir, { recursive: true, force: true });
});

test("the benchmark's baseline of writes writes a row wherever a creation by the service writes one", async () => {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  onTestFinished(() => database.end());
  const { rows: tables } = await database.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' order by tablename",
  );
  const counts = async () => {
    const each = tables.map(({ name }) => `select '${name}' as name, count(*)::int as count from ${name}`);
    const { rows } = await database.query<{ name: string; count: number }>(each.join(" union all "));
    return new Map(rows.map(({ name, count }) => [name, count]));
  };
  const written = async (work: () => Promise<unknown>) => {
    const before = await counts();
    await work();
    const after = await counts();
    return [...after]
      .map(([name, count]) => [name, count - (before.get(name) ?? 0)])
      .filter(([, grown]) => grown !== 0);
  };

  const record = { recordType: "A", name: "service", value: "192.0.2.1", ttl: 300 };
  const byService = await written(() => admin.post(`/api/domains/${domainId}/records`, record));
  const script = pgbenchScript([domainId])
    .replaceAll(/^\\set.*\n/gm, "")
    .replaceAll(":z", "1")
    .replaceAll(":h", "7");
  expect(await written(() => database.query(script))).toEqual(byService);
  expect(byService).toEqual([
    ["audit_entries", 1],
    ["change_sets", 1],
    ["records", 1],
  ]);
});

test("the benchmark's baseline of reads returns the same JSON as the service", async () => {
  const records = [
    { recordType: "A", name: "www", value: "192.0.2.1", ttl: 300, comment: "web" },
    { recordType: "MX", name: "@", value: "mail.example.net", priority: 10, ttl: 3600 },
    { recordType: "TXT", name: "@", value: "v=spf1 -all", ttl: 300 },
  ];
  for (const record of records) expect((await admin.post(`/api/domains/${domainId}/records`, record)).status).toBe(201);
  const [port = 0] = await freePorts(1);
  const env = { ...process.env, DATABASE_URL: databaseUrl, PORT: String(port), DOMAIN_ID: domainId };
  const program = fileURLToPath(new URL("../../bench/baseline-reads.ts", import.meta.url));
  const baseline = await startProgram(process.execPath, [program], /listening/, { env });
  onTestFinished(async () => void (await baseline.stop("SIGTERM")));
  const searches = ["search=bench", "search=example.n", "search=www.bench.ex", "value=192.0.2.1"];
  for (const path of [
    "/api/domains",
    `/api/domains/${domainId}/records`,
    ...searches.map((each) => `/api/records?${each}`),
  ]) {
    const { status, body } = await admin.get(path);
    expect([status, body.total]).toEqual([200, expect.any(Number)]);
    expect(await (await fetch(`http://127.0.0.1:${port}${path}`)).json()).toEqual(body);
  }
});
