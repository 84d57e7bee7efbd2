import { requireBinaries } from "../tests/support/binaries.ts";
import { measureAuthentication, measureFlood } from "./accounts.ts";
import { measureHostileBodies } from "./hostile-bodies.ts";
import { measurePages, measureReads } from "./reads.ts";
import { measureReminders } from "./reminders.ts";
import { measureRowSizes } from "./row-sizes.ts";
import { measureSignIn } from "./sign-in.ts";
import { measureStreams } from "./streams.ts";
import { report, type Figure } from "./support/report.ts";
import { setStage, type Stage } from "./support/stage.ts";
import { measureTransfers } from "./transfers.ts";
import { measureWrites } from "./writes.ts";
import { measureZoneSize } from "./zone-size.ts";

requireBinaries(["postgres", "initdb", "pgbench", "named", "dig", "nsupdate"]);

/** Everything that is measured, on a PostgreSQL of its own. Ratios are within this one run. */
const figures = await onStage(async (stage) => {
  const { figures: sizes, largeDomain } = await measureZoneSize(stage);
  const reads = await measureReads(stage);
  return [...reads, ...(await measureWrites(stage)), ...sizes, ...(await measurePages(stage, largeDomain, 100_010))];
});
await report([
  ...figures,
  ...(await onStage(measureTransfers)),
  ...(await onStage(measureSignIn)),
  ...(await onStage(measureFlood)),
  ...(await measureHostileBodies()),
  ...(await measureAuthentication()),
  ...(await onStage(measureReminders)),
  ...(await onStage(measureRowSizes)),
  ...(await measureStreams()),
]);

async function onStage(measure: (stage: Stage) => Promise<Figure[]>): Promise<Figure[]> {
  const stage = await setStage();
  try {
    return await measure(stage);
  } finally {
    await stage.stop();
  }
}
