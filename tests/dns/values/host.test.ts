import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cnameRule, nsRule } from "../../../server/dns/values/pointers.ts";
import { hostName } from "../../support/records/arbitrary-names.ts";
import { expectReadable, expectStable, readText, refusal, written } from "./value-rules.ts";

describe.each([
  ["CNAME", cnameRule],
  ["NS", nsRule],
])("values of %s", (recordType, rule) => {
  test.each([
    ["Target.Example.NET", "target.example.net", "target.example.net."],
    ["target.example.net.", "target.example.net", "target.example.net."],
    ["münchen.example", "xn--mnchen-3ya.example", "xn--mnchen-3ya.example."],
  ])("the host value %s becomes %s and prints as %s", (input, canonical, printed) => {
    expect(written(rule, input)).toBe(canonical);
    expect(rule.print(canonical)).toBe(printed);
  });

  test.each(["", "@", "192.0.2.1", "2001:db8::1", "a b.example", "https://example.net", "a..example"])(
    "the host value %j is refused as an invalid domain name",
    (input) => {
      expect(refusal(rule, input)).toContain("value must be a valid domain name");
    },
  );

  test("a single-label host value is accepted with a warning unless it has a trailing dot", () => {
    expect(rule.write("mail", null)).toMatchObject({
      value: { value: "mail", warnings: [expect.stringContaining('"mail."')] },
    });
    expect(rule.write("mail.", null)).toMatchObject({ value: { value: "mail", warnings: [] } });
  });

  test("a host value with a priority is refused", () => {
    expect(refusal(rule, "a.example", 1)).toContain(`${recordType} records have none`);
  });

  test.each([
    ["host", "host.example.com"],
    ["@", "example.com"],
    [".", "."],
    ["odd\\ label.example.net.", "odd\\032label.example.net"],
    ["\\# 3 016100", "\\# 3 016100"],
  ])("host data %s in a master file is stored as %s", (text, canonical) => {
    expect(readText(rule, text)).toBe(canonical);
    expectReadable(rule, canonical);
  });

  test("host data with no name or two names is refused", () => {
    expect(() => readText(rule, "")).toThrow("one domain name");
    expect(() => readText(rule, "a b")).toThrow("one domain name");
  });

  test("every host value is canonical after one pass", () => {
    expect.hasAssertions();
    fc.assert(fc.property(hostName, (input) => expectStable(rule, written(rule, input))));
  });
});

test.each([
  [".", ".", "."],
  ["*.example.net", "*.example.net", "*.example.net."],
  [
    String.raw`Floor\0322._ipp._tcp.example.net`,
    String.raw`floor\0322._ipp._tcp.example.net`,
    String.raw`floor\0322._ipp._tcp.example.net.`,
  ],
  [String.raw`a\.b.example.net.`, String.raw`a\.b.example.net`, String.raw`a\.b.example.net.`],
])("a CNAME may name what is not a host, an NS may not: %s", (input, canonical, printed) => {
  expect(written(cnameRule, input)).toBe(canonical);
  expect(cnameRule.print(canonical)).toBe(printed);
  expectStable(cnameRule, canonical);
  expect(refusal(nsRule, input)).toContain("value must be a valid domain name");
});
