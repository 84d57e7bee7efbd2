import type { DnsRecord } from "@zonewright/client";
import { expect, test } from "vitest";
import { addRecord, changeRecord, emptyDraft, fieldsOf, toggleDelete } from "../../../web/src/zone/draft/draft.ts";
import {
  countTypes,
  findName,
  loadedRows,
  namesRecord,
  windowedRows,
  withDraft,
} from "../../../web/src/records/grid/rows.ts";
import { listedRecord } from "./listed-record.ts";

const record = (id: string, name: string, recordType: string, value: string): DnsRecord =>
  listedRecord(id, { name, recordType, value, comment: id === "4" ? "Load balancer" : null });
const records = [
  record("1", "@", "A", "192.0.2.1"),
  record("2", "@", "MX", "10 mail.example.net"),
  record("3", "api", "A", "192.0.2.3"),
  record("4", "www", "CNAME", "api.example.com"),
];
const everything = { search: "", type: "" };
const names = (source: { count: number; at: (index: number) => { fields: { name: string } } | undefined }) =>
  Array.from({ length: source.count }, (_, index) => source.at(index)?.fields.name);

test("a new record stands among its neighbors when the whole zone is loaded", () => {
  const fields = { ...fieldsOf(record("x", "mail", "A", "192.0.2.9")) };
  const { draft } = addRecord(emptyDraft, fields);
  expect(names(loadedRows(records, draft, everything, "example.com"))).toEqual(["@", "@", "api", "mail", "www"]);
});

test("an edited record that others deleted has one row, also while the list still holds it", () => {
  const api = record("3", "api", "A", "192.0.2.3");
  const fields = { ...fieldsOf(api), value: "192.0.2.33" };
  const draft = changeRecord(emptyDraft, "3", api, fields);
  const gone = new Set(["3"]);
  const whole = loadedRows(records, draft, everything, "example.com", gone);
  expect(names(whole)).toEqual(["@", "@", "api", "www"]);
  expect(whole.at(2)).toMatchObject({ key: "3", record: null, fields });
  const windowed = windowedRows(records.length, (index) => records[index], draft, gone);
  const keys = Array.from({ length: windowed.count }, (_, index) => windowed.at(index)?.key);
  expect(keys).toEqual(["3", "1", "2", undefined, "4"]);
});

test("names are sorted and searched without case, as DNS compares them", () => {
  const mixed = ["Zebra", "Office", "alpha", "news"].map((name) => record(name, name, "A", "192.0.2.1"));
  const rows = loadedRows(mixed, emptyDraft, everything, "example.com");
  expect(names(rows)).toEqual(["alpha", "news", "Office", "Zebra"]);
  expect(["office", "OFF", "z", "Al", "new", "x"].map((typed) => findName(rows, 0, typed))).toEqual([
    2,
    2,
    3,
    0,
    1,
    null,
  ]);
});

test("a renamed record stays where it was until the change is applied", () => {
  const draft = changeRecord(emptyDraft, "3", records[2] ?? null, {
    ...fieldsOf(records[2] ?? record("3", "", "", "")),
    name: "zzz",
  });
  expect(names(loadedRows(records, draft, everything, "example.com"))).toEqual(["@", "@", "zzz", "www"]);
});

test.each([
  ["api", ["api", "www"]],
  ["192.0.2.3", ["api"]],
  ["load BALANCER", ["www"]],
  ["www.example.com", ["www"]],
  ["www.example.com.", ["www"]],
  ["https://www.example.com/start", ["www"]],
  ["\u200b'api.example.com.' ", ["api", "www"]],
  ["nothing like it", []],
])("the filter %j finds names, values and notes", (search, found) => {
  expect(names(loadedRows(records, emptyDraft, { search, type: "" }, "example.com"))).toEqual(found);
});

test("a type filters, and what was just edited stays in view", () => {
  expect(names(loadedRows(records, emptyDraft, { search: "", type: "A" }, "example.com"))).toEqual(["@", "api"]);
  const draft = changeRecord(emptyDraft, "1", records[0] ?? null, {
    ...fieldsOf(records[0] ?? record("1", "", "", "")),
    ttl: 60,
  });
  expect(names(loadedRows(records, draft, { search: "api", type: "" }, "example.com"))).toEqual(["@", "api", "www"]);
});

test("in a zone that is read in windows, new records come first and unread ones are unknown", () => {
  const { draft } = addRecord(
    toggleDelete(emptyDraft, "3", records[2] ?? null),
    fieldsOf(record("x", "mail", "A", "192.0.2.9")),
  );
  const source = windowedRows(100_000, (index) => records[index], draft);
  expect(source.count).toBe(100_001);
  expect(source.at(0)?.fields.name).toBe("mail");
  expect(source.at(3)?.edit?.kind).toBe("delete");
  expect(source.at(50_000)).toBeUndefined();
});

test("types are counted, the most frequent first", () => {
  expect(countTypes(records)).toEqual([
    ["A", 2],
    ["CNAME", 1],
    ["MX", 1],
  ]);
});

test("selected rows that are no longer loaded keep what was typed since, and discarded new ones go", () => {
  const added = addRecord(emptyDraft, fieldsOf(record("x", "mail", "A", "192.0.2.9")));
  const selected = [windowedRows(4, (index) => records[index], added.draft)].flatMap(({ count, at }) =>
    Array.from({ length: count }, (_, index) => at(index)).filter((row) => row !== undefined),
  );
  const edited = changeRecord(emptyDraft, "3", records[2] ?? null, {
    ...fieldsOf(records[2] ?? record("3", "", "", "")),
    value: "192.0.2.33",
  });
  expect(withDraft(selected, edited).map(({ fields }) => fields.value)).toEqual([
    "192.0.2.1",
    "10 mail.example.net",
    "192.0.2.33",
    "api.example.com",
  ]);
});

test.each([
  ["a A has no address.", true],
  ["The record a A is not served.", true],
  ["“a A” is not served.", true],
  ["data A has no address.", false],
  ["x.a A has no address.", false],
  ["*.a A has no address.", false],
  ["a AAAA has no address.", false],
  ["data A and a A have one address.", true],
  ["a 192.0.2.1 is private.", true],
  ["a 192.0.2.10 is private.", false],
])("the warning %j names the record a A 192.0.2.1: %s", (warning, expected) => {
  expect(namesRecord(warning, fieldsOf(record("1", "a", "A", "192.0.2.1")))).toBe(expected);
});
