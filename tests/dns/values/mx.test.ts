import * as fc from "fast-check";
import { expect, test } from "vitest";
import { mxRule } from "../../../server/dns/values/mx.ts";
import { hostName } from "../../support/records/arbitrary-names.ts";
import { expectReadable, expectStable, readText, refusal, written } from "./value-rules.ts";

test.each([
  ["10 Mail.Example.com.", null, "10 mail.example.com", "10 mail.example.com."],
  ["  010   mail.example.com ", undefined, "10 mail.example.com", "10 mail.example.com."],
  ["mail.example.com", 20, "20 mail.example.com", "20 mail.example.com."],
  ["20 mail.example.com", 20, "20 mail.example.com", "20 mail.example.com."],
  ["65535 mail.example.com", null, "65535 mail.example.com", "65535 mail.example.com."],
  ["0 .", null, "0 .", "0 ."],
  [".", 0, "0 .", "0 ."],
])("the MX value %j with priority %s becomes %s and prints as %s", (input, priority, canonical, printed) => {
  expect(mxRule.write(input, priority)).toMatchObject({
    value: { value: canonical, priority: Number.parseInt(canonical, 10), warnings: [] },
  });
  expect(mxRule.print(canonical)).toBe(printed);
  expectStable(mxRule, canonical);
});

test.each([
  ["", null, "10 mail.example.com"],
  ["mail.example.com", null, "has no priority"],
  ["10", null, "has no priority"],
  ["10 mail.example.com", 20, "Make them agree"],
  ["65536 mail.example.com", null, "0 to 65535"],
  ["-1 mail.example.com", null, "0 to 65535"],
  ["ten mail.example.com", null, "0 to 65535"],
  ["mail.example.com", 65536, "0 to 65535"],
  ["mail.example.com", 1.5, "0 to 65535"],
  ["mail.example.com", Number.NaN, "0 to 65535"],
  ["10 mail.example.com x", null, "<priority> <domain>"],
  ["10 192.0.2.1", null, "A or AAAA"],
  ["10 .", null, "0 ."],
  ["10 ma il", 10, "<priority> <domain>"],
])("the MX value %j with priority %s is refused: %s", (input, priority, reason) => {
  expect(refusal(mxRule, input, priority)).toContain(reason);
});

test("an MX value with a single label is accepted with a warning", () => {
  expect(mxRule.write("10 mail", null)).toMatchObject({ value: { warnings: [expect.stringContaining('"mail."')] } });
});

test.each([
  ["10 mail", "10 mail.example.com", 10],
  ["5 .", "5 .", 5],
  ["5 192.0.2.1.", "5 192.0.2.1", 5],
  ["\\# 5 000a 016100", "\\# 5 000a016100", 10],
])("MX data %s in a master file is stored as %s with priority %i", (text, canonical, priority) => {
  expect(readText(mxRule, text)).toBe(canonical);
  expectReadable(mxRule, canonical);
  const fields = text.split(" ").map((raw) => ({ raw, quoted: false }));
  expect(mxRule.read(fields, "example.com")).toMatchObject({ value: { priority } });
});

test.each(["", "10", "x mail", "10 mail x", "70000 mail", "\\# 2 000a"])("MX data %j is refused", (text) => {
  expect(() => readText(mxRule, text)).toThrow("MX data must be");
});

test("every MX value is canonical after one pass", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 65535 }), hostName, (priority, host) => {
      const canonical = written(mxRule, host, priority);
      expect(written(mxRule, canonical, priority)).toBe(canonical);
      expectStable(mxRule, canonical);
    }),
  );
});
