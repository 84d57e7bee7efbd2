import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "./support/measure.ts";
import type { Figure } from "./support/report.ts";

const program = fileURLToPath(new URL("../cli/dist/zonewright.js", import.meta.url));
const rounds = 40;

/** Measures how long the command line takes to start, in turn with a Node that does nothing. */
export async function measureCli(): Promise<Figure[]> {
  const nothing = ["-e", "0"];
  const started = {
    "`zonewright --version`": { args: [program, "--version"], most: 1.5 },
    "`zonewright --help`": { args: [program, "--help"], most: null },
    "`zonewright records add --help`": { args: [program, "records", "add", "--help"], most: null },
  };
  // The first start reads the files from disk.
  for (const { args } of Object.values(started)) await milliseconds(args);
  const figures: Figure[] = [];
  for (const [what, { args, most }] of Object.entries(started)) {
    const ours: number[] = [];
    const baseline: number[] = [];
    for (let round = 0; round < rounds; round++) {
      baseline.push(await milliseconds(nothing));
      ours.push(await milliseconds(args));
    }
    const ratios = ours.map((time, round) => time / (baseline[round] ?? time)).toSorted((one, other) => one - other);
    figures.push({
      what: `command line: ${what}, median of ${rounds}`,
      measured: `${median(ours).toFixed(0)} ms`,
      baseline: `\`node -e 0\`: ${median(baseline).toFixed(0)} ms`,
      ratio: median(ratios),
      spread: [ratios[Math.floor(rounds / 10)] ?? 0, ratios[Math.floor((rounds * 9) / 10)] ?? 0],
      goal: most === null ? null : { most },
    });
  }
  return figures;
}

/** The time from spawning to the end. */
async function milliseconds(args: readonly string[]): Promise<number> {
  const from = performance.now();
  const child = spawn(process.execPath, args, { stdio: "ignore", cwd: join(program, "../../..") });
  const [code] = (await once(child, "close")) as [number];
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}. Run npm ci, which builds the command line.`);
  return performance.now() - from;
}
