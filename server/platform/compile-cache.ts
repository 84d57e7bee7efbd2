import { lstatSync, mkdirSync, statSync } from "node:fs";
import { enableCompileCache, getCompileCacheDir } from "node:module";
import { join } from "node:path";

/** The value of DATA_DIR when it is unset. */
export const defaultDataDir = "./data";

/**
 * Caches the code that Node compiles, with types stripped, in `DATA_DIR/compile-cache`, so that later starts are faster. Call it before
 * other modules are loaded; Node writes the cache when the process exits.
 *
 * Write access to the cache allows code execution, so a folder open to other accounts is not used. Errors are ignored: without a cache,
 * only the start is slower.
 * @param dataDir created if missing, as `loadConfig` does
 */
export function cacheCompiledCode(dataDir: string): void {
  // NODE_COMPILE_CACHE already selects another folder.
  if (getCompileCacheDir() !== undefined) return;
  const folder = join(dataDir, "compile-cache");
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o711 });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (isPrivate(dataDir, folder)) enableCompileCache(folder);
  } catch {
    // The folder is read-only, full, or another account's.
  }
}

/** Returns whether other accounts can neither open nor replace the folder. */
function isPrivate(dataDir: string, folder: string): boolean {
  const account = process.getuid?.();
  if (account === undefined) return false;
  const [outer, inner] = [statSync(dataDir), lstatSync(folder)];
  const sticky = (outer.mode & 0o1000) !== 0;
  return (
    inner.isDirectory() &&
    inner.uid === account &&
    (inner.mode & 0o077) === 0 &&
    [account, 0].includes(outer.uid) &&
    (sticky || (outer.mode & 0o022) === 0)
  );
}
