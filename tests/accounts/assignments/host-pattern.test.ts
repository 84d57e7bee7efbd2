import * as fc from "fast-check";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { likePattern, parseHostPattern, storedLikePattern } from "../../../server/access/host-pattern.ts";
import { matchesHost } from "../../../server/dns/names/names.ts";
import { ZoneScope } from "../../../server/access/caller.ts";
import { queries } from "../../../server/database/database.ts";
import { useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright();

describe("host patterns", () => {
  test.each([
    ["*", ["@", "www", "a.b.c", "*", "*.dev", String.raw`a\.b`], []],
    ["@", ["@"], ["www", "", "*"]],
    ["www", ["www"], ["www.dev", "w", "@", "wwww", "x.www"]],
    ["*.dev", ["a.dev", "a.b.dev", "*.dev", "_acme-challenge.dev"], ["dev", "@", "xdev", "a.dev.x"]],
    ["app-*", ["app-1", "app-", "app-1.dev"], ["app", "xapp-1", "*"]],
    ["*-x", ["a-x", "-x", "*-x", "a.b-x"], ["x", "a-x.b"]],
    ["a*b*c", ["abc", "axbxc", "abbbc", "abcbc"], ["ab", "ac", "acb", "abcd"]],
    ["a*a", ["aa", "aba", "a.a"], ["a"]],
    ["*aab", ["aab", "aaab", "aaaab"], ["aa", "aaba"]],
    ["_dmarc", ["_dmarc"], ["xdmarc", "dmarc"]],
    ["*_x", ["a_x", "_x"], ["abx", "ax"]],
    ["*", ["100%", "a%b"], []],
  ])("the host pattern %s matches exactly its documented hosts", (pattern, matching, others) => {
    expect(matching.filter((host) => !matchesHost(pattern, host))).toEqual([]);
    expect(others.filter((host) => matchesHost(pattern, host))).toEqual([]);
  });

  test.each([
    ["*", "*"],
    ["***", "*"],
    ["@", "@"],
    ["WWW", "www"],
    ["*.Dev", "*.dev"],
    ["a**b", "a*b"],
    ["bücher", "xn--bcher-kva"],
    ["*.bücher", "*.xn--bcher-kva"],
    ["*。dev", "*.dev"],
    ["0/25.1", "0/25.1"],
    ["_sip._tcp", "_sip._tcp"],
  ])("the host pattern %s is stored as %s", (input, canonical) => {
    expect(parseHostPattern(input, "example.com")).toEqual({ ok: true, value: canonical });
  });

  test.each([
    ["", "empty label"],
    ["a..b", "empty label"],
    ["www.", "empty label"],
    ["a b", "must look like"],
    ["a?", "must look like"],
    ["[ab]", "must look like"],
    ["a%", "must look like"],
    [String.raw`a\.b`, "must look like"],
    ["@.www", "must look like"],
    ["büch*", "must look like"],
    ["example.com", "Leave out that name"],
    ["*.example.com", "Leave out that name"],
    ["*.dev.EXAMPLE.com", "Leave out that name"],
    ["a.".repeat(130) + "a", "at most 253"],
    ["\ud800", "must look like"],
  ])("the host pattern %j is refused with an explanation", (input, reason) => {
    expect(parseHostPattern(input, "example.com")).toMatchObject({
      ok: false,
      message: expect.stringContaining(reason),
    });
  });
});

/** A naive implementation of the documented rules. */
function naively(pattern: string, host: string): boolean {
  if (pattern === "") return host === "";
  const [first] = pattern;
  if (first !== "*") return host[0] === first && naively(pattern.slice(1), host.slice(1));
  return naively(pattern.slice(1), host) || (host !== "" && naively(pattern, host.slice(1)));
}

const letters = fc.constantFrom(..."ab.-_*%\\@".split(""));
const host = fc.string({ unit: letters, maxLength: 8 });
const pattern = fc.string({ unit: fc.oneof(letters, fc.constant("*")), maxLength: 6 });

describe("matching a host", () => {
  test("matching a host gives the same result as a naive implementation", () => {
    fc.assert(
      fc.property(pattern, host, (one, other) => {
        expect(matchesHost(one, other)).toBe(naively(one, other));
      }),
      { numRuns: 5_000 },
    );
  });

  test("the database matches hosts the same way, over many patterns and hosts", async () => {
    const pairs = fc.sample(fc.tuple(pattern, host), 3_000);
    const rows = JSON.stringify(
      pairs.map(([stored, other], at) => ({ at, host: other, stored, pattern: likePattern(stored) })),
    );
    const found = await sql<{ at: number; given: boolean; stored: boolean }>`
      select at, host collate "C" like pattern as given, host collate "C" like ${storedLikePattern("r.stored")} as stored
      from json_to_recordset(${rows}::json) as r (at int, host text, stored text, pattern text) order by at
    `.execute(queries(zw.services.database.fork()));
    const expected = pairs.flatMap(([one, other], at) => (matchesHost(one, other) ? [at] : []));
    expect(found.rows.filter(({ given }) => given).map(({ at }) => at)).toEqual(expected);
    expect(found.rows.filter(({ stored }) => stored).map(({ at }) => at)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(100);
  });

  test("matching a host does not backtrack exponentially", () => {
    const long = "a".repeat(200_000);
    expect(matchesHost(`${"*a".repeat(120)}*b`, long)).toBe(false);
    expect(matchesHost(`${"*a".repeat(120)}*`, long)).toBe(true);
  });
});

function scopeOf(patterns: readonly string[]): ZoneScope {
  return new ZoneScope(patterns.map((each) => ({ pattern: each, recordTypes: [] })));
}

function below(patterns: string[], host: string): boolean {
  return scopeOf(patterns).includesTree(host);
}

describe("hosts of several patterns", () => {
  test("several patterns match the hosts that any of them matches", () => {
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 4 }), host, (patterns, one) => {
        const hosts = scopeOf(patterns);
        expect(hosts.includesAllAt(one)).toBe(patterns.some((each) => matchesHost(each, one)));
      }),
      { numRuns: 2_000 },
    );
  });

  test("the database matches several patterns the same way", async () => {
    const db = queries(zw.services.database.fork());
    const all = fc.sample(host, 400);
    for (const patterns of [
      ["*"],
      [],
      ["@"],
      ["*.a", "a*"],
      ["a_*", "b"],
      ["*%*"],
      [String.raw`*\*`],
      ["*-*", "*", "a"],
    ]) {
      const hosts = scopeOf(patterns);
      const { rows } = await sql<{ name: string }>`
        select name from json_to_recordset(${JSON.stringify(all.map((name) => ({ name })))}::json) as r (name text)
        where ${hosts.condition()}
      `.execute(db);
      expect(rows.map(({ name }) => name)).toEqual(all.filter((name) => hosts.includesAllAt(name)));
    }
  });

  test("several patterns include the tree below a host if they match the host and everything below it", () => {
    expect(below(["*"], "@")).toBe(true);
    expect(below(["@", "www"], "@")).toBe(false);
    expect(below(["dev"], "dev")).toBe(false);
    expect(below(["*.dev"], "dev")).toBe(false);
    expect(below(["dev", "*.dev"], "dev")).toBe(true);
    expect(below(["*dev"], "dev")).toBe(true);
    expect(below(["*.dev"], "a.dev")).toBe(true);
    expect(below(["a*"], "a")).toBe(false);
  });

  test("several patterns that match the wildcard below a host match every host below it", () => {
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 4 }), host, host, (patterns, one, label) => {
        const hosts = scopeOf(patterns);
        fc.pre(hosts.includesAllAt(`*.${one}`));
        expect(hosts.includesAllAt(`${label}.${one}`)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
