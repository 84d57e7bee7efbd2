import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The directory is locked by another process. */
export class FolderInUseError extends Error {}

/** Interval at which the holder touches its lock. */
const touchMilliseconds = 1_000;
/** A lock not touched for this long is stale. */
const staleMilliseconds = 5_000;
/** How long a killed process may take to end. */
const dyingMilliseconds = 3_000;
const watchMilliseconds = 100;

/** State of the lock file at one time. */
interface LockState {
  text: string;
  touchedAt: number;
}

/**
 * Locks a data directory for this process: two processes on one embedded database would silently damage it.
 *
 * The holder touches the lock every second. A PID alone proves nothing, because containers have separate PIDs. A lock is taken over
 * immediately only if its owner would be visible from here and is gone. The lock of a visible process that does not touch it is watched for
 * three seconds, because a killed process may take a moment to end; any other is stale after five seconds without a touch.
 * @param onLost called if another process took the lock, after this process was suspended for longer than that
 * @returns releases the lock
 * @throws FolderInUseError
 */
export async function lockFolder(folder: string, onLost: () => void = () => undefined): Promise<() => void> {
  const path = join(folder, "lock");
  const mine = JSON.stringify({ ...thisProcess(), token: randomUUID() });
  if (!claim(path, mine)) {
    const stale = await staleLock(folder, path);
    if (stale) removeStale(folder, path, stale);
    if (!claim(path, mine)) throw justTaken(folder);
  }
  const timer = setInterval(() => {
    if (stateOfLock(path)?.text === mine) {
      touch(path);
      return;
    }
    clearInterval(timer);
    onLost();
  }, touchMilliseconds);
  timer.unref();
  return () => {
    clearInterval(timer);
    if (stateOfLock(path)?.text === mine) rmSync(path, { force: true });
  };
}

/** Creates the lock together with its content, so that no process ever sees an empty lock. */
function claim(path: string, text: string): boolean {
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, text, { flag: "wx", mode: 0o600 });
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Watches a lock until it is clear whether a process holds it.
 * @returns the state of a stale lock, or null if it disappeared
 * @throws FolderInUseError
 */
async function staleLock(folder: string, path: string): Promise<LockState | null> {
  const first = stateOfLock(path);
  if (!first) return null;
  const owner = identityIn(first.text);
  const state = owner ? stateOf(owner) : "unknown";
  if (state === "gone") return first;
  const patience = state === "running" ? dyingMilliseconds : staleMilliseconds;
  // Uses this process's clock, because another machine's may differ.
  const began = performance.now();
  while (performance.now() - began <= patience) {
    await sleep(watchMilliseconds);
    const now = stateOfLock(path);
    if (!now) return null;
    if (!isSame(now, first)) throw inUse(folder, identityIn(now.text));
    if (owner && stateOf(owner) === "gone") return first;
  }
  // A process that is suspended may wake up and write.
  if (state === "running") throw inUse(folder, owner);
  return first;
}

/**
 * Removes a stale lock. If another process replaced it in the meantime, puts the new lock back.
 * @throws FolderInUseError
 */
function removeStale(folder: string, path: string, stale: LockState): void {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  const taken = stateOfLock(aside);
  try {
    if (taken && isSame(taken, stale)) return;
    linkSync(aside, path);
  } catch (error) {
    // A third process was faster; the owner of the removed lock notices at its next touch.
    if (codeOf(error) !== "EEXIST") throw error;
  } finally {
    rmSync(aside, { force: true });
  }
  throw justTaken(folder);
}

function stateOfLock(path: string): LockState | null {
  try {
    return { text: readFileSync(path, "utf8"), touchedAt: statSync(path).mtimeMs };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

function isSame(one: LockState, other: LockState): boolean {
  return one.text === other.text && one.touchedAt === other.touchedAt;
}

function touch(path: string): void {
  const now = new Date();
  try {
    utimesSync(path, now, now);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function inUse(folder: string, owner: ProcessIdentity | null): FolderInUseError {
  const where = owner && owner.host !== hostname() ? ` on ${owner.host}` : "";
  const holder = owner ? `process ${owner.pid}${where}` : "another process";
  return new FolderInUseError(`${folder} is in use by ${holder}; stop it first, or set DATA_DIR to another directory.`);
}

function justTaken(folder: string): FolderInUseError {
  return new FolderInUseError(`${folder} was just locked by another process; set DATA_DIR to another directory.`);
}

/** Identifies a process and its machine. */
interface ProcessIdentity {
  pid: number;
  host: string;
  /** The PID namespace: two processes with the same place see each other's PIDs. Null if unknown. */
  place: string | null;
  /** Start time in the kernel's clock ticks, because a PID may be reused. */
  started: string | null;
}

/** Returns the identity of this process. */
export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, host: hostname(), place: placeOfPids(), started: statusOf(process.pid)[1] };
}

/** Parses an identity written as JSON. Returns null if it is invalid. */
export function identityIn(text: string): ProcessIdentity | null {
  try {
    const { pid, host, place, started } = JSON.parse(text) as Partial<ProcessIdentity>;
    if (typeof pid !== "number" || pid <= 0 || typeof host !== "string") return null;
    return { pid, host, place: place ?? null, started: started ?? null };
  } catch {
    return null;
  }
}

/** Returns the state of a process as seen from here; `unknown` if its PID belongs to another namespace. */
export function stateOf({ pid, place, started }: ProcessIdentity): "running" | "gone" | "unknown" {
  if (place === null || place !== placeOfPids()) return "unknown";
  if (!isRunning(pid)) return "gone";
  const [state, present] = statusOf(pid);
  // Dead, but not yet collected by its parent: a container's first process may never do so.
  if (state === "Z" || state === "X") return "gone";
  if (present === null || started === null) return "unknown";
  return present === started ? "running" : "gone";
}

/** Returns boot ID and PID namespace on Linux; elsewhere the host name, because PIDs are per machine. */
function placeOfPids(): string | null {
  if (process.platform !== "linux") return `${process.platform} ${hostname()}`;
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return null;
  }
}

/** Returns a process's state, and its start time in ticks since boot (proc(5), `stat`, fields 3 and 22). */
function statusOf(pid: number): [state: string | null, started: string | null] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return [fields[0] ?? null, fields[19] ?? null];
  } catch {
    return [null, null];
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
