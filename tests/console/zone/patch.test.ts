import { expect, test } from "vitest";
import { differenceLines, folded, madeLines, markedWords, noteOf, planLines } from "../../../web/src/zone/patch.ts";

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

test("a proxied record says so in place of its TTL, which the provider chooses", () => {
  const proxied = (name: string, value: string) => ({ ...record(name, value, 1), proxied: true });
  const notes = differenceLines({
    added: [proxied("a", "192.0.2.1")],
    removed: [proxied("b", "192.0.2.1")],
    modified: [
      { before: proxied("c", "192.0.2.1"), after: proxied("c", "192.0.2.2"), changes: {} },
      { before: record("d", "192.0.2.1"), after: proxied("d", "192.0.2.1"), changes: {} },
      { before: proxied("e", "192.0.2.1"), after: record("e", "192.0.2.1"), changes: {} },
    ],
  }).map(({ name, note }) => `${name}: ${note}`);
  expect(notes).toEqual([
    "a: proxied",
    "b: proxied",
    "c: proxied",
    "d: 5 min → proxied",
    "e: proxied → 5 min, not proxied",
  ]);
});

test("a TTL of one second is automatic only where the provider means that by it", () => {
  const lines = differenceLines({
    added: [record("a", "192.0.2.1", 1)],
    removed: [record("b", "192.0.2.1")],
    modified: [{ before: record("c", "192.0.2.1", 1), after: record("c", "192.0.2.1"), changes: {} }],
  });
  expect(lines.map((line) => noteOf(line, true))).toEqual(["automatic", "5 min", "automatic → 5 min"]);
  expect(lines.map((line) => noteOf(line, false))).toEqual(["1 s", "5 min", "1 s → 5 min"]);
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

const update = (name: string, value: string, ttl: [number, number], after = value) => ({
  before: record(name, value, ttl[0]),
  after: record(name, after, ttl[1]),
  changes: {},
});

test("the same change of three or more records is one line, whatever their values are", () => {
  const lines = differenceLines({
    added: [],
    removed: [],
    modified: [
      ...["a", "b", "c"].map((name, at) => update(name, `192.0.2.${at}`, [3600, 300])),
      ...["d", "e"].map((name) => update(name, "192.0.2.9", [3600, 60])),
      ...["f", "g", "h"].map((name) => update(name, "192.0.2.1", [300, 300], "192.0.2.2")),
    ],
  });
  expect(
    folded(lines).map((each) => ("lines" in each ? each.lines.map(({ name }) => name).join("") : each.name)),
  ).toEqual(["abc", "d", "e", "fgh"]);
});

test("a text that differs only in its strings is shown with its strings", () => {
  const text = { ...record("@", "one two"), recordType: "TXT" };
  const [line] = differenceLines({
    added: [],
    removed: [],
    modified: [{ before: text, after: { ...text, strings: ["one ", "two"] }, changes: {} }],
  });
  expect(line).toMatchObject({ before: '"one two"', value: '"one " "two"', note: "5 min, split differently" });
});

test("a new name or type of a record is shown with the former one", () => {
  const [line] = differenceLines({
    added: [],
    removed: [],
    modified: [{ before: record("old", "192.0.2.1"), after: record("new", "192.0.2.1"), changes: {} }],
  });
  expect(line).toMatchObject({ name: "new", note: "5 min, was old" });
});

test("of two values, the words that differ are marked", () => {
  expect(markedWords("a b", "a c")).toEqual([
    { at: 0, text: "a", changed: false },
    { at: 1, text: "b", changed: true },
  ]);
});
