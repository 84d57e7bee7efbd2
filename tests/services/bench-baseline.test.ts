import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { pgbenchScript } from "../../bench/writes.ts";
import { createDatabase } from "../support/servers/postgres.ts";
import { startService } from "../support/service-process.ts";

test("the benchmark's baseline writes a row wherever a creation by the service writes one", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "zonewright-baseline-"));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const databaseUrl = await createDatabase(process.env["TEST_DATABASE_URL"] ?? "", "zonewright_baseline");
  const service = await startService({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl, JOBS: "off" });
  onTestFinished(() => service.close());
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  onTestFinished(() => database.end());
  const admin = await service.signIn();
  const { body: config } = await admin.post("/api/provider-configs", { kind: "manual", name: "By hand" });
  const { body: domain } = await admin.post("/api/domains", { name: "bench.example", providerConfigId: config.id });

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
  const byService = await written(() => admin.post(`/api/domains/${domain.id}/records`, record));
  const script = pgbenchScript([domain.id])
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
