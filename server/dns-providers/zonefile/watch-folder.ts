import { watch, type FSWatcher } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "./folder.ts";

/** Editors and name servers write in several steps; only the last one counts. */
const settleMilliseconds = 500;
const leastPollMilliseconds = 10_000;
/** Interval while waiting for a folder that is created with its first zone. */
const awaitMilliseconds = 1_000;
/** Checking a file takes about 10 µs of processor time, so a folder of any size takes a thousandth of it. */
const pollMillisecondsPerFile = 10;

/**
 * Calls `onChange` with a file's name soon after it was written, created or deleted. Listens to the file system and also polls,
 * because network file systems report nothing and watches may run out.
 * @param options.listen false: only polls. @param options.everyMilliseconds the shortest polling interval
 * @returns a function that stops watching.
 */
export function watchFolder(
  folder: string,
  onChange: (file: string) => void,
  options: { listen?: boolean; everyMilliseconds?: number } = {},
): () => void {
  const { listen = true, everyMilliseconds = leastPollMilliseconds } = options;
  const waiting = new Map<string, NodeJS.Timeout>();
  let ended = false;
  const changed = (file: string) => {
    if (ended) return;
    clearTimeout(waiting.get(file));
    const timer = setTimeout(() => {
      waiting.delete(file);
      onChange(file);
    }, settleMilliseconds);
    waiting.set(file, timer.unref());
  };
  let watcher: FSWatcher | null = null;
  let known: Map<string, string> | null = null;
  let poll: NodeJS.Timeout | undefined;
  const look = async () => {
    // The folder may have been created since.
    if (listen) watcher ??= listener(folder, changed);
    const present = await marksIn(folder);
    if (ended) return;
    if (known && present) {
      for (const [file, mark] of present) if (known.get(file) !== mark) changed(file);
      for (const file of known.keys()) if (!present.has(file)) changed(file);
    }
    known = present ?? known;
    const size = known?.size ?? 0;
    const isAwaited = listen && watcher === null && size === 0;
    const wait = Math.max(isAwaited ? awaitMilliseconds : everyMilliseconds, size * pollMillisecondsPerFile);
    poll = setTimeout(() => void look(), wait).unref();
  };
  void look();

  return () => {
    ended = true;
    watcher?.close();
    clearTimeout(poll);
    for (const timer of waiting.values()) clearTimeout(timer);
  };
}

/** Returns a watcher; null if the system cannot report changes, so that polling must do. */
function listener(folder: string, changed: (file: string) => void): FSWatcher | null {
  try {
    const watcher = watch(folder, { persistent: false }, (_event, file) => {
      if (file !== null) changed(file);
    });
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}

/**
 * Returns a mark per file that changes with its content, without reading it; null if the folder cannot be read. A missing folder is
 * empty.
 */
async function marksIn(folder: string): Promise<Map<string, string> | null> {
  try {
    const marks = new Map<string, string>();
    for (const file of await readdir(folder)) {
      const stats = await stat(join(folder, file), { bigint: true }).catch(() => null);
      if (stats?.isFile() === true) marks.set(file, `${stats.ino} ${stats.size} ${stats.mtimeNs}`);
    }
    return marks;
  } catch (error) {
    return isMissing(error) ? new Map() : null;
  }
}
