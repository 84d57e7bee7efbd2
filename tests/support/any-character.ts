import * as fc from "fast-check";

const surrogates = { first: 0xd8_00, count: 0x8_00 };

/**
 * Any character of Unicode, for `unit` of fast-check's strings. Its own "binary" unit is the same, but lists all characters in a map
 * once, which takes almost a second and 130 MB of each worker.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat({ max: 0x10_ff_ff - surrogates.count })
  .map((index) => String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count), indexOf);

/** @throws Error unless the value is one character; fast-check then knows that it did not make it. */
function indexOf(value: unknown): number {
  const code = typeof value === "string" && value.isWellFormed() ? value.codePointAt(0) : undefined;
  if (code === undefined || value !== String.fromCodePoint(code)) throw new Error("This is not one character.");
  return code < surrogates.first ? code : code - surrogates.count;
}
