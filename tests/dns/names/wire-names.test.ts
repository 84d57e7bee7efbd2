import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expandName, readName, skipName, WireError, writeName } from "../../../server/dns/names/wire-names.ts";
import { readHost } from "../../../server/dns/names/names.ts";

/** Returns what a function returns, or that it refuses. */
function attempt<Result>(read: () => Result): Result | "refused" {
  try {
    return read();
  } catch (error) {
    if (error instanceof WireError) return "refused";
    throw error;
  }
}

const octets = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");

describe("names on the wire", () => {
  test.each([
    [".", "00"],
    ["a", "0161 00"],
    ["www.example", "03777777 076578616d706c65 00"],
    [String.raw`a\.b.c`, "03612e62 0163 00"],
    [String.raw`\032\000`, "022000 00"],
    [String.raw`\@\$\"\\`, "0440 24 22 5c 00"],
    ["*._x", "012a 025f78 00"],
    ["a".repeat(63), `3f${"61".repeat(63)} 00`],
    [`${"a.".repeat(126)}a`, `${"0161".repeat(127)} 00`],
  ])("the name %s has the wire form %s", (name, hex) => {
    expect(writeName(name)).toEqual(octets(hex));
    expect(readName(octets(hex), 0)).toEqual({ name, written: name, end: octets(hex).length });
    expect(skipName(octets(hex), 0)).toBe(octets(hex).length);
  });

  test("a wire name is read in lower case and as written, and expanded in its original case", () => {
    expect(readName(octets("0241 42 00"), 0)).toEqual({ name: "ab", written: "AB", end: 4 });
    expect(expandName(octets("0241 42 00"), 0).name).toEqual(octets("024142 00"));
  });

  test("a wire name may end in a compression pointer", () => {
    const message = octets("0161 00 0162 c000 ff");
    expect(readName(message, 3)).toEqual({ name: "b.a", written: "b.a", end: 7 });
    expect(expandName(message, 3)).toEqual({ name: octets("0162 0161 00"), end: 7 });
    expect(skipName(message, 3)).toBe(7);
  });

  test("names that share what they point to are read as each is on its own", () => {
    const octet = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(0, 1, 2, 0xc0, 0x41) }, fc.nat(255));
    fc.assert(
      fc.property(fc.array(octet, { minLength: 1, maxLength: 400 }), (some) => {
        const message = Buffer.from(some);
        const known = new Map();
        for (let offset = 0; offset < message.length; offset++)
          expect(attempt(() => readName(message, offset, known))).toEqual(attempt(() => readName(message, offset)));
      }),
    );
  });

  test.each([
    ["a pointer to itself", "c000"],
    ["a pointer forward", "c002 0161 00"],
    ["a circle of pointers", "0161 c000"],
    ["an unknown kind of label", "4161 00"],
    ["an unknown kind of label that would fit", `41${"61".repeat(65)} 00`],
    ["a label that is cut off", "0561"],
    ["half a pointer", "c0"],
    ["no end", "0161"],
    ["too many labels", `${"0161".repeat(128)}00`],
  ])("a wire name with %s is refused", (_, hex) => {
    expect(() => readName(octets(hex), 0)).toThrow(WireError);
    expect(() => expandName(octets(hex), 0)).toThrow(WireError);
  });

  test("half a pointer leads nowhere, even after a name to which it would lead", () => {
    expect(() => readName(octets("00 c0"), 1)).toThrow(WireError);
  });

  test.each([
    ["", "00"],
    ["a.", "0161 00"],
    [String.raw`a\.`, "02612e 00"],
    [String.raw`a\\.`, "02615c 00"],
    [String.raw`\.`, "012e 00"],
    [String.raw`a\.b.`, "03612e62 00"],
  ])("the name %s is written as %s, whether its last dot is part of a label or not", (name, hex) => {
    expect(writeName(name)).toEqual(octets(hex));
  });

  test.each(["4161 00", "8061 00", `41${"61".repeat(65)} 00`, "0161", ""])("skipping a name refuses %j", (hex) => {
    expect(() => skipName(octets(hex), 0)).toThrow(WireError);
  });

  test.each(["a..b", String.raw`\999`, `${"a.".repeat(127)}a`, "x".repeat(64), `${"x.".repeat(127)}xx`])(
    "writing the name %j is refused",
    (name) => {
      expect(() => writeName(name)).toThrow(WireError);
    },
  );

  test("a wire name of any octets survives reading and writing, and is canonical", () => {
    const label = fc.uint8Array({ minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(fc.array(label, { maxLength: 8 }), (labels) => {
        const wire = Buffer.concat([
          ...labels.flatMap((part) => [Buffer.of(part.length), Buffer.from(part)]),
          Buffer.of(0),
        ]);
        const { name } = readName(wire, 0);
        expect(readName(writeName(name), 0).name).toBe(name);
        expect(readHost(name === "." ? name : `${name}.`, "")).toEqual({ ok: true, value: name });
      }),
    );
  });
});
