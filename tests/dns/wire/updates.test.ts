import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WireError, writeName } from "../../../server/dns/names/wire-names.ts";
import { absoluteName, parseOwner } from "../../../server/dns/names/names.ts";
import { ruleFor } from "../../../server/dns/record-types.ts";
import { classes, readMessage, updateMessage, wireRecord } from "../../../server/dns/wire/messages.ts";
import { writeRdata } from "../../../server/dns/wire/rdata.ts";
import {
  readUpdate,
  zoneOfUpdate,
  type DynamicUpdate,
  type Prerequisite,
  type UpdateOperation,
  type UpdateRecord,
} from "../../../server/dns/wire/updates.ts";
import { typeNumber } from "../../../server/dns/zone-file/type-names.ts";
import { atOnce } from "../../../server/platform/slices.ts";
import { writtenValues } from "../../support/records/arbitrary-data.ts";
import { label } from "../../support/records/arbitrary-names.ts";

const zone = "example.com";
const anyType = 255;

const ownerName = fc
  .oneof(
    fc.constant("@"),
    fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join(".")),
  )
  .map((text) => parseOwner(text, zone))
  .filter((owner) => owner.ok)
  .map((owner) => owner.value);
const values: Record<string, fc.Arbitrary<string>> = {
  ...writtenValues,
  A: fc.ipV4(),
  AAAA: fc.ipV6(),
  TXT: fc.string({ unit: "grapheme", maxLength: 300 }),
  MX: fc.tuple(fc.integer({ min: 0, max: 65_535 }), label).map(([priority, host]) => `${priority} ${host}.example.net`),
};
const rrset = fc.record({ name: ownerName, recordType: fc.constantFrom(...Object.keys(values)) });
const record = rrset.chain(({ name, recordType }) =>
  fc
    .tuple(values[recordType] ?? fc.constant(""), fc.integer({ min: 0, max: 2 ** 31 - 1 }))
    .map(([value, ttl]): UpdateRecord | null => {
      const written = ruleFor(recordType).write(value, null);
      return written.ok ? { name, recordType, value: written.value.value, strings: null, ttl } : null;
    })
    .filter((one) => one !== null),
);
const withoutTtl = record.map(({ name, recordType, value, strings }): UpdateRecord => ({
  name,
  recordType,
  value,
  strings,
  ttl: 0,
}));
const prerequisites: fc.Arbitrary<Prerequisite> = fc.oneof(
  ownerName.map((name): Prerequisite => ({ kind: "nameInUse", name })),
  ownerName.map((name): Prerequisite => ({ kind: "nameUnused", name })),
  rrset.map(({ name, recordType }): Prerequisite => ({ kind: "rrsetExists", name, recordType })),
  rrset.map(({ name, recordType }): Prerequisite => ({ kind: "rrsetAbsent", name, recordType })),
  withoutTtl.map((one): Prerequisite => ({ kind: "rrsetHas", record: one })),
);
const operations: fc.Arbitrary<UpdateOperation> = fc.oneof(
  record.map((one): UpdateOperation => ({ kind: "add", record: one })),
  withoutTtl.map((one): UpdateOperation => ({ kind: "deleteRecord", record: one })),
  rrset.map(({ name, recordType }): UpdateOperation => ({ kind: "deleteRrset", name, recordType })),
  ownerName.map((name): UpdateOperation => ({ kind: "deleteName", name })),
);
const updates = fc.record({
  prerequisites: fc.array(prerequisites, { maxLength: 4 }),
  operations: fc.array(operations, { maxLength: 6 }),
});

const rr = (name: string, type: number, recordClass: number, ttl: number, rdata: Buffer | null) =>
  wireRecord(writeName(absoluteName(name, zone)), type, recordClass, ttl, rdata);
const withData = ({ name, recordType, value, ttl }: UpdateRecord, recordClass: number) =>
  rr(name, typeNumber(recordType) ?? 0, recordClass, ttl, writeRdata(recordType, value));

function written(one: Prerequisite | UpdateOperation): Buffer {
  switch (one.kind) {
    case "nameInUse":
    case "deleteName":
      return rr(one.name, anyType, classes.any, 0, null);
    case "nameUnused":
      return rr(one.name, anyType, classes.none, 0, null);
    case "rrsetExists":
    case "deleteRrset":
      return rr(one.name, typeNumber(one.recordType) ?? 0, classes.any, 0, null);
    case "rrsetAbsent":
      return rr(one.name, typeNumber(one.recordType) ?? 0, classes.none, 0, null);
    case "rrsetHas":
    case "add":
      return withData(one.record, classes.in);
    default:
      return withData(one.record, classes.none);
  }
}

const octetsOf = (update: DynamicUpdate) =>
  updateMessage(1, zone, update.prerequisites.map(written), update.operations.map(written));

/** What reading octets leads to: an update, an RCODE, or no message. Any other error is thrown. */
function outcomeOf(octets: Buffer): string {
  try {
    const message = readMessage(octets);
    const read = atOnce(readUpdate(message, zoneOfUpdate(message) ?? zone));
    return read.ok ? "read" : String(read.rcode);
  } catch (error) {
    if (error instanceof WireError) return "unreadable";
    throw error;
  }
}

describe("an update", () => {
  test("an update reads back as it was written, with canonical values", () => {
    fc.assert(
      fc.property(updates, (update) => {
        const message = readMessage(octetsOf(update));
        expect(zoneOfUpdate(message)).toBe(zone);
        expect(atOnce(readUpdate(message, zone))).toEqual({ ok: true, update });
      }),
      { numRuns: 500 },
    );
  });

  test("a truncated or altered update is refused or read, and never throws anything else", () => {
    const change = fc.tuple(fc.nat(), fc.nat(255));
    fc.assert(
      fc.property(updates, fc.array(change, { maxLength: 6 }), fc.option(fc.nat()), (update, changes, cut) => {
        const octets = octetsOf(update);
        for (const [at, value] of changes) octets[at % octets.length] = value;
        expect(outcomeOf(cut === null ? octets : octets.subarray(0, cut % octets.length))).toMatch(
          /^(?:read|1|10|unreadable)$/,
        );
      }),
      { numRuns: 2_000 },
    );
  });
});
