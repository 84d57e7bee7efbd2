import { describe, expect, test } from "vitest";
import type { RecordData } from "../../../server/dns/record.ts";
import { newViolations, violationsAt } from "../../../server/dns/zone-rules.ts";

function record(recordType: string, value: string): RecordData {
  return { recordType, name: "www", value, ttl: 300, strings: null, priority: null, proxied: false };
}

const [a1, a2, txt] = [record("A", "192.0.2.1"), record("A", "192.0.2.2"), record("TXT", "x")];
const [c1, c2, rrsig] = [record("CNAME", "a.example"), record("CNAME", "b.example"), record("RRSIG", "CNAME 13 …")];

const [ns, ds, ds2] = [record("NS", "ns.example"), record("DS", "1 13 2 ab"), record("DS", "2 13 2 ab")];
const [alias, other, service] = [
  record("HTTPS", "0 a.example."),
  record("HTTPS", "0 b.example."),
  record("HTTPS", "1 ."),
];
const [binding, bindings] = [record("SVCB", "0 a.example."), record("SVCB", "1 .")];

describe("the records of one name", () => {
  test.each([
    ["nothing", [], []],
    ["one CNAME", [c1], []],
    ["a CNAME and its signature", [c1, rrsig], []],
    ["other records", [a1, a2, txt], []],
    ["a CNAME and another record", [c1, a1], ["alone"]],
    ["two CNAMEs", [c1, c2], ["single"]],
    ["two CNAMEs and another record", [c1, c2, txt], ["alone", "single"]],
    ["a record twice", [a1, a1], ["repeated"]],
    ["a signed delegation", [ns, ds, ds2], []],
    ["a DS without NS", [ds], ["signed"]],
    ["a DS beside an address only", [ds, a1], ["signed"]],
    ["HTTPS in alias mode", [alias, a1], []],
    ["HTTPS in alias mode beside another HTTPS", [alias, service], ["alias"]],
    ["two HTTPS in alias mode", [alias, other], ["alias"]],
    ["several HTTPS in service mode", [service, record("HTTPS", "2 .")], []],
    ["an HTTPS alias beside an SVCB", [alias, bindings], []],
    ["SVCB in alias mode beside another SVCB", [binding, bindings], ["alias"]],
    ["HTTPS beside a CNAME", [c1, service], ["alone"]],
    ["the key of a zone", [record("DNSKEY", "257 3 13 AAAA")], ["keys"]],
    ["a key of another kind", [record("DNSKEY", "0 3 13 AAAA")], []],
    ["a null MX", [record("MX", "0 .")], []],
    ["a null MX beside another MX", [record("MX", "0 ."), record("MX", "10 a.example")], ["null"]],
    ["two MX", [record("MX", "0 a.example"), record("MX", "10 a.example")], []],
    ["one DNAME", [record("DNAME", "a.example."), a1], []],
    ["two DNAMEs", [record("DNAME", "a.example."), record("DNAME", "b.example.")], ["single"]],
  ])("the records of one name that are %s break %j", (_, records, rules) => {
    const broken = violationsAt("www", records).map(({ rule }) => rule.replace(/ .*/s, ""));
    expect(broken.toSorted()).toEqual(rules);
  });

  test("any CNAME at the apex breaks a rule", () => {
    expect(violationsAt("@", [c1]).map(({ rule, code }) => [rule, code])).toEqual([["apex", "BAD_REQUEST"]]);
  });
});

test("any DS at the apex breaks a rule", () => {
  expect(violationsAt("@", [ns, ds]).map(({ rule, code }) => [rule, code])).toEqual([
    ["signed delegation", "CONFLICT"],
  ]);
});

describe("a change", () => {
  test.each([
    ["breaks a rule", [a1], [a1, c1], 1],
    ["leaves a broken name as it was", [c1, a1], [c1, a1], 0],
    ["partly fixes a broken name", [c1, a1, txt], [c1, txt], 0],
    ["replaces a record of a broken name", [c1, a1], [c1, a2], 0],
    ["adds to a broken name", [c1, a1], [c1, a1, txt], 1],
    ["adds a third copy", [a1, a1], [a1, a1, a1], 1],
    ["deletes a third copy", [a1, a1, a1], [a1, a1], 0],
    ["repeats another record", [a1, a1], [a1, a1, a2, a2], 1],
    ["deletes the last NS beside a DS", [ns, ds], [ds], 0],
    ["adds a DS to a stray one", [ds, a1], [ds, ds2, a1], 1],
    ["deletes a whole signed delegation", [ns, ds], [], 0],
    ["edits beside a stray DS", [ds, a1], [ds, a2], 0],
  ])("a change that %s has %3$i new violations", (_, before, after, count) => {
    expect(newViolations("www", before, after)).toHaveLength(count);
  });
});
