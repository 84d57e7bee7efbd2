import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ZoneView } from "../../../server/zones/records/editing/zone-view.ts";
import { noNotes, ttlKey, type LiveRecord, type RecordDraft } from "../../../server/dns/record.ts";

const ids = ["a", "b", "c", "d", "e"];
const draft = fc.record({
  recordType: fc.constantFrom("A", "TXT"),
  name: fc.constantFrom("www", "mail"),
  value: fc.constantFrom("1", "2", "3"),
  ttl: fc.constantFrom(60, 300, 3600),
});
const edits = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("put" as const), id: fc.constantFrom(...ids), draft }),
    fc.record({ kind: fc.constant("remove" as const), id: fc.constantFrom(...ids) }),
    fc.record({ kind: fc.constant("try" as const), id: fc.constantFrom(...ids), draft }),
  ),
  { maxLength: 12 },
);

function recordOf(some: { recordType: string; name: string; value: string; ttl: number }): RecordDraft {
  return { ...some, strings: null, priority: null, proxied: false, status: "active", ...noNotes };
}

function liveOf(id: string, some: Parameters<typeof recordOf>[0]): LiveRecord {
  const at = new Date(0);
  return { ...recordOf(some), id, version: 1, status: "active", createdAt: at, updatedAt: at };
}

/** The naive model: rewrites each record of an RRset whenever its TTL changes. */
function putByHand(records: Map<string, RecordDraft>, id: string, record: RecordDraft): number {
  let changed = 0;
  for (const [other, known] of records) {
    if (other === id || ttlKey(known) !== ttlKey(record) || known.ttl === record.ttl) continue;
    records.set(other, { ...known, ttl: record.ttl });
    changed++;
  }
  records.set(id, record);
  return changed;
}

test("after any edits and undos, an RRset has the TTL of its last edit, and all else is unchanged", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(fc.constantFrom<string>("x", "y", "a"), draft), { selector: ([id]) => id }),
      edits,
      (live, some) => {
        const view = new ZoneView(live.map(([id, data]) => liveOf(id, data)));
        const model = new Map(live.map(([id, data]) => [id, recordOf(data)]));
        const counts: [given: number, byHand: number][] = [];
        for (const edit of some) {
          const checkpoint = view.checkpoint();
          if (edit.kind === "remove") {
            view.remove(edit.id);
            model.delete(edit.id);
          } else if (edit.kind === "put") {
            const changed = view.put(edit.id, recordOf(edit.draft));
            counts.push([changed, putByHand(model, edit.id, recordOf(edit.draft))]);
          } else {
            view.put(edit.id, recordOf(edit.draft));
            view.revert(checkpoint);
          }
          for (const id of [...ids, "x", "y"]) expect([view.get(id)]).toMatchObject([model.get(id)]);
        }
        for (const [given, byHand] of counts) expect(given).toBe(byHand);
        const expected = [...model].filter(([id, record]) => !isAsItWas(live, id, record)).map(([id]) => id);
        const gone = live.flatMap(([id]) => (model.has(id) ? [] : [id]));
        expect(
          view
            .changes()
            .map(({ id }) => id)
            .toSorted(),
        ).toEqual([...expected, ...gone].toSorted());
      },
    ),
  );
});

function isAsItWas(
  live: readonly [string, Parameters<typeof recordOf>[0]][],
  id: string,
  record: RecordDraft,
): boolean {
  const known = live.find(([other]) => other === id);
  return known !== undefined && JSON.stringify(recordOf(known[1])) === JSON.stringify(record);
}

test("names are judged one by one, so that other work runs in between", () => {
  const view = new ZoneView([]);
  for (let index = 0; index < 100; index++)
    view.put(`id-${index}`, recordOf({ recordType: "A", name: `h${index}`, value: "192.0.2.1", ttl: 300 }));
  const steps = view.judging(view.touchedSince(0));
  let count = 0;
  while (!steps.next().done) count++;
  expect(count).toBe(100);
});
