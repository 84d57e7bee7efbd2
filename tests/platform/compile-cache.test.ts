import { execFile } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const server = new URL("../../server/", import.meta.url);
const main = new URL("main.ts", server).pathname;
const cacheModule = new URL("platform/compile-cache.ts", server).href;
const withoutVariables = { PATH: process.env["PATH"] };

async function freshDataDir(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "zonewright-cache-"));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  return join(parent, "data");
}

/** The directory that Node uses as its cache after the call, or `undefined` as text. */
async function folderInUse(dataDir: string, env: Record<string, string> = {}): Promise<string> {
  const program = `
    import { getCompileCacheDir } from "node:module";
    import { cacheCompiledCode } from ${JSON.stringify(cacheModule)};
    cacheCompiledCode(${JSON.stringify(dataDir)});
    process.stdout.write(String(getCompileCacheDir()));`;
  const options = { env: { ...withoutVariables, ...env } };
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], options);
  return stdout;
}

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

test("a start stores its compiled code in a directory of DATA_DIR that only its account can open", async () => {
  const dataDir = await freshDataDir();
  const env = { ...withoutVariables, DATA_DIR: dataDir, PORT: "none" };
  await expect(promisify(execFile)(process.execPath, [main], { env })).rejects.toThrow("PORT");
  expect(await modeOf(join(dataDir, "compile-cache"))).toBe("700");
  expect(await modeOf(dataDir)).toBe("711");
  const stored = await readdir(join(dataDir, "compile-cache"), { recursive: true });
  expect(stored.length).toBeGreaterThan(100);
});

test("the cache of an earlier start is used again", async () => {
  const dataDir = await freshDataDir();
  expect(await folderInUse(dataDir)).toContain(join(dataDir, "compile-cache"));
  expect(await folderInUse(dataDir)).toContain(join(dataDir, "compile-cache"));
});

test.each<[string, (dataDir: string, cache: string) => Promise<void>]>([
  ["is open to its group", (_dataDir, cache) => chmod(cache, 0o750)],
  ["is open to everybody", (_dataDir, cache) => chmod(cache, 0o777)],
  ["can be replaced by others, because DATA_DIR is writable by them", (dataDir) => chmod(dataDir, 0o773)],
  [
    "is a link",
    async (dataDir, cache) => {
      await rm(cache, { recursive: true });
      await mkdir(join(dataDir, "elsewhere"), { mode: 0o700 });
      await symlink("elsewhere", cache);
    },
  ],
  [
    "is a file",
    async (_dataDir, cache) => {
      await rm(cache, { recursive: true });
      await writeFile(cache, "");
    },
  ],
])("a cache directory that %s is not used, and the start continues", async (_what, spoil) => {
  const dataDir = await freshDataDir();
  const cache = join(dataDir, "compile-cache");
  await mkdir(cache, { recursive: true, mode: 0o700 });
  expect(await folderInUse(dataDir)).toContain(cache);
  await spoil(dataDir, cache);
  expect(await folderInUse(dataDir)).toBe("undefined");
});

test.runIf(process.getuid?.() === 0)("a cache directory owned by another account is not used", async () => {
  const dataDir = await freshDataDir();
  const cache = join(dataDir, "compile-cache");
  await mkdir(cache, { recursive: true, mode: 0o700 });
  await chown(cache, 65_534, 65_534);
  expect(await folderInUse(dataDir)).toBe("undefined");
});

test("a DATA_DIR that cannot be created leaves the cache unused without an error", async () => {
  const dataDir = await freshDataDir();
  await writeFile(dataDir, "");
  expect(await folderInUse(join(dataDir, "below"))).toBe("undefined");
});

test("NODE_COMPILE_CACHE replaces the directory in DATA_DIR", async () => {
  const dataDir = await freshDataDir();
  const other = `${dataDir}-other`;
  expect(await folderInUse(dataDir, { NODE_COMPILE_CACHE: other })).toContain(other);
  await expect(stat(dataDir)).rejects.toThrow("ENOENT");
});
