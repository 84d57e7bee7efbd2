import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { providerKinds } from "../../../server/dns-providers/kinds.ts";
import { de } from "../../../web/src/words/de.ts";
import { en } from "../../../web/src/words/en.ts";
import type { Words } from "../../../web/src/words/shape.ts";

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

/** The files that a file imports before it runs, and those that they import. */
function importedBy(file: string, known = new Set<string>()): ReadonlySet<string> {
  if (known.has(file)) return known;
  known.add(file);
  const code = readFileSync(file, "utf8");
  for (const [, path = ""] of code.matchAll(/^(?:import|export) (?!type)[^;]*?"(\.[^"]+\.tsx?)";/gm)) {
    const imported = join(file, "..", path);
    if (imported.startsWith(source)) importedBy(imported, known);
  }
  return known;
}

test("what runs before the language is there takes no text yet, only the dictionary that the language writes into", () => {
  const first = new Set<string>();
  for (const main of ["main.tsx", "reference/main.tsx"]) importedBy(join(source, main), first);
  expect(first.size).toBeGreaterThan(20);
  const taken = [...first].flatMap((file) => {
    const code = readFileSync(file, "utf8");
    const constants = [...code.matchAll(/^(?:export )?const [^=]+= (?![^;]*=>)[^;]+;/gm)].map(([constant]) => constant);
    return constants.filter((constant) => /\b(?:text|words\.\w+|\w+Words)\.\w/.test(constant));
  });
  expect(taken).toEqual([]);
});

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

test.each([
  ["English", en],
  ["German", de],
])("the choice of providers says in %s what each kind serves", (_, { admin }) => {
  const kinds = providerKinds.map(({ kind }) => kind);
  expect(Object.keys(admin.providers.kindHints).toSorted()).toEqual(kinds.toSorted());
});
