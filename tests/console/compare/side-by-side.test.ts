import { expect, test } from "vitest";
import { sideBySide } from "../../../web/src/compare/side-by-side.ts";

const record = (name: string, value: string, more: object = {}) => ({
  recordType: "A" as const,
  name,
  value,
  strings: null,
  ttl: 3600,
  priority: null,
  proxied: false,
  status: "active" as const,
  ...more,
});

test("records of one name and type stand in one row, the apex first, and only what differs is said", () => {
  const difference = {
    added: [record("www", "10.0.0.1"), record("db", "10.0.0.2")],
    removed: [record("www", "192.0.2.1")],
    modified: [{ before: record("@", "192.0.2.9"), after: record("@", "192.0.2.9", { ttl: 300 }), changes: {} }],
  };
  expect(sideBySide(difference, [null, null])).toEqual([
    { name: "@", recordType: "A", left: ["192.0.2.9 (1 h)"], right: ["192.0.2.9 (5 min)"] },
    { name: "db", recordType: "A", left: [], right: ["10.0.0.2"] },
    { name: "www", recordType: "A", left: ["192.0.2.1"], right: ["10.0.0.1"] },
  ]);
});

test("an automatic TTL is compared in the words of each zone's provider", () => {
  const [before, after] = [record("www", "192.0.2.1", { ttl: 1 }), record("www", "192.0.2.1", { status: "disabled" })];
  const difference = { added: [], removed: [], modified: [{ before, after, changes: {} }] };
  const sides = (automaticTtl: number | null) => sideBySide(difference, [{ automaticTtl }, null]);
  expect(sides(1)[0]).toMatchObject({
    left: ["192.0.2.1 (automatic, enabled)"],
    right: ["192.0.2.1 (1 h, disabled)"],
  });
  expect(sides(null)[0]?.left).toEqual(["192.0.2.1 (1 s, enabled)"]);
});
