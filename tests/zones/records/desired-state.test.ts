import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planState, withOneTtl, addToIndex, planServed, type LiveIndex } from "../../../server/dns/desired-state.ts";
import {
  countActions,
  recordKey,
  rrsetKey,
  type LiveRecord,
  type PlannedChange,
  type ReadRecord,
  type RecordData,
  type RecordDraft,
  type RecordNotes,
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

const www: RecordData = {
  recordType: "A",
  name: "www",
  value: "1",
  ttl: 60,
  strings: null,
  priority: null,
  proxied: false,
};
const one = (id: string, more: Partial<LiveRecord> = {}): LiveRecord => ({
  ...www,
  id,
  version: 1,
  status: "active",
  ...noNotes,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  ...more,
});
const notes: RecordNotes = { comment: "ours", locked: true, ownerId: "somebody", reviewAt: new Date(9) };

/** Changes as `update a {ttl}`: what they do, to which record, and which fields they change. */
const steps = (changes: readonly PlannedChange[]) =>
  changes.map(({ action, id, before, after }) => {
    const fields = Object.keys(after ?? {}) as (keyof RecordDraft)[];
    const changed = fields
      .filter((field) => before?.[field] !== after?.[field])
      .map((field) => [field, after?.[field]]);
    return action === "update" ? [action, id, Object.fromEntries(changed)] : [action, action === "delete" ? id : after];
  });

describe("a plan and what is noted about records", () => {
  test.each<[string, LiveRecord, Parameters<typeof planState>[1], unknown[]]>([
    ["the same data keeps all notes", one("a", notes), [www], []],
    ["another TTL keeps all notes", one("a", notes), [{ ...www, ttl: 90 }], [["update", "a", { ttl: 90 }]]],
    ["another value keeps all notes", one("a", notes), [{ ...www, value: "2" }], [["update", "a", { value: "2" }]]],
    ["a comment is taken", one("a", notes), [{ ...www, comment: "new" }], [["update", "a", { comment: "new" }]]],
    ["the same comment is no change", one("a", notes), [{ ...www, comment: "ours" }], []],
    ["a comment is deleted", one("a", notes), [{ ...www, comment: null }], [["update", "a", { comment: null }]]],
    [
      "other notes are not taken from what is matched by content",
      one("a", notes),
      [{ ...www, locked: false, ownerId: null, reviewAt: null }],
      [],
    ],
    ["a record by its id keeps its notes", one("a", notes), [{ ...www, id: "a" }], []],
    [
      "a record by its id is disabled",
      one("a"),
      [{ ...www, id: "a", status: "disabled" }],
      [["update", "a", { status: "disabled" }]],
    ],
    [
      "a disabled record is enabled by its equal",
      one("a", { status: "disabled" }),
      [www],
      [["update", "a", { status: "active" }]],
    ],
    ["a disabled record stays as it is", one("a", { status: "disabled" }), [{ ...www, status: "disabled" }], []],
    [
      "a disabled record does not become another of its RRset",
      one("a", { status: "disabled" }),
      [{ ...www, value: "2" }],
      [["create", { ...www, value: "2", status: "active", ...noNotes }]],
    ],
    [
      "a new record gets its notes",
      one("a", { name: "other", status: "disabled" }),
      [{ ...www, ...notes }],
      [["create", { ...www, status: "active", ...notes }]],
    ],
    [
      "a restored record is a new one beside another of its RRset",
      one("a", { status: "disabled" }),
      [{ ...www, value: "2", id: "gone", comment: "was" }],
      [["create", { ...www, value: "2", status: "active", ...noNotes, comment: "was" }]],
    ],
  ])("%s", (_what, before, desired, expected) => {
    const { changes, unchanged } = planState([before], desired);
    expect(steps(changes)).toEqual(expected);
    expect(unchanged).toBe(expected.length === 0 ? 1 : 0);
  });

  test("what is matched by content stays as first written, and what is matched by id is written anew", () => {
    const before = one("a", { writtenName: "WWW", writtenValue: "One" });
    const want = { ...www, writtenName: "Www", writtenValue: "ONE" };
    expect(planState([before], [want])).toEqual({ changes: [], unchanged: 1 });
    expect(steps(planState([before], [{ ...want, ttl: 90 }]).changes)).toEqual([["update", "a", { ttl: 90 }]]);
    expect(steps(planState([before], [{ ...want, id: "a" }]).changes)).toEqual([
      ["update", "a", { writtenName: "Www", writtenValue: "ONE" }],
    ]);
    expect(steps(planState([before], [{ ...want, value: "2" }]).changes)).toEqual([
      ["update", "a", { value: "2", writtenValue: "ONE" }],
    ]);
    const renamed = { ...want, id: "a", name: "other" };
    expect(steps(planState([before], [renamed]).changes)).toEqual([
      ["update", "a", { name: "other", writtenName: "Www", writtenValue: "ONE" }],
    ]);
  });

  test("of two equal records, the one with the wanted status is matched, then any", () => {
    const [off, on] = [one("off", { status: "disabled" }), one("on")];
    for (const live of [
      [off, on],
      [on, off],
    ]) {
      expect(planState(live, [www])).toEqual({ changes: [], unchanged: 1 });
      expect(steps(planState(live, [{ ...www, status: "disabled" }]).changes)).toEqual([["delete", "on"]]);
      expect(steps(planState(live, [www, www]).changes)).toEqual([["update", "off", { status: "active" }]]);
    }
    expect(steps(planState([one("a"), one("b")], [{ ...www, id: "a", ttl: 90 }, www]).changes)).toEqual([
      ["update", "a", { ttl: 90 }],
    ]);
  });

  test.each([
    ["all", []],
    ["disabled", ["on"]],
    ["none", ["off", "on"]],
  ] as const)("where %s records stay, only others that nothing matches are deleted", (staying, deleted) => {
    const { changes } = planState([one("off", { status: "disabled" }), one("on", { value: "2" })], [], staying);
    expect(changes.map(({ action, id }) => `${action} ${id}`)).toEqual(deleted.map((id) => `delete ${id}`));
  });

  test("a record to restore takes no other's identity, even in its RRset", () => {
    const { changes } = planState([one("a")], [{ ...www, id: "b", value: "2" }]);
    expect(changes.map(({ action, id }) => `${action} ${id}`)).toEqual(["delete a", "create b"]);
  });
});

/** Plans from batches of `size`. */
async function fromServed(
  before: readonly LiveRecord[],
  served: readonly ReadRecord[],
  size: number,
  signs?: () => Promise<boolean>,
) {
  const index: LiveIndex = new Map();
  for (const record of before) addToIndex(index, record);
  async function* batches() {
    for (let start = 0; start < served.length; start += size) yield served.slice(start, start + size);
  }
  const loaded: LiveRecord[] = [];
  const load = (ids: readonly string[]) => {
    loaded.push(...before.filter(({ id }) => ids.includes(id)));
    return Promise.resolve(loaded);
  };
  const plan = await (signs ? planServed(index, batches(), load, signs) : planServed(index, batches(), load));
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

  test.each<[string, LiveRecord[], ReadRecord[], object]>([
    ["an equal record", [one("a", notes)], [www], { changes: [], unchanged: 1, synced: 1, learned: [], stored: 0 }],
    ["a disabled record that is not served", [one("a", { status: "disabled" })], [], { changes: [], unchanged: 0 }],
    [
      "a disabled record that is served",
      [one("a", { status: "disabled" })],
      [www],
      { changes: [{ action: "update", id: "a", after: { status: "active" } }], unchanged: 0, synced: 1 },
    ],
    [
      "a disabled record beside an active equal",
      [one("a", { status: "disabled" }), one("b")],
      [www],
      { changes: [], unchanged: 1, synced: 1 },
    ],
    ["three equal records", [one("a"), one("b"), one("c")], [www, www, www], { changes: [], unchanged: 3, synced: 3 }],
    [
      "a record more than there are equal ones",
      [one("a"), one("b")],
      [www, www, www],
      { changes: [{ action: "create" }], unchanged: 2, synced: 3 },
    ],
    ["another priority", [one("a", { priority: 1 })], [{ ...www, priority: 2 }], { changes: [{ action: "update" }] }],
    ["another owner", [one("a")], [{ ...www, name: "w" }], { changes: [{ action: "delete" }, { action: "create" }] }],
    [
      "the proxy",
      [one("a")],
      [{ ...www, proxied: true }],
      { changes: [{ action: "update", after: { proxied: true } }] },
    ],
  ])("%s is compared with what is served", async (_what, before, served, expected) => {
    const { plan } = await fromServed(before, served, 2);
    expect(plan).toMatchObject({ signing: { signed: false, managed: [] }, ...expected });
    expect(plan.changes).toHaveLength("changes" in expected ? (expected.changes as unknown[]).length : 0);
  });

  const txt = { ...www, recordType: "TXT", value: "12" };
  const split = ["1", "2"];

  test("a split that was unknown is learned from the provider, which is no change", async () => {
    const unread = one("a", { ...txt, splitUnread: true });
    const { plan } = await fromServed([unread], [{ ...txt, strings: split }], 1);
    expect(plan).toMatchObject({ changes: [], unchanged: 1, synced: 1, learned: [{ id: "a", strings: split }] });
    const plain = await fromServed([unread], [txt], 1);
    expect(plain.plan).toMatchObject({ changes: [], learned: [{ id: "a", strings: null }] });
    const known = await fromServed([one("a", txt)], [{ ...txt, strings: split }], 1);
    expect(known.plan).toMatchObject({ changes: [{ action: "update" }], learned: [] });
  });

  test("a split that was unknown is learned even where something else of the record changed", async () => {
    const unread = one("a", { ...txt, splitUnread: true });
    const { plan } = await fromServed(
      [unread, one("b")],
      [
        { ...txt, strings: split, ttl: 90 },
        { ...www, ttl: 90 },
      ],
      1,
    );
    expect(plan.learned).toEqual([{ id: "a", strings: split }]);
    expect(steps(plan.changes)).toEqual([
      ["update", "a", { ttl: 90 }],
      ["update", "b", { ttl: 90 }],
    ]);
    const gone = await fromServed([unread], [], 1);
    expect(gone.plan).toMatchObject({ learned: [{ id: "a", strings: null }], changes: [{ action: "delete" }] });
  });

  test("a split that is known is compared, also beside one that is not", async () => {
    const unread = one("a", { ...txt, splitUnread: true });
    const known = one("b", { ...txt, name: "other", strings: split });
    const served = [
      { ...txt, strings: split, ttl: 90 },
      { ...txt, name: "other", strings: ["", "12"] },
    ];
    const { plan } = await fromServed([unread, known], served, 1);
    expect(plan.learned).toEqual([{ id: "a", strings: split }]);
    expect(steps(plan.changes)).toEqual([
      ["update", "a", { ttl: 90 }],
      ["update", "b", { strings: ["", "12"] }],
    ]);
    const alone = await fromServed([known], served.slice(1), 1);
    expect(steps(alone.plan.changes)).toEqual([["update", "b", { strings: ["", "12"] }]]);
  });

  test("records that a signing provider maintains are neither compared nor deleted", async () => {
    const key = { ...www, name: "@", recordType: "DNSKEY", value: "257 3 13 AAAA" };
    const managed = { ...key, serverManaged: true as const };
    const { plan } = await fromServed([one("a")], [www, managed], 1);
    expect(plan).toMatchObject({ changes: [], synced: 1, stored: 0, signing: { signed: true, managed: [managed] } });
    const stored = await fromServed([one("a"), one("key", key)], [www, managed], 1);
    expect(stored.plan).toMatchObject({ changes: [], synced: 1, unchanged: 1, stored: 1 });
    const silent = await fromServed([one("a"), one("key", key)], [www], 1, () => Promise.resolve(true));
    expect(silent.plan).toMatchObject({ changes: [], stored: 1, signing: { signed: true, managed: [] } });
    const unsigned = await fromServed([one("a"), one("key", key)], [www], 1);
    expect(unsigned.plan).toMatchObject({ changes: [{ action: "delete", id: "key" }], stored: 0 });
    expect(unsigned.plan.signing).toEqual({ signed: false, managed: [] });
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

  test("only records of an RRset that is written follow its TTL, but for disabled and proxied ones", () => {
    const live = [
      one("same", { value: "2" }),
      one("off", { value: "3", status: "disabled" }),
      one("proxied", { value: "4", proxied: true }),
      one("type", { recordType: "TXT" }),
      one("name", { name: "other" }),
    ];
    const create = { action: "create" as const, id: "new", before: null, after: { ...one("new"), ttl: 90 } };
    expect(steps(withOneTtl(live, [create]).slice(0, 1))).toEqual([["update", "same", { ttl: 90 }]]);
    expect(withOneTtl(live, [create]).map(({ action, id }) => `${action} ${id}`)).toEqual([
      "update same",
      "create new",
    ]);
    const disabled = { ...create, after: { ...create.after, status: "disabled" as const } };
    expect(withOneTtl(live, [disabled])).toEqual([disabled]);
  });

  test("the last change of an RRset decides its TTL, and a change that then changes nothing is left out", () => {
    const before = one("a", notes);
    const update = { action: "update" as const, id: "a", before, after: { ...before, ttl: 90 } };
    const create = {
      action: "create" as const,
      id: "new",
      before: null,
      after: { ...one("new"), value: "2", ttl: 60 },
    };
    expect(withOneTtl([before], [update, create])).toEqual([create]);
    expect(steps(withOneTtl([before], [create, update]))).toMatchObject([
      ["update", "a", { ttl: 90 }],
      ["create", { value: "2", ttl: 90 }],
    ]);
    const gone = { action: "delete" as const, id: "a", before, after: null };
    expect(withOneTtl([before], [create, gone])).toEqual([gone, create]);
  });
});
