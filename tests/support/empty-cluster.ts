import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { PGlite } from "@electric-sql/pglite";
import { cacheFolder } from "./cache-folder.ts";

const manifest = join(import.meta.dirname, "../../node_modules/@electric-sql/pglite/package.json");
export const { version: engineVersion } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
const file = join(cacheFolder, `pglite-${engineVersion}.tar`);

/** A dump of an embedded database before anything is in it. Making one takes seconds of computing, loading it a tenth of that. */
export async function emptyCluster(): Promise<Blob> {
  await makeDump();
  return new Blob([await readFile(file)]);
}

/** Puts an embedded database, before anything is in it, where a service with this data folder looks for it. */
export async function placeEmptyCluster(dataDir: string): Promise<void> {
  await makeDump();
  await unpackCluster(file, dataDir);
}

/** Unpacks a dump of an embedded database into a data folder. */
export async function unpackCluster(dump: string, dataDir: string): Promise<void> {
  const database = join(dataDir, "database");
  await mkdir(database, { recursive: true, mode: 0o700 });
  await promisify(execFile)("tar", ["-xf", dump, "-C", database]);
}

/** Workers may do this at the same time: each ends with a whole file. */
async function makeDump(): Promise<void> {
  if (existsSync(file)) return;
  const engine = await PGlite.create("memory://");
  const dump = await engine.dumpDataDir("none");
  await engine.close();
  await mkdir(dirname(file), { recursive: true });
  const own = `${file}.${process.pid}`;
  await writeFile(own, dump.stream());
  await rename(own, file);
}
