import { describe, expect, test } from "vitest";
import { fieldsOf, textOf } from "../../../server/dns/formats/cloudflare-fields.ts";
import { bodyOf, unsupported } from "../../../server/dns-providers/cloudflare/records.ts";
import { canonicalContent } from "../../../server/dns-providers/powerdns/apply-changes.ts";
import type { RecordData } from "../../../server/dns/record.ts";

const forms: [recordType: string, value: string, fields: Record<string, string | number>][] = [
  ["SRV", "10 60 5060 sip.example.net", { priority: 10, weight: 60, port: 5060, target: "sip.example.net" }],
  ["SRV", "0 0 1 .", { priority: 0, weight: 0, port: 1, target: "." }],
  ["CAA", "128 issue ca.example; a=1", { flags: 128, tag: "issue", value: "ca.example; a=1" }],
  ["DS", "12345 13 2 abcd", { key_tag: 12_345, algorithm: 13, digest_type: 2, digest: "abcd" }],
  ["HTTPS", "1 . alpn=h2,h3 port=8443", { priority: 1, target: ".", value: "alpn=h2,h3 port=8443" }],
  ["SVCB", "0 www.example.net.", { priority: 0, target: "www.example.net", value: "" }],
  [
    "NAPTR",
    String.raw`1 2 "u" "" "!^(.*)$!\\1!" .`,
    { order: 1, preference: 2, flags: "u", service: "", regex: String.raw`!^(.*)$!\1!`, replacement: "." },
  ],
  ["URI", String.raw`10 1 "a\"b"`, { priority: 10, weight: 1, target: 'a"b' }],
  ["SSHFP", "4 2 abcd", { algorithm: 4, type: 2, fingerprint: "abcd" }],
  ["TLSA", "3 1 1 abcd", { usage: 3, selector: 1, matching_type: 1, certificate: "abcd" }],
  ["CERT", "1 12345 13 AQID", { type: 1, key_tag: 12_345, algorithm: 13, certificate: "AQID" }],
  ["DNSKEY", "257 3 13 AQID", { flags: 257, protocol: 3, algorithm: 13, public_key: "AQID" }],
];

describe("RDATA fields", () => {
  test.each(forms)("a %s record splits into fields and back: %s", (recordType, value, fields) => {
    expect(fieldsOf(recordType, value)).toEqual(fields);
    expect(canonicalContent(recordType, textOf(recordType, fields) ?? "").value).toBe(value);
  });

  test.each([
    ["SRV", String.raw`\# 7 00000000000100`],
    ["CERT", "PKIX 12345 13 AQID"],
    ["TLSA", "3 1 1 ab cd"],
    ["A", "192.0.2.1"],
  ])("a %s record with an invalid value has no fields: %s", (recordType, value) => {
    expect(fieldsOf(recordType, value)).toBeNull();
  });

  test("data with a missing field is not read", () => {
    expect(textOf("SRV", { priority: 1, weight: 2, port: 3 })).toBeNull();
    expect(textOf("A", { content: "192.0.2.1" })).toBeNull();
  });
});

const record = (recordType: string, value: string): RecordData => ({
  recordType,
  name: "x",
  value,
  ttl: 300,
  priority: null,
  strings: null,
  proxied: false,
});

test("octets that are not text are sent as escapes in quotes", () => {
  const { content } = bodyOf("example.com", record("TXT", String.raw`\# 3 02ff0a`));
  expect(content).toBe(String.raw`"\255\010"`);
});

test.each([
  ["TXT", "a".repeat(4_080), null],
  ["TXT", "a".repeat(4_081), "value"],
  ["PTR", String.raw`\# 1 00`, "value"],
  ["TXT", String.raw`\# 3 02ff0a`, null],
  ["CERT", "PKIX 12345 13 AQID", "value"],
])("a %s record of any size is stored or refused by field: %.30s", (recordType, value, field) => {
  expect(unsupported(record(recordType, value))?.field ?? null).toBe(field);
});
