import { execFile } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/** Baseline code only: optimizing PGlite's SQL parser takes 600 MB. */
const nodeOptions = ["--max-semi-space-size=8", "--no-wasm-tier-up", "--no-wasm-dynamic-tiering"];

/** Returns whether a data directory has an embedded database. */
export function hasCluster(dataDir: string): boolean {
  return existsSync(join(dataDir, "database", "PG_VERSION"));
}

/**
 * Creates the files of the embedded database, unless the data directory has them. A process of its own does it, and then returns the 500 MB that
 * it takes to the system. What that process cannot do is left to the opening, which reports why.
 */
export async function createCluster(dataDir: string): Promise<void> {
  if (hasCluster(dataDir)) return;
  const folder = join(dataDir, "database");
  const draft = `${folder}.new`;
  try {
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { recursive: true, mode: 0o700 });
    // Its standard input ends with this process, and it ends then, too.
    await promisify(execFile)(process.execPath, [...nodeOptions, import.meta.filename, draft], { cwd: dataDir });
    // An empty folder is replaced, one with files is not.
    renameSync(draft, folder);
  } catch {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** The process that creates the files. */
async function main(folder: string): Promise<void> {
  process.stdin.once("close", () => process.exit(1)).resume();
  const { PGlite } = await import("@electric-sql/pglite");
  // Every page of the buffers is written to; these are enough to create the files.
  const startParams = [...PGlite.defaultStartParams, "-c", "shared_buffers=8MB"];
  await (await PGlite.create({ dataDir: folder, startParams })).close();
  process.exit(0);
}

if (process.argv[1] === import.meta.filename) await main(process.argv[2] ?? "");
