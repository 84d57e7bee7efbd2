import * as fc from "fast-check";
import { expect, test } from "vitest";
import { aRule } from "../../../server/dns/values/a.ts";
import { expectStable, readText, refusal, written } from "./value-rules.ts";

test.each([
  ["192.0.2.1", "192.0.2.1"],
  [" 192.0.2.1 ", "192.0.2.1"],
  ["0.0.0.0", "0.0.0.0"],
  ["255.255.255.255", "255.255.255.255"],
])("the A value %j is the address %s", (input, canonical) => {
  expect(written(aRule, input)).toBe(canonical);
  expect(aRule.print(canonical)).toBe(canonical);
});

test.each([
  "",
  "192.0.2",
  "192.0.2.256",
  "192.0.2.01",
  "192.0.2.1.1",
  "1.2.3.4/24",
  "::1",
  "0x7f.0.0.1",
  "-1.0.0.0",
  "192.0.2.١",
])("the A value %j is refused with a message that shows a valid address", (input) => {
  expect(refusal(aRule, input)).toContain('such as "192.0.2.1"');
});

test("an A record with a priority is refused", () => {
  expect(refusal(aRule, "192.0.2.1", 10)).toContain("A records have none");
  expect(written(aRule, "192.0.2.1", null)).toBe("192.0.2.1");
});

test("generic A data of four octets is read as an address, and other generic data is refused", () => {
  expect(readText(aRule, "\\# 4 C0 000201")).toBe("192.0.2.1");
  expect(
    aRule.read(
      [
        { raw: "\\#", quoted: false },
        { raw: "3", quoted: false },
        { raw: "c00002", quoted: false },
      ],
      "",
    ),
  ).toMatchObject({ ok: false });
  expect(aRule.read([], "")).toMatchObject({ ok: false });
  expect(
    aRule.read(
      [
        { raw: "192.0.2.1", quoted: false },
        { raw: "x", quoted: false },
      ],
      "",
    ),
  ).toMatchObject({ ok: false });
});

test("every A value is canonical after one pass", () => {
  expect.hasAssertions();
  fc.assert(fc.property(fc.ipV4(), (address) => expectStable(aRule, address)));
});
