import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { identityIn, stateOf, thisProcess, type ProcessIdentity } from "./process-identity.ts";

/** Another process holds the folder. */
export class FolderInUseError extends Error {}

/** How often a holder touches its lock. */
const touchMilliseconds = 1_000;
/** A lock that was watched for so long without a touch belongs to nobody. */
const staleMilliseconds = 5_000;
const watchMilliseconds = 100;

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
  const owner = identityIn(first.text);
  const state = owner ? stateOf(owner) : "unknown";
  if (state === "gone") return first;
  if (state === "running") throw inUse(folder, owner);
  // By this process's own clock: that of another machine may be set otherwise.
  const began = performance.now();
  while (performance.now() - began <= staleMilliseconds) {
    await sleep(watchMilliseconds);
    const now = look(path);
    if (!now) return null;
    if (!isSame(now, first)) throw inUse(folder, identityIn(now.text));
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

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function inUse(folder: string, owner: ProcessIdentity | null): FolderInUseError {
  const where = owner && owner.host !== hostname() ? ` on ${owner.host}` : "";
  const who = owner ? `process ${owner.pid}${where}` : "another process";
  return new FolderInUseError(`${folder} is in use by ${who}; stop that one first, or choose another DATA_DIR.`);
}

function justTaken(folder: string): FolderInUseError {
  return new FolderInUseError(`${folder} was just taken by another process.`);
}
