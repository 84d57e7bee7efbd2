import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { txtRule, writeStrings } from "../../../server/dns/values/txt.ts";
import { rdataFields } from "../../support/records/rdata-fields.ts";

const read = (text: string) => {
  const result = txtRule.read(rdataFields(text), "example.com");
  if (!result.ok) throw new Error(result.message);
  return result.value;
};

describe("character-strings in RDATA", () => {
  test.each<[string, string[] | null]>([
    ['"a" "b"', ["a", "b"]],
    ["a b", ["a", "b"]],
    ['"ab"', null],
    ['""', null],
    ['"" ""', ["", ""]],
    ['"a" ""', ["a", ""]],
    [`"${"x".repeat(255)}" "y"`, null],
    [`"${"x".repeat(255)}" ""`, ["x".repeat(255), ""]],
    [`"${"x".repeat(254)}" "y"`, ["x".repeat(254), "y"]],
    [String.raw`"back\\slash" "q\"uote"`, [String.raw`back\\slash`, 'q"uote']],
    [String.raw`"\195" "\188"`, [String.raw`\195`, String.raw`\188`]],
    [String.raw`"\195\188\255" "\000"`, [String.raw`ü\255`, String.raw`\000`]],
    [String.raw`"\237\160\128" "a"`, [String.raw`\237\160\128`, "a"]],
    [String.raw`"\240\159\145\139\240\159" "\145\139"`, [String.raw`👋\240\159`, String.raw`\145\139`]],
    [String.raw`"\239\187\191a" "b"`, ["\ufeffa", "b"]],
    ["\\# 5 0161 026263", ["a", "bc"]],
    [String.raw`"a\010b"`, [String.raw`a\010b`]],
    [String.raw`"\127"`, [String.raw`\127`]],
    [String.raw`"a\009b"`, null],
    [String.raw`"\000"`, null],
  ])("the character-strings %s are shown as %j", (text, strings) => {
    expect(read(text).strings).toEqual(strings);
  });

  test("character-strings of any octets print to text that reads back the same, and are accepted from a client", () => {
    expect.hasAssertions();
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 255 }), { minLength: 1, maxLength: 5 }), (parts) => {
        const rdata = Buffer.concat(parts.flatMap((part) => [Buffer.of(part.length), part]));
        const { value, strings = null } = read(`\\# ${rdata.length} ${rdata.toString("hex")}`);
        expect(read(txtRule.print(value, strings))).toMatchObject({ value, strings });
        const written = strings === null ? null : writeStrings(strings, undefined);
        // Clients may not write values beyond 2048 characters.
        const isRefused = written?.ok === false && written.message.includes("at most 2048");
        fc.pre(written !== null && !isRefused);
        expect(written).toMatchObject({ ok: true, value: { value, strings } });
      }),
    );
  });

  test("character-strings that form a generic value print as those octets", () => {
    const { value, strings } = read(String.raw`"a\255" "b"`);
    expect(value).toBe("\\# 4 0361ff62");
    expect(txtRule.print(value, strings)).toBe(String.raw`"a\255" "b"`);
  });
});

test("a client's generic TXT value determines its split", () => {
  expect(txtRule.write("\\# 4 01610162", null)).toMatchObject({ value: { value: "ab", strings: ["a", "b"] } });
  expect(txtRule.write("\\# 3 026162", null)).toMatchObject({ value: { value: "ab", strings: null } });
  expect(writeStrings(["a", "b"], "\\# 4 01610162")).toMatchObject({ ok: true });
});
