import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Another process holds the folder. */
export class FolderInUseError extends Error {}

/**
 * Claims a data folder for this process: two processes on one embedded database would damage it silently.
 * A lock left by a process that is gone is taken over.
 * @returns gives the folder free again.
 * @throws FolderInUseError
 */
export function lockFolder(folder: string): () => void {
  const path = join(folder, "lock");
  if (!claim(path)) {
    const owner = ownerOf(path);
    if (owner !== null && owner !== process.pid && isRunning(owner)) {
      throw new FolderInUseError(
        `${folder} is in use by process ${owner}; stop that one first, or choose another DATA_DIR.`,
      );
    }
    rmSync(path, { force: true });
    if (!claim(path)) throw new FolderInUseError(`${folder} was just taken by another process.`);
  }
  return () => rmSync(path, { force: true });
}

function claim(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function ownerOf(path: string): number | null {
  const pid = Number(readFileSync(path, "utf8"));
  return Number.isInteger(pid) && pid > 0 ? pid : null;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
