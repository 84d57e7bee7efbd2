import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ValidationThread } from "./validation/thread.ts";

const program = new ValidationThread();
beforeAll(() => program.start());
afterAll(() => program.stop());

/** The shape of a body that is filled up to a size. */
interface Shape {
  leaf: "number" | "text" | "null" | "empty list" | "empty object" | "escapes";
  keyLength: number;
  /** Nesting levels around the repeated values. */
  depth: number;
  around: "lists" | "objects";
  /** Whether the repeated values are fields or items. */
  many: "fields" | "items" | "one text";
  /** The field that contains them. */
  field: string;
  notes: "none" | "Date" | "undefined" | "set" | "map" | "regexp" | "references" | "one reference to many" | "nowhere";
}

const shape: fc.Arbitrary<Shape> = fc.record({
  leaf: fc.constantFrom("number", "text", "null", "empty list", "empty object", "escapes"),
  keyLength: fc.constantFrom(1, 8, 100, 5_000),
  depth: fc.constantFrom(0, 1, 5, 60, 500),
  around: fc.constantFrom("lists", "objects"),
  many: fc.constantFrom("fields", "items", "one text"),
  field: fc.constantFrom(
    "json",
    "records",
    "changes",
    "tags",
    "zonefile",
    "config",
    "name",
    "ids",
    "value",
    "username",
  ),
  notes: fc.constantFrom(
    "none",
    "Date",
    "undefined",
    "set",
    "map",
    "regexp",
    "references",
    "one reference to many",
    "nowhere",
  ),
});

const leaves = {
  number: "1",
  text: '"2027-01-01T00:00:00Z"',
  null: "null",
  "empty list": "[]",
  "empty object": "{}",
  escapes: '"\\u0061\\u202e"',
};

/** Returns JSON text of the same shape, of about `size` octets. */
function bodyOf({ leaf, keyLength, depth, around, many, field, notes }: Shape, size: number): string {
  const value = leaves[leaf];
  const key = many === "fields" ? keyLength + 9 : 7;
  // An annotation repeats the path, followed by its kind.
  const noted = notes === "none" ? 0 : 40 + field.length + depth * (around === "lists" ? 2 : 8) + key;
  const each = value.length + key + (notes === "references" ? 2 : 1) * noted;
  const count = many === "one text" ? 1 : Math.max(1, Math.floor(size / each));
  const keys = Array.from({ length: count }, (_, index) =>
    many === "fields" ? `${"k".repeat(keyLength)}${index}` : String(index),
  );
  let inner = `[${keys.map(() => value).join()}]`;
  if (many === "fields") inner = `{${keys.map((key) => `"${key}":${value}`).join()}}`;
  if (many === "one text") inner = `"${leaf === "escapes" ? "\\u0061".repeat(size / 6) : "a".repeat(size)}"`;
  const [open, close] = around === "lists" ? ["[", "]"] : ['{"records":', "}"];
  const json = `{"${field}":${open.repeat(depth)}${inner}${close.repeat(depth)}}`;
  if (notes === "none") return `{"json":${json}}`;
  const path = [field, ...Array.from({ length: depth }, () => (around === "lists" ? "0" : "records"))].join(".");
  const paths = keys.map((key) => `${path}.${key}`);
  const values = (note: string) => `"values":{${paths.map((at) => `"${at}":["${note}"]`).join()}}`;
  const listed = JSON.stringify(paths);
  const meta = {
    Date: values("Date"),
    undefined: values("undefined"),
    set: values("set"),
    map: values("map"),
    regexp: values("regexp"),
    references: `"referentialEqualities":{${paths.map((at) => `"${at}":["${path}"]`).join()}}`,
    "one reference to many": `"referentialEqualities":{"${path}":${listed}}`,
    nowhere: `"values":{${paths.map((at) => `"${at}.x.y":["Date"]`).join()}}`,
  }[notes];
  return `{"json":${json},"meta":{${meta}}}`;
}

test("validating a body costs work at most in proportion to its size, for every procedure and shape", async () => {
  expect(program.procedures).toBeGreaterThan(80);
  await fc.assert(
    fc.asyncProperty(shape, async (form) => {
      const steps: number[] = [];
      for (const size of [10_000, 100_000, 1_048_576]) {
        const text = bodyOf(form, size);
        expect(text.length).toBeLessThan(1.1 * size + 20_000);
        const { longest, blocks } = await program.validate(text);
        expect(longest).toBeLessThan(20_000);
        steps.push(blocks);
      }
      const [small = 0, middle = 0, large = 0] = steps;
      expect(small).toBeGreaterThan(0);
      expect(small).toBeLessThan(2_000_000);
      expect(middle).toBeLessThan(12 * small + 100_000);
      expect(large).toBeLessThan(12 * middle + 100_000);
    }),
    { numRuns: 40 },
  );
});
