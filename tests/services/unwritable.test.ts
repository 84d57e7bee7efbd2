import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { RestClient } from "../support/rest-client.ts";
import { createDatabase, startPostgres, type PostgresServer } from "../support/servers/postgres.ts";
import { startService, type ServiceProcess } from "../support/service-process.ts";

let dataDir: string;
let server: PostgresServer;
let observer: Client;
let service: ServiceProcess;
let admin: RestClient;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "zonewright-unwritable-"));
  server = await startPostgres();
  const databaseUrl = await createDatabase(server.url, "zonewright_unwritable");
  service = await startService({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl, JOBS: "off" });
  admin = await service.signIn();
  observer = new Client({ connectionString: databaseUrl });
  await observer.connect();
});
afterAll(async () => {
  await service.close();
  await observer.end();
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const readiness = async () => {
  const answer = await fetch(`${service.url}/readyz`);
  return { status: answer.status, body: await answer.json() };
};
const notWritable = { status: 503, body: { ready: false, database: "not_writable", draining: false } };
const becomes = (state: { status: number }) =>
  vi.waitFor(async () => expect(await readiness()).toMatchObject(state), { timeout: 60_000, interval: 50 });
let count = 0;
const add = () => admin.post("/api/domains", { name: `unwritable${++count}.example` });

async function onServer(...statements: string[]): Promise<void> {
  for (const statement of statements) await observer.query(statement);
}

test("a read-only database makes the service not ready and changes 503, while reads work, until it recovers", async () => {
  expect((await add()).status).toBe(201);
  await onServer("alter system set default_transaction_read_only = on", "select pg_reload_conf()");
  await becomes(notWritable);
  const refused = await add();
  expect(refused).toBeProblem(503, "UNAVAILABLE");
  expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
  expect((await admin.get("/api/domains")).status).toBe(200);
  await onServer(
    "set default_transaction_read_only = off",
    "alter system reset default_transaction_read_only",
    "select pg_reload_conf()",
  );
  await becomes({ status: 200 });
  expect((await add()).status).toBe(201);
});

test("a full disk makes the service not ready from the first failed change until there is space again", async () => {
  const full = `begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end`;
  await onServer(
    `create function full_disk() returns trigger language plpgsql as $$ ${full} $$`,
    ...["domains", "installation"].map(
      (table) => `create trigger full_disk before insert or update on ${table} execute function full_disk()`,
    ),
  );
  expect((await readiness()).status).toBe(200);
  const refused = await add();
  expect(refused).toBeProblem(503, "UNAVAILABLE");
  expect(refused.body.detail).not.toMatch(/extend|space/);
  expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
  expect(await readiness()).toEqual(notWritable);
  await onServer("drop function full_disk cascade");
  await becomes({ status: 200 });
  expect((await add()).status).toBe(201);
});
