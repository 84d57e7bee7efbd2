import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { txtRule, writeStrings } from "../../../server/dns/values/txt.ts";
import { rdataFields } from "../../support/records/rdata-fields.ts";
import { expectReadable, expectStable, readText, refusal, written } from "./value-rules.ts";
import { anyCharacter } from "../../support/any-character.ts";

test.each([
  ["v=spf1 -all", '"v=spf1 -all"'],
  ["", '""'],
  [" leading and trailing ", '" leading and trailing "'],
  ["v=DKIM1; k=rsa; p=MIG", '"v=DKIM1; k=rsa; p=MIG"'],
  ['say "hi"', String.raw`"say \"hi\""`],
  ['"quoted"', String.raw`"\"quoted\""`],
  [String.raw`back\slash \034 \"`, String.raw`"back\\slash \\034 \\\""`],
  ["back`tick", '"back`tick"'],
  ["tab\there", String.raw`"tab\009here"`],
  ["grüße", String.raw`"gr\195\188\195\159e"`],
  ["👋", String.raw`"\240\159\145\139"`],
  ["\ufeffmark", String.raw`"\239\187\191mark"`],
  ["@", '"@"'],
  ["\\# 2 abc", String.raw`"\\# 2 abc"`],
])("the TXT value %j is taken literally and prints as %s", (value, printed) => {
  expect(written(txtRule, value)).toBe(value);
  expect(txtRule.print(value)).toBe(printed);
  expectStable(txtRule, value);
});

test.each([
  ["a".repeat(2049), "at most 2048"],
  ["字".repeat(2049), "at most 2048"],
  ["👋".repeat(2049), "at most 2048"],
  ["a".repeat(100_000), "at most 2048"],
  ["\ud800", "well-formed"],
  ["a\udc00b", "well-formed"],
  ["a\nb", "U+000a at position 2"],
  ["\u0000", "U+0000"],
  ["a\u007f", "To keep it, send `strings` with \\127 in its place"],
  ["\\# 2 0961", "generic"],
])("an invalid TXT value is refused (case %#)", (value, reason) => {
  expect(refusal(txtRule, value).toLowerCase()).toContain(reason.toLowerCase());
});

test("a text from DNS may be longer, because a zone may have one", () => {
  const value = "a".repeat(2_295);
  expect(txtRule.write(value, null, "dns")).toMatchObject({ ok: true, value: { value } });
  expect(writeStrings([value.slice(0, 255), "b"], undefined)).toMatchObject({ ok: true });
  const strings = Array.from({ length: 9 }, () => "a".repeat(255));
  expect(writeStrings(strings, undefined)).toMatchObject({ ok: false });
  expect(writeStrings(strings, undefined, "dns")).toMatchObject({ ok: true, value: { value, strings: null } });
});

test("a TXT value may have 2048 characters of any script, counted as code points", () => {
  for (const character of ["a", "é", "字", "👋", '"', "\\"]) {
    const value = character.repeat(2048);
    expect(written(txtRule, value) === value).toBe(true);
    expectStable(txtRule, value);
  }
});

test("quotes around a TXT value become part of it, with a warning", () => {
  expect(txtRule.write('"x"', null)).toMatchObject({
    value: { value: '"x"', warnings: [expect.stringContaining("the quotes become part of the text")] },
  });
  expect(txtRule.write('"', null)).toMatchObject({ value: { warnings: [] } });
});

test("a TXT record with a priority is refused", () => {
  expect(refusal(txtRule, "x", 5)).toContain("TXT records have none");
});

describe("the default split into strings of at most 255 octets", () => {
  test.each([
    [0, [0]],
    [254, [254]],
    [255, [255]],
    [256, [255, 1]],
    [509, [255, 254]],
    [510, [255, 255]],
    [511, [255, 255, 1]],
    [764, [255, 255, 254]],
    [765, [255, 255, 255]],
    [766, [255, 255, 255, 1]],
    [2048, [255, 255, 255, 255, 255, 255, 255, 255, 8]],
  ])("a TXT of %i octets is split into strings of %j", (length, lengths) => {
    const value = "x".repeat(length);
    expect(rdataFields(txtRule.print(value)).map((field) => field.raw.length)).toEqual(lengths);
    expectStable(txtRule, value);
  });

  test("the default split never splits an escape, but may split a character", () => {
    for (const value of [`${"x".repeat(254)}"\\"`, `${"x".repeat(253)}👋`, "\\".repeat(600), "字".repeat(300)]) {
      for (const { raw } of rdataFields(txtRule.print(value))) {
        expect(raw).toMatch(/^(?:\\\d{3}|\\[\\"]|[^\\"])*$/);
        expect(raw.replaceAll(/\\\d{3}|\\./g, "x").length).toBeLessThanOrEqual(255);
      }
      expectStable(txtRule, value);
    }
  });
});

describe("reading TXT data", () => {
  test.each([
    ['"a" "b"', "ab"],
    ["a b", "ab"],
    ['""', ""],
    [String.raw`"a\"b\\c\100\;"`, 'a"b\\cd;'],
    [String.raw`"\195" "\188"`, "ü"],
    ['"grüße"', "grüße"],
    [String.raw`"line\010break"`, "line\nbreak"],
    [String.raw`"\255"`, "\\# 2 01ff"],
    [String.raw`"a\000"`, "\\# 3 026100"],
    [String.raw`"\237\160\128"`, "\\# 4 03eda080"],
    ["\\# 4 03616263", "abc"],
    ["\\# 5 0161 026263", "abc"],
    ["\\# 2 01FF", "\\# 2 01ff"],
    [String.raw`"\\# 3 026869"`, "\\# 12 0b5c23203320303236383639"],
  ])("the TXT data %s is read as %j", (text, canonical) => {
    expect(readText(txtRule, text)).toBe(canonical);
    expectReadable(txtRule, canonical);
  });

  test("TXT data from a file is preserved even if a client could not have written it", () => {
    const long = "x".repeat(5000);
    expect(readText(txtRule, txtRule.print(long))).toBe(long);
  });

  test.each(["", "\\# 2 05ff", "\\# 0", "\\# 3 01ff", "\\# x", "\\256", "\\1"])("TXT data %j is refused", (text) => {
    expect(() => readText(txtRule, text)).toThrow("refused");
  });
});

describe("generic form (RFC 3597) from a client", () => {
  test.each([
    ["\\# 3 026869", "hi"],
    ["\\# 2 01ff", "\\# 2 01ff"],
    ["\\# 4 01ff 01fe", "\\# 4 01ff 01fe"],
    ["\\# 3 0268", "\\# 3 0268"],
  ])("the generic TXT value %s is stored as %s", (value, canonical) => {
    expect(written(txtRule, value)).toBe(canonical);
    expectStable(txtRule, canonical);
  });

  test("a generic TXT value cannot contain what a text must not", () => {
    expect(refusal(txtRule, "\\# 2 010a")).toContain("line breaks");
  });
});

test("every valid text of at most 2048 characters is canonical after one pass", () => {
  expect.hasAssertions();
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 2048 }), (text) => {
      fc.pre(text.isWellFormed() && !/[^\P{Cc}\t\u0080-\u009f]/u.test(text));
      expectStable(txtRule, text);
    }),
  );
});

test("TXT data of any octets in a file is read back from its printed form", () => {
  expect.hasAssertions();
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), (octets) => {
      const escaped = Array.from(octets, (octet) => `\\${String(octet).padStart(3, "0")}`).join("");
      expectReadable(txtRule, readText(txtRule, `"${escaped}"`));
    }),
  );
});
