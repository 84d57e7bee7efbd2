import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SecretMask } from "../../../server/dns-providers/vendor-api/secrets.ts";
import { messageIn, shownText } from "../../../server/dns-providers/vendor-api/text.ts";

const secret = 's3cr"t/of+the\\h&rbour%';
/** As long as a token of Azure's with many groups, and the same in each run. */
const token = `${secret}${createHash("shake256", { outputLength: 7_500 }).update("token").digest("base64url")}`;
const mask = "********";
const base64Of = (text: string) => Buffer.from(text).toString("base64");

describe.each([
  ["a short secret", secret],
  ["a token of 10,000 characters", token],
])("masking %s", (_length, secret) => {
  const base64 = Buffer.from(secret).toString("base64");
  test.each([
    ["as it is", secret],
    ["percent-encoded", encodeURIComponent(secret)],
    ["percent-encoded in lower case", encodeURIComponent(secret).replaceAll(/%../g, (octet) => octet.toLowerCase())],
    ["percent-encoded throughout", Array.from(Buffer.from(secret), (octet) => `%${octet.toString(16)}`).join("")],
    ["percent-encoded twice", encodeURIComponent(encodeURIComponent(secret))],
    ["in JSON", JSON.stringify(secret).slice(1, -1)],
    ["in JSON with its slashes escaped", JSON.stringify(secret).slice(1, -1).replaceAll("/", "\\/")],
    ["in JSON within JSON", JSON.stringify(JSON.stringify(secret)).slice(3, -3)],
    [
      "in JSON as numbers",
      Array.from(secret, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
    ],
    ["in HTML", secret.replaceAll("&", "&amp;").replaceAll('"', "&quot;")],
    ["in HTML as numbers", Array.from(secret, (one) => `&#${one.charCodeAt(0)};`).join("")],
    ["in base64", base64],
    ["in base64url", Buffer.from(secret).toString("base64url")],
    ["in base64 within a URL", encodeURIComponent(base64)],
  ])("a secret %s is masked", (_how, written) => {
    expect(shownText(`before ${written} after`, [secret])).toMatch(/^before \*{8}(?:\S|%3D)? after$/);
  });

  test.each(["u:", "us:", "use:"])(
    "a secret in base64 after %j is masked, as in a Basic authentication header",
    (user) => {
      const header = Buffer.from(`${user}${secret}`).toString("base64");
      const shown = shownText(`Authorization: Basic ${header} was refused`, [secret]);
      expect(shown).toContain(mask);
      expect(shown).not.toContain(Buffer.from(secret.slice(3, 12)).toString("base64"));
    },
  );
});

describe("masking secrets", () => {
  test("any secret in any surrounding text is masked", () => {
    const secrets = fc
      .string({ unit: "grapheme-ascii", minLength: 12, maxLength: 60 })
      .map((text) => text.replaceAll(" ", "_"));
    // Text within a tag is removed with it, without a mask.
    const words = fc.string().map((text) => text.replaceAll("<", "("));
    fc.assert(
      fc.property(secrets, words, words, (one, before, after) => {
        for (const form of [
          one,
          encodeURIComponent(one),
          JSON.stringify(one).slice(1, -1),
          Buffer.from(one).toString("base64"),
        ]) {
          const shown = shownText(`(${before} ${form} ${after}`, [one]);
          expect(shown.includes(mask) && !shown.includes(one)).toBe(true);
        }
      }),
    );
  });

  test("no part of a token is shown, wherever a vendor cuts it and however it writes the part", () => {
    const [from, to] = [fc.integer({ min: 0, max: 9_900 }), fc.integer({ min: 20, max: 9_900 })];
    const before = fc.constantFrom("", " ", "%", "%2", "\\u", "\\u00", "&#", "&#x", "token=", '"', "x");
    // One for all texts, as a connection has: to take a token apart takes long.
    const ofConnection = new SecretMask();
    fc.assert(
      fc.property(from, to, before, before, (start, length, left, right) => {
        const part = token.slice(start, start + length);
        for (const form of [part, encodeURIComponent(part), JSON.stringify(part).slice(1, -1), base64Of(part)]) {
          const shown = shownText(`${left}${form}${right}`, [token], 100_000, ofConnection);
          expect(shown.replaceAll("*", "").length).toBeLessThan(left.length + right.length + 12);
        }
      }),
      { numRuns: 50 },
    );
  });

  test("a message is shown without a secret that is an encoding of another text", () => {
    for (const odd of [
      "%41%42%43".repeat(20),
      "&#37;41".repeat(20),
      "\\u0041".repeat(20),
      "😀é%".repeat(20),
      "a word of ".repeat(6),
    ]) {
      const inForm = new URLSearchParams({ odd }).toString().slice("odd=".length);
      for (const form of [odd, inForm, encodeURIComponent(odd), JSON.stringify(odd).slice(1, -1), base64Of(odd)]) {
        expect(shownText(`(${form})`, [odd])).toMatch(/^\([*=]+\)$/);
      }
    }
  });

  test("a secret is not shown in part where a long text is cut", () => {
    const text = `<p>${" ".repeat(65_520)}${secret.repeat(9)}`;
    expect(shownText(text, [secret])).toBe("");
  });
});

test.each(["\\", "%25", "&#0", "&#x0", "s", "<!--", "<script>", "<title>", '{"message":"'])(
  "a text that repeats %s is processed in linear time",
  (part) => {
    const text = part.repeat(65_000 / part.length);
    for (let reading = 0; reading < 50; reading++) shownText(messageIn(text), [secret]);
    for (const one of [secret, token]) expect(shownText(text, [one])).not.toContain(mask);
  },
);

test("an empty secret masks nothing", () => {
  expect(shownText("quiet", [""])).toBe("quiet");
});

describe("shown text", () => {
  test.each([
    ["is one line", "first\r\n\tsecond\u0000third", "first second third"],
    [
      "of an HTML page is its title",
      '<!DOCTYPE html><html><head><title>502 Bad Gateway</title><style>p { color: red }</style></head><body><h1>Bad &amp; sad</h1><script>alert("x")</script></body></html>',
      "502 Bad Gateway",
    ],
    [
      "of an HTML page without a title is its text",
      "<html><head><style>p { color: red }</style></head><body><h1>Bad &amp; sad</h1><script>alert(1)</script></body></html>",
      "Bad & sad",
    ],
    ["of XML is its text", '<?xml version="1.0"?><Error><Code>Slow</Code><Message>Down</Message></Error>', "Slow Down"],
    ["of a truncated page is what arrived", "<html><body>Gone <scr", "Gone"],
    [
      "of a sentence with markup is the sentence",
      "It failed: <b>no</b> host<br/>today <!-- x -->",
      "It failed: no host today",
    ],
    ["of a sentence with brackets is the sentence", "The name <www> is wrong", "The name <www> is wrong"],
  ])("the shown text %s", (_what, text, shown) => {
    expect(shownText(text, [])).toBe(shown);
  });

  test("the shown text is cut after 500 characters, or a given number", () => {
    expect(shownText("x".repeat(2_000), [])).toBe(`${"x".repeat(500)}…`);
    expect(shownText("x".repeat(2_000), [], 20)).toBe(`${"x".repeat(20)}…`);
  });
});

test.each([
  ['{"id":"server_error","message":"Unexpected \\"error\\""}', 'Unexpected "error"'],
  ['{"RequestId":"1","Code":"InternalError","Message":"It failed."}', "It failed."],
  ['{"error":{"code":503,"status":"UNAVAILABLE","detail":"Try later."}}', "Try later."],
  ['{"error":"overloaded"}', "overloaded"],
  ['{"message":"","errors":["x"]}', ""],
  ['{"success":false}', ""],
  ["[1,2,3]", ""],
  ['{"message":"it breaks off', ""],
  ["plain", "plain"],
])("the error message in %s is found", (body, message) => {
  expect(messageIn(body)).toBe(message);
});
