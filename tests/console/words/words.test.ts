import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { en } from "../../../web/src/words/en.ts";
import type { Words } from "../../../web/src/words/language.ts";

const source = join(import.meta.dirname, "../../../web/src");

// The compiler reads these lines: an error that it does not find fails it.
const { title: _title, ...domains } = en.domains;
// @ts-expect-error a language without one text is not complete
export const incomplete: Words = { ...en, domains };
// @ts-expect-error a text takes no other values than the English one
export const otherValues: Words = { ...en, domains: { ...en.domains, count: (total: number) => `${total}` } };
export const complete: Words = { ...en, domains: { ...en.domains, title: "Domänen" } };

/** Texts between tags and in attributes that people read, which no dictionary could translate. Names and examples of values are no words. */
const literals = [
  />\s*([A-Z][a-z]+[^<>{}=;()]*)<\//g,
  /\b(?:aria-label|aria-description|title|alt|label|placeholder)="([^"]*[A-Za-z]+ [^"]*|[A-Z][a-z]+[^"]*)"/g,
];
const names = new Set(["Zonewright"]);

test("no page has a text of its own beside the dictionaries, so a language is one file", () => {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".tsx"));
  const found = files.flatMap((file) => {
    const code = readFileSync(join(source, file), "utf8");
    return literals
      .flatMap((literal) => [...code.matchAll(literal)].map(([, text = ""]) => text.trim()))
      .filter((text) => !names.has(text))
      .map((text) => `${file}: ${text}`);
  });
  expect(files.length).toBeGreaterThan(50);
  expect(found).toEqual([]);
});
