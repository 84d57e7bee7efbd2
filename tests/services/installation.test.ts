import { cp, mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
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

test("a new installation in PostgreSQL says that it takes nothing over from the embedded database", async () => {
  const place = dataDir("moved");
  await (await startService(place)).close();
  const env = { ...place, DATABASE_URL: await newDatabase("zonewright_moved") };
  const note = "nothing is taken over from it";
  const first = await startService(env);
  expect(first.output()).toContain(note);
  await first.close();
  const again = await startService(env);
  expect(again.output()).not.toContain(note);
  await again.close();
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

/** Returns the memory of a process in bytes (its share of shared pages) with that of the processes that it started; 0 once it has ended. */
async function memoryOf(pid: number): Promise<number> {
  const read = (file: string) => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "");
  const [, kilobytes = "0"] = /^Pss: +(\d+)/m.exec(await read("smaps_rollup")) ?? [];
  const children = (await read(`task/${pid}/children`)).match(/\d+/g) ?? [];
  const others = await Promise.all(children.map((child) => memoryOf(Number(child))));
  return others.reduce((sum, bytes) => sum + bytes, Number(kilobytes) * 1024);
}

/** Returns the processes that run the service on a data directory. */
async function servicesOn(dir: string): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const text = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
      const program = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
      return text.includes(`DATA_DIR=${dir}\0`) && program.includes("server/main.ts") ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}

/** Starts the service and stops it again. @returns the most memory that its processes had meanwhile, in MB */
async function peakOfStart(env: ReturnType<typeof dataDir>): Promise<number> {
  let peak = 0;
  const starting = startService(env, [], true);
  const started = new AbortController();
  const watch = async () => {
    for (; !started.signal.aborted; await setTimeout(50)) {
      const [pid] = await servicesOn(env.DATA_DIR);
      if (pid !== undefined) peak = Math.max(peak, await memoryOf(pid));
    }
  };
  const watching = watch();
  const service = await starting.finally(() => started.abort());
  await watching;
  await service.close();
  return peak / 1e6;
}

test("a first start creates the embedded database with at most 700 MB of memory, which the second does not need", async () => {
  // How soon freed memory is collected depends on what else the processor does: the least of a few starts is what one needs.
  const env = dataDir("first");
  let first = await peakOfStart(env);
  for (const name of ["second-try", "third-try"])
    if (first >= 700) first = Math.min(first, await peakOfStart(dataDir(name)));
  const peaks = [first, await peakOfStart(env)];
  console.info(`Memory of a first and a second start: ${peaks.map(Math.round).join(" and ")} MB.`);
  expect(Math.min(...peaks)).toBeGreaterThan(100);
  expect(peaks[0]).toBeLessThan(700);
  expect(peaks[1]).toBeLessThan(450);
});
