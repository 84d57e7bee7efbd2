import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RecordChange } from "../../server/dns-providers/provider.ts";
import { applyToRecords } from "../../server/dns-providers/apply-changes.ts";
import { zoneFileStore } from "../../server/dns-providers/zonefile/zone-folder-provider.ts";
import { recordKey, type RecordData } from "../../server/records/record.ts";
import { violationsAt } from "../../server/records/zone-rules.ts";

const record = fc.record({
  recordType: fc.constantFrom("A", "TXT", "CNAME"),
  name: fc.constantFrom("www", "mail", "ftp"),
  value: fc.constantFrom("1", "2", "3"),
  ttl: fc.constantFrom(60, 300),
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

const rulesBroken = (records: readonly RecordData[], name: string) =>
  violationsAt(
    name,
    records.filter((record) => record.name === name),
  ).reduce((sum, { extent }) => sum + extent, 0);

const data = (records: Iterable<RecordData>) =>
  Array.from(records, ({ recordType, name, value }) => `${name} ${recordType} ${value}`).toSorted();

describe("changes to a zone's records", () => {
  test("are there afterwards exactly where they are said to be, and nothing else changed", () => {
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

  test("never make a zone that kept the rules break them", () => {
    fc.assert(
      fc.property(zone, changes, (records, changes) => {
        const sound = records.filter(({ name }) => rulesBroken(records, name) === 0);
        const { records: result } = applyToRecords(sound, changes, zoneFileStore);
        for (const { name } of result) expect(rulesBroken(result, name)).toBe(0);
      }),
      { numRuns: 1000 },
    );
  });
});
