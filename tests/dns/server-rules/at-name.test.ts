import { describe, expect, test } from "vitest";
import type { RecordData } from "../../../server/dns/record.ts";
import { serverViolationsAt, newViolations } from "../../../server/dns/zone-rules.ts";

const rules = { checkNames: true, maxRecordsPerType: 3, maxTypesPerName: 4 };

function record(recordType: string, value: string): RecordData {
  return { recordType, name: "x", value, ttl: 300, priority: null, proxied: false, strings: null };
}

const many = (recordType: string, count: number) =>
  Array.from({ length: count }, (_, index) => record(recordType, `v${index}`));
const types = (count: number) => Array.from({ length: count }, (_, index) => record(`TYPE${65_280 + index}`, "\\# 0"));
const broken = (name: string, records: RecordData[], given = rules) =>
  serverViolationsAt(name, records, given).map(({ rule }) => rule);
/** 1992 characters are eight strings: 2000 octets. */
const texts = (count: number) =>
  Array.from({ length: count }, (_, index) => record("TXT", `${index}`.padEnd(1992, "x")));
const key = record("DNSKEY", "257 3 8 AwEAAQ==");

describe("records of one name for which name servers refuse a zone", () => {
  test.each<[string, string, RecordData[], string[]]>([
    ["as many of a type as there may be", "x", many("A", 3), []],
    ["one more of a type", "x", many("A", 4), ["records A"]],
    ["as many of two types", "x", [...many("A", 3), ...many("TXT", 3)], []],
    ["signatures of several types", "x", many("RRSIG", 4), []],
    ["as many types as there may be", "x", types(4), []],
    ["one more type", "x", types(5), ["types"]],
    ["as many types at the apex, which has the SOA, too", "@", types(4), ["types"]],
    ["two DNAMEs", "x", many("DNAME", 2), ["single DNAME"]],
    ["NS beside DNAME", "x", [record("DNAME", "a."), record("NS", "b")], ["DNAME and NS"]],
    ["NS beside DNAME at the apex", "@", [record("DNAME", "a."), record("NS", "b")], []],
    ["DS at the apex", "@", [record("DS", "1 8 2 00")], ["DS at apex"]],
    ["DS of a delegation", "x", [record("DS", "1 8 2 00")], []],
    ["CDS of a key's algorithm", "@", [key, record("CDS", "1 8 2 00")], []],
    ["CDS of an algorithm without key", "@", [key, record("CDS", "1 13 2 00")], ["CDS without key"]],
    ["CDNSKEY without key", "@", [record("CDNSKEY", "257 3 8 AwEAAQ==")], ["CDNSKEY without key"]],
    ["a CDS that asks for deletion", "@", [record("CDS", "0 0 0 00")], []],
    [
      "a CDS that asks for deletion beside another",
      "@",
      [key, record("CDS", "0 0 0 00"), record("CDS", "1 8 2 00")],
      ["CDS deletes"],
    ],
    ["CDS elsewhere", "x", [record("CDS", "1 8 2 00")], []],
    ["NSEC3PARAM of an unknown hash", "@", [record("NSEC3PARAM", "2 0 0 -")], ["NSEC3 hash"]],
    ["two NSEC3PARAM", "@", [record("NSEC3PARAM", "1 0 0 -"), record("NSEC3PARAM", "1 0 1 -")], ["NSEC3PARAM"]],
  ])("the rules of name servers judge %s", (_, name, records, expected) => {
    expect(broken(name, records)).toEqual(expected);
  });

  test("an RRset of more than 65,512 octets, counting two per record, is a violation", () => {
    const free = { ...rules, maxRecordsPerType: 0, maxTypesPerName: 0 };
    expect(broken("x", texts(32), free)).toEqual([]);
    expect(broken("x", texts(33), free)).toEqual(["octets TXT"]);
    const wide = Array.from({ length: 32 }, (_, index) => record("TXT", `${index}`.padEnd(700, "水")));
    expect(broken("x", wide, free)).toEqual(["octets TXT"]);
  });

  test("a limit of 0 allows any number of records and types", () => {
    const free = { ...rules, maxRecordsPerType: 0, maxTypesPerName: 0 };
    expect(broken("x", [...many("A", 200), ...types(200)], free)).toEqual([]);
  });
});

test("a name with too many records may keep or lose records, but not gain any", () => {
  const [first, ...rest] = many("A", 6);
  const before = [first as RecordData, ...rest];
  expect(newViolations("x", before, before, rules)).toEqual([]);
  expect(newViolations("x", before, rest, rules)).toEqual([]);
  expect(newViolations("x", before, [...before, record("A", "new")], rules)).toHaveLength(1);
});
