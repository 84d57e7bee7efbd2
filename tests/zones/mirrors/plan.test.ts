import * as fc from "fast-check";
import { expect, test } from "vitest";
import { recordKey, type RecordData } from "../../../server/dns/record.ts";
import { knownKind } from "../../../server/dns-providers/kinds.ts";
import { besideForeign, extraRecords, planningMirror } from "../../../server/zones/mirrors/comparison.ts";
import { atOnce } from "../../../server/platform/slices.ts";

const record = fc
  .record({
    name: fc.constantFrom("@", "www", "mail"),
    octet: fc.integer({ min: 1, max: 6 }),
    ttl: fc.constantFrom(60, 300),
  })
  .map(({ name, octet, ttl }): RecordData => ({
    recordType: "A",
    name,
    value: `192.0.2.${octet}`,
    strings: null,
    ttl,
    priority: null,
    proxied: false,
  }));
/** Records of one name and type have one TTL, as every zone here has. */
const zone = fc.uniqueArray(record, { selector: recordKey, maxLength: 12 }).map((records) => {
  const ttls = new Map(records.map(({ name, ttl }) => [name, ttl]));
  return records.map((one) => ({ ...one, ttl: ttls.get(one.name) ?? one.ttl }));
});

const keys = (records: readonly RecordData[]) => records.map(recordKey).toSorted();

test("a plan leads to the domain's records and those of others, and deletes of others only what it lists as theirs", () => {
  fc.assert(
    fc.property(zone, zone, fc.func(fc.boolean()), (wanted, present, isOurs) => {
      const sides = {
        zone: "example.com",
        kind: knownKind("powerdns"),
        wanted,
        present,
        readOnly: new Map<string, string>(),
      };
      const extra = atOnce(extraRecords(sides));
      const wasOurs = new Set(extra.map(recordKey).filter((key) => isOurs(key)));
      const theirs = keys(extra).filter((key) => !wasOurs.has(key));
      const plan = atOnce(planningMirror(sides, wasOurs));
      expect(keys(plan.foreign.map(({ before }) => before))).toEqual(theirs);
      for (const changes of [plan.changes, atOnce(besideForeign(plan))]) {
        const there = new Map(present.map((one) => [recordKey(one), one]));
        const unknown: RecordData[] = [];
        for (const { before, after } of changes) {
          if (before && !there.delete(recordKey(before))) unknown.push(before);
          if (after) there.set(recordKey(after), after);
        }
        expect(unknown).toEqual([]);
        expect(keys([...there.values()])).toEqual([...keys(wanted), ...theirs].toSorted());
        for (const one of wanted) expect(there.get(recordKey(one))?.ttl).toBe(one.ttl);
      }
    }),
  );
});
