import { expect, test } from "vitest";
import { outcomesIn, provenOurs, readServed } from "../../../server/zones/changes/provider-call.ts";
import { effects } from "../../../server/zones/changes/settle.ts";
import type { DnsProvider, RecordChange } from "../../../server/dns-providers/provider.ts";
import type { RecordData } from "../../../server/dns/record.ts";

function a(name: string, value: string, ttl = 300): RecordData {
  return { recordType: "A", name, value, ttl, strings: null, priority: null, proxied: false };
}

function update(before: RecordData, after: RecordData): RecordChange {
  return { action: "update", before, after };
}

/** A read-only zone with these records. */
function zoneOf(records: RecordData[]): DnsProvider {
  const readZone = async function* () {
    yield await Promise.resolve(records);
  };
  return { readZone } as unknown as DnsProvider;
}

const moved = update(a("old", "1"), a("new", "1"));
const chain = [update(a("www", "1"), a("www", "2")), update(a("www", "2"), a("www", "3"))];
const again: RecordChange[] = [
  { action: "delete", before: a("www", "1"), after: null },
  { action: "create", before: null, after: a("www", "1", 600) },
];

test.each<[string, RecordChange[], RecordData[], string[]]>([
  ["a completed move", [moved], [a("new", "1")], ["ok"]],
  ["a move that was not made", [moved], [a("old", "1")], ["not"]],
  ["a move that left neither record", [moved], [], ["gone"]],
  ["a move to where another record was", [moved], [a("old", "1"), a("new", "1")], ["not"]],
  ["a changed TTL", [update(a("www", "1"), a("www", "1", 60))], [a("www", "1", 60)], ["ok"]],
  ["an unchanged TTL", [update(a("www", "1"), a("www", "1", 60))], [a("www", "1")], ["not"]],
  ["a completed chain of updates", chain, [a("www", "2"), a("www", "3")], ["ok", "ok"]],
  [
    "a chain of updates that was not made, although its middle exists",
    chain,
    [a("www", "1"), a("www", "2")],
    ["not", "not"],
  ],
  ["a chain of updates without its second link", chain, [a("www", "2")], ["ok", "gone"]],
  ["a recreated record", again, [a("www", "1", 600)], ["ok", "ok"]],
  ["a record that was not recreated", again, [a("www", "1")], ["not", "not"]],
])("%s is recognized in the records that are served", async (_, changes, served, wanted) => {
  const found = await readServed(zoneOf(served), "zone.example", changes);
  const outcomes = outcomesIn(found.served, changes);
  expect(outcomes.map((outcome) => (outcome.ok ? "ok" : outcome.gone ? "gone" : "not"))).toEqual(wanted);
});

const made: RecordChange[] = [1, 2, 3].map((host) => ({ action: "create", before: null, after: a(`h${host}`, "1") }));
const ended: RecordChange = { action: "delete", before: a("old", "1"), after: null };

test.each<[string, RecordChange[], RecordChange[][], RecordData[], boolean[]]>([
  ["changes without a call", made, [], [a("h1", "1")], [false, false, false]],
  [
    "changes with one call each",
    made,
    made.slice(0, 2).map((change) => [change]),
    [a("h1", "1")],
    [true, false, false],
  ],
  ["part of an indivisible call", made, [made], [a("h1", "1"), a("h2", "1")], [false, false, false]],
  [
    "all of one call, and more",
    made,
    [made.slice(0, 2)],
    made.flatMap(({ after }) => after ?? []),
    [true, true, false],
  ],
  ["a record with a TTL that was not sent", made, [[...made]], [a("h1", "1", 60)], [false, false, false]],
  [
    "the deletion of a record without a call",
    [ended, ...made],
    made.map((change) => [change]),
    [],
    [false, false, false, false],
  ],
  ["the deletion of a record with a call", [ended], [[ended]], [], [true]],
  ["the first half of a move", [moved], [[{ action: "delete", before: a("old", "1"), after: null }]], [], [true]],
  ["a move in one call that left neither record", [moved], [[moved]], [], [false]],
  [
    "a chain of updates in one call",
    chain,
    [[update(a("www", "1"), a("www", "3"))]],
    [a("www", "2"), a("www", "3")],
    [true, true],
  ],
  [
    "a call that was started twice, with others",
    made,
    [[...made], made.slice(0, 1)],
    [a("h1", "1")],
    [true, false, false],
  ],
  [
    "a TTL set by a call before the one that takes a record of the same RRset",
    [update(a("www", "1"), a("www", "1", 60)), { action: "delete", before: a("www", "2"), after: null }],
    [
      ["1", "2"].map((value) => update(a("www", value), a("www", value, 60))),
      [{ action: "delete", before: a("www", "2", 60), after: null }],
    ],
    [a("www", "1", 60)],
    [true, true],
  ],
  [
    "a TTL set by such a call where nobody of ours took the other record",
    [update(a("www", "1"), a("www", "1", 60)), { action: "delete", before: a("www", "2"), after: null }],
    [["1", "2"].map((value) => update(a("www", value), a("www", value, 60)))],
    [a("www", "1", 60)],
    [false, false],
  ],
])("provenance is attributed correctly for %s", async (_, changes, calls, served, wanted) => {
  const found = await readServed(zoneOf(served), "zone.example", [...changes, ...calls.flat()]);
  expect(provenOurs(found.served, changes, calls)).toEqual(wanted);
});

test("an update that left neither record is recorded as the deletion of the old one", () => {
  const outcomes = [{ ok: false, message: "lost", gone: true }, { ok: false, message: "not" }, { ok: true }] as const;
  const [first, second] = chain;
  if (!first || !second) throw new Error("The chain has two links.");
  expect(effects([moved, first, second], outcomes)).toEqual([
    { action: "delete", before: moved.before, after: null },
    second,
  ]);
});
