import { setImmediate as turn } from "node:timers/promises";

/** Long work, parted into small steps: it yields wherever it can be interrupted, and returns its result. */
export type Steps<T> = Generator<void, T, void>;

/** How long work may hold the event loop at a stretch. Other calls wait as long at most, for each turn that they need. */
const sliceMilliseconds = 10;
/** Looking at the clock costs more than a step. */
const stepsBetweenLooks = 32;

/** What was done in slices since the process began: how much, and how often other work had its turn. For tests and measurements. */
export const slicedWork = { steps: 0, turns: 0, chunks: 0 };

/** Does long work in slices, between which the event loop turns. */
export async function inSlices<T>(steps: Steps<T>): Promise<T> {
  let until = performance.now() + sliceMilliseconds;
  for (;;) {
    for (let left = stepsBetweenLooks; left > 0; left--) {
      const { done, value } = steps.next();
      if (done) return value;
      slicedWork.steps++;
    }
    if (performance.now() < until) continue;
    await takeTurns();
    until = performance.now() + sliceMilliseconds;
  }
}

/** Lets the event loop turn between two parts of long work. */
export async function takeTurns(): Promise<void> {
  slicedWork.turns++;
  await turn();
}

/** Does the same at once, for small work and where nobody waits. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Asks about many things, some at a time, between which the event loop turns: a database within the process answers synchronously. */
export async function inChunks<T, U>(
  items: readonly T[],
  size: number,
  ask: (chunk: readonly T[]) => Promise<readonly U[]>,
): Promise<U[]> {
  const found: U[] = [];
  for (let start = 0; start < items.length; start += size) {
    if (start > 0) await turn();
    slicedWork.chunks++;
    for (const one of await ask(items.slice(start, start + size))) found.push(one);
  }
  return found;
}

/** Asks for the pages of a long answer one after another, between which the event loop turns; a page that is not full is the last. */
export async function* inPages<U>(
  size: number,
  ask: (last: U | null) => Promise<readonly U[]>,
): AsyncGenerator<readonly U[]> {
  for (let last: U | null = null; ;) {
    slicedWork.chunks++;
    const page = await ask(last);
    yield page;
    last = page.at(-1) ?? null;
    if (page.length < size) return;
    await turn();
  }
}

/** `map`, a step for each item. */
export function* mapped<T, U>(items: Iterable<T>, change: (item: T) => U): Steps<U[]> {
  const found: U[] = [];
  for (const item of items) {
    found.push(change(item));
    yield;
  }
  return found;
}

/** `flatMap`, a step for each item. */
export function* flatMapped<T, U>(items: Iterable<T>, change: (item: T) => readonly U[]): Steps<U[]> {
  const found: U[] = [];
  for (const item of items) {
    for (const one of change(item)) found.push(one);
    yield;
  }
  return found;
}

/** `filter`, a step for each item. */
export function* filtered<T>(items: Iterable<T>, isWanted: (item: T) => boolean): Steps<T[]> {
  const found: T[] = [];
  for (const item of items) {
    if (isWanted(item)) found.push(item);
    yield;
  }
  return found;
}

/** `Map.groupBy`, a step for each item. Items without a key are left out. */
export function* grouped<T, K>(items: Iterable<T>, keyOf: (item: T) => K | undefined): Steps<Map<K, T[]>> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key !== undefined) {
      const known = groups.get(key);
      if (known) known.push(item);
      else groups.set(key, [item]);
    }
    yield;
  }
  return groups;
}

const runLength = 256;

/** A stable sort: short runs, which are then merged, a step for each item. */
export function* sorted<T>(items: readonly T[], compare: (one: T, other: T) => number): Steps<T[]> {
  let runs: T[][] = [];
  for (let start = 0; start < items.length; start += runLength) {
    runs.push(items.slice(start, start + runLength).toSorted(compare));
    for (let step = 0; step < runLength; step++) yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) merged.push(yield* merge(runs[at] ?? [], runs[at + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<T>(one: readonly T[], other: readonly T[], compare: (one: T, other: T) => number): Steps<T[]> {
  const merged: T[] = [];
  let left = 0;
  let right = 0;
  while (left < one.length || right < other.length) {
    const takesLeft = right >= other.length || (left < one.length && compare(one[left] as T, other[right] as T) <= 0);
    merged.push((takesLeft ? one[left++] : other[right++]) as T);
    yield;
  }
  return merged;
}
