import { defineConfig } from "vitest/config";
import { SlowestFirst } from "./tests/support/slowest-first.ts";
import suite from "./vitest.config.ts";

const services = {
  setupFiles: ["tests/support/problems.ts"],
  // These end only what hangs: nothing depends on how fast the machine is.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 60_000 } },
};

/** What needs real servers: tests/services against BIND and PostgreSQL, then everything that `npm test` runs once more on PostgreSQL. */
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
          globalSetup: "tests/services/browser-server.ts",
          // One process a worker, which loads the service once and empties its database for each file.
          isolate: false,
          // A third worker uses the time that two cores spend waiting for other programs and for timers.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      { test: { ...suite.test, name: "on PostgreSQL", sequence: { groupOrder: 2 } } },
    ],
  },
});
