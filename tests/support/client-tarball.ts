import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { FolderInUseError, lockFolder } from "../../server/database/lock-file.ts";
import { cacheFolder } from "./cache-folder.ts";

const root = join(import.meta.dirname, "../..");
const cache = join(cacheFolder, "client");

export interface ClientTarball {
  tarball: string;
  /** What it holds. */
  files: string[];
}

/**
 * It is packed as soon as a test file imports this: compiling the whole server takes half a minute of processor time, more than any test or hook
 * has on a busy machine. Files are imported without a limit.
 */
const packed = await packedOnce();

/** The client as `npm pack` packs it. */
export function packClient(): Promise<ClientTarball> {
  return Promise.resolve(packed);
}

/** Packs the client once for the same sources. */
async function packedOnce(): Promise<ClientTarball> {
  const folder = join(cache, await hashOfSources());
  if (!existsSync(folder)) {
    await mkdir(cache, { recursive: true });
    const unlock = await turnToPack();
    try {
      if (!existsSync(folder)) await pack(folder);
    } finally {
      unlock();
    }
  }
  const files = JSON.parse(await readFile(join(folder, "files.json"), "utf8")) as string[];
  return { tarball: join(folder, "client.tgz"), files };
}

/** Waits while another process packs. Its lock ends with it, whatever happens. */
async function turnToPack(): Promise<() => void> {
  for (;;) {
    try {
      return await lockFolder(cache);
    } catch (error) {
      if (!(error instanceof FolderInUseError)) throw error;
      await sleep(500);
    }
  }
}

async function pack(folder: string): Promise<void> {
  const made = await mkdtemp(join(cache, "packing-"));
  try {
    const options = ["--workspace", "@zonewright/client", "--pack-destination", made, "--json"];
    const { stdout } = await promisify(execFile)("npm", ["pack", ...options], { cwd: root });
    type Packed = { filename: string; files: { path: string }[] };
    const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf("[\n"))) as [Packed];
    await rename(join(made, filename), join(made, "client.tgz"));
    await writeFile(join(made, "files.json"), JSON.stringify(files.map(({ path }) => path)));
    await rename(made, folder);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

/** Of all that the package is made from. */
async function hashOfSources(): Promise<string> {
  const sources = ["package-lock.json", "tsconfig.json", ...(await filesIn("server")), ...(await filesOfClient())];
  const hash = createHash("sha256");
  for (const source of sources.toSorted()) hash.update(`${source}\n`).update(await readFile(join(root, source)));
  return hash.digest("hex");
}

async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

/** Without the last build, which is not a source of the next: another worker that packs the client replaces it meanwhile. */
async function filesOfClient(): Promise<string[]> {
  const all = await readdir(join(root, "client-sdk"), { withFileTypes: true });
  const sources = all.filter(({ name }) => name !== "dist" && name !== "node_modules");
  const paths = (those: typeof sources) => those.map(({ name }) => join("client-sdk", name));
  const inFolders = paths(sources.filter((entry) => entry.isDirectory())).map(filesIn);
  return [...paths(sources.filter((entry) => entry.isFile())), ...(await Promise.all(inFolders)).flat()];
}
