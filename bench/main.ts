import { requireBinaries } from "../tests/support/binaries.ts";
import { measureAuthentication, measureFlood } from "./accounts.ts";
import { measureAfterCrash } from "./after-crash.ts";
import { measureCli, measurePlan } from "./cli.ts";
import { measureConsole } from "./console/main.ts";
import { measureHostileBodies } from "./hostile-bodies.ts";
import { measureStalls } from "./stalls.ts";
import { measureMirrorOutage, measureMirrors } from "./mirrors.ts";
import { measurePrimary } from "./primary/main.ts";
import { measureLists, measurePages, measureReads } from "./reads.ts";
import { measureIndexedWrites, measureRecordSearch } from "./record-search.ts";
import { measureReminders } from "./reminders.ts";
import { measureReplacement } from "./replace.ts";
import { measureReverseReport } from "./reverse-report.ts";
import { measureRowSizes } from "./row-sizes.ts";
import { measureScale } from "./scale/main.ts";
import { measureSignIn } from "./sign-in.ts";
import { measureStarts } from "./start.ts";
import { measureStreams } from "./streams.ts";
import { report, type Figure } from "./support/report.ts";
import { startEnvironment, type Environment } from "./support/environment.ts";
import { measureTransfers } from "./transfers.ts";
import { measureUpdates } from "./updates.ts";
import { measureVendors } from "./vendors.ts";
import { measureWrites } from "./writes.ts";
import { measureZoneSize } from "./zone-size.ts";

/** The benchmarks, in the order in which they run. Most run on a PostgreSQL of their own. */
const benchmarks: Record<string, () => Promise<Figure[]>> = {
  zones: async () => await inEnvironment(measureZones),
  transfers: async () => await inEnvironment(measureTransfers),
  primary: measurePrimary,
  mirrors: measureMirrors,
  "mirror-outage": measureMirrorOutage,
  vendors: measureVendors,
  updates: measureUpdates,
  "sign-in": async () => await inEnvironment(measureSignIn),
  flood: async () => await inEnvironment(measureFlood),
  "hostile-bodies": measureHostileBodies,
  stalls: measureStalls,
  authentication: measureAuthentication,
  reminders: async () => await inEnvironment(measureReminders),
  lists: async () => await inEnvironment(measureLists),
  search: async () => await inEnvironment(measureRecordSearch),
  "indexed-writes": async () =>
    await inEnvironment((environment) => inEnvironment((without) => measureIndexedWrites(environment, without))),
  replace: async () => await inEnvironment(measureReplacement),
  "reverse-report": measureReverseReport,
  "row-sizes": async () => await inEnvironment(measureRowSizes),
  streams: measureStreams,
  starts: measureStarts,
  cli: async () => [...(await measureCli()), ...(await inEnvironment(measurePlan))],
  "after-crash": measureAfterCrash,
  console: async () => await inEnvironment(measureConsole),
  scale: measureScale,
};

/** Those that take too long to run unless they are named. */
const onlyNamed = new Set(["scale"]);

/** Names on the command line; without any, all that do not take too long. */
const chosen =
  process.argv.length > 2 ? process.argv.slice(2) : Object.keys(benchmarks).filter((name) => !onlyNamed.has(name));
const unknown = chosen.filter((name) => !Object.hasOwn(benchmarks, name));
if (unknown.length > 0) {
  throw new Error(`No benchmark is named ${unknown.join(", ")}. Choose from: ${Object.keys(benchmarks).join(", ")}.`);
}
requireBinaries(["postgres", "initdb", "pgbench", "named", "dig", "nsupdate", "chromium-headless-shell"]);
if (chosen.includes("primary")) requireBinaries(["knotd", "nsd", "pdns_server", "pdnsutil"]);

const figures: Figure[] = [];
for (const name of chosen) figures.push(...((await benchmarks[name]?.()) ?? []));
await report(figures);

async function measureZones(environment: Environment): Promise<Figure[]> {
  const { figures: sizes, largeDomain } = await measureZoneSize(environment);
  const reads = await measureReads(environment);
  return [
    ...reads,
    ...(await measureWrites(environment)),
    ...sizes,
    ...(await measurePages(environment, largeDomain, 100_010)),
  ];
}

async function inEnvironment(measure: (environment: Environment) => Promise<Figure[]>): Promise<Figure[]> {
  const environment = await startEnvironment();
  try {
    return await measure(environment);
  } finally {
    await environment.stop();
  }
}
