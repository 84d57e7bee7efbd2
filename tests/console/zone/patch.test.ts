import { expect, test } from "vitest";
import { differenceLines, madeLines, planLines } from "../../../web/src/zone/patch.ts";

const record = (name: string, value: string, ttl = 300) => ({
  recordType: "A",
  name,
  value,
  strings: null,
  ttl,
  priority: null,
  proxied: false,
  status: "active" as const,
});

test("a plan is shown by name, the apex first, what goes above what comes", () => {
  const lines = planLines({
    creates: [record("www", "192.0.2.2")],
    updates: [{ id: "1", before: record("@", "192.0.2.1"), after: record("@", "192.0.2.9"), changes: {} }],
    deletes: [{ id: "2", ...record("www", "192.0.2.1") }],
    warnings: [],
  });
  expect(lines.map(({ kind, name, before, value }) => [kind, name, before, value])).toEqual([
    ["update", "@", "192.0.2.1", "192.0.2.9"],
    ["delete", "www", null, "192.0.2.1"],
    ["create", "www", null, "192.0.2.2"],
  ]);
});

test("a changed TTL is shown with both values, and an unchanged value once", () => {
  const [line] = differenceLines({
    added: [],
    removed: [],
    modified: [{ before: record("www", "192.0.2.1"), after: record("www", "192.0.2.1", 3600), changes: {} }],
  });
  expect(line).toMatchObject({ kind: "update", before: null, note: "5 min → 1 h" });
});

test("a change of the history is shown like a plan", () => {
  const lines = madeLines([
    { action: "create", recordId: "3", before: null, after: record("www", "192.0.2.2") },
    { action: "update", recordId: "1", before: record("@", "192.0.2.1"), after: record("@", "192.0.2.9") },
    { action: "delete", recordId: "2", before: record("www", "192.0.2.1"), after: null },
  ]);
  expect(lines.map(({ kind, name, before, value }) => [kind, name, before, value])).toEqual([
    ["update", "@", "192.0.2.1", "192.0.2.9"],
    ["delete", "www", null, "192.0.2.1"],
    ["create", "www", null, "192.0.2.2"],
  ]);
});
