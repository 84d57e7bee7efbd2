import { expect, test } from "vitest";
import { changedTags, mayChange, movedTo, qualified, rowsBetween, tagsOf } from "../../../web/src/domains/selection.ts";

test.each([
  ["ArrowDown", 0, 1],
  ["ArrowDown", 9, 9],
  ["ArrowUp", 0, 0],
  ["PageDown", 2, 7],
  ["PageDown", 8, 9],
  ["PageUp", 3, 0],
  ["Home", 5, 0],
  ["End", 5, 9],
  ["x", 5, null],
])("%s in row %i of ten leads to row %s", (key, active, expected) => {
  expect(movedTo(key, active, 10, 5)).toBe(expected);
});

test("no key moves in an empty list", () => {
  expect(movedTo("ArrowDown", 0, 0, 5)).toBeNull();
});

test.each([
  [2, 4, [2, 3, 4]],
  [4, 2, [2, 3, 4]],
  [3, 3, [3]],
])("the rows from %i to %i include both", (anchor, row, expected) => {
  expect(rowsBetween(anchor, row)).toEqual(expected);
});

test("a tag is added once, and removed only where it is, in whatever case", () => {
  expect(changedTags(["a"], "b", "add")).toEqual(["a", "b"]);
  expect(changedTags(["a"], "a", "add")).toBeNull();
  expect(changedTags(["a", "b"], "a", "remove")).toEqual(["b"]);
  expect(changedTags(["b"], "a", "remove")).toBeNull();
  expect(changedTags(["A"], "a", "add")).toBeNull();
  expect(changedTags(["A", "b"], "a", "remove")).toEqual(["b"]);
});

test("typed tags are separated by commas, without empty and repeated ones", () => {
  expect(tagsOf(" a, b,,a ,")).toEqual(["a", "b"]);
  expect(tagsOf("")).toEqual([]);
});

test("owners and administrators may change a domain, and others may not", () => {
  expect(mayChange({ ownerId: "u" }, { id: "u", role: "member" })).toBe(true);
  expect(mayChange({ ownerId: null }, { id: "u", role: "member" })).toBe(false);
  expect(mayChange({ ownerId: null }, { id: "u", role: "admin" })).toBe(true);
});

test("a domain's address has its view after an exclamation mark", () => {
  expect(qualified({ name: "example.com", view: "" })).toBe("example.com");
  expect(qualified({ name: "example.com", view: "internal" })).toBe("example.com!internal");
});
