import { expect, test } from "vitest";
import { initialsOf } from "../../../web/src/ui/initials.ts";

test.each([
  ["Ada Lovelace", "AL"],
  ["ada", "AD"],
  ["mira.k", "MK"],
  ["Ada Augusta King Lovelace", "AL"],
  ["  Ada   Lovelace ", "AL"],
  ["小明", "小明"],
  ["👩‍🚒 Fire", "👩‍🚒F"],
  ["x", "X"],
  ["...", ""],
  ["", ""],
])("“%s” has the initials %s", (name, initials) => {
  expect(initialsOf(name)).toBe(initials);
});
