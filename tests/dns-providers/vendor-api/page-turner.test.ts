import * as fc from "fast-check";
import { expect, test } from "vitest";
import { PageTurner } from "../../../server/dns-providers/vendor-api/pages.ts";
import { ProviderError } from "../../../server/dns-providers/provider.ts";

/** Reads pages with these markers. @returns how many were read, and why no more. */
function turned(marks: Iterable<string | number>, promised?: (page: number) => number): [number, string | null] {
  const turner = new PageTurner("Harbour");
  let count = 0;
  try {
    for (const mark of marks) {
      turner.turn(mark, promised?.(count));
      count++;
    }
    return [count, null];
  } catch (error) {
    if (error instanceof ProviderError && error.effect === "none") return [count, error.message];
    throw error;
  }
}

function* numbers(count = Infinity): Generator<number> {
  for (let number = 0; number < count; number++) yield number;
}

test("a list whose pages all differ is read to its end", () => {
  const marks = fc.uniqueArray(fc.string(), { maxLength: 200 });
  fc.assert(
    fc.property(marks, (all) => {
      expect(turned(all, () => all.length)).toEqual([all.length, null]);
    }),
  );
});

test("a repeated page aborts the list", () => {
  const marks = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(marks, fc.nat(), (all, at) => {
      const again = all[at % all.length] ?? "";
      const reason = "Harbour keeps returning the same page of a list. Try again later.";
      expect(turned([...all, again])).toEqual([all.length, reason]);
    }),
  );
});

test.each([
  ["that grows to less than twice its length is read", (page: number) => 100 + page / 2, 180, null],
  [
    "that grows with every page is aborted",
    (page: number) => page + 3,
    15,
    "returns a list that grows faster than it can be read",
  ],
  [
    "that claims an impossible length is aborted",
    () => 1e9,
    9_999,
    "returns a list that grows faster than it can be read",
  ],
])("a list %s", (_what, promised, pages, reason) => {
  const [count, why] = turned(numbers(reason === null ? pages : Infinity), promised);
  expect([count, why]).toEqual([pages, reason && `Harbour ${reason}. Try again later.`]);
});

test("an endless list without a stated length is aborted", () => {
  expect(turned(numbers())).toEqual([
    9_999,
    "Harbour returns a list that grows faster than it can be read. Try again later.",
  ]);
});
