import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
  const mark = markOf(process.pid);
  if (!claim(path, mark)) {
    const holder = read(path);
    const owner = Number(holder.split(" ")[0]);
    if (owner > 0 && owner !== process.pid && markOf(owner) === holder && isRunning(owner)) {
      throw new FolderInUseError(
        `${folder} is in use by process ${owner}; stop that one first, or choose another DATA_DIR.`,
      );
    }
    rmSync(path, { force: true });
    if (!claim(path, mark)) throw new FolderInUseError(`${folder} was just taken by another process.`);
  }
  return () => rmSync(path, { force: true });
}

/** Puts the lock in place with its content at once: an empty one would look as if its owner were gone. */
function claim(path: string, mark: string): boolean {
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, mark, { flag: "wx", mode: 0o600 });
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/**
 * A process's id and, on Linux, when it started (proc(5), field 22, with the boot): after a restart of the machine some
 * other process often has the id.
 */
function markOf(pid: number): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const started = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    return `${pid} ${boot} ${started}`;
  } catch {
    return String(pid);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
