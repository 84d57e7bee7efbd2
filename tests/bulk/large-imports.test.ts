import { sql } from "kysely";
import { afterEach, expect, test, vi } from "vitest";
import { queries } from "../../server/database/database.ts";
import { slicedWork } from "../../server/platform/slices.ts";
import { mostInTurn } from "../support/turns.ts";
import { useZonewright } from "../support/zonewright.ts";
import { manualConfig, type Body } from "../support/zones.ts";
import { jobOf } from "./replacements/replaced.ts";

/** Imports of the largest tables. What has to be in order for each row is shown with few rows elsewhere. */

const zw = useZonewright({ env: { JOBS: "off" } });
const here = 1_000;
const rows = 10_000;

afterEach(() => vi.restoreAllMocks());

/**
 * Does work on a clock that goes on by a millisecond with each look, so that the share of a turn is the same on every machine.
 * @returns how many steps a turn had at most, and all together
 */
async function stepsOf(work: () => Promise<unknown>): Promise<{ most: number; all: number }> {
  const before = slicedWork.steps;
  let now = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => now++);
  const most = await mostInTurn(() => slicedWork.steps, work);
  return { most, all: slicedWork.steps - before };
}

/** Ten looks at the clock with 32 steps between two, of those who read and of those who plan. */
const mostSteps = 2 * 11 * 32;

const stateOf = async (jobId: string): Promise<Body> => await jobOf(zw.admin, jobId);

/** Runs the job until a number of its rows are done, as a process does that is stopped then. */
async function runUntil(jobId: string, done: number): Promise<void> {
  const stop = new AbortController();
  const running = zw.services.batches.run(stop.signal);
  while ((await stateOf(jobId))["progress"].done < done);
  stop.abort();
  await running;
}

test("a table of 10,000 rows is planned in turns, and a job carries it out with progress, across a restart, each row once", async () => {
  const providerConfigId = await manualConfig(zw);
  const database = queries(zw.services.database.fork());
  await sql`insert into domains (id, name, provider_zone, provider_config_id, tags, expiry_remind_days, auto_check_expiry, record_count, revision,
      updated_at)
    select gen_random_uuid(), name, name, ${providerConfigId}::uuid, '{}', '{30}', false, 0, 1, now()
    from (select 'd' || n || '.example' as name from generate_series(1, ${here}) n)`.execute(database);
  const lines = Array.from({ length: rows }, (_, index) => `d${index + 1}.example;Large;2031-03-0${index % 9}`);
  const csv = `name;group;expires\n${lines.join("\n")}\n`;
  let plan: Body = {};
  const planned = await stepsOf(async () => {
    plan = (await zw.admin.post("/api/domains/import", { csv, dryRun: true })).body;
  });
  // Each ninth row has no valid date.
  const bad = Math.ceil(here / 9);
  expect(plan).toMatchObject({ changed: here - bad, unchanged: 0, refused: rows - here + bad });
  // A row is read and planned, and its line of the answer is made.
  expect(planned.all).toBeGreaterThan(2.5 * rows);
  expect(planned.most).toBeLessThanOrEqual(mostSteps);
  vi.restoreAllMocks();

  const { planHash } = plan;
  const { status, body } = await zw.admin.post("/api/domains/import/start", { csv, planHash });
  expect({ status, body }).toMatchObject({ status: 202 });
  const { jobId } = body;
  expect((await stateOf(jobId))["progress"]).toMatchObject({ domains: here - bad, waiting: here - bad, done: 0 });
  await runUntil(jobId, 60);
  const { state, progress } = await stateOf(jobId);
  expect(state).toBe("running");
  expect(progress.done).toBeGreaterThanOrEqual(60);
  expect(progress).toMatchObject({ waiting: here - bad - progress.done, running: 0, failed: 0 });
  await runUntil(jobId, progress.done + 60);
  const last = (await stateOf(jobId))["progress"];
  const changes = await sql<{ name: string; times: string }>`
    select d.name, count(*) as times from audit_entries a join domains d on d.id = a.target_id::uuid
    where a.action = 'domain.update' group by d.name`.execute(database);
  expect(changes.rows).toHaveLength(last.done);
  expect(new Set(changes.rows.map(({ times }) => Number(times)))).toEqual(new Set([1]));
  const [made] = (
    await sql<{ count: string }>`select count(*) from domains where group_name = 'Large'`.execute(database)
  ).rows;
  expect(Number(made?.count)).toBe(last.done);
});

test.each([
  ["commas", ",".repeat(400_000)],
  ["empty quoted cells", '"",'.repeat(130_000)],
  ["a quoted cell of quotes", `"${'""'.repeat(200_000)}"`],
  ["a cell of spaces", `x${" ".repeat(400_000)}`],
])("long rows of %s give up the turn like many short ones", async (_what, row) => {
  const csv = `name\n${`${row}\n`.repeat(5)}`;
  const { most, all } = await stepsOf(() => zw.admin.post("/api/domains/import", { csv, dryRun: true }));
  expect(all).toBeGreaterThan(csv.length / 10_000);
  expect(most).toBeLessThanOrEqual(mostSteps);
});
