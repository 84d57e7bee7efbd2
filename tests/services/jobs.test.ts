import { sql } from "kysely";
import { expect, onTestFinished, test, vi } from "vitest";
import { openDatabase, queries } from "../../server/database/database.ts";
import { JobRunner } from "../../server/ops/jobs/runner.ts";
import { createLog } from "../../server/platform/log.ts";
import { patience } from "../support/patience.ts";
import { createDatabase } from "../support/servers/postgres.ts";
import { startProgram, type RunningProgram } from "../support/programs.ts";

const script = new URL("./job-process.ts", import.meta.url).pathname;

async function start(database: string, mode: "finish" | "hang"): Promise<RunningProgram> {
  const options = { env: { PATH: process.env["PATH"] } };
  const program = await startProgram(process.execPath, [script, database, mode], /ready/, options);
  onTestFinished(async () => {
    await program.stop("SIGKILL");
  });
  return program;
}

test("transactions that ask for the same jobs in opposite orders at the same time both commit", async () => {
  const databaseUrl = await createDatabase(process.env["TEST_DATABASE_URL"] ?? "", "zonewright_jobs_asked");
  const database = await openDatabase({ databaseUrl, dataDir: "unused" });
  onTestFinished(() => database.close());
  const names = ["test.mails", "test.calls"];
  const runner = new JobRunner({
    store: database.jobStore,
    jobs: names.map((name) => ({
      name,
      description: "For a test.",
      schedule: "0 0 1 1 *",
      work: async () => undefined,
    })),
    works: false,
    log: createLog("info", { write: () => undefined }),
    onRun: () => undefined,
  });
  onTestFinished(() => runner.close());
  await runner.prepare();
  const begun = names.map(() => Promise.withResolvers<void>());
  const ask = async (order: readonly string[], index: number) => {
    await database.fork().transactional(async (tx) => {
      const [first = "", second = ""] = order;
      await runner.enqueue(tx, first, {});
      begun[index]?.resolve();
      await Promise.all(begun.map(({ promise }) => promise));
      await runner.enqueue(tx, second, {});
    });
  };
  await Promise.all([ask(names, 0), ask(names.toReversed(), 1)]);
  await vi.waitFor(async () => {
    const { rows } = await sql`select name from jobs.job order by name`.execute(queries(database.fork()));
    expect(rows).toEqual([{ name: "test.calls" }, { name: "test.mails" }]);
  }, patience);
});

test("a job run ended by kill -9 is repeated by another process with the same input", async () => {
  const database = await createDatabase(process.env["TEST_DATABASE_URL"] ?? "", "zonewright_jobs");
  const killed = await start(database, "hang");
  const asked = 'began {"zone":"kept.example"}';
  await vi.waitFor(() => expect(killed.output()).toContain(asked), { timeout: 60_000 });
  const other = await start(database, "finish");
  await killed.stop("SIGKILL");
  await vi.waitFor(() => expect(other.output()).toContain(`${asked}\ndone`), { timeout: 60_000, interval: 100 });
});
