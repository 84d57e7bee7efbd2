import { requireBinaries } from "../support/binaries.ts";
import { startPostgres } from "../support/servers/postgres.ts";

/** Starts what all tests share. Workers start after this and find the server's address in their environment. */
export default async function setup(): Promise<() => Promise<void>> {
  requireBinaries();
  const postgres = await startPostgres({ unsynced: true });
  process.env["TEST_DATABASE_URL"] = postgres.url;
  return () => postgres.stop();
}
