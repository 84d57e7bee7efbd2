import * as fc from "fast-check";
import { expect, test } from "vitest";
import { aaaaRule } from "../../../server/dns/values/aaaa.ts";
import { expectStable, readText, refusal, written } from "./value-rules.ts";

test.each([
  ["2001:DB8::1", "2001:db8::1"],
  ["2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8::1"],
  ["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
  ["2001:db8::1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
  ["2001:0:0:1:0:0:0:1", "2001:0:0:1::1"],
  ["2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
  ["0:0:0:0:0:0:0:0", "::"],
  ["::", "::"],
  ["1::", "1::"],
  ["0:0:1::", "0:0:1::"],
  ["::ffff:c000:201", "::ffff:192.0.2.1"],
  ["::FFFF:192.0.2.1", "::ffff:192.0.2.1"],
  ["64:ff9b::192.0.2.33", "64:ff9b::c000:221"],
  ["::192.0.2.1", "::c000:201"],
])("the AAAA value %s becomes %s (RFC 5952)", (input, canonical) => {
  expect(written(aaaaRule, input)).toBe(canonical);
  expectStable(aaaaRule, canonical);
});

test.each([
  "",
  "192.0.2.1",
  "2001:db8",
  "::1::",
  ":::",
  "fe80::1%eth0",
  "[::1]",
  "12345::",
  "::g",
  "1:2:3:4:5:6:7:8:9",
  "::1/64",
])("the AAAA value %j is refused with a message that shows a valid address", (input) => {
  expect(refusal(aaaaRule, input)).toContain('such as "2001:db8::1"');
});

test("an AAAA record with a priority is refused", () => {
  expect(refusal(aaaaRule, "::1", 0)).toContain("AAAA records have none");
});

test("generic AAAA data of sixteen octets is read as an address", () => {
  expect(readText(aaaaRule, "\\# 16 20010DB8000000000000000000000001")).toBe("2001:db8::1");
  expect(() => readText(aaaaRule, "\\# 4 c0000201")).toThrow("refused");
});

test("every spelling of an IPv6 address gets the same canonical form", () => {
  const groups = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff })), {
    minLength: 8,
    maxLength: 8,
  });
  fc.assert(
    fc.property(groups, (numbers) => {
      const full = numbers.map((number) => number.toString(16).padStart(4, "0")).join(":");
      const canonical = written(aaaaRule, full.toUpperCase());
      expect(canonical.length).toBeLessThanOrEqual(full.length);
      expect(readText(aaaaRule, `\\# 16 ${full.replaceAll(":", "")}`)).toBe(canonical);
      expectStable(aaaaRule, canonical);
    }),
  );
});
