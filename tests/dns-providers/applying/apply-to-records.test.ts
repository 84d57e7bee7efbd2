import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RecordChange } from "../../../server/dns-providers/provider.ts";
import { applyToRecords } from "../../../server/dns-providers/applying/apply-to-records.ts";
import { zoneFileStore } from "../../../server/dns-providers/zonefile.ts";
import { recordKey, type RecordData } from "../../../server/dns/record.ts";
import { newViolations, violationsAt } from "../../../server/dns/zone-rules.ts";

const record = fc.record({
  recordType: fc.constantFrom("A", "TXT", "CNAME"),
  name: fc.constantFrom("www", "mail", "ftp"),
  value: fc.constantFrom("1", "2", "3"),
  ttl: fc.constantFrom(60, 300),
  strings: fc.constantFrom<(string[] | null)[]>(null, ["", "1"]),
  priority: fc.constant(null),
  proxied: fc.constant(false),
});
const zone = fc.uniqueArray(record, { selector: recordKey, maxLength: 8 });
const change: fc.Arbitrary<RecordChange> = fc.oneof(
  record.map((after): RecordChange => ({ action: "create", before: null, after })),
  record.map((before): RecordChange => ({ action: "delete", before, after: null })),
  fc.tuple(record, record).map(([before, after]): RecordChange => ({ action: "update", before, after })),
);
/** A plan changes each record once. */
const changes = fc.uniqueArray(change, {
  selector: ({ before, after }) => recordKey(before ?? after),
  maxLength: 8,
});

/** Including changes that no plan makes. */
const anyChanges = fc.array(change, { maxLength: 12 });

const rulesBroken = (records: readonly RecordData[], name: string) =>
  violationsAt(
    name,
    records.filter((record) => record.name === name),
  ).reduce((sum, { extent }) => sum + extent, 0);

const data = (records: Iterable<RecordData>) =>
  Array.from(records, ({ recordType, name, value }) => `${name} ${recordType} ${value}`).toSorted();

const inTheWay = (value: string) => ({
  ok: false,
  message: `www A ${value} is already in the zone file; sync the zone first.`,
});

describe("applying changes to records", () => {
  test("exactly the changes reported as made are in the resulting records", () => {
    fc.assert(
      fc.property(zone, changes, (records, changes) => {
        const { records: result, outcomes } = applyToRecords(records, changes, zoneFileStore);
        const expected = new Map<string, RecordData>(records.map((record) => [recordKey(record), record]));
        const done = changes.filter((_, index) => outcomes[index]?.ok);
        const gone = done.flatMap(({ before }) => (before ? [recordKey(before)] : []));
        const come = done.flatMap(({ after }) => (after ? [after] : []));
        expect(gone.filter((key) => !expected.delete(key))).toEqual([]);
        for (const record of come) expected.set(recordKey(record), record);
        expect(expected.size).toBe(records.length - gone.length + come.length);
        expect(outcomes).toHaveLength(changes.length);
        expect(data(result)).toEqual(data(expected.values()));
      }),
      { numRuns: 1000 },
    );
  });

  test("changes never make a valid zone break its rules", () => {
    fc.assert(
      fc.property(zone, changes, (records, changes) => {
        const sound = records.filter(({ name }) => rulesBroken(records, name) === 0);
        const { records: result } = applyToRecords(sound, changes, zoneFileStore);
        for (const { name } of result) expect(rulesBroken(result, name)).toBe(0);
      }),
      { numRuns: 1000 },
    );
  });

  test("changes are refused exactly where a naive implementation refuses them", () => {
    fc.assert(
      fc.property(zone, anyChanges, fc.boolean(), (records, changes, judged) => {
        const { records: result, outcomes } = applyToRecords(records, changes, zoneFileStore, judged);
        const expected = repeatUntilNothingIsRefused(records, changes, judged);
        expect(outcomes.map((outcome) => (outcome.ok ? null : outcome.message))).toEqual(expected.refusals);
        expect(data(result)).toEqual(data(expected.records));
      }),
      { numRuns: 3000 },
    );
  });

  test("changes planned on the current records may leave a rule broken; others may not", () => {
    const [cname, a] = [recordOf("www", "CNAME", "1"), recordOf("www", "A", "1")];
    const create: RecordChange = { action: "create", before: null, after: cname };
    expect(applyToRecords([a], [create], zoneFileStore, true)).toEqual({
      records: [a, cname],
      outcomes: [{ ok: true }],
    });
    const message = expect.stringMatching(/^The zone file has other records: /);
    expect(applyToRecords([a], [create], zoneFileStore)).toEqual({ records: [a], outcomes: [{ ok: false, message }] });
    // A refused change left a record that the plan did not expect.
    const onto = recordOf("ftp", "A", "1");
    const blocked: RecordChange = { action: "update", before: a, after: onto };
    const { outcomes } = applyToRecords([a, onto], [blocked, create], zoneFileStore, true);
    expect(outcomes).toMatchObject([{ ok: false }, { ok: false, message }]);
  });

  test("a change is refused with the one that was to clear its place, and nothing is written twice", () => {
    const [one, two] = [recordOf("www", "A", "1"), recordOf("www", "A", "2")];
    const move: RecordChange = { action: "update", before: one, after: two };
    const create = (): RecordChange => ({ action: "create", before: null, after: { ...one, ttl: 60 } });
    expect(applyToRecords([one, two], [move, create()], zoneFileStore, true)).toEqual({
      records: [one, two],
      outcomes: [inTheWay("2"), inTheWay("1")],
    });
    expect(applyToRecords([one, two], [create(), create(), move], zoneFileStore, true)).toEqual({
      records: [one, two],
      outcomes: [inTheWay("1"), inTheWay("1"), inTheWay("2")],
    });
    expect(applyToRecords([one], [create(), move], zoneFileStore, true)).toEqual({
      records: [{ ...one, ttl: 60 }, two],
      outcomes: [{ ok: true }, { ok: true }],
    });
  });

  test("a record that is deleted twice is deleted by the first change only", () => {
    const one = recordOf("www", "A", "1");
    const remove: RecordChange = { action: "delete", before: one, after: null };
    const message = "www A 1 is no longer in the zone file; sync the zone first.";
    expect(applyToRecords([one], [remove, { ...remove }], zoneFileStore, true)).toEqual({
      records: [],
      outcomes: [{ ok: true }, { ok: false, message }],
    });
    expect(applyToRecords([], [remove], zoneFileStore)).toEqual({ records: [], outcomes: [{ ok: false, message }] });
  });

  test.each([
    ["records block each other's values", chainOfValues],
    ["rules break at one name after another", chainOfNames],
  ])("applying costs records plus changes, even if refusals cascade because %s", (_, chain) => {
    let reads = 0;
    const counted = (record: RecordData): RecordData => ({
      ...record,
      get name() {
        reads++;
        return record.name;
      },
    });
    const { records, changes } = chain(2_000);
    const others = Array.from({ length: 18_000 }, (_, index) => recordOf(`other${index}`, "A", "1"));
    const { outcomes } = applyToRecords([...records, ...others].map(counted), changes, zoneFileStore);
    expect(outcomes.some(({ ok }) => ok)).toBe(false);
    expect(reads).toBeLessThan(20 * (records.length + others.length + changes.length));
  });
});

function recordOf(name: string, recordType: string, value: string): RecordData {
  return { recordType, name, value, ttl: 300, strings: null, priority: null, proxied: false };
}

/** Each change moves a record to where the next one was, and the last place is taken. */
function chainOfValues(length: number): { records: RecordData[]; changes: RecordChange[] } {
  const records = Array.from({ length: length + 1 }, (_, index) => recordOf("www", "A", String(index)));
  return { records, changes: moves(records.map((record, index) => [record, records[index + 1]])) };
}

/** Each change makes a name an alias whose own record the next change deletes; the last record stays. */
function chainOfNames(length: number): { records: RecordData[]; changes: RecordChange[] } {
  const records = Array.from({ length: length + 1 }, (_, index) => recordOf(`h${index}`, "A", "1"));
  const aliases = records.map(({ name }) => recordOf(name, "CNAME", "1"));
  return { records, changes: moves(records.map((record, index) => [record, aliases[index + 1]])) };
}

function moves(pairs: [RecordData, RecordData | undefined][]): RecordChange[] {
  return pairs.flatMap(([before, after]) => (after ? [{ action: "update" as const, before, after }] : []));
}

const isRefused = (reason: string | null) => reason !== null;
const at = (all: readonly RecordData[], name: string) => all.filter((record) => record.name === name);

/** The expected result of `applyToRecords`, computed naively: starts over until nothing else is refused. */
function repeatUntilNothingIsRefused(
  records: readonly RecordData[],
  changes: readonly RecordChange[],
  judged: boolean,
) {
  const refusals: (string | null)[] = changes.map(() => null);
  for (;;) {
    const present = new Map(records.map((record) => [recordKey(record), record]));
    const removed = changes.map(
      ({ before }, index) => refusals[index] === null && before && present.delete(recordKey(before)),
    );
    const found = changes.map(({ before, after }, index): string | null => {
      if (refusals[index] !== null) return null;
      if (before && !removed[index]) return `${label(before)} is no longer in the zone file; sync the zone first.`;
      if (after && present.has(recordKey(after)))
        return `${label(after)} is already in the zone file; sync the zone first.`;
      if (after) present.set(recordKey(after), after);
      return null;
    });
    const result = [...present.values()];
    if (!found.some(isRefused) && (!judged || refusals.some(isRefused))) {
      changes.forEach(({ after }, index) => {
        if (!after || refusals[index] !== null) return;
        const [violation] = newViolations(after.name, at(records, after.name), at(result, after.name));
        if (violation) found[index] = `The zone file has other records: ${violation.message} Sync the zone first.`;
      });
    }
    if (!found.some(isRefused)) return { records: result, refusals };
    found.forEach((reason, index) => (refusals[index] ??= reason));
  }
}

function label({ name, recordType, value }: RecordData): string {
  return `${name} ${recordType} ${value}`;
}
