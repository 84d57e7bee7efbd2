import { measurePages, measureReads } from "./reads.ts";
import { report, type Figure } from "./support/report.ts";
import { setStage } from "./support/stage.ts";
import { measureWrites } from "./writes.ts";
import { measureZoneSize } from "./zone-size.ts";

/** Everything that is measured, on a PostgreSQL of its own. Ratios are within this one run. */
const stage = await setStage();
try {
  const figures: Figure[] = [];
  const { figures: sizes, largeDomain } = await measureZoneSize(stage);
  figures.push(...(await measureReads(stage)), ...(await measureWrites(stage)), ...sizes);
  figures.push(...(await measurePages(stage, largeDomain, 100_010)));
  await report(figures);
} finally {
  await stage.stop();
}
