import { describe, expect, test } from "vitest";
import { logicalLines } from "../../../server/dns/zone-file/tokens.ts";

/** Line, leading blank and fields of each entry: bare fields as they are, quoted ones in «». */
function read(text: string): unknown[] {
  return Array.from(logicalLines(text), (line) => {
    if (line.kind === "error") return { line: line.line, error: line.message };
    const fields = line.fields.map(({ raw, quoted }) => (quoted ? `«${raw}»` : raw));
    return [line.line, line.leadingBlank, ...fields];
  });
}

describe("logical lines", () => {
  test.each<[string, string, unknown[]]>([
    ["fields are parted by blanks and tabs", "www  A\t192.0.2.1", [[1, false, "www", "A", "192.0.2.1"]]],
    ["a leading blank is told", "\tA 192.0.2.1", [[1, true, "A", "192.0.2.1"]]],
    ["empty lines and comments are left out", "\n  \n; note\n  ; note\na", [[5, false, "a"]]],
    ["a comment ends a bare field", "a b;c d", [[1, false, "a", "b"]]],
    [
      "parentheses hold lines together",
      "a (b ; one\n c\n) d\ne",
      [
        [1, false, "a", "b", "c", "d"],
        [4, false, "e"],
      ],
    ],
    ["parentheses nest and need no blanks", "a((b)c)d", [[1, false, "a", "b", "c", "d"]]],
    ["quotes keep blanks, semicolons and parentheses", 'a "b; (c) d"', [[1, false, "a", "«b; (c) d»"]]],
    ["an empty string is a field", 'a ""', [[1, false, "a", "«»"]]],
    ["quoted strings may touch", 'a "b""c"d', [[1, false, "a", "«b»", "«c»", "d"]]],
    [
      "escapes stay, and protect what follows",
      String.raw`a\;b \(c \"d e\032f \\`,
      [[1, false, String.raw`a\;b`, String.raw`\(c`, String.raw`\"d`, String.raw`e\032f`, "\\\\"]],
    ],
    ["an escaped quote does not close", String.raw`a "b\"c\\"`, [[1, false, "a", String.raw`«b\"c\\»`]]],
    ["an escaped blank does not part", String.raw`a\ b`, [[1, false, String.raw`a\ b`]]],
    [
      "a byte order mark is skipped, CRLF ends lines",
      "\uFEFFa b\r\nc ; d\r\n",
      [
        [1, false, "a", "b"],
        [2, false, "c"],
      ],
    ],
    ["other scripts are left alone", 'é "日本"', [[1, false, "é", "«日本»"]]],
    ["nothing is nothing", "", []],
  ])("a zone file is split into logical lines: %s", (_, text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  test("an unquoted field directly followed by a comment is distinguished from one followed by a space", () => {
    const flags = [...logicalLines('a v=DKIM1;k=rsa\na v=DKIM1 ;k\na "v";k')].map(
      (line) => line.kind === "line" && line.abruptComment,
    );
    expect(flags).toEqual([true, false, false]);
  });
});

describe("unreadable lines", () => {
  const unclosedQuote = "A quote on this line is never closed; close it on the same line.";
  test.each<[string, string, unknown[]]>([
    ["an unclosed quote", 'a\nb "c\nd', [[1, false, "a"], { line: 2, error: unclosedQuote }, [3, false, "d"]]],
    [
      "a quote may not span lines",
      'b "c\r\nd"\r\ne',
      [{ line: 1, error: unclosedQuote }, { line: 2, error: unclosedQuote }, [3, false, "e"]],
    ],
    [
      "a backslash does not carry a quote over the line end",
      'b "c\\\nd',
      [{ line: 1, error: unclosedQuote }, [2, false, "d"]],
    ],
    ["an unclosed quote within parentheses", 'a (\n "b\n c )\nd', [{ line: 2, error: unclosedQuote }, [4, false, "d"]]],
    [
      "a parenthesis that is never closed",
      "a\nb (\nc\nd",
      [[1, false, "a"], { line: 2, error: "The parenthesis that opens here is never closed." }],
    ],
    [
      "a parenthesis that closes nothing",
      "a\nb )\nc",
      [[1, false, "a"], { line: 2, error: "This ) has no matching (." }, [3, false, "c"]],
    ],
    [
      "a backslash before the line end",
      "a b\\\nc",
      [{ line: 1, error: "The backslash at the end of this line has nothing to escape; remove it." }, [2, false, "c"]],
    ],
    [
      "a backslash before CRLF",
      "a b\\\r\nc",
      [{ line: 1, error: "The backslash at the end of this line has nothing to escape; remove it." }, [2, false, "c"]],
    ],
    [
      "a backslash at the end",
      "a b\\",
      [{ line: 1, error: "The backslash at the end of this line has nothing to escape; remove it." }],
    ],
  ])("an unreadable line is reported with its number, and parsing continues: %s", (_, text, expected) => {
    expect(read(text)).toEqual(expected);
  });
});
