import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { styleText } from "node:util";
import type { Reporter, TestModule } from "vitest/node";
import { cacheFolder } from "./cache-folder.ts";

/** What one file of tests took when it last ran. */
interface FileTimes {
  /** From the root of the repository. */
  readonly file: string;
  readonly project: string;
  readonly tests: number;
  /** From the import of the file to its last hook. */
  readonly seconds: number;
  readonly processorSeconds: number;
}

const file = join(cacheFolder, "times.json");
/** How many files `npm run test:times` prints, unless its argument says otherwise. */
const usual = 40;

/** Stores what each file of a run took, for `npm run test:times`. Files that the run leaves out keep what they took before. */
export class TestTimes implements Reporter {
  onTestRunEnd: Reporter["onTestRunEnd"] = (modules) => {
    const times = new Map([...stored(), ...modules.map(timesOf)].map((one) => [`${one.project} ${one.file}`, one]));
    mkdirSync(cacheFolder, { recursive: true });
    writeFileSync(file, JSON.stringify([...times.values()].filter((one) => existsSync(one.file))));
  };
}

function stored(): FileTimes[] {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as FileTimes[]) : [];
}

function timesOf(module: TestModule): FileTimes {
  const { collectDuration, setupDuration, prepareDuration, duration } = module.diagnostic();
  return {
    file: module.relativeModuleId,
    project: module.project.name || "npm test",
    tests: [...module.children.allTests()].length,
    seconds: (collectDuration + setupDuration + prepareDuration + duration) / 1_000,
    processorSeconds: module.meta().processorSeconds ?? 0,
  };
}

function print(times: readonly FileTimes[], count: number): void {
  for (const [project, files = []] of Object.entries(Object.groupBy(times, (one) => one.project))) {
    const sum = (take: (one: FileTimes) => number) => Math.round(files.reduce((total, one) => total + take(one), 0));
    const totals = `${files.length} files, ${sum((one) => one.seconds)} s, ${sum((one) => one.processorSeconds)} s of processor time`;
    console.log(styleText("bold", `${project}: ${totals}. The slowest:`));
    console.log("  seconds  processor  tests  file");
    for (const one of files.toSorted((a, b) => b.seconds - a.seconds).slice(0, count)) {
      const numbers = [one.seconds.toFixed(1).padStart(9), one.processorSeconds.toFixed(1).padStart(9)];
      console.log([...numbers, String(one.tests).padStart(5), one.file].join("  "));
    }
    console.log("");
  }
}

if (import.meta.main) {
  const times = stored();
  if (times.length === 0) console.log("No run is stored yet. Run `npm test` first.");
  print(times, Number(process.argv[2] ?? usual));
}
