import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readWhoisAnswer } from "../../../server/registry/expiry/whois/answer.ts";
import { whoisShapes, type WhoisShape } from "./whois-shapes.ts";
import { anyCharacter } from "../../support/any-character.ts";

function meaning(means: WhoisShape["means"]) {
  if (typeof means === "string") return { kind: means };
  const { until, ...rest } = means;
  const registryExpiresAt = until === undefined ? null : new Date(until);
  const registration = { registrarExpiresAt: null, registrar: null, statuses: [], ...rest, registryExpiresAt };
  return { kind: "registered", registration };
}

test.each(whoisShapes)(
  "the WHOIS answer of $what is parsed correctly ($name)",
  ({ name, text, means, referral = null }) => {
    const said = readWhoisAnswer(text, name);
    expect(said.referral).toBe(referral);
    expect(said.answer).toMatchObject(meaning(means));
  },
);

test("a WHOIS answer is parsed the same with any line ends and in capitals", () => {
  for (const { name, text, means } of whoisShapes) {
    const plain = readWhoisAnswer(text, name);
    expect(readWhoisAnswer(text.replaceAll("\n", "\r\n"), name).answer.kind).toBe(plain.answer.kind);
    if (typeof means === "string") continue;
    const shouted = readWhoisAnswer(text.toUpperCase(), name).answer;
    expect(shouted).toMatchObject({ registration: { registryExpiresAt: means.until ? new Date(means.until) : null } });
  }
});

test("any WHOIS answer is parsed without an exception, into single-line texts", () => {
  const line = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom(
      "Registrar: ",
      "[Expires on] ",
      "expires....: 1.1.2027",
      "Registrar:\n   ",
      "refer: ",
      "\u0000",
      "Status: ",
    ),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
      const { answer, referral } = readWhoisAnswer(lines.join(""), "example.com");
      expect(referral ?? "a.b").toMatch(/^[\w.-]+(?::\d+)?$/);
      if (answer.kind !== "registered") return;
      const { registrar, statuses } = answer.registration;
      for (const text of [registrar ?? "", ...statuses]) {
        expect(text).not.toMatch(/[\p{Cc}\p{Cs}]/u);
        expect(text.length).toBeLessThanOrEqual(200);
      }
    }),
  );
});

test.each([" ", "\n", ".", "a:", "status ", "[", "no ", "http://"])(
  "a flood of %j in a WHOIS answer yields nothing",
  (piece) => {
    const { answer } = readWhoisAnswer(piece.repeat(131_072 / piece.length), "example.com");
    expect(answer.kind).toBe("broken");
  },
);
