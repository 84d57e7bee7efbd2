import { property, assert as check, array, jsonValue, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { groupsAt, parseClaimPath, type Claims } from "../../../../server/accounts/identity/groups/rules.ts";

function read(path: string, claims: unknown): string[] {
  const parsed = parseClaimPath(path);
  if (!parsed.ok) throw new Error(parsed.message);
  return [...groupsAt(claims as Claims, parsed.value)];
}

describe("the groups in a claim", () => {
  test.each<[what: string, path: string, claims: unknown, groups: string[]]>([
    ["a list", "groups", { groups: ["a", "b", "a"] }, ["a", "b"]],
    ["a single text", "groups", { groups: "a" }, ["a"]],
    ["a nested list", "realm_access.roles", { realm_access: { roles: ["a"] } }, ["a"]],
    ["the names of an object", "roles", { roles: { editor: { 1: "x" }, admin: {} } }, ["editor", "admin"]],
    ["a claim with dots in its name", "https://example\\.com/groups", { "https://example.com/groups": ["a"] }, ["a"]],
    ["a claim with a backslash in its name", "a\\\\b", { "a\\b": ["x"] }, ["x"]],
    ["a claim that is missing", "groups", {}, []],
    ["a number, null and nested lists", "groups", { groups: [1, null, ["a"], { a: 1 }, "b", ""] }, ["b"]],
    ["a claim that is a number", "groups", { groups: 7 }, []],
    ["a path through a list", "groups.0", { groups: ["a"] }, []],
    ["a path through a text", "groups.length", { groups: "a" }, []],
    ["a very long group", "groups", { groups: ["x".repeat(257), "y"] }, ["y"]],
    ["what JavaScript adds to objects", "constructor.name", {}, []],
    ["the prototype", "__proto__", {}, []],
    ["the prototype's fields", "__proto__.toString", {}, []],
    ["a claim that is called like the prototype", "__proto__", JSON.parse('{"__proto__":["a"]}'), ["a"]],
  ])("the groups of a claim are read from %s", (_what, path, claims, groups) => {
    expect(read(path, claims)).toEqual(groups);
  });

  test.each(["", ".", "a.", ".a", "a..b", "a\\", "a\\b", "a.b.c.d.e.f.g.h.i"])("the path %j is refused", (path) => {
    expect(parseClaimPath(path).ok).toBe(false);
  });

  test("reading never throws and finds only texts, whatever path and claims are", () => {
    check(
      property(string(), jsonValue(), (path, value) => {
        const parsed = parseClaimPath(path);
        const steps = parsed.ok ? parsed.value : [path];
        const groups = [...groupsAt({ [steps[0] ?? ""]: value }, steps)];
        expect(groups.filter((group) => typeof group !== "string" || group === "" || group.length > 256)).toEqual([]);
      }),
    );
  });

  test("every name is reached by its escaped path", () => {
    check(
      property(array(string({ minLength: 1 }), { minLength: 1, maxLength: 8 }), (names) => {
        const path = names.map((name) => name.replaceAll(/[\\.]/g, String.raw`\$&`)).join(".");
        const claims = names
          .toReversed()
          .reduce<unknown>((inner, name) => JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(inner)}}`), ["a"]);
        expect(read(path, claims)).toEqual(["a"]);
      }),
    );
  });

  test("only the first 20,000 groups of a claim count", () => {
    const groups = Array.from({ length: 30_000 }, (_, index) => `group-${index}`);
    expect(read("groups", { groups })).toEqual(groups.slice(0, 20_000));
  });
});
