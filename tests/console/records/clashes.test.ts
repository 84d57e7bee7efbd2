import type { DnsRecord } from "@zonewright/client";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  changedParts,
  clashesOf,
  keepMine,
  takeTheirs,
  withoutSettled,
} from "../../../web/src/records/draft/clashes.ts";
import {
  changeRecord,
  changesOf,
  emptyDraft,
  fieldsOf,
  sameFields,
  toggleDelete,
  type Draft,
  type Fields,
} from "../../../web/src/zone/draft/draft.ts";
import { listedRecord } from "./listed-record.ts";

const www = listedRecord("www");
const edited = (changed: Partial<Fields>) => changeRecord(emptyDraft, "www", www, { ...fieldsOf(www), ...changed });
const mine = edited({ value: "192.0.2.2" });
const deleted = toggleDelete(emptyDraft, "www", www);
const theirs = { ...www, value: "192.0.2.3", version: 2 };
const is = (now: DnsRecord | null | undefined) => () => now;
const kept = (draft: Draft, now: DnsRecord | null) => changesOf(keepMine(draft, clashesOf(draft, is(now))));

test.each<[string, Draft, DnsRecord | null | undefined, "nothing" | "settled" | "clash"]>([
  ["nothing happened", mine, www, "nothing"],
  ["the record's present state is not known", mine, undefined, "nothing"],
  ["only its owner, date or lock changed", mine, { ...www, ownerId: "somebody", version: 2 }, "nothing"],
  ["others changed what was edited", mine, theirs, "clash"],
  ["others changed something else of it", mine, { ...www, ttl: 60, version: 2 }, "clash"],
  ["others changed its note", mine, { ...www, comment: "Moved", version: 2 }, "clash"],
  ["others split its text differently", mine, { ...www, strings: ["192.", "0.2.1"], version: 2 }, "clash"],
  ["others deleted it", mine, null, "clash"],
  ["others made the same change", mine, { ...www, value: "192.0.2.2", version: 2 }, "settled"],
  ["others changed what is to be deleted", deleted, theirs, "clash"],
  ["others deleted it, too", deleted, null, "settled"],
])("where %s, the draft says so", (_, draft, now, outcome) => {
  expect(clashesOf(draft, is(now)).map(({ now: found }) => found)).toEqual(outcome === "clash" ? [now] : []);
  expect(withoutSettled(draft, is(now)).edits).toHaveLength(outcome === "settled" ? 0 : 1);
});

test("whoever keeps their edit changes what they edited, and nothing that others changed besides", () => {
  expect(kept(mine, theirs)).toEqual([{ action: "update", recordId: "www", record: { value: "192.0.2.2" } }]);
  expect(kept(mine, { ...theirs, value: www.value, ttl: 60 })).toEqual([
    { action: "update", recordId: "www", record: { value: "192.0.2.2" } },
  ]);
  expect(kept(edited({ ttl: 600 }), theirs)).toEqual([{ action: "update", recordId: "www", record: { ttl: 600 } }]);
  expect(kept(mine, null)).toMatchObject([{ action: "create", record: { name: "www", value: "192.0.2.2" } }]);
  expect(kept(deleted, theirs)).toEqual([{ action: "delete", recordId: "www" }]);
});

test("a deleted record that is created again is proxied as it was", () => {
  const proxied = { ...www, proxied: true, ttl: 1 };
  const fields = { ...fieldsOf(proxied), value: "192.0.2.2" };
  const { proxied: _setting, ...older } = fields;
  for (const each of [fields, older]) {
    const draft = changeRecord(emptyDraft, "www", proxied, each);
    expect(kept(draft, null)).toMatchObject([{ action: "create", record: { value: "192.0.2.2", proxied: true } }]);
  }
});

test("whoever keeps their edit leaves the proxy as others set it", () => {
  const now = { ...www, proxied: true, ttl: 1, version: 2 };
  expect(clashesOf(mine, is(now))).toHaveLength(1);
  expect(changedParts(fieldsOf(www), fieldsOf(now))).toEqual(["proxied"]);
  expect(kept(mine, now)).toEqual([{ action: "update", recordId: "www", record: { value: "192.0.2.2" } }]);
});

test("whoever takes the others' version has no edit of the record any more, and keeps those of other records", () => {
  const api = { ...www, id: "api", name: "api" };
  const both = toggleDelete(mine, "api", api);
  const clashes = clashesOf(both, ({ key }) => (key === "www" ? theirs : api));
  expect(takeTheirs(both, clashes).edits.map(({ key }) => key)).toEqual(["api"]);
});

test("a decided clash is none, until others change the record once more", () => {
  const fields = fc.record({
    value: fc.constantFrom("192.0.2.1", "192.0.2.2", "192.0.2.3"),
    ttl: fc.constantFrom(60, 300),
    comment: fc.constantFrom(null, "Moved"),
  });
  fc.assert(
    fc.property(fields, fields, (my, their) => {
      const draft = edited(my);
      const now = { ...www, ...their };
      const clashes = clashesOf(draft, is(now));
      const decided = keepMine(draft, clashes);
      expect(clashesOf(decided, is(now))).toEqual([]);
      expect(clashesOf(takeTheirs(draft, clashes), is(now))).toEqual([]);
      const idle = decided.edits.filter((edit) => edit.kind === "update" && sameFields(edit.fields, fieldsOf(now)));
      expect(idle).toEqual(clashes.length === 0 ? idle : []);
      expect(clashesOf(decided, is({ ...now, value: "192.0.2.9" }))).toHaveLength(decided.edits.length);
    }),
  );
});

test.each<[Partial<Fields>, ReturnType<typeof changedParts>]>([
  [{ value: "192.0.2.9" }, ["value"]],
  [{ recordType: "CNAME", value: "api" }, ["value"]],
  [{ strings: ["192.", "0.2.1"] }, ["strings"]],
  [{ name: "web", ttl: 60, comment: "Moved" }, ["name", "ttl", "note"]],
])("a change to %j is named by its parts", (changed, parts) => {
  expect(changedParts(fieldsOf(www), { ...fieldsOf(www), ...changed })).toEqual(parts);
});
