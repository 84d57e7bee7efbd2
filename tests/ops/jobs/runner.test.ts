import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { queries, type Database } from "../../../server/database/database.ts";
import { JobRunner, type Job, type JobRun } from "../../../server/ops/jobs/runner.ts";
import { createLog } from "../../../server/platform/log.ts";
import { emptyDatabase } from "../../support/database.ts";
import { patience } from "../../support/patience.ts";

/** No run of these tests reaches it: the first minute of 29 February. */
const rarely = "0 0 29 2 *";

const timing = { heartbeat: 10, supervise: 1, poll: 0.5 };

let database: Database;
let log: string[];
let runs: JobRun[];
beforeEach(async () => {
  database = await emptyDatabase();
  log = [];
  runs = [];
});

let count = 0;
let name: string;
beforeEach(() => {
  name = `test.job-${++count}`;
});

function job(parts: Partial<Job>): Job {
  const perRequest = (parts.schedule ?? null) === null;
  return { name, description: "For a test.", schedule: null, perRequest, work: async () => undefined, ...parts };
}

async function runner(jobs: Job[], works = true, poll = timing.poll): Promise<JobRunner> {
  const made = new JobRunner({
    store: database.jobStore,
    jobs,
    works,
    log: createLog("info", { write: (line) => log.push(line) }),
    onRun: (run) => runs.push(run),
    timing: { ...timing, poll },
  });
  await made.prepare();
  await made.start();
  running.push(made);
  return made;
}

const running: JobRunner[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) {
    await one.rest();
    await one.close();
  }
});

function gate(): { opened: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

describe("enqueued runs", () => {
  test("a run gets the data it was enqueued with", async () => {
    const done: unknown[] = [];
    const one = await runner([job({ work: async (data) => void done.push(data) })]);
    await one.enqueue(database.fork(), name, { zone: "a.example" });
    await vi.waitFor(() => expect(done).toEqual([{ zone: "a.example" }]), patience);
    expect(runs).toEqual([{ job: name, seconds: expect.any(Number), failed: false }]);
  });

  test("an instance that executes no jobs can enqueue a run within a transaction", async () => {
    const done: unknown[] = [];
    const jobs = [job({ schedule: rarely, work: async (data) => void done.push(data) })];
    for (const idle of [await runner(jobs, false), await runner(jobs, false)]) {
      await database.fork().transactional((tx) => idle.enqueue(tx, name, { asked: true }));
    }
    await runner(jobs);
    await vi.waitFor(() => expect(done).toEqual([{ asked: true }]), patience);
  });

  test("a run enqueued within a transaction executes once it commits, and never after a rollback", async () => {
    const done: unknown[] = [];
    const one = await runner([job({ work: async (data) => void done.push(data) })]);
    const ask = (end: () => void) =>
      database.fork().transactional(async (tx) => {
        await one.enqueue(tx, name, { end: end.name });
        expect(done).not.toContainEqual({ end: end.name });
        end();
      });
    await expect(
      ask(function rolledBack() {
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    await ask(function committed() {
      // No run fails.
    });
    await vi.waitFor(() => expect(done).toEqual([{ end: "committed" }]), patience);
  });

  test("all runs that are due are executed without waiting for the next poll", async () => {
    const done: unknown[] = [];
    const jobs = [job({ work: async (data) => void done.push(data) })];
    const idle = await runner(jobs, false);
    for (let index = 0; index < 20; index++) await idle.enqueue(database.fork(), name, { index });
    await runner(jobs, true, 600);
    await vi.waitFor(() => expect(done).toHaveLength(20), patience);
  });

  test("a run is executed once by one of two instances, whichever enqueued it", async () => {
    const done: string[] = [];
    const jobs = [job({ work: async (data) => void done.push(Object.values(data).join("")) })];
    const [first, second, asking] = [await runner(jobs), await runner(jobs), await runner(jobs, false)];
    const asked = Array.from({ length: 30 }, (_, index) => String(index));
    for (const [index, text] of asked.entries()) {
      await ([first, second, asking][index % 3] ?? asking).enqueue(database.fork(), name, { text });
    }
    await vi.waitFor(() => expect(done).toHaveLength(30), patience);
    expect(done.toSorted()).toEqual(asked.toSorted());
  });

  test("a run enqueued by an instance that executes no jobs outlives that instance", async () => {
    const done: unknown[] = [];
    const jobs = [job({ work: async (data) => void done.push(data) })];
    const idle = await runner(jobs, false);
    await idle.enqueue(database.fork(), name, { kept: true });
    await idle.close();
    expect(done).toEqual([]);
    await runner(jobs);
    await vi.waitFor(() => expect(done).toEqual([{ kept: true }]), patience);
  });
});

test("a failed run is logged and retried, and its error is not stored", async () => {
  let tries = 0;
  const one = await runner([
    job({
      retries: { most: 3, firstSeconds: 1, longestSeconds: 1 },
      async work() {
        if (++tries === 1) throw new Error("the secret is hunter2");
      },
    }),
  ]);
  await one.enqueue(database.fork(), name, {});
  await vi.waitFor(() => expect(tries).toBe(2), patience);
  await vi.waitFor(() => expect(runs.map(({ failed }) => failed)).toEqual([true, false]), patience);
  expect(log.map((line) => JSON.parse(line))).toMatchObject([{ level: 50, job: name, err: { type: "Error" } }]);
  const { rows } = await sql<{ stored: string }>`select j::text as stored from jobs.job j where name = ${name}`.execute(
    queries(database.fork()),
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.map(({ stored }) => stored).join()).not.toContain("hunter2");
});

async function waiting(): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select count(*) from jobs.job where name = ${name} and state < 'active'
  `.execute(queries(database.fork()));
  return Number(rows[0]?.count);
}

async function schedules(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from jobs.schedule`.execute(queries(database.fork()));
  return rows.map((row) => row.name);
}

describe("scheduled jobs", () => {
  test("a scheduled job runs automatically, once across two instances", async () => {
    let done = 0;
    const jobs = [job({ schedule: "* * * * *", work: async () => void done++ })];
    const asleep = await runner(jobs, false);
    await sql`insert into jobs.schedule (name, key, cron, timezone) values (${name}, '', '* * * * *', 'UTC')`.execute(
      queries(database.fork()),
    );
    // The queue looks for due jobs twice a minute.
    await sql`update jobs.version set cron_on = null`.execute(queries(database.fork()));
    await Promise.all([runner(jobs), runner(jobs)]);
    await vi.waitFor(() => expect(done).toBe(1), patience);
    await asleep.enqueue(database.fork(), name, {});
    await vi.waitFor(() => expect(done).toBe(2), patience);
  });

  test("a scheduled job never runs concurrently, and requests during a run cause one further run", async () => {
    const { opened, open } = gate();
    let began = 0;
    const jobs = [
      job({
        schedule: rarely,
        async work() {
          began++;
          await opened;
        },
      }),
    ];
    const [first, second] = [await runner(jobs), await runner(jobs)];
    await first.enqueue(database.fork(), name, {});
    await vi.waitFor(() => expect(began).toBe(1), patience);
    for (const one of [first, second, first, second]) await one.enqueue(database.fork(), name, {});
    expect(await waiting()).toBe(1);
    expect(began).toBe(1);
    open();
    await vi.waitFor(() => expect(began).toBe(2), patience);
    expect(await waiting()).toBe(0);
  });

  test("a run of a scheduled job that a transaction asks for many times is enqueued once, after the commit", async () => {
    const one = await runner([job({ schedule: rarely })], false);
    await database.fork().transactional(async (tx) => {
      for (let times = 0; times < 3; times++) await one.enqueue(tx, name, {});
      const { rows } = await sql`select id from jobs.job where name = ${name}`.execute(queries(tx));
      expect(rows).toEqual([]);
    });
    await vi.waitFor(async () => expect(await waiting()).toBe(1), patience);
    await expect(
      database.fork().transactional(async (tx) => {
        await sql`delete from jobs.job where name = ${name}`.execute(queries(tx));
        await one.enqueue(tx, name, {});
        throw new Error("rolled back");
      }),
    ).rejects.toThrow("rolled back");
    await one.close();
    expect(await waiting()).toBe(1);
  });

  test("a job whose schedule is off at the first start and on later has at most one run waiting", async () => {
    await runner([job({ schedule: null, perRequest: false })], false);
    const one = await runner([job({ schedule: rarely, perRequest: false })], false);
    for (let times = 0; times < 3; times++) await one.enqueue(database.fork(), name, {});
    expect(await waiting()).toBe(1);
  });

  test("a job removed from the list has no schedule", async () => {
    await runner([job({ schedule: rarely })]);
    expect(await schedules()).toEqual([name]);
    await runner([job({ schedule: null })]);
    expect(await schedules()).toEqual([]);
  });
});

test("a shutdown aborts a run and waits for it", async () => {
  const { opened: begun, open: begin } = gate();
  const ended: string[] = [];
  const one = await runner([
    job({
      async work(_data, signal) {
        begin();
        await new Promise((resolve) => {
          signal.addEventListener("abort", resolve);
        });
        ended.push("run");
      },
    }),
  ]);
  await one.enqueue(database.fork(), name, {});
  await begun;
  await one.rest();
  ended.push("service");
  expect(ended).toEqual(["run", "service"]);
});
