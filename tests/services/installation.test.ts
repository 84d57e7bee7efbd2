import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { version } from "../../server/platform/version.ts";
import { createDatabase } from "../support/servers/postgres.ts";
import { startService } from "../support/service-process.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonewright-installation-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const newDatabase = (name: string) => createDatabase(process.env["TEST_DATABASE_URL"] ?? "", name);
const dataDir = (name: string) => ({ DATA_DIR: join(folder, name) });

async function refusal(env: Record<string, string>): Promise<string> {
  const started = await startService(env).catch((error: unknown) => error as Error);
  if (started instanceof Error) return started.message;
  await started.close();
  throw new Error("It started.");
}

async function execute(databaseUrl: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(statement);
  await client.end();
}

test("an older version refuses to start on a database that a newer one has used, and names both", async () => {
  const env = { DATABASE_URL: await newDatabase("zonewright_newer"), ...dataDir("newer") };
  await (await startService(env)).close();
  await execute(env.DATABASE_URL, "update installation set version = '99.1.0'");
  const refused = await refusal(env);
  expect(refused).toContain(
    `DATABASE_URL: this database was last used by version 99.1.0, which is newer than this version ${version}`,
  );
  expect(refused).not.toMatch(/ {4}at /);
  await execute(env.DATABASE_URL, `update installation set version = '0.0.1'`);
  await (await startService(env)).close();
  await execute(env.DATABASE_URL, "insert into mikro_orm_migrations (name) values ('9999-of-tomorrow')");
  expect(await refusal(env)).toContain(
    `has applied the migration 9999-of-tomorrow, which version ${version} does not have`,
  );
});

test("an instance with another DATA_DIR refuses to start while domains use the first one's zone files", async () => {
  const shared = { DATABASE_URL: await newDatabase("zonewright_folders"), SECRET_KEYS: "k".repeat(32) };
  const one = { ...shared, ...dataDir("one") };
  const other = { ...shared, ...dataDir("other") };

  // Nothing needs the folder yet, so the second one runs and says why it has no zone files of its own.
  const first = await startService(one);
  const second = await startService(other);
  expect(second.output()).toContain(`the database's are in ${join(one.DATA_DIR, "zones")} on `);
  const admin = await second.signIn();
  const created = await admin.post("/api/domains", { name: "split.example" });
  expect(created).toBeProblem(502, "PROVIDER_ERROR");
  expect(created.body.detail).toContain("Give all instances the same folder");
  expect((await admin.post("/api/domains", { name: "split.example" })).status).toBe(502);
  const away = { kind: "zonefile", name: "Shared", config: { folder: join(folder, "shared") } };
  expect((await admin.post("/api/provider-configs", away)).status).toBe(201);
  await second.close();

  expect((await (await first.signIn()).post("/api/domains", { name: "kept.example" })).status).toBe(201);
  const refused = await refusal(other);
  expect(refused).toMatch(
    /DATA_DIR: this instance keeps its zone files in .*other\/zones, but the database's are in .*one\/zones on \S+, where 1 domain has its records\./,
  );
  expect(refused).toContain("docs/operations/deployment.md#more-than-one-instance");

  // A copy is the same folder in another place, as after a move to another machine.
  await first.close();
  await cp(one.DATA_DIR, join(folder, "moved"), { recursive: true });
  const moved = await startService({ ...one, ...dataDir("moved") });
  expect((await (await moved.signIn()).get("/api/domains")).body.total).toBe(1);
  await moved.close();
});
