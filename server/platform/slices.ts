/** Long work divided into small steps: yields wherever it can be interrupted, and returns its result. */
export type Steps<T> = Generator<void, T, void>;

/** Maximum time that long work may block the event loop. Other calls wait at most this long per turn. */
const sliceMilliseconds = 10;
/** Reading the clock costs more than a step. */
const stepsBetweenLooks = 32;

/** Counters since the process started, for tests and measurements. */
export const slicedWork = { steps: 0, turns: 0, chunks: 0, shares: 0 };

/** The time at which long work must give up this turn; 0 if none has started. All long work shares it. */
let workUntil = 0;
/** Whether work was resumed in this turn. */
let isResuming = false;
/** Those who gave up the turn, in the order in which they go on. */
const resting: (() => void)[] = [];

/** Returns when this turn has had enough long work. */
function endOfWork(): number {
  if (workUntil === 0) {
    workUntil = performance.now() + sliceMilliseconds;
    setImmediate(() => (workUntil = 0));
  }
  return workUntil;
}

/** Gives up the turn. Of many who do, a turn resumes only as many as there is time for: they take turns, instead of a slice each in every turn. */
async function rest(): Promise<void> {
  const resumed = Promise.withResolvers<void>();
  resting.push(resumed.resolve);
  setImmediate(resumeNext);
  await resumed.promise;
}

/** There is one of these for each who rests. What one resumes runs before the next. */
function resumeNext(): void {
  if (!isResuming) {
    isResuming = true;
    workUntil = performance.now() + sliceMilliseconds;
    setImmediate(() => {
      isResuming = false;
      workUntil = 0;
    });
  } else if (performance.now() >= workUntil) {
    setImmediate(resumeNext);
    return;
  }
  resting.shift()?.();
}

/**
 * Waits for the next turn if this one has had enough long work, before work that cannot be interrupted. Goes before those who rest: only one may
 * wait here at a time.
 */
export async function inTimeOfTurn(): Promise<void> {
  if (performance.now() < endOfWork()) return;
  const resumed = Promise.withResolvers<void>();
  resting.unshift(resumed.resolve);
  setImmediate(resumeNext);
  await resumed.promise;
}

/** Runs long work in slices, yielding to the event loop in between. */
export async function inSlices<T>(steps: Steps<T>): Promise<T> {
  let until = endOfWork();
  for (;;) {
    for (let left = stepsBetweenLooks; left > 0; left--) {
      const { done, value } = steps.next();
      if (done) return value;
      slicedWork.steps++;
    }
    if (performance.now() < until) continue;
    await takeTurns();
    until = endOfWork();
  }
}

/** Iterates over items, and yields to the event loop in between if their loop takes long. */
export async function* inTurns<T>(items: Iterable<T>): AsyncGenerator<T> {
  let until = endOfWork();
  let left = stepsBetweenLooks;
  for (const item of items) {
    yield item;
    slicedWork.steps++;
    if (--left > 0) continue;
    left = stepsBetweenLooks;
    if (performance.now() < until) continue;
    await takeTurns();
    until = endOfWork();
  }
}

/** Iterates over items, and yields to the event loop after every few: what is sent for one costs more than its step, and is not seen on a clock. */
export async function* inParts<T>(items: Iterable<T>, size: number): AsyncGenerator<T> {
  let left = size;
  for (const item of items) {
    if (left === 0) {
      await takeTurns();
      left = size;
    }
    yield item;
    left--;
  }
}

/** Yields to the event loop. */
export async function takeTurns(): Promise<void> {
  slicedWork.turns++;
  await rest();
}

/** Small pieces of work, such as messages of strangers, that begin in one turn. */
const sharesOfTurn = 16;
let sharesLeft = sharesOfTurn;
let sharesUntil = 0;
/** Those of a turn in which a connection was opened. */
const sharesOfShortTurn = 2;
let isShort = false;

/** Grants few shares in this turn, in which a connection was opened: libuv accepts one in each turn, and more may wait for the next ones. */
export function shortenTurn(): void {
  if (isShort) return;
  isShort = true;
  setImmediate(() => (isShort = false));
}

/** Those who wait for a share, by whom the work is for. Who had the last one goes to the end. */
const waiting = new Map<string, (() => void)[]>();
let isGranting = false;

/**
 * Waits for a share of a turn of the event loop, in which there is time for one more small piece of work. Whoever answers many messages, on one
 * connection or many, takes a share for each, so that other work waits for a few of them, not for all.
 * @param whose whom the work is for. Shares go round among them, and to each in order: whoever just had one waits behind all who had none.
 */
export async function takeShare(whose: string): Promise<void> {
  const granted = Promise.withResolvers<void>();
  const others = waiting.get(whose);
  if (others) others.push(granted.resolve);
  else waiting.set(whose, [granted.resolve]);
  grantInTurn();
  await granted.promise;
}

/** Takes a share of this turn without waiting. @returns false if there is none left, or others wait for one: wait with `takeShare` */
export function mayShare(): boolean {
  return waiting.size === 0 && takeLeft();
}

/** Grants shares of the next turn, and of those after it while anybody waits. What one share was taken for runs before the next is granted. */
function grantInTurn(): void {
  if (isGranting) return;
  isGranting = true;
  for (let share = 0; share < sharesOfTurn; share++) setImmediate(grantNext);
  setImmediate(() => {
    isGranting = false;
    if (waiting.size > 0) grantInTurn();
  });
}

function grantNext(): void {
  const [next] = waiting;
  if (!next || !takeLeft()) return;
  const [whose, queue] = next;
  const grant = queue.shift();
  waiting.delete(whose);
  if (queue.length > 0) waiting.set(whose, queue);
  grant?.();
}

function takeLeft(): boolean {
  const now = performance.now();
  if (sharesLeft === sharesOfTurn) {
    sharesUntil = now + sliceMilliseconds;
    setImmediate(() => (sharesLeft = sharesOfTurn));
  }
  const kept = isShort ? sharesOfTurn - sharesOfShortTurn : 0;
  if (sharesLeft <= kept || now >= sharesUntil) return false;
  sharesLeft--;
  slicedWork.shares++;
  return true;
}

/** Runs the work synchronously, for small work and when nothing else waits. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Queries many items in chunks, yielding to the event loop in between, because an embedded database responds synchronously. */
export async function inChunks<T, U>(
  items: readonly T[],
  size: number,
  ask: (chunk: readonly T[]) => Promise<readonly U[]>,
): Promise<U[]> {
  const found: U[] = [];
  for (let start = 0; start < items.length; start += size) {
    if (start > 0) await rest();
    slicedWork.chunks++;
    for (const one of await ask(items.slice(start, start + size))) found.push(one);
  }
  return found;
}

/** Queries the pages of a long result in order, yielding to the event loop in between. A partial page is the last. */
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
    await rest();
  }
}

/** `map` with one step per item. */
export function* mapped<T, U>(items: Iterable<T>, change: (item: T) => U): Steps<U[]> {
  const found: U[] = [];
  for (const item of items) {
    found.push(change(item));
    yield;
  }
  return found;
}

/** `flatMap` with one step per item. */
export function* flatMapped<T, U>(items: Iterable<T>, change: (item: T) => readonly U[]): Steps<U[]> {
  const found: U[] = [];
  for (const item of items) {
    for (const one of change(item)) found.push(one);
    yield;
  }
  return found;
}

/** `filter` with one step per item. */
export function* filtered<T>(items: Iterable<T>, isWanted: (item: T) => boolean): Steps<T[]> {
  const found: T[] = [];
  for (const item of items) {
    if (isWanted(item)) found.push(item);
    yield;
  }
  return found;
}

/** `Map.groupBy` with one step per item. Skips items without a key. */
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

/** Stable merge sort with one step per item. */
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

const tails = new Map<string, Promise<void>>();

/** Waits until every earlier holder of the key has released it, within this process. Take it with `using`, which releases it. */
export async function keyedMutex(key: string): Promise<Disposable> {
  const before = tails.get(key);
  const { promise: mine, resolve } = Promise.withResolvers<void>();
  tails.set(key, mine);
  await before;
  return {
    [Symbol.dispose]() {
      resolve();
      if (tails.get(key) === mine) tails.delete(key);
    },
  };
}

/** Returns whether somebody holds a key or waits for it, within this process. */
export function isKeyHeld(key: string): boolean {
  return tails.has(key);
}

/** Runs `work` while holding the key. */
export async function withKeyedMutex<T>(key: string, work: () => Promise<T>): Promise<T> {
  const held = await keyedMutex(key);
  try {
    return await work();
  } finally {
    held[Symbol.dispose]();
  }
}
