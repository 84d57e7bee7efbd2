import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { recordKey, type RecordData } from "../../../server/dns/record.ts";
import { differ, type Sided } from "../../../server/zones/snapshots/diff.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { manualZone, type Body, type Zone } from "../../support/zones.ts";

const zw = useZonewright();

let zone: Zone;
beforeEach(async () => {
  zone = await manualZone(zw);
});

const take = async (): Promise<Body> => (await zone.post("/snapshots")).body;
const diff = async (from: Body, to: Body): Promise<Body> =>
  (await zone.get(`/snapshots/diff?from=${from.id}&to=${to.id}`)).body;
const nothing = { added: [], removed: [], modified: [] };

describe("the difference of two snapshots", () => {
  test("a snapshot diff shows what was added, deleted and changed, in both directions", async () => {
    const changed = await zone.add("A", "changed", "192.0.2.1", 300);
    const gone = await zone.add("MX", "gone", "10 mail.example.net", 300);
    await zone.add("A", "same", "192.0.2.1");
    const from = await take();
    await zone.update(changed.id, { value: "192.0.2.2", name: "renamed" });
    await zone.delete(gone.id);
    await zone.add("TXT", "new", "hello", 300);
    const to = await take();

    const unproxied = { ttl: 300, strings: null, proxied: false, status: "active" };
    const added = { ...unproxied, recordType: "TXT", name: "new", value: "hello", priority: null };
    const removed = { ...unproxied, recordType: "MX", name: "gone", value: "10 mail.example.net", priority: 10 };
    const before = {
      recordType: "A",
      name: "changed",
      value: "192.0.2.1",
      ttl: 300,
      strings: null,
      priority: null,
      proxied: false,
      status: "active",
    };
    const after = { ...before, name: "renamed", value: "192.0.2.2" };
    expect(await diff(from, to)).toEqual({
      added: [added],
      removed: [removed],
      modified: [{ before, after, changes: { name: ["changed", "renamed"], value: ["192.0.2.1", "192.0.2.2"] } }],
    });
    expect(await diff(to, from)).toEqual({
      added: [removed],
      removed: [added],
      modified: [
        { before: after, after: before, changes: { name: ["renamed", "changed"], value: ["192.0.2.2", "192.0.2.1"] } },
      ],
    });
  });

  test("revisions are compared like snapshots, and each side is one of the two", async () => {
    const record = await zone.add("A", "www", "192.0.2.1", 300);
    const from = await take();
    expect(from.revision).toBe(1);
    await zone.update(record.id, { ttl: 60 });
    const difference = async (query: string) => await zone.get(`/snapshots/diff?${query}`);
    const forth = { modified: [{ changes: { ttl: [300, 60] } }] };
    expect((await difference("fromRevision=1&toRevision=2")).body).toMatchObject(forth);
    expect((await difference(`from=${from.id}&toRevision=2`)).body).toMatchObject(forth);
    expect((await difference("fromRevision=2&toRevision=0")).body).toMatchObject({
      added: [],
      removed: [{ name: "www", ttl: 60 }],
    });
    for (const query of [
      "fromRevision=1",
      `from=${from.id}&fromRevision=1&toRevision=2`,
      "fromRevision=1&toRevision=3",
    ])
      expect((await difference(query)).status).toBe(400);
  });

  test("a snapshot diff names every changed field with its old and new value", async () => {
    const record = await zone.add("MX", "@", "10 mail.example.net", 300);
    const from = await take();
    await zone.update(record.id, { ttl: 60 });
    const middle = await take();
    await zone.update(record.id, { priority: 20, comment: "not part of the DNS" });
    const to = await take();
    expect((await diff(from, middle)).modified).toMatchObject([{ changes: { ttl: [300, 60] } }]);
    expect((await diff(from, middle)).modified[0].changes).toEqual({ ttl: [300, 60] });
    expect((await diff(middle, to)).modified[0].changes).toEqual({
      value: ["10 mail.example.net", "20 mail.example.net"],
      priority: [10, 20],
    });
  });

  test("the diff of a snapshot with itself, or with one of the same state, is empty", async () => {
    const record = await zone.add("A", "www", "192.0.2.1", 300);
    const from = await take();
    expect(await diff(from, from)).toEqual(nothing);
    expect(await diff(from, await take())).toEqual(nothing);
    await zone.update(record.id, { ttl: 60 });
    await zone.update(record.id, { ttl: 300 });
    await zone.update(record.id, { comment: "only a note" });
    await zone.add("A", "passing", "192.0.2.2");
    await zone.delete((await zone.records("&search=passing"))[0].id);
    const to = await take();
    expect(await diff(from, to)).toEqual(nothing);
    expect(await diff(to, from)).toEqual(nothing);
  });

  test("a snapshot diff matches a record that was deleted and recreated by its data", async () => {
    const record = await zone.add("A", "www", "192.0.2.1", 300);
    const from = await take();
    await zone.delete(record.id);
    await zone.add("A", "www", "192.0.2.1", 60);
    expect(await diff(from, await take())).toMatchObject({
      added: [],
      removed: [],
      modified: [{ changes: { ttl: [300, 60] } }],
    });
  });
});

const sided: fc.Arbitrary<Sided[]> = fc
  .uniqueArray(
    fc.record({
      id: fc.constantFrom("a", "b", "c", "d", "e", "f"),
      recordType: fc.constantFrom("A", "TXT"),
      name: fc.constantFrom("@", "www"),
      value: fc.constantFrom("1", "2", "3"),
      ttl: fc.constantFrom(60, 300),
      strings: fc.constantFrom<(string[] | null)[]>(null, ["", "1"]),
      priority: fc.constant(null),
      proxied: fc.constant(false),
      status: fc.constantFrom("active" as const, "disabled" as const),
    }),
    { selector: ({ id }) => id, maxLength: 6 },
  )
  .map((records) => Array.from(new Map(records.map((record) => [recordKey(record), record])).values()));

const texts = (records: readonly RecordData[]) =>
  records.map(({ recordType, name, value, ttl }) => `${name} ${recordType} ${value} ${ttl}`).toSorted();

describe("differences", () => {
  test("a diff leads from one state to the other, and back", () => {
    fc.assert(
      fc.property(sided, sided, (before, after) => {
        const { added, removed, modified } = differ(before, after);
        const reached = [...texts(before)];
        const drop = (records: readonly RecordData[]) => {
          for (const text of texts(records)) {
            const index = reached.indexOf(text);
            expect(index).not.toBe(-1);
            reached.splice(index, 1);
          }
        };
        drop(removed);
        drop(modified.map((change) => change.before));
        reached.push(...texts(added), ...texts(modified.map((change) => change.after)));
        expect(reached.toSorted()).toEqual(texts(after));
        for (const { changes } of modified) expect(Object.keys(changes).length).toBeGreaterThan(0);
        const back = differ(after, before);
        expect(texts(back.added)).toEqual(texts(removed));
        expect(texts(back.removed)).toEqual(texts(added));
      }),
    );
  });

  test("the diff of a state with itself is empty", () => {
    fc.assert(
      fc.property(sided, (state) => {
        expect(differ(state, state)).toEqual(nothing);
      }),
    );
  });

  test("a record is compared with its own later version, then with its equal, which may be written otherwise", () => {
    const one = {
      id: "a",
      recordType: "A",
      name: "www",
      value: "1",
      ttl: 60,
      strings: null,
      priority: null,
      proxied: false,
      status: "active" as const,
    };
    const swapped = differ(
      [one, { ...one, id: "b", value: "2" }],
      [
        { ...one, value: "2" },
        { ...one, id: "b" },
      ],
    );
    expect(swapped.modified.map(({ changes }) => changes)).toEqual([{ value: ["1", "2"] }, { value: ["2", "1"] }]);
    expect(differ([one], [{ ...one, writtenName: "WWW" }]).modified).toMatchObject([{ after: { name: "WWW" } }]);
    expect(differ([one], [{ ...one, id: "b", writtenName: "WWW" }])).toEqual(nothing);
  });
});
