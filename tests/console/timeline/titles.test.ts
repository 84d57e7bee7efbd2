import { expect, test } from "vitest";
import type { ChangeSet } from "../../../web/src/timeline/may-take-back.ts";
import { byDay, titleOf } from "../../../web/src/timeline/titles.ts";

const record = (value: string, ttl = 300) => ({
  recordType: "A",
  name: "host8",
  value,
  strings: null,
  ttl,
  priority: null,
  proxied: false,
  status: "active" as const,
});
const [old, now] = [record("192.0.2.1"), record("192.0.2.88")];
const create = { action: "create" as const, recordId: "1", before: null, after: now };
const update = { action: "update" as const, recordId: "1", before: old, after: now };
const remove = { action: "delete" as const, recordId: "1", before: old, after: null };
const slower = { ...update, after: record("192.0.2.1", 3600) };
const failure = { action: "create" as const, recordType: "A", name: "www", value: "192.0.2.1", error: "quota" };
const set = { message: null, kind: "edit" as const, changes: [], failures: [], creates: 0, updates: 0, deletes: 0 };

const at = (day: number, hour: number) => ({ createdAt: new Date(2026, 4, day, hour) });

test.each<[string, Partial<ChangeSet>, string]>([
  ["its reason before anything else", { message: "Move", changes: [update], updates: 1 }, "Move"],
  ["a record that was added", { changes: [create], creates: 1 }, "host8 A 192.0.2.88 added"],
  ["a value that changed", { changes: [update], updates: 1 }, "host8 A → 192.0.2.88"],
  ["a TTL that changed", { changes: [slower], updates: 1 }, "host8 A: 5 min → 1 h"],
  ["a record that was deleted", { changes: [remove], deletes: 1 }, "host8 A 192.0.2.1 deleted"],
  [
    "how many others, stored or not",
    { kind: "bulk", changes: [update], updates: 240 },
    "host8 A → 192.0.2.88 and 239 more",
  ],
  ["what was refused", { failures: [failure, failure] }, "www A 192.0.2.1 and 1 more"],
  ["the operation once its records are no longer stored", { updates: 1 }, "Records edited"],
  [
    "what a change back did",
    { kind: "revert", changes: [update], updates: 1 },
    "Change reverted: host8 A → 192.0.2.88",
  ],
  ["a change back whose records are no longer stored", { kind: "revert", updates: 1 }, "Change reverted"],
  ["the operation where it says more than a record", { kind: "rollback", changes: [update] }, "Earlier state restored"],
])("the title of a change is %s", (_, changed, title) => {
  expect(titleOf({ ...set, ...changed }, false)).toBe(title);
});

test("the title of a change from an automatic TTL says so where the provider has one", () => {
  const fixed = { ...set, changes: [{ ...slower, before: record("192.0.2.1", 1) }], updates: 1 };
  expect(titleOf(fixed, true)).toBe("host8 A: automatic → 1 h");
  expect(titleOf(fixed, false)).toBe("host8 A: 1 s → 1 h");
});

test("a title shows 80 characters of a long value, and no half of one", () => {
  const long = { ...create, after: { ...now, value: "😀".repeat(90) } };
  expect(titleOf({ ...set, changes: [long], creates: 1 }, false)).toBe(`host8 A ${"😀".repeat(80)}… added`);
});

test("changes are grouped by day in the order given", () => {
  const entries = [at(3, 9), at(3, 1), at(1, 23)];
  expect(byDay(entries).map(([, changes]) => changes)).toEqual([entries.slice(0, 2), entries.slice(2)]);
  expect(byDay([])).toEqual([]);
});
