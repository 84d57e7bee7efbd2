import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { patience } from "../../support/patience.ts";
import { migratedDatabase } from "../../support/servers/postgres.ts";
import { RestClient } from "../../support/rest-client.ts";
import { startService } from "../../support/service-process.ts";
import { Writers } from "../ledger.ts";
import { bindBackend, powerdnsBackend, type Backend } from "./backends.ts";
import { expectAgreement, expectNothingOpen, manage, settle } from "./managed-zone.ts";

const name = "random.example";

// Two dozen in all, besides the named moments of killed.test.ts. After a kill, the embedded database takes twice as long to start.
const rounds: readonly (readonly [string, number, () => Promise<Backend>, "embedded" | "postgres"])[] = [
  ["BIND, with the embedded database", 6, () => bindBackend([name]), "embedded"],
  ["BIND, with PostgreSQL", 9, () => bindBackend([name]), "postgres"],
  ["PowerDNS, with PostgreSQL", 9, () => powerdnsBackend(), "postgres"],
];

test.each(rounds)(
  "acknowledged writes survive kill -9, and nothing else appears: %s, %i times",
  async (label, kills, start, database) => {
    const dataDir = await mkdtemp(join(tmpdir(), "zonewright-random-"));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    const backend = await start();
    onTestFinished(() => backend.stop());
    const env: Record<string, string> =
      database === "postgres"
        ? { DATABASE_URL: await migratedDatabase(label.replaceAll(/\W+/g, "_").toLowerCase()) }
        : {};
    let service = await startService({ DATA_DIR: dataDir, ...env });
    onTestFinished(async () => void (await service.stop("SIGKILL")));
    const zone = await manage(await service.signIn(), name, backend);
    const { path } = zone;
    const { token } = zone.client;
    const writers = new Writers();
    for (let round = 1; round <= kills; round++) {
      await writers.untilKilled(zone.client, path, () => service.stop("SIGKILL"), 80);
      service = await startService({ DATA_DIR: dataDir, ...env });
      zone.client = new RestClient(service.url, token);
      // The start settles what the crash left open. On a busy machine, that goes on after it.
      await vi.waitFor(() => expectNothingOpen(zone), patience);
      await settle(zone);
      const listed = await expectAgreement(zone);
      expect(writers.reconcile(listed)).toEqual([]);
    }
    expect(writers.answered).toBeGreaterThanOrEqual(kills);
  },
  600_000,
);
