import { expect, test } from "vitest";
import { changedFields, withoutStored, withTyped } from "../../../web/src/ui/use-edits.ts";

const first = { tags: "prod", notes: "", locked: false };

test("only what was typed is sent: what others set meanwhile stays", () => {
  const typed = withTyped({}, { notes: "Ask Mira" }, first);
  expect(changedFields(typed, { ...first, tags: "prod, shop" })).toEqual({ notes: "Ask Mira" });
});

test("a field that says again what it said at first follows what others set", () => {
  const there = withTyped({}, { tags: "x" }, first);
  const back = withTyped(there, { tags: "prod" }, { ...first, tags: "shop" });
  expect(changedFields(back, { ...first, tags: "shop" })).toEqual({});
});

test("what somebody else set in the same way is not sent again", () => {
  const typed = withTyped({}, { locked: true }, first);
  expect(changedFields(typed, { ...first, locked: true })).toEqual({});
});

test("what is typed while a form is saved stays to be saved", () => {
  const sent = withTyped({}, { tags: "x", notes: "Ask Ada" }, first);
  const since = withTyped(sent, { notes: "Ask Ada first", locked: true }, first);
  const left = withoutStored(since, sent);
  expect(changedFields(left, { tags: "x", notes: "Ask Ada", locked: false })).toEqual({
    notes: "Ask Ada first",
    locked: true,
  });
  const back = withTyped(left, { notes: "Ask Ada" }, { tags: "x", notes: "Ask Ada", locked: false });
  expect(changedFields(back, { tags: "x", notes: "Ask Ada", locked: false })).toEqual({ locked: true });
});
