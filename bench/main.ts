import { requireBinaries } from "../tests/support/binaries.ts";
import { measureAuthentication, measureFlood } from "./accounts.ts";
import { measureHostileBodies } from "./hostile-bodies.ts";
import { measurePages, measureReads } from "./reads.ts";
import { measureIndexedWrites, measureRecordSearch } from "./record-search.ts";
import { measureReminders } from "./reminders.ts";
import { measureReplacement } from "./replace.ts";
import { measureRowSizes } from "./row-sizes.ts";
import { measureSignIn } from "./sign-in.ts";
import { measureStarts } from "./start.ts";
import { measureStreams } from "./streams.ts";
import { report, type Figure } from "./support/report.ts";
import { startEnvironment, type Environment } from "./support/environment.ts";
import { measureTransfers } from "./transfers.ts";
import { measureWrites } from "./writes.ts";
import { measureZoneSize } from "./zone-size.ts";

requireBinaries(["postgres", "initdb", "pgbench", "named", "dig", "nsupdate"]);

/** Runs every benchmark on its own PostgreSQL, alternating between the service and the baseline. */
const figures = await inEnvironment(async (environment) => {
  const { figures: sizes, largeDomain } = await measureZoneSize(environment);
  const reads = await measureReads(environment);
  return [
    ...reads,
    ...(await measureWrites(environment)),
    ...sizes,
    ...(await measurePages(environment, largeDomain, 100_010)),
  ];
});
await report([
  ...figures,
  ...(await inEnvironment(measureTransfers)),
  ...(await inEnvironment(measureSignIn)),
  ...(await inEnvironment(measureFlood)),
  ...(await measureHostileBodies()),
  ...(await measureAuthentication()),
  ...(await inEnvironment(measureReminders)),
  ...(await inEnvironment(measureRecordSearch)),
  ...(await inEnvironment((environment) => inEnvironment((without) => measureIndexedWrites(environment, without)))),
  ...(await inEnvironment(measureReplacement)),
  ...(await inEnvironment(measureRowSizes)),
  ...(await measureStreams()),
  ...(await measureStarts()),
]);

async function inEnvironment(measure: (environment: Environment) => Promise<Figure[]>): Promise<Figure[]> {
  const environment = await startEnvironment();
  try {
    return await measure(environment);
  } finally {
    await environment.stop();
  }
}
