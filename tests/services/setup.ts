import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requireBinaries } from "../support/binaries.ts";
import { makeMigrated, startPostgres } from "../support/servers/postgres.ts";

/** Starts what all tests share. Workers start after this and find it in their environment. */
export default async function setup(): Promise<() => Promise<void>> {
  requireBinaries();
  const postgres = await startPostgres({ unsynced: true });
  process.env["TEST_DATABASE_URL"] = postgres.url;
  await makeMigrated(postgres.url);
  // Where the tests on PostgreSQL note which statements they have reached.
  const statements = await mkdtemp(join(tmpdir(), "zonewright-statements-"));
  process.env["TEST_STATEMENTS_FOLDER"] = statements;
  return async () => {
    await rm(statements, { recursive: true, force: true });
    await postgres.stop();
  };
}
