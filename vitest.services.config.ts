import { defineConfig } from "vitest/config";
import { onPostgres } from "./tests/support/on-postgres/files.ts";
import { reportStatements } from "./tests/support/on-postgres/statements.ts";
import { SlowestFirst } from "./tests/support/slowest-first.ts";
import suite from "./vitest.config.ts";

/** Files that wait most of their time, for jobs that run once a minute. They wait beside the last group. */
const waiting = [
  "tests/services/replace.test.ts",
  "tests/services/reverse-follow.test.ts",
  "tests/services/secondaries/one-notifier.test.ts",
];

const services = {
  setupFiles: ["tests/support/problems.ts"],
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // A page may take seconds to show something while servers run beside it.
  expect: { poll: { timeout: 10_000 } },
};

/** What needs real servers: tests/services against BIND and PostgreSQL, then what depends on the engine of `npm test` once more on PostgreSQL. */
export default defineConfig({
  test: {
    globalSetup: "tests/services/setup.ts",
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        test: {
          ...services,
          name: "services",
          include: ["tests/services/**/*.test.ts"],
          exclude: waiting,
          // One at a time: they start processes of their own, and measure how long some things take.
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...services,
          name: "services that wait",
          include: waiting,
          maxWorkers: suite.test?.maxWorkers,
          sequence: { groupOrder: 2 },
        },
      },
      {
        plugins: [reportStatements],
        test: {
          ...suite.test,
          name: "on PostgreSQL",
          include: Object.values(onPostgres).flat(),
          setupFiles: ["tests/support/problems.ts", "tests/support/on-postgres/record.ts"],
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
