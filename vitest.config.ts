import { defineConfig } from "vitest/config";
import { SlowestFirst } from "./tests/support/slowest-first.ts";
import { TestTimes } from "./tests/support/test-times.ts";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    exclude: ["tests/services/**", "**/node_modules/**"],
    // One process a worker: the embedded database starts once in each and is emptied for each file.
    globalSetup: "tests/support/migrated-cluster.ts",
    setupFiles: ["tests/support/processor-time.ts", "tests/support/problems.ts", "tests/support/properties.ts"],
    // As the service runs. See server/main.ts.
    env: { NODE_ENV: "production" },
    pool: "forks",
    isolate: false,
    // Node loads the modules itself, as it does when the service runs: nothing here needs Vite's transforms.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Young objects of a test outlive Node's usual 16 MiB: with more room, collecting them takes a tenth less of all processor time.
    execArgv: ["--max-semi-space-size=32"],
    // A third worker uses the time that two cores spend waiting for sockets and timers.
    maxWorkers: 3,
    reporters: ["default", new TestTimes()],
    sequence: { sequencer: SlowestFirst },
    // Only ends what hangs: a busy machine may take many times as long as an idle one. See tests/support/patience.ts.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
