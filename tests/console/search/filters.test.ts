import * as fc from "fast-check";
import { expect, test } from "vitest";
import { askedBy, replacementOf, suggestedName, withMarks } from "../../../web/src/search/filters.ts";
import { isSame, savedFilters } from "../../../web/src/session/saved-filters.ts";

test.each([
  [{}, { kind: "nothing" }],
  [{ q: " ", page: "2" }, { kind: "nothing" }],
  [{ q: "ab" }, { kind: "short" }],
  [{ q: "www", note: "x" }, { kind: "short" }],
  [{ q: " www " }, { kind: "query", query: { search: "www" } }],
  [
    { value: "a", host: "@" },
    { kind: "query", query: { value: "a", host: "@" } },
  ],
  [
    { note: "ticket", tag: "shops" },
    { kind: "query", query: { comment: "ticket", tag: "shops" } },
  ],
  [{ type: "CAA" }, { kind: "query", query: { type: "CAA", host: "*" } }],
])("the filters %j ask the service for %j", (filters, asked) => {
  expect(askedBy(filters)).toEqual(asked);
});

test("a replacement begins with the value that was asked for, or that every hit has", () => {
  const hits = ["192.0.2.1", "192.0.2.1"].map((value) => ({ recordType: "A", value }));
  expect(replacementOf({ q: "192.0", tag: "shops" }, hits)).toEqual({ type: "A", value: "192.0.2.1", tag: "shops" });
  expect(replacementOf({ value: "192.0.2.9", type: "TXT" }, hits)).toEqual({ type: "TXT", value: "192.0.2.9" });
  const mixed = [...hits, { recordType: "TXT", value: "v=spf1 ip4:192.0.2.1 -all" }];
  expect(replacementOf({ q: "192.0.2.1" }, mixed)).toEqual({ value: "192.0.2.1" });
});

test("marks what was searched for in any case, and changes no text", () => {
  expect(withMarks("WWW.shop.www", "www")).toEqual([
    { at: 0, text: "WWW", found: true },
    { at: 3, text: ".shop.", found: false },
    { at: 9, text: "www", found: true },
  ]);
  fc.assert(
    fc.property(fc.string(), fc.string(), (text, search) => {
      expect(
        withMarks(text, search)
          .map((part) => part.text)
          .join(""),
      ).toBe(text);
    }),
  );
});

test("a saved search keeps the filters in one order, without the page, and is called by what they say", () => {
  const filters = { page: "3", tag: "shops", note: undefined, q: "203.0.113" };
  expect(JSON.stringify(savedFilters("search", filters))).toBe('{"q":"203.0.113","tag":"shops"}');
  expect(isSame("search", { tag: "shops", q: "203.0.113" }, filters)).toBe(true);
  expect(savedFilters("domains", filters)).toEqual({ tag: "shops" });
  expect(suggestedName(filters)).toBe("203.0.113 shops");
  expect(suggestedName({ value: "x".repeat(300) })).toHaveLength(100);
});
