import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashing } from "../../../server/zones/change-requests/review.ts";
import type { ZoneContext } from "../../../server/zones/changes/zone-context.ts";
import {
  changesHash,
  comparisonHash,
  planHash,
  refuseOtherComparison,
  refuseOtherPlan,
  refuseOtherRevision,
  refuseOtherZone,
} from "../../../server/zones/records/editing/reviewed-plan.ts";
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
const update = (before: LiveRecord, more: Partial<RecordDraft>): PlannedChange => ({
  action: "update",
  id: before.id,
  before,
  after: { ...draft(), value: before.value, ...more },
});
const remove = (before: LiveRecord): PlannedChange => ({ action: "delete", id: before.id, before, after: null });
const outdated = { code: "CONFLICT", message: expect.stringMatching(/^The plan is outdated/) };

const present = [live("a", { value: "192.0.2.8" }), live("b", { value: "192.0.2.9" })];
const base: State = { live: present, changes: [create("new")], following: [] };

const stateWith = (some: readonly string[], following: readonly string[]): State => ({
  live: some.map((value, index) => live(`id ${index}`, { value })),
  changes: [create("new")],
  following,
});

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
    ["another split into strings", { changes: [create("new", { strings: ["192.0.2.", "1"] })] }],
    ["another priority", { changes: [create("new", { priority: 10 })] }],
    ["other capitals", { changes: [create("new", { writtenName: "WWW" })] }],
    ["a disabled record", { changes: [create("new", { status: "disabled" })] }],
    ["a locked record", { changes: [create("new", { locked: true })] }],
    ["a record with an owner", { changes: [create("new", { ownerId: "somebody" })] }],
    ["a record with a review date", { changes: [create("new", { reviewAt: new Date(0) })] }],
    ["a note at a present record", { live: [live("a", { value: "192.0.2.8", locked: true }), ...present.slice(1)] }],
    ["the same record in place of another", { changes: present.slice(0, 1).map((one) => update(one, draft())) }],
    ["a deletion beside it", { changes: [create("new"), ...present.slice(1).map(remove)] }],
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

  test("the order of the records and of the PTR changes does not count, but each of them does", () => {
    const values = ["192.0.2.5", "192.0.2.3", "192.0.2.4", "192.0.2.3"];
    const one = hashOf(stateWith(values, ["x", "z", "y"]));
    expect(hashOf(stateWith(values.toReversed(), ["z", "y", "x"]))).toBe(one);
    expect(hashOf(stateWith(values.toSorted(), ["y", "x", "z"]))).toBe(one);
    expect(hashOf(stateWith([...new Set(values)], ["x", "z", "y"]))).not.toBe(one);
    expect(hashOf(stateWith(values, ["x", "y"]))).not.toBe(one);
  });

  test("a record that goes is something else than one that comes", () => {
    const [a, b] = present as [LiveRecord, LiveRecord];
    const both = hashOf({ live: [a, b], changes: [remove(a), remove(b), create("c", { value: "192.0.2.99" })] });
    expect(hashOf({ live: [a], changes: [remove(a), create("b", b), create("c", { value: "192.0.2.99" })] })).not.toBe(
      both,
    );
  });

  test("the same changes keep their hash from version to version, so that stored approvals hold", () => {
    const [a, b] = present as [LiveRecord, LiveRecord];
    const noted = { locked: true, ownerId: "01a1fb0f-6204-7000-abd4-276e976be8b9", reviewAt: new Date(0) };
    expect(hashOf({ live: [b, a], changes: [remove(a), create("new")], following: ["b", "a"] })).toBe(
      "99TQvkOe5WwGMaI5a9D3qablT5B5hYFTG1LnejH9o8U",
    );
    expect(hashOf({ live: [a], changes: [update(a, { ...noted, status: "disabled" })] })).toBe(
      "zqg_ippWI0HhM-8pdeSanFOSa8o2O_3NNwYQ3OWsqX4",
    );
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

const zone = (more: Partial<ZoneContext> = {}) => ({ id: domainId, revision: 7, ...more }) as ZoneContext;
const [first, second] = present as [LiveRecord, LiveRecord];
const planned = [create("new"), update(first, { ttl: 60 }), remove(second)];

describe("what the hash of a plan stands for", () => {
  test.each<[string, readonly PlannedChange[]]>([
    ["no change", []],
    ["a change less", planned.slice(1)],
    ["another value", [create("new", { value: "192.0.2.2" }), ...planned.slice(1)]],
    ["another comment", [create("new", { comment: "mine" }), ...planned.slice(1)]],
    ["a disabled record", [create("new", { status: "disabled" }), ...planned.slice(1)]],
    ["a locked record", [create("new", { locked: true }), ...planned.slice(1)]],
    ["a record with an owner", [create("new", { ownerId: "somebody" }), ...planned.slice(1)]],
    ["a record with a review date", [create("new", { reviewAt: new Date(0) }), ...planned.slice(1)]],
    ["an update of another record", [create("new"), update(live("c", first), { ttl: 60 }), remove(second)]],
    ["an update of another version", [create("new"), update({ ...first, version: 2 }, { ttl: 60 }), remove(second)]],
    ["a deletion of another record", [...planned.slice(0, 2), remove(live("c", second))]],
    ["a deletion of another version", [...planned.slice(0, 2), remove({ ...second, version: 2 })]],
    ["a deletion in place of the update", [create("new"), remove(first), remove(second)]],
  ])("a plan with %s is another one", async (_what, changes) => {
    expect(await planHash(zone(), changes)).not.toBe(await planHash(zone(), planned));
    expect(await changesHash(zone(), changes)).not.toBe(await changesHash(zone(), planned));
    expect(await comparisonHash(zone(), changes)).not.toBe(await comparisonHash(zone(), planned));
    await expect(refuseOtherPlan(await planHash(zone(), planned), zone(), changes)).rejects.toMatchObject(outdated);
    const reviewed = { dryRun: false, planHash: await comparisonHash(zone(), planned) };
    await expect(refuseOtherComparison(reviewed, zone(), changes)).rejects.toMatchObject(outdated);
  });

  test("a plan made again has the same hash, although its new records have other ids", async () => {
    const again = [create("newer"), ...planned.slice(1)];
    expect(await planHash(zone(), again)).toBe(await planHash(zone(), planned));
    await refuseOtherPlan(await planHash(zone(), planned), zone(), again);
    await refuseOtherComparison({ dryRun: false, planHash: await comparisonHash(zone(), planned) }, zone(), again);
    await refuseOtherComparison({ dryRun: false }, zone(), []);
  });

  test("a plan keeps its hash from version to version, so that one reviewed before an upgrade can be applied after it", async () => {
    expect(await planHash(zone(), planned, ["ptr"])).toBe("7.Ud8PoIX2pdBI3ewhTEaIepDXiM0AVMQjyFmoU9aZvEE");
    expect(await changesHash(zone(), planned)).toBe("6j09JljOUHI88pYMEpys8T_912V2hQ8SxUCOmNUzQV4");
    expect(await comparisonHash(zone(), planned, "push")).toBe("7.N858uscSCE8zmoX1uSXlY24lYGqAP3pjJatoAtjQ0q4");
  });

  test("the order of changes counts in a plan, and does not in a comparison with a provider", async () => {
    for (const other of [planned.toReversed(), [...planned.slice(1), ...planned.slice(0, 1)]]) {
      expect(await planHash(zone(), other)).not.toBe(await planHash(zone(), planned));
      expect(await comparisonHash(zone(), other)).toBe(await comparisonHash(zone(), planned));
    }
  });

  test("the zone, its revision, the PTR changes that follow and the use of a comparison count", async () => {
    const other = zone({ id: "01a1fb0f-6204-7000-abd4-276e976be8b8" });
    expect(await planHash(other, planned)).not.toBe(await planHash(zone(), planned));
    expect(await changesHash(other, planned)).not.toBe(await changesHash(zone(), planned));
    expect(await comparisonHash(other, planned)).not.toBe(await comparisonHash(zone(), planned));
    expect(await comparisonHash(zone(), planned, "push")).not.toBe(await comparisonHash(zone(), planned));
    expect(await planHash(zone(), planned, ["ptr"])).not.toBe(await planHash(zone(), planned));
    const later = zone({ revision: 70 });
    expect(await planHash(later, planned)).not.toBe(await planHash(zone(), planned));
    expect(await comparisonHash(later, planned)).not.toBe(await comparisonHash(zone(), planned));
    expect(await changesHash(later, planned)).toBe(await changesHash(zone(), planned));
  });

  test("a hash of another revision is refused before anything is planned, and one with a dry run always", async () => {
    const hash = await comparisonHash(zone(), planned);
    expect(() => refuseOtherRevision(hash, zone())).not.toThrow();
    expect(() => refuseOtherRevision(hash, zone({ revision: 70 }))).toThrow(expect.objectContaining(outdated));
    expect(() => refuseOtherZone({ dryRun: false, planHash: hash }, zone())).not.toThrow();
    expect(() => refuseOtherZone({ dryRun: true }, zone())).not.toThrow();
    expect(() => refuseOtherZone({ dryRun: false, planHash: hash }, zone({ revision: 8 }))).toThrow(
      expect.objectContaining(outdated),
    );
    expect(() => refuseOtherZone({ dryRun: true, planHash: hash }, zone())).toThrow(
      expect.objectContaining({ code: "BAD_REQUEST" }),
    );
  });
});
