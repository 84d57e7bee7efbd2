import * as fc from "fast-check";
import { expect, test } from "vitest";
import { inBatches, connectedComponents } from "../../../server/dns-providers/applying/batches.ts";
import { create, record, update } from "../zone-folder.ts";

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

const namesOf = (change: ReturnType<typeof create>) =>
  [change.before, change.after].flatMap((one) => (one ? [one.name] : []));

test("changes without a common link form separate groups, in order", () => {
  const changes = ["a", "b", "a", "c"].map((name, index) => create(record(name, "A", `192.0.2.${index}`)));
  const [one, two, three, four] = changes;
  expect(connectedComponents(changes, namesOf)).toEqual([[one, three], [two], [four]]);
});

test("a change that touches two names joins their groups", () => {
  const [a, b] = [create(record("a", "A", "192.0.2.1")), create(record("b", "A", "192.0.2.2"))];
  const move = update(record("a", "TXT", "x"), record("b", "TXT", "x"));
  expect(connectedComponents([a, b, move], namesOf)).toEqual([[a, b, move]]);
});

test("no two groups share a link, and every group is connected", () => {
  const link = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h");
  fc.assert(
    fc.property(fc.array(fc.tuple(link, link), { maxLength: 30 }), (pairs) => {
      const changes = pairs.map(([one, other], index) =>
        update(record(one, "A", `192.0.2.${index}`), record(other, "A", `192.0.2.${index}`)),
      );
      const parts = connectedComponents(changes, namesOf);
      expect(new Set(parts.flat())).toEqual(new Set(changes));
      expect(parts.flat()).toHaveLength(changes.length);
      const links = parts.map((part) => new Set(part.flatMap(namesOf)));
      const all = links.flatMap((some) => Array.from(some));
      expect(new Set(all).size).toBe(all.length);
      for (const part of parts) expect(reachable(part)).toBe(part.length);
    }),
  );
});

/** Counts the changes of a group that the first one reaches over shared names. */
function reachable(part: readonly ReturnType<typeof update>[]): number {
  const reached = new Set(part.slice(0, 1));
  for (const change of reached) {
    for (const other of part) if (namesOf(other).some((name) => namesOf(change).includes(name))) reached.add(other);
  }
  return reached.size;
}
