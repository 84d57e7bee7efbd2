import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  applyOneByOne,
  planGroups,
  planSteps,
  type Step,
} from "../../../server/dns-providers/single-record-api/apply-changes.ts";
import { ProviderError, type ChangeOutcome, type RecordChange } from "../../../server/dns-providers/provider.ts";
import { recordKey, rrsetKey, type RecordData } from "../../../server/dns/record.ts";
import { create, record, remove, update } from "../zone-folder.ts";
import { MemoryVendor, type Mood } from "./memory-vendor.ts";

const a = (value: string, ttl?: number) => record("www", "A", value, ttl);
const ftp = (value: string) => record("ftp", "A", value);
const shown = ({ stored, after }: Step) => [stored?.data.value ?? null, after?.value ?? null];
const planned = (present: RecordData[], changes: RecordChange[]) =>
  planSteps(new MemoryVendor(present).stored(), changes).map(shown);

describe("planning steps", () => {
  test("a record that takes the value of another, which takes a third, is one step", () => {
    expect(planned([a("1"), a("2")], [update(a("1"), a("2")), update(a("2"), a("3"))])).toEqual([["1", "3"]]);
  });

  test("records that swap values need no step", () => {
    expect(planned([a("1"), a("2")], [update(a("1"), a("2")), update(a("2"), a("1"))])).toEqual([]);
  });

  test("records that swap values across names need one step each", () => {
    const changes = [update(a("1"), a("2")), update(ftp("2"), ftp("1"))];
    expect(planned([a("1"), ftp("2")], changes)).toEqual([
      ["1", "2"],
      ["2", "1"],
    ]);
  });

  test("an update to the value of a deleted record is a single deletion", () => {
    expect(planned([a("1"), a("2")], [update(a("1"), a("2")), remove(a("2"))])).toEqual([["1", null]]);
  });

  test("creating the old value of an updated record is a single creation", () => {
    expect(planned([a("1")], [create(a("1")), update(a("1"), a("2"))])).toEqual([[null, "2"]]);
  });

  test("other records of an RRset get its new TTL, unless they have it", () => {
    const steps = planSteps(new MemoryVendor([a("1", 60), a("2", 60), a("3", 90)]).stored(), [
      update(a("1", 60), a("1", 90)),
    ]);
    expect(steps.map(({ after }) => [after?.value, after?.ttl])).toEqual([
      ["1", 90],
      ["2", 90],
    ]);
  });
});

const store = { place: "the zone", refusal: () => null };
const apply = (vendor: MemoryVendor, changes: readonly RecordChange[], atomic: boolean) =>
  applyOneByOne({ present: vendor.stored(), changes, atomic, store, calls: vendor });

const someRecord = fc
  .tuple(fc.constantFrom("x", "y"), fc.constantFrom("A", "TXT", "CNAME"), fc.constantFrom("1", "2", "3"))
  .map(([name, recordType, value]) => record(name, recordType, value));
const someRecords = fc.uniqueArray(someRecord, { selector: recordKey, maxLength: 8 }).map((records) => {
  // A state that the vendor's own rules allow.
  const vendor = new MemoryVendor([]);
  return records.filter((one) => {
    const beside = [...vendor.records.values()].filter(({ name }) => name === one.name);
    const alone = beside.length > 0 && [one, ...beside].some(({ recordType }) => recordType === "CNAME");
    if (!alone) vendor.records.set(recordKey(one), one);
    return !alone;
  });
});

/** Changes that lead from one state to another, some as updates. */
function changesBetween(from: RecordData[], to: RecordData[], pairs: boolean): RecordChange[] {
  const going = from.filter((one) => !to.some((other) => recordKey(other) === recordKey(one)));
  const coming = to.filter((one) => !from.some((other) => recordKey(other) === recordKey(one)));
  const count = pairs ? Math.min(going.length, coming.length) : 0;
  return [
    ...going.slice(0, count).flatMap((before, index) => {
      const after = coming[index];
      return after ? [update(before, after)] : [];
    }),
    ...going.slice(count).map(remove),
    ...coming.slice(count).map(create),
  ];
}

/** The records if exactly the changes reported as made were made. */
function reported(from: readonly RecordData[], changes: readonly RecordChange[], outcomes: readonly ChangeOutcome[]) {
  const done = changes.filter((_, index) => outcomes[index]?.ok);
  const gone = new Set(done.flatMap(({ before }) => (before ? [recordKey(before)] : [])));
  const come = done.flatMap(({ after }) => (after ? [recordKey(after)] : []));
  return [...new Set([...from.map(recordKey).filter((key) => !gone.has(key)), ...come])].toSorted();
}

const moods = fc.array(
  fc.constantFrom<Mood>("willing", "willing", "willing", "refuses", "away", "does it and is cut off"),
  {
    maxLength: 12,
  },
);
const cases = [someRecords, someRecords, fc.boolean(), fc.boolean()] as const;

describe("applying changes to any vendor", () => {
  test("a vendor that accepts everything ends with the wanted records", async () => {
    const property = fc.asyncProperty(...cases, async (from, to, pairs, atomic) => {
      const vendor = new MemoryVendor(from);
      const outcomes = await apply(vendor, changesBetween(from, to, pairs), atomic);
      expect(outcomes.filter(({ ok }) => !ok)).toEqual([]);
      expect(vendor.keys()).toEqual(to.map(recordKey).toSorted());
    });
    await fc.assert(property);
  });

  test("exactly the changes reported as made are there, or the effect is reported as unknown", async () => {
    const property = fc.asyncProperty(...cases, moods, async (from, to, pairs, atomic, moods) => {
      const vendor = new MemoryVendor(from, moods);
      const changes = changesBetween(from, to, pairs);
      const outcomes = await apply(vendor, changes, atomic).catch((error: unknown): ChangeOutcome[] | null => {
        if (!(error instanceof ProviderError)) throw error;
        return error.effect === "unknown" ? null : changes.map(() => ({ ok: false, message: error.message }));
      });
      expect(vendor.keys()).toEqual(outcomes ? reported(from, changes, outcomes) : vendor.keys());
      const kinds = new Set(outcomes?.map(({ ok }) => ok));
      expect(atomic ? kinds.size : 0).toBeLessThanOrEqual(1);
    });
    await fc.assert(property, { numRuns: 1_000 });
  });
});

describe("undoing an atomic set", () => {
  // One name, so the calls run in sequence: one delete, one update, and two creates, one of them refused.
  const present = [a("1", 60), record("www", "TXT", "old", 60), record("ftp", "A", "9", 60)];
  const set = [
    remove(a("1", 60)),
    update(record("www", "TXT", "old", 60), record("www", "TXT", "new", 60)),
    create(a("2", 60)),
    create(a("3", 60)),
  ];
  const made = ["remove 1", "update 2 www TXT new 60", "create 4 www A 2 60"];

  test("a refused atomic set is undone in reverse order, and nothing else is", async () => {
    const vendor = new MemoryVendor(present, ["willing", "willing", "willing", "refuses"]);
    const outcomes = await apply(vendor, set, true);
    expect(outcomes.map(({ ok }) => ok)).toEqual([false, false, false, false]);
    const back = ["remove 4", "update 2 www TXT old 60", "create 6 www A 1 60"];
    expect(vendor.done).toEqual([...made, ...back]);
  });

  test("nothing is undone if the first call of a set is refused", async () => {
    const vendor = new MemoryVendor(present, ["refuses"]);
    await apply(vendor, set, true);
    expect(vendor.done).toEqual([]);
  });

  test("nothing is undone if a call of a set got no answer", async () => {
    const vendor = new MemoryVendor(present, ["willing", "willing", "does it and is cut off"]);
    await expect(apply(vendor, set, true)).rejects.toMatchObject({ effect: "unknown" });
    expect(vendor.done).toEqual(made);
  });

  test("undoing ends with an unknown effect if the vendor refuses it too", async () => {
    const vendor = new MemoryVendor(present, ["willing", "willing", "willing", "refuses", "willing", "refuses"]);
    await expect(apply(vendor, set, true)).rejects.toMatchObject({ effect: "unknown", answered: true });
    expect(vendor.done).toEqual([...made, "remove 4"]);
  });

  test("of independent changes only the refused one is undone", async () => {
    const vendor = new MemoryVendor(present, ["willing", "willing", "refuses"]);
    const moves = [update(record("ftp", "A", "9", 60), record("sftp", "A", "9", 60)), create(a("2", 60))];
    const outcomes = await apply(vendor, moves, false);
    expect(outcomes.map(({ ok }) => ok)).toContain(true);
    const ends = vendor.keys();
    expect(ends).toContain(recordKey(outcomes[0]?.ok ? record("sftp", "A", "9") : record("ftp", "A", "9")));
  });
});

const groups = (present: RecordData[], changes: RecordChange[], atomic = false) =>
  planGroups(new MemoryVendor(present).stored(), changes, atomic).map((group) => group.changes.length);

describe("changes at a name where a CNAME is created or deleted", () => {
  const cname = record("www", "CNAME", "x");
  const swap = [create(cname), remove(a("1")), remove(a("2"))];

  test("a CNAME that replaces addresses is created after they are deleted", async () => {
    const vendor = new MemoryVendor([a("1"), a("2")]);
    expect((await apply(vendor, swap, false)).map(({ ok }) => ok)).toEqual([true, true, true]);
    expect(vendor.done).toEqual(["remove 1", "remove 2", "create 3 www CNAME x 300"]);
  });

  test("a refused CNAME restores the records it replaces, and other names still change", async () => {
    const vendor = new MemoryVendor([a("1"), a("2")], ["willing", "willing", "refuses"]);
    const outcomes = await apply(vendor, [...swap, create(record("ftp", "A", "9"))], false);
    expect(outcomes).toEqual([
      { ok: false, message: "no" },
      { ok: false, message: "Not applied because another change in the set was refused: no" },
      { ok: false, message: "Not applied because another change in the set was refused: no" },
      { ok: true },
    ]);
    expect(vendor.keys()).toEqual([a("1"), a("2"), record("ftp", "A", "9")].map(recordKey).toSorted());
  });

  test("changes of one name depend on each other only if a CNAME is among them", () => {
    const others = [create(a("1")), create(record("www", "TXT", "x")), create(record("ftp", "A", "2"))];
    expect(groups([], others)).toEqual([1, 1, 1]);
    expect(groups([], others, true)).toEqual([3]);
    expect(groups([cname], [remove(cname), ...others])).toEqual([3, 1]);
  });
});

test("a change to a missing record is refused before anything is sent", async () => {
  const vendor = new MemoryVendor([a("1")]);
  expect(await apply(vendor, [create(record("ftp", "A", "9")), remove(a("2"))], true)).toMatchObject([
    { ok: false, message: expect.stringContaining("Not applied") },
    { ok: false, message: expect.stringContaining("no longer in the zone") },
  ]);
  expect(vendor.calls).toBe(0);
});

test("no further calls are sent once the vendor cannot be reached", async () => {
  const names = Array.from({ length: 40 }, (_, index) => record(`host${index}`, "A", "1"));
  const vendor = new MemoryVendor([], ["willing", ...Array.from({ length: 50 }, () => "away" as const)]);
  const outcomes = await apply(vendor, names.map(create), false);
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
  expect(vendor.calls).toBeLessThan(10);
  expect(new Set(names.map(rrsetKey)).size).toBe(40);
});
