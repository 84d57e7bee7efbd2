import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countLookups, invalidTerm, isSpf, mergeSpf, spfWarnings, withInclude } from "../../server/dns/spf.ts";

describe("the terms of rules", () => {
  test.each([
    "a",
    "mx/24 a:mail.example.net/28//64",
    "v=spf1 include:_spf.example.net ~all",
    "-ip4:192.0.2.0/24 ?ip6:2001:db8::/32",
    "exists:%{i}._spf.%{d} ptr redirect=_spf.example.net exp=why.example.net",
    "",
  ])("%s are terms of RFC 7208", (rules) => {
    expect(invalidTerm(rules)).toBeNull();
  });

  test.each([
    ["a %%%", "%%%"],
    ["include: mx", "include:"],
    ["ip4:spf.example.net", "ip4:spf.example.net"],
    ["includes:spf.example.net", "includes:spf.example.net"],
    ["a;mx", "a;mx"],
  ])("%s has a word that is no term", (rules, word) => {
    expect(invalidTerm(rules)).toBe(word);
  });
});

describe("merging rules into an SPF record", () => {
  test.each<[promise: string, present: string[], rules: string[], merged: string]>([
    [
      "a host without SPF gets the rules and ~all",
      [],
      ["a include:spf.example.net"],
      "v=spf1 a include:spf.example.net ~all",
    ],
    [
      "present terms come first, as in the draft's example",
      ["v=spf1 a include:spf.example.org ~all"],
      ["a include:spf.hoster.example"],
      "v=spf1 a include:spf.example.org include:spf.hoster.example ~all",
    ],
    [
      "a record that has the rules stays as it is",
      ["v=spf1  mx include:a.example -all"],
      ["include:a.example"],
      "v=spf1  mx include:a.example -all",
    ],
    ["-all becomes ~all when a rule comes in", ["v=spf1 -all"], ["include:a.example"], "v=spf1 include:a.example ~all"],
    ["?all stays, because it is more permissive", ["v=spf1 mx ?all"], ["a"], "v=spf1 mx a ?all"],
    ["+all stays, because it is more permissive", ["v=spf1 all"], ["a"], "v=spf1 a all"],
    [
      "a redirect stays instead of all",
      ["v=spf1 redirect=_spf.example.org"],
      ["a"],
      "v=spf1 a redirect=_spf.example.org",
    ],
    [
      "other modifiers stand last",
      ["v=spf1 exp=why.example.org mx -all"],
      ["a"],
      "v=spf1 mx a ~all exp=why.example.org",
    ],
    [
      "of two policies the more permissive counts",
      ["v=spf1 -include:a.example ~all"],
      ["?include:A.example"],
      "v=spf1 ?include:a.example ~all",
    ],
    [
      "several SPF records become one",
      ["v=spf1 a -all", "v=spf1 mx ~all"],
      ["ip4:192.0.2.1"],
      "v=spf1 a mx ip4:192.0.2.1 ~all",
    ],
    [
      "a version and an all among the rules are left out",
      [],
      ["v=spf1 include:a.example -all"],
      "v=spf1 include:a.example ~all",
    ],
    ["macros stay as they are", [], ["exists:%{i}._spf.%{d}"], "v=spf1 exists:%{i}._spf.%{d} ~all"],
  ])("%s", (_promise, present, rules, merged) => {
    expect(mergeSpf(present, rules)).toBe(merged);
  });

  test("a rule that no template needs any longer goes, unless it is asked for again", () => {
    const present = ["v=spf1 include:old.example include:own.example ~all"];
    expect(mergeSpf(present, ["include:new.example"], ["include:old.example"])).toBe(
      "v=spf1 include:own.example include:new.example ~all",
    );
    expect(mergeSpf(present, ["include:old.example"], ["include:old.example"])).toBe(present[0]);
  });

  const qualifier = fc.constantFrom("", "+", "-", "~", "?");
  const mechanism = fc.constantFrom(
    "a",
    "mx",
    "include:a.example",
    "include:B.example",
    "ip4:192.0.2.0/24",
    "exists:%{i}.x",
  );
  const rules = fc
    .array(
      fc.tuple(qualifier, mechanism).map((parts) => parts.join("")),
      { maxLength: 8 },
    )
    .map((some) => some.join(" "));
  const record = fc
    .tuple(rules, fc.constantFrom("", " -all", " ~all", " ?all", " redirect=x.example"))
    .map(([some, end]) => `v=spf1 ${some}${end}`);

  test("merging the same rules again changes nothing", () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 3 }), fc.array(rules, { maxLength: 3 }), (present, some) => {
        const once = mergeSpf(present, some);
        expect(mergeSpf([once], some)).toBe(once);
        expect(isSpf(once)).toBe(true);
      }),
    );
  });

  test("a merged record has every mechanism of both, each once, and one end", () => {
    fc.assert(
      fc.property(record, rules, (present, some) => {
        const words = mergeSpf([present, present], [some]).split(" ").slice(1);
        const mechanisms = words.map(bare).filter((word) => word !== "all" && !word.startsWith("redirect="));
        const asked = `${present} ${some}`
          .split(" ")
          .map(bare)
          .filter((word) => !["", "v=spf1", "all"].includes(word) && !word.startsWith("redirect="));
        expect(mechanisms.toSorted()).toEqual([...new Set(asked)].toSorted());
        expect(words.filter((word) => word.endsWith("all") || word.startsWith("redirect="))).toHaveLength(1);
      }),
    );
  });
});

/** A mechanism without its qualifier. */
function bare(text: string): string {
  return text.replace(/^[+\-~?]/, "").toLowerCase();
}

function withIncludes(count: number): string {
  return `v=spf1 ${Array.from({ length: count }, (_, index) => `include:s${index}.example`).join(" ")} ~all`;
}

describe("a sender that is added to a record", () => {
  test.each([
    ["v=spf1", "v=spf1 include:s.example"],
    ["v=spf1 mx -all", "v=spf1 mx include:s.example -all"],
    ["v=spf1 ?all exp=why.example", "v=spf1 include:s.example ?all exp=why.example"],
    ["v=spf1 a redirect=r.example", "v=spf1 a include:s.example redirect=r.example"],
  ])("stands in %j before what ends it, which stays", (before, after) => {
    expect(withInclude(before, "s.example")).toBe(after);
  });
});

describe("lookups of an SPF record", () => {
  test.each([
    ["v=spf1 -all", 0],
    ["v=spf1 ip4:192.0.2.1 ip6:2001:db8::1 exp=x.example ~all", 0],
    ["v=spf1 a mx/24 a:x.example ptr exists:%{i}.x include:y redirect=z", 7],
    ["v=spf1 -include:x ?A ~MX", 3],
  ])("%j has %i terms that need a lookup", (value, lookups) => {
    expect(countLookups(value)).toBe(lookups);
  });

  test("the eleventh lookup is warned of, and the tenth is not", () => {
    expect(spfWarnings("@", withIncludes(10), [])).toEqual([]);
    expect(spfWarnings("@", withIncludes(11), [])).toEqual([expect.stringMatching(/11 terms that need a DNS lookup/)]);
  });

  test("a strict end that merging softens is warned of", () => {
    expect(spfWarnings("@", "v=spf1 a ~all", ["v=spf1 -all"])).toEqual([expect.stringMatching(/~all instead of -all/)]);
    expect(spfWarnings("@", "v=spf1 a ~all", ["v=spf1 mx"])).toEqual([]);
  });
});
