/**
 * Does one job, as a process that a test can kill: `node job-process.ts <database address> <finish|hang>`. Prints `began` with what the run was asked
 * with, and `done` after it.
 */
import { openDatabase } from "../../server/database/database.ts";
import { JobRunner } from "../../server/ops/jobs/runner.ts";
import { createLog } from "../../server/platform/log.ts";

const [databaseUrl, mode] = process.argv.slice(2);
const print = (line: string) => process.stdout.write(`${line}\n`);

const database = await openDatabase({ databaseUrl, dataDir: "memory" });
const runner = new JobRunner({
  store: database.jobStore,
  jobs: [
    {
      name: "test.long",
      description: "For a test.",
      schedule: null,
      perRequest: true,
      retries: { most: 3, firstSeconds: 1, longestSeconds: 1 },
      async work(data) {
        print(`began ${JSON.stringify(data)}`);
        if (mode === "hang") await new Promise(() => undefined);
        print("done");
      },
    },
  ],
  works: true,
  log: createLog("warn"),
  onRun: () => undefined,
  timing: { heartbeat: 10, supervise: 1, poll: 0.5 },
});
await runner.prepare();
if (mode === "hang") await runner.enqueue(database.fork(), "test.long", { zone: "kept.example" });
await runner.start();
print("ready");
