import * as fc from "fast-check";
import { expect, test } from "vitest";
import { passwordFault } from "../../../server/platform/password-rules.ts";

const ada = { username: "ada.lovelace", email: "countess@example.com" };

test.each([
  "correct horse battery staple",
  "another long enough password",
  "påfuglens tretten fjær",
  "пчела читает карту",
  "鯨は夜明け前に三つの詩を静かに書く",
  "🦉🧭🪴🛶🎻🧀🪁🌋🦔🧩🪜🥁",
  "aVl5-Rk2m-Qz8w",
  "            leading spaces count",
  "x7dragonq2lantern",
  "918273645546372819",
])("the password %s is accepted", (password) => {
  expect(passwordFault(password, ada)).toBeNull();
});

test.each([
  ["eleven char", /at least 12/],
  ["", /at least 12/],
  // Eleven letters, precomposed or not, and eleven characters of two UTF-16 units each.
  ["e\u0301".repeat(11), /at least 12/],
  ["🦉🧭🪴🛶🎻🧀🪁🌋🦔🧩🪜", /at least 12/],
  ["x y ".repeat(65), /at most 256/],
  ["\ud800 correct horse battery", /well-formed/],
  ["1qaz2wsx3edc", /easy to guess/],
  ["QWERTYUIOP123", /easy to guess/],
  ["Password1234", /easy to guess/],
  ["!!Password2027!!", /easy to guess/],
  ["passwordpassword", /easy to guess/],
  ["dragondragon99", /easy to guess/],
  ["aaaaaaaaaaaaaaaa", /easy to guess/],
  ["abc1abc1abc1abc1", /easy to guess/],
  ["Zonewright2027", /easy to guess/],
  ["ada.lovelace", /easy to guess/],
  ["Ada.Lovelace1815", /easy to guess/],
  ["countess@example.com", /easy to guess/],
  ["Countess2027!", /easy to guess/],
])("the password %j is refused", (password, reason) => {
  expect(passwordFault(password, ada)).toMatch(reason);
});

test("a password may have up to 256 characters of any kind", () => {
  const character = fc.string({ unit: "grapheme-composite", minLength: 1, maxLength: 1 });
  fc.assert(
    fc.property(fc.array(character, { minLength: 256, maxLength: 256 }), (characters) => {
      const text = Array.from(characters.join("").normalize("NFC"));
      expect(passwordFault(text.slice(0, 256).join(""), ada) ?? "").not.toMatch(/characters/);
    }),
  );
});

test("a common password padded with eight digits and symbols is refused, regardless of case", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("dragon", "sunshine", "football", "starwars", "iloveyou"),
      fc.string({ unit: fc.constantFrom("0", "1", "7", "9", "!", "-", "."), minLength: 8, maxLength: 8 }),
      fc.nat(8),
      (word, digits, before) => {
        const password = `${digits.slice(0, before)}${word.toUpperCase()}${digits.slice(before)}`;
        expect(passwordFault(password, ada)).toMatch(/easy to guess/);
      },
    ),
  );
});
