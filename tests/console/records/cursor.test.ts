import * as fc from "fast-check";
import { expect, test } from "vitest";
import { columns, move, range, start, type Cursor } from "../../../web/src/records/grid/cursor.ts";

const press = (key: string, { shift = false, mod = false } = {}) => ({ key, shift, mod });
const at = (row: number, column: Cursor["column"] = "value"): Cursor => ({ row, column, anchor: null });

test.each([
  ["ArrowDown", at(3), at(4)],
  ["ArrowUp", at(3), at(2)],
  ["ArrowRight", at(3, "name"), at(3, "type")],
  ["ArrowLeft", at(3, "name"), at(3, "name")],
  ["Home", at(3), at(3, "name")],
  ["End", at(3), at(3, "note")],
  ["PageDown", at(3), at(12)],
  ["PageUp", at(3), at(0)],
])("%s moves the cursor", (key, from, to) => {
  expect(move(from, press(key), 100, 10)).toEqual(to);
});

test("Ctrl with Home and End leads to the first and the last row", () => {
  expect(move(at(5), press("End", { mod: true }), 100, 10)).toEqual(at(99));
  expect(move(at(5), press("Home", { mod: true }), 100, 10)).toEqual(at(0));
});

test("other keys leave the cursor to what they do", () => {
  expect(move(at(5), press("d"), 100, 10)).toBeNull();
  expect(move(at(5), press("Enter"), 100, 10)).toBeNull();
});

test("Shift keeps the row where the selection began", () => {
  const down = press("ArrowDown", { shift: true });
  const extended = move(move(at(5), down, 100, 10) ?? start, down, 100, 10) ?? start;
  expect(range(extended)).toEqual({ first: 5, last: 7 });
  expect(move(extended, press("ArrowDown"), 100, 10)?.anchor).toBeNull();
});

test("no sequence of keys leaves the grid", () => {
  const keys = fc.array(
    fc.record({
      key: fc.constantFrom("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown"),
      shift: fc.boolean(),
      mod: fc.boolean(),
    }),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(keys, fc.integer({ min: 0, max: 50 }), (presses, count) => {
      let cursor = start;
      for (const each of presses) cursor = move(cursor, each, count, 12) ?? cursor;
      expect(cursor.row).toBeGreaterThanOrEqual(0);
      expect(cursor.row).toBeLessThanOrEqual(Math.max(0, count - 1));
      expect(columns).toContain(cursor.column);
    }),
  );
});
