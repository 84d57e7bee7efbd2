import * as fc from "fast-check";
import { expect, test } from "vitest";
import { dnsName } from "../../../server/dns-providers/route53/hosted-zones.ts";
import { fromOctal, printValue, readValue } from "../../../server/dns-providers/route53/rrsets.ts";
import { readHost } from "../../../server/dns/names/names.ts";
import { anyCharacter } from "../../support/any-character.ts";

test.each([
  ["example.com", "example.com."],
  ["*.example.com", String.raw`\052.example.com.`],
  ["0/25.2.0.192.in-addr.arpa", String.raw`0\05725.2.0.192.in-addr.arpa.`],
  ["_sip._tcp.example.com", "_sip._tcp.example.com."],
  [String.raw`a\.b.example.com`, String.raw`a\056b.example.com.`],
  [String.raw`f\252bar.example.com`, String.raw`f\374bar.example.com.`],
  [String.raw`at\@.example.com`, String.raw`at\100.example.com.`],
])("the name %s is %s at Route 53, in both directions", (name, printed) => {
  expect(dnsName(name)).toBe(printed);
  expect(readHost(fromOctal(printed), "")).toEqual({ ok: true, value: name });
});

test.each([
  ["TXT", "v=spf1 -all", '"v=spf1 -all"'],
  ["TXT", "", '""'],
  ["TXT", 'say "hi" \\', String.raw`"say \"hi\" \\"`],
  ["TXT", String.raw`\032 \\065`, String.raw`"\\032 \\\\065"`],
  ["TXT", "ü\t", String.raw`"\303\274\011"`],
  ["TXT", "a".repeat(256), `"${"a".repeat(255)}" "a"`],
  ["TXT", String.raw`\# 3 02ff00`, String.raw`"\377\000"`],
  ["CAA", "0 issue ca.example; x=1", '0 issue "ca.example; x=1"'],
  ["MX", "10 mail.example.net", "10 mail.example.net."],
  ["MX", "0 .", "0 ."],
  ["CNAME", String.raw`a\@b.example.net`, String.raw`a\100b.example.net.`],
  ["SRV", "1 2 3 sip.example.net", "1 2 3 sip.example.net."],
])("the %s value %j is %s at Route 53, in both directions", (recordType, value, printed) => {
  expect(printValue(recordType, value)).toBe(printed);
  expect(readValue(recordType, printed).value).toBe(value);
});

test.each([
  ["CNAME", "Target.Example.NET", "target.example.net"],
  ["TXT", String.raw`"one""two"`, "onetwo"],
  ["AAAA", "2001:0db8:85a3:0:0:8a2e:0370:7334", "2001:db8:85a3::8a2e:370:7334"],
  ["TXT", '"never closed', '"never closed'],
])("a value in another notation at Route 53 is read: %s %s", (recordType, text, value) => {
  expect(readValue(recordType, text).value).toBe(value);
});

test("data in generic form cannot be written for Route 53", () => {
  expect(printValue("A", String.raw`\# 4 c0000201`)).toBeNull();
});

test("any text survives the conversion to Route 53's notation and back", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 600 }), (text) => {
      fc.pre(!text.includes("\u0000") && !text.startsWith("\\#"));
      expect(readValue("TXT", printValue("TXT", text) ?? "").value).toBe(text);
    }),
  );
});
