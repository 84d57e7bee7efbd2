import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Another process holds the folder. */
export class FolderInUseError extends Error {}

/** How often a holder touches its lock. */
const touchMilliseconds = 1_000;
/** A lock that was watched for so long without a touch belongs to nobody. */
const staleMilliseconds = 5_000;
const watchMilliseconds = 100;

/** Who holds a lock, as the file says it. */
interface Owner {
  pid: number;
  host: string;
  /** Where the pid means something: two processes with the same place see each other. Null where that cannot be told. */
  place: string | null;
  /** When the process began, in the kernel's own count: another process may have its id later. */
  started: string | null;
}

/** The lock file at one moment. */
interface Seen {
  text: string;
  touchedAt: number;
}

/**
 * Claims a data folder for this process: two processes on one embedded database would damage it silently.
 *
 * The holder touches the lock every second. A pid alone proves nothing, because another container has other pids: a lock is
 * taken over at once only when its owner would be visible from here and is gone, else after five seconds without a touch.
 * @param onLost told when the lock has become another's, after this process was held up for longer than that.
 * @returns gives the folder free again.
 * @throws FolderInUseError
 */
export async function lockFolder(folder: string, onLost: () => void = () => undefined): Promise<() => void> {
  const path = join(folder, "lock");
  const mine = JSON.stringify({ ...thisProcess(), token: randomUUID() });
  if (!claim(path, mine)) {
    const stale = await abandoned(folder, path);
    if (stale) removeStale(folder, path, stale);
    if (!claim(path, mine)) throw justTaken(folder);
  }
  const timer = setInterval(() => {
    if (look(path)?.text === mine) {
      touch(path);
      return;
    }
    clearInterval(timer);
    onLost();
  }, touchMilliseconds);
  timer.unref();
  return () => {
    clearInterval(timer);
    if (look(path)?.text === mine) rmSync(path, { force: true });
  };
}

/** Puts the lock in place with its content at once: nobody may see an empty one. */
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
 * Watches a lock until it is known whether anybody holds it.
 * @returns what was seen of an abandoned one, null when it went away meanwhile.
 * @throws FolderInUseError
 */
async function abandoned(folder: string, path: string): Promise<Seen | null> {
  const first = look(path);
  if (!first) return null;
  const owner = ownerIn(first.text);
  const state = owner ? stateOf(owner) : "unknown";
  if (state === "gone") return first;
  if (state === "running") throw inUse(folder, owner);
  // By this process's own clock: that of another machine may be set otherwise.
  const began = performance.now();
  while (performance.now() - began <= staleMilliseconds) {
    await sleep(watchMilliseconds);
    const now = look(path);
    if (!now) return null;
    if (!isSame(now, first)) throw inUse(folder, ownerIn(now.text));
  }
  return first;
}

/**
 * Takes a stale lock away. Of two processes that judged it stale, one may find the other's new lock in its hands: it is put
 * back.
 * @throws FolderInUseError
 */
function removeStale(folder: string, path: string, stale: Seen): void {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  const taken = look(aside);
  try {
    if (taken && isSame(taken, stale)) return;
    linkSync(aside, path);
  } catch (error) {
    // A third one was faster; the owner of what was taken away notices that at its next touch.
    if (codeOf(error) !== "EEXIST") throw error;
  } finally {
    rmSync(aside, { force: true });
  }
  throw justTaken(folder);
}

function look(path: string): Seen | null {
  try {
    return { text: readFileSync(path, "utf8"), touchedAt: statSync(path).mtimeMs };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

function isSame(one: Seen, other: Seen): boolean {
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

function thisProcess(): Owner {
  return { pid: process.pid, host: hostname(), place: placeOfPids(), started: startOf(process.pid) };
}

function ownerIn(text: string): Owner | null {
  try {
    const { pid, host, place, started } = JSON.parse(text) as Partial<Owner>;
    if (typeof pid !== "number" || pid <= 0 || typeof host !== "string") return null;
    return { pid, host, place: place ?? null, started: started ?? null };
  } catch {
    return null;
  }
}

/** What can be said of an owner from here; `unknown` where its pid means another process or nothing. */
function stateOf({ pid, place, started }: Owner): "running" | "gone" | "unknown" {
  if (place === null || place !== placeOfPids()) return "unknown";
  if (!isRunning(pid)) return "gone";
  const present = startOf(pid);
  if (present === null || started === null) return "unknown";
  return present === started ? "running" : "gone";
}

/** On Linux the boot and the PID namespace; elsewhere, where there is one set of pids a machine, its name. */
function placeOfPids(): string | null {
  if (process.platform !== "linux") return `${process.platform} ${hostname()}`;
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return null;
  }
}

/** When a process began, in ticks since the boot (proc(5), `stat`, field 22). */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function inUse(folder: string, owner: Owner | null): FolderInUseError {
  const where = owner && owner.host !== hostname() ? ` on ${owner.host}` : "";
  const who = owner ? `process ${owner.pid}${where}` : "another process";
  return new FolderInUseError(`${folder} is in use by ${who}; stop that one first, or choose another DATA_DIR.`);
}

function justTaken(folder: string): FolderInUseError {
  return new FolderInUseError(`${folder} was just taken by another process.`);
}
