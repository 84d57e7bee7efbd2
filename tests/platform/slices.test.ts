import * as fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  atOnce,
  filtered,
  flatMapped,
  grouped,
  inSlices,
  inTimeOfTurn,
  inTurns,
  mapped,
  shortenTurn,
  sorted,
  takeShare,
  takeTurns,
  type Steps,
} from "../../server/platform/slices.ts";

const items = fc.array(fc.record({ key: fc.nat(20), at: fc.nat() }), { maxLength: 2_000, size: "max" });

const byKey = (one: { key: number }, other: { key: number }) => one.key - other.key;

function* endless(isOver: () => boolean): Steps<string> {
  while (!isOver()) yield;
  return "over";
}

function* failing(): Steps<never> {
  yield;
  throw new Error("broken");
}

test("sorting in steps gives the result of a stable sort", () => {
  fc.assert(
    fc.property(items, (some) => {
      expect(atOnce(sorted(some, byKey))).toEqual(some.toSorted(byKey));
    }),
  );
});

test("sorting in steps takes comparisons in proportion to n log n", () => {
  for (const length of [1_000, 10_000, 100_000]) {
    let comparisons = 0;
    const some = Array.from({ length }, (_, index) => (index * 7_919) % length);
    atOnce(sorted(some, (one, other) => (comparisons++, one - other)));
    expect(comparisons).toBeLessThan(1.2 * length * Math.log2(length));
  }
});

test("mapping, filtering and grouping in steps give the same results as their array counterparts", () => {
  fc.assert(
    fc.property(items, (some) => {
      expect(atOnce(mapped(some, ({ at }) => at))).toEqual(some.map(({ at }) => at));
      expect(atOnce(filtered(some, ({ key }) => key > 3))).toEqual(some.filter(({ key }) => key > 3));
      expect(atOnce(flatMapped(some, ({ key, at }) => [key, at]))).toEqual(some.flatMap(({ key, at }) => [key, at]));
      expect(atOnce(grouped(some, ({ key }) => key))).toEqual(Map.groupBy(some, ({ key }) => key));
    }),
  );
});

test("long work yields to other work before it ends, and still returns its result", async () => {
  const order: string[] = [];
  setImmediate(() => order.push("others"));
  const result = await inSlices(endless(() => order.length > 0));
  order.push(result);
  expect(order).toEqual(["others", "over"]);
});

test("a long loop yields to other work before it ends, and gets every item in order", async () => {
  const order: string[] = [];
  setImmediate(() => order.push("others"));
  function* numbers() {
    for (let number = 0; order.length === 0 && number < 1_000_000; number++) yield number;
  }
  const found: number[] = [];
  for await (const number of inTurns(numbers())) found.push(number);
  expect(order).toEqual(["others"]);
  expect(found).toEqual(found.map((_, index) => index));
});

test("a short loop ends without yielding", async () => {
  const order: string[] = [];
  setImmediate(() => order.push("others"));
  for await (const text of inTurns(["short"])) order.push(text);
  expect(order).toEqual(["short"]);
});

test("short work ends without yielding", async () => {
  const order: string[] = [];
  setImmediate(() => order.push("others"));
  order.push(...(await inSlices(mapped(["short"], (text) => text))));
  expect(order).toEqual(["short"]);
});

test("an error in long work is thrown to its caller", async () => {
  await expect(inSlices(failing())).rejects.toThrow("broken");
});

test("many who work long share the time of a turn, and none gets ahead of the others", async () => {
  let milliseconds = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => milliseconds);
  onTestFinished(() => void vi.restoreAllMocks());
  const done = Array.from({ length: 8 }, () => 0);
  const spread = { turn: 0, workers: 0 };
  const inAll = () => done.reduce((sum, each) => sum + each, 0);
  const look = (before: number) => {
    const now = inAll();
    // The first turn is of all: each begins before it knows of others.
    if (before > 0) spread.turn = Math.max(spread.turn, now - before);
    spread.workers = Math.max(spread.workers, Math.max(...done) - Math.min(...done));
    if (now < 8 * 1_000) setImmediate(look, now);
  };
  setImmediate(look, 0);
  const work = function* (worker: number): Steps<void> {
    for (let step = 0; step < 1_000; step++) {
      done[worker] = step + 1;
      milliseconds++;
      yield;
    }
  };
  await Promise.all(done.map((_, worker) => inSlices(work(worker))));
  expect(spread.turn).toBeLessThanOrEqual(64);
  expect(spread.workers).toBeLessThanOrEqual(64);
});

test("what cannot be interrupted waits for the next turn if this one has had enough, and then goes before those who rest", async () => {
  let milliseconds = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => milliseconds);
  onTestFinished(() => void vi.restoreAllMocks());
  const order: string[] = [];
  const resting = ["one", "two", "three"].map(async (whose) => {
    await takeTurns();
    order.push(whose);
    milliseconds += 11;
  });
  await inTimeOfTurn();
  milliseconds += 11;
  await inTimeOfTurn();
  order.push("statement");
  await Promise.all(resting);
  expect(order).toEqual(["statement", "one", "two", "three"]);
});

test("whoever waits for a share gets it before others get another, even if each uses up its turn", async () => {
  let milliseconds = 0;
  vi.spyOn(performance, "now").mockImplementation(() => milliseconds);
  onTestFinished(() => void vi.restoreAllMocks());
  const flood = { shares: 0, isOver: false };
  const work = async (): Promise<void> => {
    await takeShare("one");
    flood.shares++;
    milliseconds += 11;
    if (!flood.isOver && flood.shares < 100) await work();
  };
  const flooded = work();
  await takeShare("another");
  const same = takeShare("one");
  await takeShare("another");
  await same;
  expect(flood.shares).toBeLessThanOrEqual(4);
  flood.isOver = true;
  await flooded;
});

test("turns in which connections are opened grant few shares, because each has to end before the next connection is accepted", async () => {
  const granted = { inTurn: 0, inAll: 0, most: 0 };
  const open = () => {
    granted.most = Math.max(granted.most, granted.inTurn);
    granted.inTurn = 0;
    shortenTurn();
    if (granted.inAll < 50) setImmediate(open);
  };
  open();
  const take = async () => {
    await takeShare("one");
    granted.inTurn++;
    granted.inAll++;
  };
  await Promise.all(Array.from({ length: 50 }, take));
  expect(granted.most).toBeLessThanOrEqual(4);
});

test("a thousand who wait for shares of one caller leave another caller's next", async () => {
  const order: string[] = [];
  const take = async (whose: string) => {
    await takeShare(whose);
    order.push(whose);
  };
  const all = Array.from({ length: 1_000 }, () => take("many"));
  all.push(take("few"));
  await Promise.all(all);
  expect(order.indexOf("few")).toBe(1);
  expect(order).toHaveLength(1_001);
});
