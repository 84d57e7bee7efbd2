import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { createDatabase } from "../../support/servers/postgres.ts";
import { RestClient } from "../../support/rest-client.ts";
import { startService } from "../../support/service-process.ts";
import { Ledger, UnexpectedAnswer, writeInBulk, writeSingly } from "../ledger.ts";
import { bindBackend, powerdnsBackend, type Backend } from "./backends.ts";
import { expectAgreement, expectNothingOpen, manage, settle, type ShownRecord } from "./managed-zone.ts";

const name = "random.example";

// Fifty in all.
const rounds: readonly (readonly [string, number, () => Promise<Backend>, "embedded" | "postgres"])[] = [
  ["BIND, with the embedded database", 20, () => bindBackend([name]), "embedded"],
  ["PowerDNS, with the embedded database", 20, () => powerdnsBackend(), "embedded"],
  ["BIND, with PostgreSQL", 10, () => bindBackend([name]), "postgres"],
];

test.each(rounds)(
  "what was acknowledged survives kill -9, and nothing else appears: %s, %i times",
  async (_label, kills, start, database) => {
    const dataDir = await mkdtemp(join(tmpdir(), "zonewright-random-"));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    const backend = await start();
    onTestFinished(() => backend.stop());
    const server = process.env["TEST_DATABASE_URL"] ?? "";
    const env: Record<string, string> =
      database === "postgres" ? { DATABASE_URL: await createDatabase(server, "zonewright_random") } : {};
    let service = await startService({ DATA_DIR: dataDir, ...env });
    onTestFinished(async () => void (await service.stop("SIGKILL")));
    const zone = await manage(await service.signIn(), name, backend);
    const { path } = zone;
    const { token } = zone.client;
    const bulk = new Ledger();
    const single = new Ledger();
    for (let round = 1; round <= kills; round++) {
      const { client } = zone;
      const writers = [writeInBulk(client, path, "bulk", bulk), writeSingly(client, path, "single", single)];
      const broken = Promise.allSettled(writers);
      await answers([bulk, single], Math.random() * 12);
      // Not a wait for something: the moment of the crash is to be any.
      await pause(Math.random() * 80);
      await service.stop("SIGKILL");
      for (const end of await broken) {
        if (end.status === "rejected" && end.reason instanceof UnexpectedAnswer) throw end.reason;
      }
      service = await startService({ DATA_DIR: dataDir, ...env });
      zone.client = new RestClient(service.url, token);
      // The start settles what the crash left open.
      await expectNothingOpen(zone);
      await settle(zone);
      const listed = await expectAgreement(zone);
      expect(bulk.reconcile(startingWith("bulk-", listed))).toEqual([]);
      expect(single.reconcile(startingWith("single-", listed))).toEqual([]);
    }
    expect(Math.min(bulk.answered, single.answered)).toBeGreaterThanOrEqual(kills);
  },
  240_000,
);

/** Waits until each ledger has another answer, and all together so many. */
async function answers(ledgers: readonly Ledger[], count: number): Promise<void> {
  const before = ledgers.map(({ answered }) => answered);
  await vi.waitFor(
    () => {
      const more = ledgers.map(({ answered }, index) => answered - (before[index] ?? 0));
      if (Math.min(...more) < 1 || more.reduce((sum, one) => sum + one) < count)
        throw new Error("The writers do not get on.");
    },
    { timeout: 30_000, interval: 5 },
  );
}

function startingWith(prefix: string, records: readonly ShownRecord[]) {
  const mine = records.filter((record) => record.name.startsWith(prefix));
  return new Map(mine.map(({ id, name, value }) => [name, { id, value }]));
}
