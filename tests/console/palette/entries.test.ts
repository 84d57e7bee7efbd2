import { expect, test } from "vitest";
import { inGroups, matching, moved, type Entry } from "../../../web/src/palette/entries.ts";

const entry = (label: string, group: Entry["group"] = "pages"): Entry => ({
  id: label,
  label,
  detail: "",
  group,
  run: () => undefined,
});
const labels = (entries: readonly Entry[]) => entries.map(({ label }) => label);

test.each([
  ["", ["Domains", "DNS providers", "Sign-in providers"]],
  ["pro", ["DNS providers", "Sign-in providers"]],
  ["PROVIDERS dns", ["DNS providers"]],
  ["d", ["Domains", "DNS providers", "Sign-in providers"]],
  ["x", []],
])("%j finds the entries with all of its words, those that begin with it first", (search, found) => {
  expect(
    labels(
      matching(
        ["Domains", "DNS providers", "Sign-in providers"].map((label) => entry(label)),
        search,
      ),
    ),
  ).toEqual(found);
});

test("entries stand in their groups, in one order for the eye and the keyboard", () => {
  const mixed = [entry("page"), entry("record", "records"), entry("domain", "domains"), entry("action", "actions")];
  expect(labels(inGroups(mixed))).toEqual(["domain", "page", "action", "record"]);
});

test.each([
  ["ArrowDown", 0, 3, 1],
  ["ArrowDown", 2, 3, 0],
  ["ArrowUp", 0, 3, 2],
  ["PageDown", 1, 20, 9],
  ["PageDown", 15, 20, 19],
  ["PageUp", 3, 20, 0],
  ["ArrowDown", 0, 0, null],
  ["a", 0, 3, null],
])("%s from entry %i of %i goes to %j", (key, index, count, next) => {
  expect(moved(key, index, count)).toBe(next);
});
