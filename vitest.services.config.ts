import { defineConfig } from "vitest/config";
import { fuzzTimes } from "./tests/support/fuzz-times.ts";
import { onPostgres } from "./tests/support/on-postgres/files.ts";
import { reportStatements } from "./tests/support/on-postgres/statements.ts";
import { SlowestFirst } from "./tests/support/slowest-first.ts";
import { TestTimes } from "./tests/support/test-times.ts";
import suite from "./vitest.config.ts";

/** Of every project. */
const setupFiles = ["tests/support/processor-time.ts", "tests/support/problems.ts", "tests/support/properties.ts"];

/** Four name servers at once. They wait most of their time, beside tests that start no others. */
const besideFew = ["tests/services/secondaries/four.test.ts"];

/** Of the second group. Its tests wait for PostgreSQL and for timers: three use little more than one core of two. */
const workersOnPostgres = 5;

/** Only by `npm run proof:ha`: it needs more programs, and minutes. */
const onlyProof = ["tests/services/high-availability.test.ts"];

const services = {
  setupFiles,
  experimental: suite.test?.experimental,
  env: suite.test?.env,
  execArgv: suite.test?.execArgv,
  // These end only what hangs: nothing depends on how fast the machine is.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 120_000 } },
};

/** What needs real servers: tests/services against BIND and PostgreSQL, then what depends on the engine of `npm test` once more on PostgreSQL. */
export default defineConfig({
  test: {
    globalSetup: "tests/services/setup.ts",
    reporters: ["default", new TestTimes()],
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        test: {
          ...services,
          name: "services",
          include: ["tests/services/**/*.test.ts"],
          exclude: [...besideFew, ...(process.env["HA_MINUTES"] === undefined ? onlyProof : [])],
          globalSetup: "tests/services/browser-server.ts",
          // One process a worker, which loads the service once and empties its database for each file.
          isolate: false,
          // A third worker uses the time that two cores spend waiting for other programs and for timers.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...services,
          name: "services beside the tests on PostgreSQL",
          include: besideFew,
          isolate: false,
          maxWorkers: workersOnPostgres,
          sequence: { groupOrder: 2 },
        },
      },
      {
        plugins: [reportStatements],
        test: {
          ...suite.test,
          name: "on PostgreSQL",
          maxWorkers: workersOnPostgres,
          // The plugin changes modules as Vite loads them.
          experimental: { viteModuleRunner: true },
          include: [...Object.values(onPostgres).flat(), ...(fuzzTimes > 1 ? ["tests/openapi/fuzz.test.ts"] : [])],
          setupFiles: [...setupFiles, "tests/support/on-postgres/record.ts"],
          sequence: { groupOrder: 2 },
        },
      },
      {
        // Last: it reads what the tests on PostgreSQL have executed.
        test: {
          ...services,
          name: "statements on PostgreSQL",
          include: ["tests/support/on-postgres/every-statement.ts"],
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
