import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyOneByOne } from "../../../server/dns-providers/one-by-one/apply-changes.ts";
import { planSteps, type Step } from "../../../server/dns-providers/one-by-one/plan-steps.ts";
import { ProviderError, type ChangeOutcome, type RecordChange } from "../../../server/dns-providers/provider.ts";
import { recordKey, rrsetKey, type RecordData } from "../../../server/dns/record.ts";
import { create, record, remove, update } from "../zone-folder.ts";
import { MemoryVendor, type Mood } from "./memory-vendor.ts";

const a = (value: string, ttl?: number) => record("www", "A", value, ttl);
const shown = ({ stored, after }: Step) => [stored?.data.value ?? null, after?.value ?? null];
const planned = (present: RecordData[], changes: RecordChange[]) =>
  planSteps(new MemoryVendor(present).stored(), changes).map(shown);

describe("as few steps as there can be", () => {
  test("a record that takes the value of another, which takes a third, is one step", () => {
    expect(planned([a("1"), a("2")], [update(a("1"), a("2")), update(a("2"), a("3"))])).toEqual([["1", "3"]]);
  });

  test("records that exchange their values need none", () => {
    expect(planned([a("1"), a("2")], [update(a("1"), a("2")), update(a("2"), a("1"))])).toEqual([]);
  });

  test("one that goes where another comes, goes itself", () => {
    expect(planned([a("1"), a("2")], [update(a("1"), a("2")), remove(a("2"))])).toEqual([["1", null]]);
  });

  test("one that comes where another leaves, comes itself", () => {
    expect(planned([a("1")], [create(a("1")), update(a("1"), a("2"))])).toEqual([[null, "2"]]);
  });

  test("the others of an RRset get its TTL, and what has it needs no step", () => {
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
const apply = (vendor: MemoryVendor, changes: readonly RecordChange[], together: boolean) =>
  applyOneByOne({ present: vendor.stored(), changes, together, store, calls: vendor });

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

/** What is there when just the changes that are said to be done were made. */
function told(from: readonly RecordData[], changes: readonly RecordChange[], outcomes: readonly ChangeOutcome[]) {
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

describe("whatever the vendor does", () => {
  test("a willing one ends with what was wanted, whichever way there is", async () => {
    const property = fc.asyncProperty(...cases, async (from, to, pairs, together) => {
      const vendor = new MemoryVendor(from);
      const outcomes = await apply(vendor, changesBetween(from, to, pairs), together);
      expect(outcomes.filter(({ ok }) => !ok)).toEqual([]);
      expect(vendor.keys()).toEqual(to.map(recordKey).toSorted());
    });
    await fc.assert(property);
  });

  test("what is told as done is there and the rest is not, or it is said that nobody knows", async () => {
    const property = fc.asyncProperty(...cases, moods, async (from, to, pairs, together, moods) => {
      const vendor = new MemoryVendor(from, moods);
      const changes = changesBetween(from, to, pairs);
      const outcomes = await apply(vendor, changes, together).catch((error: unknown): ChangeOutcome[] | null => {
        if (!(error instanceof ProviderError)) throw error;
        return error.effect === "unknown" ? null : changes.map(() => ({ ok: false, message: error.message }));
      });
      expect(vendor.keys()).toEqual(outcomes ? told(from, changes, outcomes) : vendor.keys());
      const kinds = new Set(outcomes?.map(({ ok }) => ok));
      expect(together ? kinds.size : 0).toBeLessThanOrEqual(1);
    });
    await fc.assert(property, { numRuns: 1_000 });
  });
});

describe("what is taken back when a call of a set is refused", () => {
  // One name, so that the calls come one after the other: one record goes, one becomes another, and of two that come one is refused.
  const present = [a("1", 60), record("www", "TXT", "old", 60), record("ftp", "A", "9", 60)];
  const set = [
    remove(a("1", 60)),
    update(record("www", "TXT", "old", 60), record("www", "TXT", "new", 60)),
    create(a("2", 60)),
    create(a("3", 60)),
  ];
  const made = ["remove 1", "update 2 www TXT new 60", "create 4 www A 2 60"];

  test("is what was done, the last first, and nothing else", async () => {
    const vendor = new MemoryVendor(present, ["willing", "willing", "willing", "refuses"]);
    const outcomes = await apply(vendor, set, true);
    expect(outcomes.map(({ ok }) => ok)).toEqual([false, false, false, false]);
    const back = ["remove 4", "update 2 www TXT old 60", "create 6 www A 1 60"];
    expect(vendor.done).toEqual([...made, ...back]);
  });

  test("is nothing where the first call is refused", async () => {
    const vendor = new MemoryVendor(present, ["refuses"]);
    await apply(vendor, set, true);
    expect(vendor.done).toEqual([]);
  });

  test("is nothing where a call has no answer: what came of it is read first", async () => {
    const vendor = new MemoryVendor(present, ["willing", "willing", "does it and is cut off"]);
    await expect(apply(vendor, set, true)).rejects.toMatchObject({ effect: "unknown" });
    expect(vendor.done).toEqual(made);
  });

  test("ends where the vendor refuses that too, and it is said that nobody knows", async () => {
    const vendor = new MemoryVendor(present, ["willing", "willing", "willing", "refuses", "willing", "refuses"]);
    await expect(apply(vendor, set, true)).rejects.toMatchObject({ effect: "unknown", answered: true });
    expect(vendor.done).toEqual([...made, "remove 4"]);
  });

  test("of changes that are each on their own is that of the refused one alone", async () => {
    const vendor = new MemoryVendor(present, ["willing", "willing", "refuses"]);
    const moves = [update(record("ftp", "A", "9", 60), record("sftp", "A", "9", 60)), create(a("2", 60))];
    const outcomes = await apply(vendor, moves, false);
    expect(outcomes.map(({ ok }) => ok)).toContain(true);
    const ends = vendor.keys();
    expect(ends).toContain(recordKey(outcomes[0]?.ok ? record("sftp", "A", "9") : record("ftp", "A", "9")));
  });
});

test("a change planned on what is there no more is refused before anything is sent", async () => {
  const vendor = new MemoryVendor([a("1")]);
  expect(await apply(vendor, [create(record("ftp", "A", "9")), remove(a("2"))], true)).toMatchObject([
    { ok: false, message: expect.stringContaining("Not done") },
    { ok: false, message: expect.stringContaining("no longer in the zone") },
  ]);
  expect(vendor.calls).toBe(0);
});

test("nothing more is sent once the vendor is away", async () => {
  const names = Array.from({ length: 40 }, (_, index) => record(`host${index}`, "A", "1"));
  const vendor = new MemoryVendor([], ["willing", ...Array.from({ length: 50 }, () => "away" as const)]);
  const outcomes = await apply(vendor, names.map(create), false);
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
  expect(vendor.calls).toBeLessThan(10);
  expect(new Set(names.map(rrsetKey)).size).toBe(40);
});
