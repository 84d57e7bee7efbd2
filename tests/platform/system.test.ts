import { hostname } from "node:os";
import { sql } from "kysely";
import { expect, test, vi } from "vitest";
import { queries } from "../../server/database/database.ts";
import { version } from "../../server/platform/version.ts";
import { patience } from "../support/patience.ts";
import { useZonewright } from "../support/zonewright.ts";

const zonewright = useZonewright();

async function shown() {
  const { status, body } = await zonewright.admin.get("/api/system");
  expect(status).toBe(200);
  return body;
}

const hosts = async () => (await shown()).instances.map(({ host }: { host: string }) => host);
const jobNamed = async (name: string) => (await shown()).jobs.find((job: { name: string }) => job.name === name);

test("administrators see the version, the database, this instance and every job with its schedule", async () => {
  const system = await shown();
  expect(system).toMatchObject({ version, databaseState: "ok", database: expect.stringMatching(/./) });
  expect(system.instances).toEqual([
    expect.objectContaining({ self: true, version, node: process.versions.node, runsJobs: true }),
  ]);
  const names = system.jobs.map(({ name }: { name: string }) => name);
  expect(names).toEqual(names.toSorted());
  expect(system.jobs).toContainEqual(
    expect.objectContaining({ name: "drift.check", schedule: "* * * * *", waiting: 0, active: 0, failed: 0 }),
  );
  expect(system.jobs).toContainEqual(expect.objectContaining({ name: "mail.send", schedule: null }));
});

test("a job shows how its last run ended, and a failure is tried again", async () => {
  const { services } = zonewright;
  expect((await jobNamed("acme.clean")).lastRun).toBeNull();
  const before = Date.now() - 60_000;
  await services.jobs.enqueue(services.database.fork(), "acme.clean", {});
  await vi.waitFor(async () => {
    expect((await jobNamed("acme.clean")).lastRun).toMatchObject({ outcome: "completed" });
  }, patience);
  const { lastRun } = await jobNamed("acme.clean");
  expect(lastRun.seconds).toBeGreaterThanOrEqual(0);
  expect(Date.parse(lastRun.startedAt)).toBeGreaterThan(before);
  await services.jobs.enqueue(services.database.fork(), "mail.send", { mail: "not sealed" });
  await vi.waitFor(async () => {
    expect((await jobNamed("mail.send")).lastRun).toMatchObject({ outcome: "retrying", seconds: null });
  }, patience);
});

test("an instance is listed while it says that it runs, and the next one to start forgets those that crashed", async () => {
  const db = () => queries(zonewright.services.database.fork());
  await sql`
    insert into instances (id, host, version, node, runs_jobs, seen_at) values
      ('01a1fb0f-6204-7000-abd4-276e976be8b7', 'other', '0.1.0', '24.0.0', false, now() - interval '90 seconds'),
      ('01a1fb0f-6204-7000-abd4-276e976be8b8', 'crashed', '0.1.0', '24.0.0', true, now() - interval '110 seconds')
  `.execute(db());
  expect((await hosts()).filter((host: string) => /^(?:other|crashed)$/.test(host))).toEqual(["other"]);
  // It says again that it runs, so that it outlives the rest of this test.
  await sql`update instances set seen_at = now() where host = 'other'`.execute(db());
  const { system } = zonewright.services;
  const listed = async () => {
    const rows = await db().selectFrom("instances").select("host").orderBy("host").execute();
    return rows.map(({ host }) => host).filter((host) => host !== hostname());
  };
  const lists = async () =>
    Number(
      (
        await db()
          .selectFrom("instances")
          .where("host", "=", hostname())
          .select(sql<string>`count(*)`.as("count"))
          .executeTakeFirst()
      )?.count,
    );
  system.start();
  await vi.waitFor(async () => expect([await listed(), await lists()]).toEqual([["other"], 1]), patience);
  await system.stop();
  expect(await lists()).toBe(0);
  // The one that answers runs, whatever is stored.
  expect(await hosts()).toHaveLength(2);
  system.start();
  await vi.waitFor(async () => expect(await lists()).toBe(1), patience);
});
