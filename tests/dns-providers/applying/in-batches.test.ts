import * as fc from "fast-check";
import { expect, test } from "vitest";
import { inBatches } from "../../../server/dns-providers/applying/batches.ts";

const itself = (size: number) => [size];

test("an item goes into the current batch if it fits, otherwise it starts the next one", () => {
  expect(inBatches([3, 4, 3, 1], itself, [10])).toEqual([[3, 4, 3], [1]]);
});

test("an item too large for any batch gets its own", () => {
  expect(inBatches([1, 11, 1], itself, [10])).toEqual([[1], [11], [1]]);
});

test("a batch stays within every measure", () => {
  const items = [
    [1, 90],
    [1, 20],
    [9, 1],
    [1, 1],
  ];
  expect(inBatches(items, (sizes) => sizes, [10, 100])).toEqual([
    [[1, 90]],
    [
      [1, 20],
      [9, 1],
    ],
    [[1, 1]],
  ]);
});

test("batches hold all items in order, within the limit and as full as possible", () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 12 })), (items) => {
      const batches = inBatches(items, itself, [10]);
      expect(batches.flat()).toEqual(items);
      const sums = batches.map((batch) => batch.reduce((sum, item) => sum + item, 0));
      for (const [index, batch] of batches.entries()) {
        expect(sums[index]).toBeLessThanOrEqual(batch.length === 1 ? 12 : 10);
        const next = batches[index + 1]?.[0] ?? Infinity;
        expect((sums[index] ?? 0) + next).toBeGreaterThan(10);
      }
    }),
  );
});
