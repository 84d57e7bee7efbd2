import * as fc from "fast-check";
import { at, placesOf, replaced, type Json, type Place } from "./json-values.ts";
import { asText, type Call } from "./valid-calls.ts";
import { anyCharacter } from "../../support/any-character.ts";

/** One change to a valid request. */
export type Mutation =
  | { kind: "replace"; pick: number; value: Json }
  | { kind: "remove"; pick: number }
  | { kind: "add"; pick: number; key: string; value: Json };

/** What a mutation touched. */
export interface Target {
  in: "path" | "query" | "body";
  place: Place;
}

/** Values that programs commonly mishandle. */
const strangeTexts: Json[] = [
  [null, true, false, 0, -1, 1.5, 65_536, 2 ** 31, 2 ** 53, 1e308, -1e308],
  ["", " ", "a", "true", "false", "null", "0", "300", "1e3", "0x10", "-1", "NaN", "x".repeat(20_000)],
  ["\0", "a\u0001b", "line\nbreak", "\u007f", "\ud800", "a\udfffb", "\u202e", "﷽".repeat(300), "é", "e\u0301", "💥"],
  ["__proto__", "constructor", "toString", "' or 1=1 --", "%00", "%", "../../etc/passwd", "{}", "[]", "<b>", "\\"],
  ["*", "@", ".", "..", "-", "_", "a..b", "xn--", "xn--a", `${"a".repeat(64)}.example`, "1.2.3.4", "::1", "2027-02-30"],
  ["0000-00-00T00:00:00Z", "9999-12-31T23:59:59.999Z", "+275760-09-13T00:00:00.000Z", "1970-01-01T00:00:00-23:59"],
  ["00000000-0000-0000-0000-000000000000", "01a1fb0f-6204-7000-abd4-276e976be8b7"],
].flat();
const strangeValues = JSON.parse(
  `[[], [[]], [null], {}, {"a":{}}, [1,"2",null,{}], {"__proto__":{"admin":true}}, ${"[".repeat(100)}${"]".repeat(100)}]`,
) as Json[];
const longList: Json = Array.from({ length: 2_000 }, () => 0);

/** Applies a mutation. @returns what it touched. A call without input gets an unknown field. */
export function mutate(call: Call, mutation: Mutation): Target {
  const body = call.body === undefined ? [] : placesOf(call.body).filter((place) => place.length > 0);
  const targets: Target[] = [
    ...Object.keys(call.path).map((name): Target => ({ in: "path", place: [name] })),
    ...Object.keys(call.query).map((name): Target => ({ in: "query", place: [name] })),
    ...body.map((place): Target => ({ in: "body", place })),
  ];
  if (mutation.kind === "add") return add(call, mutation);
  const target = targets[mutation.pick % Math.max(targets.length, 1)];
  if (!target) return add(call, { kind: "add", pick: 0, key: "unknown", value: 1 });
  const name = String(target.place[0]);
  const value = mutation.kind === "replace" ? mutation.value : undefined;
  if (target.in === "body") call.body = replaced(call.body ?? null, target.place, value);
  else if (value === undefined && target.in === "query") delete call.query[name];
  else call[target.in][name] = asText(value ?? "x");
  return target;
}

function add(call: Call, { key, pick, value }: Mutation & { kind: "add" }): Target {
  if (call.body === undefined) {
    call.query = replaced(call.query, [key], asText(value)) as Record<string, string>;
    return { in: "query", place: [key] };
  }
  const objects = placesOf(call.body).filter((place) => {
    const there = at(call.body ?? null, place);
    return typeof there === "object" && there !== null && !Array.isArray(there);
  });
  const place = [...(objects[pick % objects.length] ?? []), key];
  call.body = replaced(call.body, place, value);
  return { in: "body", place };
}

/** Changes to requests: to commonly mishandled values, including these, and to any others. */
export function mutations(more: readonly Json[]): fc.Arbitrary<Mutation> {
  const strange = [...strangeTexts, ...strangeValues, longList, ...more];
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant("replace" as const),
        pick: fc.nat(1_000),
        value: fc.oneof(
          { weight: 4, arbitrary: fc.nat(1_000).map((index) => strange[index % strange.length] ?? null) },
          { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }).map((value) => value as Json) },
          { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 60 }) },
        ),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), pick: fc.nat(1_000) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("add" as const),
        pick: fc.nat(1_000),
        key: fc.constantFrom("unknown", "__proto__", "constructor", "toString", "hasOwnProperty", "Name", "ids"),
        value: fc.constantFrom<Json>(1, "x", null, {}, ["a"]),
      }),
    },
  );
}
