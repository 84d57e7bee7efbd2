import { cutText, group, record, rrset, type Group } from "../group.ts";

const sizes = [0, 1, 254, 255, 256, 509, 510, 511, 764, 765, 766, 2048];
const texts: Readonly<Record<string, string>> = {
  "quotes around it": '"quoted"',
  "quotes within": 'say "hello" twice: "hello"',
  "one quote": '"',
  backslashes: String.raw`back\slash \\ and \n`,
  "a backslash at the end": "end\\",
  "a backslash before a quote": String.raw`\"`,
  "what looks like an escape": String.raw`\032 and \255 and \999`,
  semicolons: "v=DKIM1; k=rsa; p=abc;",
  "blanks before it": "   before",
  "blanks behind it": "behind   ",
  "blanks within": "two  blanks   three",
  "blanks only": "    ",
  "backticks and single quotes": "`tick` 'single'",
  parentheses: "(open) and ) and (",
  "dollar and at": "$ORIGIN @ $TTL",
  "a tab": "tab\there",
  "per cent and plus": "100% + 5 %41",
  umlauts: "Grüße aus dem Hafen",
  "a pictogram across the border of two strings": `${"x".repeat(253)}🚢${"y".repeat(253)}ü`,
  "quotes and backslashes at the border of two strings": `${"x".repeat(254)}"\\"\\${"y".repeat(252)}\\"`,
  "a byte order mark": "\ufefftext",
};

/** Texts: what is written is what is served, octet for octet. */
export const textGroups: readonly Group[] = [
  ...sizes.map((size) => group(`a text of ${size} octets`, [record("text", "TXT", "t".repeat(size))])),
  ...Object.entries(texts).map(([name, text]) =>
    group(`a text with ${name}`, [record("text", "TXT", text)], [record("text", "TXT", `${text}2`)]),
  ),
  group("a text of 2,048 characters of three octets", [record("text", "TXT", "漢".repeat(2048))]),
  group(
    "texts that differ in case or blanks only",
    rrset("text", "TXT", ["text", "Text", "text ", " text"]),
    rrset("text", "TXT", ["Text", "text "]),
  ),
  group(
    "a text in place of another",
    rrset("text", "TXT", ["one", "two", "three"]),
    rrset("text", "TXT", ["one", "2", "three"]),
    rrset("text", "TXT", ["three", ""]),
  ),
  group(
    "strings that are cut anew, joined and cut again",
    [cutText("_ipp._tcp", ["txtvers=1", "rp=lp"])],
    [cutText("_ipp._tcp", ["txtvers=1rp", "=lp"])],
    [record("_ipp._tcp", "TXT", "txtvers=1rp=lp")],
    [cutText("_ipp._tcp", ["txtvers=1", "rp=lp"], 600)],
  ),
  group(
    "strings in texts of the same value",
    [record("text", "TXT", "ab"), cutText("text", ["a", "b"]), cutText("text", ["ab", ""])],
    [cutText("text", ["a", "b"]), cutText("text", ["", "ab"])],
    [cutText("text", ["", "ab"])],
  ),
  group(
    "strings of all sizes",
    [cutText("text", ["", "", ""])],
    [cutText("text", ["x".repeat(255), ""]), cutText("text", ["x".repeat(254), "x"])],
    [
      cutText(
        "text",
        Array.from({ length: 20 }, (_, index) => "y".repeat(index * 5)),
      ),
    ],
  ),
  group("strings with quotes, backslashes and semicolons", [
    cutText("text", [String.raw`a\\"`, '"; b', String.raw`\\`]),
  ]),
  group("strings that cut a character in two", [cutText("text", [String.raw`f\195`, String.raw`\188r`])]),
  group("strings of octets that are no text", [cutText("text", [String.raw`\255\000`, "a", String.raw`\128`])]),
];
