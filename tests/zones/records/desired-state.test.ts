import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planState, withOneTtl, addToIndex, planServed, type LiveIndex } from "../../../server/dns/desired-state.ts";
import {
  countActions,
  recordKey,
  rrsetKey,
  type LiveRecord,
  type PlannedChange,
  type RecordData,
  noNotes,
} from "../../../server/dns/record.ts";

const data = fc.record({
  recordType: fc.constantFrom("A", "TXT"),
  name: fc.constantFrom("@", "www", "mail"),
  value: fc.constantFrom("1", "2", "3", "4"),
  ttl: fc.constantFrom(60, 300),
  strings: fc.constantFrom<(string[] | null)[]>(null, ["", "1"]),
  priority: fc.constant(null),
  proxied: fc.constant(false),
});
const zone = fc.uniqueArray(data, { selector: recordKey, maxLength: 12 });

const live = (records: readonly RecordData[]): LiveRecord[] =>
  records.map((record, index) => ({
    ...record,
    id: `id-${index}`,
    version: 1,
    status: "active",
    ...noNotes,
    comment: `comment ${index}`,
    createdAt: new Date(0),
    updatedAt: new Date(0),
  }));

/** Returns the zone after the changes, which must apply to it. */
function after(before: readonly LiveRecord[], changes: readonly PlannedChange[]): RecordData[] {
  const records = new Map<string, RecordData>(before.map((record) => [record.id, record]));
  for (const change of changes) {
    expect(records.has(change.id)).toBe(change.action !== "create");
    if (change.after) records.set(change.id, change.after);
    else records.delete(change.id);
  }
  return [...records.values()];
}

const untimed = (records: readonly RecordData[]) =>
  texts(records.map((record) => Object.assign({}, record, { ttl: 0 })));
const text = ({ recordType, name, value, ttl }: RecordData) => `${name} ${recordType} ${value} ${ttl}`;
const texts = (records: readonly RecordData[]) => records.map(text).toSorted();

describe("a plan towards desired records", () => {
  test("a plan leads exactly to the desired records, and a second plan is empty", () => {
    fc.assert(
      fc.property(zone, zone, (present, desired) => {
        const before = live(present);
        const { changes, unchanged } = planState(before, desired);
        const reached = after(before, changes);
        expect(texts(reached)).toEqual(texts(desired));
        const touched = changes.filter(({ action }) => action !== "delete").length;
        expect(unchanged + touched).toBe(desired.length);
        expect(planState(live(reached), desired).changes).toEqual([]);
      }),
    );
  });

  test("a merging plan leads to both sets of records, and the desired ones win", () => {
    fc.assert(
      fc.property(zone, zone, (present, desired) => {
        const before = live(present);
        const wanted = new Map([...present, ...desired].map((record) => [recordKey(record), record]));
        expect(texts(after(before, planState(before, desired, "all").changes))).toEqual(texts([...wanted.values()]));
      }),
    );
  });

  test("a plan preserves as many identities within an RRset as possible, with their comments", () => {
    fc.assert(
      fc.property(zone, zone, (present, desired) => {
        const { changes } = planState(live(present), desired);
        for (const key of new Set([...present, ...desired].map(rrsetKey))) {
          const count = (records: readonly RecordData[]) => records.filter((record) => rrsetKey(record) === key).length;
          const of = (action: string) =>
            changes.filter((change) => change.action === action && rrsetKey(change.after ?? change.before) === key)
              .length;
          expect(of("delete")).toBe(Math.max(0, count(present) - count(desired)));
          expect(of("create")).toBe(Math.max(0, count(desired) - count(present)));
        }
        const updates = changes.filter((change) => change.action === "update");
        expect(updates.filter(({ before, after }) => before.comment !== after.comment)).toEqual([]);
      }),
    );
  });

  test("a plan matches records by id before it compares their data", () => {
    const [one, two] = live([
      { recordType: "A", name: "www", value: "1", ttl: 60, strings: null, priority: null, proxied: false },
      { recordType: "A", name: "www", value: "2", ttl: 60, strings: null, priority: null, proxied: false },
    ]);
    if (!one || !two) throw new Error("unreachable");
    const { changes } = planState(
      [one, two],
      [
        { ...two, id: one.id },
        { ...one, id: two.id },
      ],
    );
    expect(changes.map(({ action, id, after }) => [action, id, after?.value])).toEqual([
      ["update", one.id, "2"],
      ["update", two.id, "1"],
    ]);
  });
});

/** Plans from batches of `size`. */
async function fromServed(before: readonly LiveRecord[], served: readonly RecordData[], size: number) {
  const index: LiveIndex = new Map();
  for (const record of before) addToIndex(index, record);
  async function* batches() {
    for (let start = 0; start < served.length; start += size) yield served.slice(start, start + size);
  }
  const loaded: LiveRecord[] = [];
  const plan = await planServed(index, batches(), async (ids) => {
    loaded.push(...before.filter(({ id }) => ids.includes(id)));
    return loaded;
  });
  return { plan, loaded };
}

describe("a plan from the records that a provider serves", () => {
  test("a plan from served records equals the plan to them, and loads only live records that differ", async () => {
    await fc.assert(
      fc.asyncProperty(zone, zone, fc.integer({ min: 1, max: 4 }), async (present, served, size) => {
        const before = live(present);
        const { plan, loaded } = await fromServed(before, served, size);
        const whole = planState(before, served);
        expect(plan).toMatchObject({ unchanged: whole.unchanged, synced: served.length });
        expect(countActions(plan.changes)).toEqual(countActions(whole.changes));
        expect(texts(after(before, plan.changes))).toEqual(texts(served));
        expect(loaded.every(({ id }) => plan.changes.some((change) => change.id === id))).toBe(true);
      }),
    );
  });

  test("a plan from served records deletes the second of two equal live records", async () => {
    const twice = { recordType: "A", name: "www", value: "1", ttl: 60, strings: null, priority: null, proxied: false };
    const { plan } = await fromServed(live([twice, twice]), [twice], 1);
    expect(plan).toMatchObject({ unchanged: 1, changes: [{ action: "delete" }] });
  });
});

describe("one TTL for each RRset", () => {
  test("every RRset that is written gets one TTL, and other RRsets are left alone", () => {
    fc.assert(
      fc.property(zone, zone, fc.boolean(), (present, desired, merge) => {
        const before = live(present);
        const plain = planState(before, desired, merge ? "all" : "disabled").changes;
        const aligned = withOneTtl(before, plain);
        const written = new Map(plain.flatMap(({ after }) => (after ? [[rrsetKey(after), after.ttl] as const] : [])));
        const reached = after(before, aligned);
        const expected = reached.map((record) => written.get(rrsetKey(record)) ?? record.ttl);
        expect(reached.map(({ ttl }) => ttl)).toEqual(expected);
        expect(untimed(reached)).toEqual(untimed(after(before, plain)));
        expect(aligned.length).toBeLessThanOrEqual(plain.length === 0 ? 0 : before.length + desired.length);
      }),
    );
  });
});
