import { defineConfig } from "vitest/config";
import suite from "./vitest.config.ts";

/** What needs real servers: tests/services against BIND and PostgreSQL, then everything that `npm test` runs once more on PostgreSQL. */
export default defineConfig({
  test: {
    globalSetup: "tests/services/setup.ts",
    projects: [
      {
        test: {
          name: "services",
          include: ["tests/services/**/*.test.ts"],
          setupFiles: ["tests/support/problems.ts"],
          // One at a time: they start processes of their own, and measure how long some things take.
          maxWorkers: 1,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // A page may take seconds to show something while servers run beside it.
          expect: { poll: { timeout: 10_000 } },
          sequence: { groupOrder: 1 },
        },
      },
      { test: { ...suite.test, name: "on PostgreSQL", sequence: { groupOrder: 2 } } },
    ],
  },
});
