import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashing } from "../../../server/zones/change-requests/review.ts";
import { noNotes, type LiveRecord, type PlannedChange, type RecordDraft } from "../../../server/dns/record.ts";
import { atOnce } from "../../../server/platform/slices.ts";

type State = Parameters<typeof hashing>[1];

const domainId = "01a1fb0f-6204-7000-abd4-276e976be8b7";
const hashOf = (state: Partial<State>, id = domainId) =>
  atOnce(hashing(id, { live: [], changes: [], following: [], ...state }));

const draft = (more: Partial<RecordDraft> = {}): RecordDraft => ({
  recordType: "A",
  name: "www",
  value: "192.0.2.1",
  strings: null,
  ttl: 300,
  priority: null,
  proxied: false,
  status: "active" as const,
  ...noNotes,
  ...more,
});
const live = (id: string, more: Partial<RecordDraft> = {}): LiveRecord => ({
  ...draft(more),
  id,
  version: 1,
  status: "active",
  createdAt: new Date(0),
  updatedAt: new Date(0),
});
const create = (id: string, more: Partial<RecordDraft> = {}): PlannedChange => ({
  action: "create",
  id,
  before: null,
  after: draft(more),
});

const present = [live("a", { value: "192.0.2.8" }), live("b", { value: "192.0.2.9" })];
const base: State = { live: present, changes: [create("new")], following: [] };

describe("what an approval stands for", () => {
  test.each<[string, Partial<State>, string?]>([
    ["another value", { changes: [create("new", { value: "192.0.2.2" })] }],
    ["another TTL", { changes: [create("new", { ttl: 60 })] }],
    ["another name", { changes: [create("new", { name: "w" })] }],
    ["another type", { changes: [create("new", { recordType: "TXT" })] }],
    ["another comment", { changes: [create("new", { comment: "mine" })] }],
    ["a proxied record", { changes: [create("new", { proxied: true })] }],
    ["one change more", { changes: [create("new"), create("newer", { value: "192.0.2.3" })] }],
    ["a record more in the RRset", { live: [...present, live("c")] }],
    ["a record less in the RRset", { live: present.slice(1) }],
    ["another TTL of the RRset", { live: present.map(({ id, value }) => live(id, { value, ttl: 60 })) }],
    ["a PTR change that follows", { following: ["a PTR record"] }],
    ["the same in another domain", {}, "01a1fb0f-6204-7000-abd4-276e976be8b8"],
  ])("%s is something else", (_, more, id) => {
    expect(hashOf({ ...base, ...more }, id)).not.toBe(hashOf(base));
  });

  test.each<[string, Partial<State>]>([
    ["another id of the new record", { changes: [create("another")] }],
    ["another order of the RRset", { live: present.toReversed() }],
    ["a record of another type at the name", { live: [...present, live("c", { recordType: "TXT" })] }],
    [
      "another version of a record",
      { live: present.map((record) => Object.assign(live(record.id, record), { version: 7 })) },
    ],
  ])("%s is the same", (_, more) => {
    expect(hashOf({ ...base, ...more })).toBe(hashOf(base));
  });

  test("the hash depends on the set of records before and after, and on nothing else", () => {
    const records = fc.uniqueArray(
      fc.record({ name: fc.constantFrom("a", "b"), value: fc.constantFrom("1", "2", "3", "4") }),
      { selector: ({ name, value }) => `${name} ${value}`, maxLength: 6 },
    );
    const ids = fc.shuffledSubarray("abcdefghijkl".split(""), { minLength: 12 });
    fc.assert(
      fc.property(records, records, ids, ids, (before, after, some, others) => {
        const stateOf = (names: readonly string[]): State => {
          const olds = before.map((record, index) => live(names[index] ?? "", record));
          const deletes = olds.map((record): PlannedChange => ({
            action: "delete",
            id: record.id,
            before: record,
            after: null,
          }));
          const creates = after.map((record, index) => create(`new ${names[index]}`, record));
          return { live: olds, changes: [...deletes, ...creates], following: [] };
        };
        const [one, other] = [stateOf(some), stateOf(others)];
        expect(hashOf({ ...other, changes: other.changes.toReversed() })).toBe(hashOf(one));
      }),
    );
  });
});
