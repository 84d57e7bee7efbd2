import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  addRecord,
  changeRecord,
  changesOf,
  countEdits,
  emptyDraft,
  fieldsOf,
  finished,
  joinSteps,
  markDeleted,
  leaveForm,
  sameEdits,
  setFields,
  stepBetween,
  toggleDelete,
  toggleDeletes,
  withStep,
  withoutEdit,
  withoutSent,
  withStored,
  type Draft,
  type DraftStep,
  type Fields,
} from "../../../web/src/zone/draft/draft.ts";
import { changedData } from "../../../web/src/records/use-live-marks.ts";
import { longestOldTtl } from "../../../web/src/records/draft/patch.ts";
import { listedRecord } from "./listed-record.ts";

const record = listedRecord;
const www = record("www");
const edited = { ...fieldsOf(www), value: "192.0.2.2" };

/** Adds a new record by its form. */
function addDone(draft: Draft, fields: Fields): { draft: Draft; key: string } {
  const added = addRecord(draft, fields);
  return { ...added, draft: changeRecord(added.draft, added.key, null, fields) };
}

test("an edit carries only the fields that differ", () => {
  const draft = changeRecord(emptyDraft, "www", www, edited);
  expect(changesOf(draft)).toEqual([{ action: "update", recordId: "www", record: { value: "192.0.2.2" } }]);
});

test("a proxied record stays proxied when it is edited or copied, unless its type cannot be", () => {
  const proxied = record("www", { proxied: true, ttl: 1 });
  const { proxied: _setting, ...older } = fieldsOf(proxied);
  for (const fields of [fieldsOf(proxied), older]) {
    const draft = changeRecord(emptyDraft, "www", proxied, { ...fields, value: "192.0.2.2" });
    expect(changesOf(draft)).toEqual([{ action: "update", recordId: "www", record: { value: "192.0.2.2" } }]);
    expect(changeRecord(draft, "www", proxied, fields).edits).toEqual([]);
  }
  const copied = (changed: Partial<Fields>) =>
    changesOf(addDone(emptyDraft, { ...fieldsOf(proxied), name: "copy", ...changed }).draft);
  expect(copied({})).toMatchObject([{ action: "create", record: { name: "copy", proxied: true } }]);
  expect(copied({ recordType: "TXT" })).not.toMatchObject([{ record: { proxied: true } }]);
});

test("an edit that restores the record takes itself away", () => {
  const draft = changeRecord(emptyDraft, "www", www, edited);
  expect(changeRecord(draft, "www", www, fieldsOf(www)).edits).toEqual([]);
});

test("a record whose TTL is cleared keeps the one that it has", () => {
  expect(changeRecord(emptyDraft, "www", www, { ...fieldsOf(www), ttl: null })).toBe(emptyDraft);
  const draft = changeRecord(emptyDraft, "www", www, { ...edited, ttl: null });
  expect(draft.edits).toMatchObject([{ kind: "update", fields: { ttl: www.ttl } }]);
});

test("a deleted record comes back as it was edited before, and a new one simply goes", () => {
  const draft = toggleDelete(changeRecord(emptyDraft, "www", www, edited), "www", www);
  expect(countEdits(draft)).toEqual({ creates: 0, updates: 0, deletes: 1 });
  expect(toggleDelete(draft, "www", www).edits).toEqual([]);
  const added = addRecord(emptyDraft, edited);
  expect(toggleDelete(added.draft, added.key, null).edits).toEqual([]);
});

test("Delete on a selection with deleted records deletes the rest, and pressed again brings all back", () => {
  const rows = ["a", "b", "c"].map((id) => ({ key: id, record: record(id) }));
  const some = toggleDelete(changeRecord(emptyDraft, "a", record("a"), { ...edited, name: "a" }), "b", record("b"));
  const all = toggleDeletes(some, rows);
  expect(all.edits.map(({ kind, key }) => `${kind} ${key}`)).toEqual(["delete a", "delete b", "delete c"]);
  expect(toggleDeletes(all, rows).edits).toEqual([]);
  const added = addDone(toggleDelete(emptyDraft, "b", record("b")), edited);
  const mixed = [{ key: added.key, record: null }, ...rows.slice(1, 2)];
  expect(toggleDeletes(added.draft, mixed).edits.map(({ key }) => key)).toEqual(["b"]);
});

test("new records have keys of their own, also after one was removed", () => {
  const first = addRecord(emptyDraft, edited);
  const second = addRecord(withoutEdit(first.draft, first.key), edited);
  expect(second.key).not.toBe(first.key);
});

test("a copy that is being written belongs to its tab, and counts once its form is left", () => {
  const begun = addRecord(toggleDelete(emptyDraft, "api", record("api")), edited);
  const shared = finished(begun.draft);
  expect(shared.edits.map(({ kind }) => kind)).toEqual(["delete"]);
  expect(stepBetween(shared, begun.draft)).toEqual({ set: [], gone: [] });
  expect(finished(begun.draft, begun.key)).toBe(begun.draft);
  const done = changeRecord(begun.draft, begun.key, null, edited);
  expect(finished(done)).toBe(done);
  expect(stepBetween(shared, done).set.map(({ key }) => key)).toEqual([begun.key]);
});

test("an empty text that was pasted or confirmed is a change like any other", () => {
  const empty: Fields = { recordType: "TXT", name: "empty", value: "", strings: null, ttl: 300, comment: null };
  const done = addDone(emptyDraft, empty).draft;
  expect(finished(done)).toBe(done);
  expect(stepBetween(emptyDraft, done).set).toHaveLength(1);
  expect(changesOf(done)).toMatchObject([{ action: "create", record: { name: "empty", value: "" } }]);
});

test("a new record whose form is left counts if it has a value, and goes with its form if it has none", () => {
  const blank: Fields = { recordType: "TXT", name: "", value: "", strings: null, ttl: null, comment: null };
  const begun = addRecord(emptyDraft, blank);
  const named = leaveForm(begun.draft, begun.key, null, { ...blank, name: "half" });
  expect(named.edits).toMatchObject([{ fields: { name: "half" } }]);
  expect(finished(named, begun.key)).toBe(named);
  expect(finished(named).edits).toEqual([]);
  const written = leaveForm(named, begun.key, null, { ...blank, name: "half", value: "x" });
  expect(finished(written)).toBe(written);
  expect(leaveForm(emptyDraft, "www", www, edited)).toEqual(changeRecord(emptyDraft, "www", www, edited));
});

test("any sequence of edits leaves at most one edit for each record", () => {
  const step = fc.record({
    id: fc.constantFrom("a", "b", "c"),
    what: fc.constantFrom("change", "delete", "back"),
    value: fc.ipV4(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let draft = emptyDraft;
      for (const { id, what, value } of steps) {
        if (what === "change") draft = changeRecord(draft, id, record(id), { ...fieldsOf(record(id)), value });
        else if (what === "delete") draft = toggleDelete(draft, id, record(id));
        else draft = withoutEdit(draft, id);
      }
      const keys = draft.edits.map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
      expect(changesOf(draft)).toHaveLength(keys.length);
    }),
  );
});

const fields = (id: string) => ({ ...fieldsOf(record(id)), value: "192.0.2.7" });

test("records that are edited together get the edits that they get one by one", () => {
  const ids = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e"));
  fc.assert(
    fc.property(ids, ids, ids, fc.ipV4(), (changed, deleted, chosen, value) => {
      const set = changed.reduce((next, id) => changeRecord(next, id, record(id), fields(id)), emptyDraft);
      const draft = deleted.reduce((next, id) => toggleDelete(next, id, record(id)), set);
      const rows = chosen.map((id) => ({ key: id, record: record(id), fields: fields(id) }));
      expect(markDeleted(draft, rows)).toEqual(
        chosen.reduce((next, id) => markDeleted(next, [{ key: id, record: record(id) }]), draft),
      );
      expect(setFields(draft, rows, { value })).toEqual(
        chosen.reduce((next, id) => changeRecord(next, id, record(id), { ...fields(id), value, strings: null }), draft),
      );
    }),
  );
});

const data = (name: string, value: string, ttl = 300) => ({
  recordType: "TXT",
  name,
  value,
  strings: null,
  ttl,
  priority: null,
  proxied: false,
  status: "active" as const,
});

test("the time that resolvers may remember is the longest TTL that goes", () => {
  const update = { id: "1", before: data("@", "a", 60), after: data("@", "b", 9_000), changes: {} };
  expect(longestOldTtl({ updates: [update], deletes: [{ id: "2", ...data("x", "y", 600) }] })).toBe(600);
  expect(longestOldTtl({ updates: [], deletes: [] })).toBeNull();
  // A proxied record's TTL of 1 stands for one that the provider chooses.
  expect(longestOldTtl({ updates: [], deletes: [{ id: "2", ...data("x", "y", 1), proxied: true }] })).toBeNull();
});

test("what is typed before the stored draft was read is added to it, and every edit keeps its key", () => {
  const fresh = { ...edited, name: "new" };
  const earlier = addRecord(emptyDraft, { ...fresh, name: "earlier" });
  const stored = changeRecord(earlier.draft, "www", www, edited);
  const { draft: typed, key } = addRecord(emptyDraft, fresh);
  expect(withStored(stored, typed).edits.map((edit) => edit.key)).toEqual([earlier.key, "www", key]);
  expect(withStored(stored, emptyDraft)).toBe(stored);
  const again = toggleDelete(emptyDraft, "www", www);
  expect(withStored(stored, again).edits.map(({ kind }) => kind)).toEqual(["create", "delete"]);
});

test("what another tab edits comes into the draft, and the record that is being written here stays", () => {
  const here = addRecord(emptyDraft, { ...fieldsOf(www), name: "", value: "" });
  const added = addDone(emptyDraft, edited);
  const there = changeRecord(added.draft, "www", www, edited);
  const both = withStep(here.draft, stepBetween(emptyDraft, there));
  expect(both.edits.map(({ key }) => key)).toEqual([here.key, added.key, "www"]);
  expect(withStep(both, stepBetween(there, emptyDraft)).edits.map(({ key }) => key)).toEqual([here.key]);
  expect(stepBetween(there, both)).toEqual({ set: [], gone: [] });
});

const keysAfter = (draft: Draft, step: DraftStep) =>
  withStep(draft, step)
    .edits.map(({ key }) => key)
    .toSorted();

test("two steps that are joined make what they make one after the other, and leave the rest alone", () => {
  const other = { ...record("api"), value: "192.0.2.7" };
  const drafts = [
    emptyDraft,
    toggleDelete(emptyDraft, "www", www),
    changeRecord(emptyDraft, "www", www, edited),
    changeRecord(toggleDelete(emptyDraft, "api", other), "www", www, edited),
  ];
  const steps = drafts.flatMap((before) => drafts.map((after) => stepBetween(before, after)));
  for (const [first, next] of steps.flatMap((one) => steps.map((two) => [one, two] as const)))
    for (const draft of drafts) {
      const { edits } = withStep(withStep(draft, first), next);
      expect(new Set(withStep(draft, joinSteps(first, next)).edits)).toEqual(new Set(edits));
    }
});

test("two tabs that edit at once have both edits, whichever hears of the other first", () => {
  const shared = toggleDelete(emptyDraft, "www", www);
  const one = addDone(shared, edited);
  const other = addDone(toggleDelete(shared, "www", www), { ...edited, name: "other" });
  const [mine, theirs] = [stepBetween(shared, one.draft), stepBetween(shared, other.draft)];
  expect(keysAfter(one.draft, theirs)).toEqual([one.key, other.key].toSorted());
  expect(keysAfter(other.draft, mine)).toEqual([one.key, other.key].toSorted());
});

test("new records that two tabs add to the same draft have keys of their own, also in a draft that numbered them", () => {
  const numbered: Draft = { edits: [{ kind: "create", key: "new:1", fields: edited }] };
  const keys = [numbered, numbered, emptyDraft].map((draft) => addRecord(draft, edited).key);
  expect(new Set(["new:1", ...keys]).size).toBe(4);
});

test("only what was sent leaves the draft: edits that were added or changed meanwhile stay", () => {
  const sent = changeRecord(addRecord(emptyDraft, edited).draft, "www", www, edited);
  const added = toggleDelete(sent, "api", record("api"));
  const changed = changeRecord(added, "www", www, { ...edited, value: "192.0.2.9" });
  expect(withoutSent(sent, sent.edits).edits).toEqual([]);
  expect(withoutSent(structuredClone(sent), sent.edits).edits).toEqual([]);
  expect(withoutSent(changed, sent.edits).edits).toMatchObject([
    { kind: "update", key: "www", fields: { value: "192.0.2.9" } },
    { kind: "delete", key: "api" },
  ]);
});

test("a record counts as changed if its data is another, and not if its owner, date or lock is", () => {
  const before = new Map([["www", www]]);
  expect(changedData(before, [{ ...www, locked: true, version: 2 }])).toEqual([]);
  expect(changedData(before, [{ ...www, value: "192.0.2.9", version: 2 }, record("api")])).toEqual(["www", "api"]);
});

test("drafts are compared by what they hold", () => {
  const draft = changeRecord(emptyDraft, "www", www, edited);
  expect(sameEdits(draft, structuredClone(draft))).toBe(true);
  expect(sameEdits(draft, toggleDelete(draft, "www", www))).toBe(false);
});
