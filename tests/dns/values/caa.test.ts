import * as fc from "fast-check";
import { expect, test } from "vitest";
import { caaRule } from "../../../server/dns/values/caa.ts";
import { expectReadable, expectStable, readText, refusal, written } from "./value-rules.ts";

test.each([
  ['0 issue "letsencrypt.org"', "0 issue letsencrypt.org", '0 issue "letsencrypt.org"'],
  ["0 ISSUE letsencrypt.org", "0 issue letsencrypt.org", '0 issue "letsencrypt.org"'],
  ["128  issuewild   ;", "128 issuewild ;", '128 issuewild ";"'],
  [
    '0 issue "ca.example; validationmethods=dns-01"',
    "0 issue ca.example; validationmethods=dns-01",
    '0 issue "ca.example; validationmethods=dns-01"',
  ],
  [
    "0 iodef mailto:security@example.com",
    "0 iodef mailto:security@example.com",
    '0 iodef "mailto:security@example.com"',
  ],
  ['0 issue " a "', '0 issue " a "', '0 issue " a "'],
  [String.raw`0 issue "a\"b\\c"`, String.raw`0 issue a"b\c`, String.raw`0 issue "a\"b\\c"`],
  ['0 issue a"b', '0 issue a"b', String.raw`0 issue "a\"b"`],
  [String.raw`0 issue "\"a\""`, String.raw`0 issue "\"a\""`, String.raw`0 issue "\"a\""`],
  [String.raw`0 issue "a\010b"`, String.raw`0 issue "a\010b"`, String.raw`0 issue "a\010b"`],
  [`0 issue ${"a".repeat(2049)}`, `0 issue ${"a".repeat(2049)}`, `0 issue "${"a".repeat(2049)}"`],
  [String.raw`\# 9 000569737375656162`, "0 issue ab", '0 issue "ab"'],
  ['0 issue ""', '0 issue ""', '0 issue ""'],
  ['0 issue " "', '0 issue " "', '0 issue " "'],
])("the CAA value %s becomes %s and prints as %s", (input, canonical, printed) => {
  expect(caaRule.write(input, null)).toEqual({ ok: true, value: { value: canonical, priority: null, warnings: [] } });
  expect(caaRule.print(canonical)).toBe(printed);
  expectStable(caaRule, canonical);
});

test.each([
  ["", "<flag> <tag> <value>"],
  ["0", "<flag> <tag> <value>"],
  ["256 issue ca.example", "0 to 255"],
  ["issue ca.example", "0 to 255"],
  ["0 is-sue ca.example", "letters and digits"],
  ["0 issue", 'write "0 issue ;"'],
  ['0 issue "a"b"', "Close the quotes"],
  ['0 issue "a', "Close the quotes"],
  [String.raw`0 issue "\256"`, "invalid escape"],
  ["0 issue a\nb", "control characters"],
])("the CAA value %j is refused: %s", (input, reason) => {
  expect(refusal(caaRule, input)).toContain(reason);
});

const warns = (warning: string) => ({ value: { warnings: [expect.stringContaining(warning)] } });

test("CAA flags, tags, backslashes and letters that are probably not meant are accepted with a warning", () => {
  expect(caaRule.write(String.raw`0 issue a\;b`, null)).toMatchObject(warns("escape only within quotes"));
  expect(caaRule.write("0 issue ä.example", null)).toMatchObject(warns("not plain ASCII"));
  expect(caaRule.write("1 issue a", null)).toMatchObject({ value: { warnings: [expect.stringContaining("flag 1")] } });
  expect(caaRule.write("0 isue a", null)).toMatchObject({ value: { warnings: [expect.stringContaining('"isue"')] } });
});

test("a CAA value of octets that are no text has generic form", () => {
  expect(written(caaRule, String.raw`0 issue "\255"`)).toBe(String.raw`\# 8 00056973737565ff`);
});

test("a CAA record with a priority is refused", () => {
  expect(refusal(caaRule, "0 issue a", 5)).toContain("CAA records have none");
});

test.each([
  ['0 issue ""', '0 issue ""'],
  ["0 issue", '0 issue ""'],
  [String.raw`0 issue "\"\""`, String.raw`0 issue "\"\""`],
  ["0 issue ca.example", "0 issue ca.example"],
  ["0 issue ca.example x=y", "0 issue ca.example x=y"],
  ['0 ISSUE "  \\"a\\\\b\\" "', String.raw`0 issue "  \"a\\b\" "`],
  ['0 issue "\\195\\164\\010"', String.raw`0 issue "ä\010"`],
  ['7 issue "\\255"', "\\# 8 07056973737565ff"],
  ["\\# 9 0005697373756561 62", "0 issue ab"],
  ["\\# 3 000261", "\\# 3 000261"],
])("CAA data %s in a master file is stored as %j", (text, canonical) => {
  expect(readText(caaRule, text)).toBe(canonical);
  expectReadable(caaRule, canonical);
});

test.each(["", "0", "256 issue a", "x issue a", "0 a-b c"])("CAA data %j is refused", (text) => {
  expect(() => readText(caaRule, text)).toThrow("CAA data must be");
});

test("every accepted CAA value is canonical after one pass", () => {
  expect.hasAssertions();
  const text = fc.string({ unit: fc.constantFrom(..."abc.;= /:@0".split("")), minLength: 1 });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 255 }), fc.stringMatching(/^[a-zA-Z0-9]{1,20}$/), text, (flag, tag, part) => {
      fc.pre(part.trim() !== "");
      expectStable(caaRule, written(caaRule, `${flag} ${tag} "${part}"`));
    }),
  );
});

test("CAA data of any octets in a file is read back from its printed form", () => {
  expect.hasAssertions();
  fc.assert(
    fc.property(fc.uint8Array(), (octets) => {
      const escaped = Array.from(octets, (octet) => `\\${String(octet).padStart(3, "0")}`).join("");
      expectReadable(caaRule, readText(caaRule, `0 issue "${escaped}"`));
    }),
  );
});
