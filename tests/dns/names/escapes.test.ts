import * as fc from "fast-check";
import { expect, test } from "vitest";
import { escapeOctets, unescapeOctets } from "../../../server/dns/names/escapes.ts";

const parts: fc.Arbitrary<readonly [string, readonly number[] | null]> = fc.oneof(
  fc.nat(255).map((octet) => [`\\${String(octet).padStart(3, "0")}`, [octet]] as const),
  fc
    .string({ unit: "binary", minLength: 1, maxLength: 1 })
    .filter((character) => !/\d/.test(character))
    .map((character) => [`\\${character}`, [...Buffer.from(character)]] as const),
  fc
    .string({ unit: "binary", maxLength: 4 })
    .filter((text) => !text.includes("\\"))
    .map((text) => [text, [...Buffer.from(text)]] as const),
  fc.constantFrom("\\256", "\\999", "\\1 ", "\\12 ", "\\0x1").map((wrong) => [wrong, null] as const),
);

test("escapes and the text between them are decoded one after another, and a wrong one refuses the whole", () => {
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 8 }), (some) => {
      const raw = some.map(([text]) => text).join("");
      const octets = some.flatMap(([, meant]) => meant ?? []);
      const isWrong = some.some(([, meant]) => meant === null);
      expect(unescapeOctets(raw)).toEqual(isWrong ? null : Buffer.from(octets));
      expect(unescapeOctets(`${raw}\\`)).toBeNull();
    }),
    { numRuns: 1_000 },
  );
});

test("octets that are escaped are decoded to themselves", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (octets) => {
      expect(unescapeOctets(escapeOctets(octets, '"\\ '))).toEqual(Buffer.from(octets));
    }),
  );
});
