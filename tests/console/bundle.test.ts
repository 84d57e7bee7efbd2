import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const dist = join(import.meta.dirname, "../../web/dist");
const scripts = readdirSync(join(dist, "assets")).filter((file) => file.endsWith(".js"));
const gzipped = (file: string) => statSync(join(dist, "assets", `${file}.gz`)).size;

/** The scripts that a script imports: not those that it may load later. */
function importsOf(file: string): string[] {
  const code = readFileSync(join(dist, "assets", file), "utf8");
  return [...code.matchAll(/(?:from|import)\s*["`]\.\/([^"`]+\.js)["`]/g)].map(([, name = ""]) => name);
}

/** The scripts that must be loaded before the given ones run. */
function withImports(files: readonly string[], known = new Set<string>()): ReadonlySet<string> {
  for (const file of files) {
    if (known.has(file)) continue;
    known.add(file);
    withImports(importsOf(file), known);
  }
  return known;
}

const page = readFileSync(join(dist, "index.html"), "utf8");
const entry = withImports([...page.matchAll(/(?:src|href)="\/assets\/([^"]+\.js)/g)].map(([, file = ""]) => file));

test("the entry and the list of domains load at most 155 kB of compressed JavaScript", () => {
  const list = scripts.filter((file) => file.startsWith("list-page"));
  expect(list).toHaveLength(1);
  const first = [...withImports([...entry, ...list])];
  expect(first.length).toBeGreaterThan(entry.size);
  expect(first.reduce((sum, file) => sum + gzipped(file), 0)).toBeLessThanOrEqual(155_000);
});

const filesOf = (page: string) => withImports([...entry, ...scripts.filter((file) => file.startsWith(page))]).size;

test("what a page needs before it runs comes in few files", () => {
  expect(filesOf("list-page")).toBeLessThanOrEqual(8);
  expect(filesOf("records-page")).toBeLessThanOrEqual(14);
  expect(filesOf("timeline-page")).toBeLessThanOrEqual(18);
});

test("no script imports itself by way of others: a page that begins within such a circle fails", () => {
  expect(scripts.filter((file) => withImports(importsOf(file)).has(file))).toEqual([]);
});

test("no chunk that is loaded later has more than 80 kB", () => {
  const later = scripts.filter((file) => !entry.has(file));
  expect(later.length).toBeGreaterThan(10);
  expect(later.filter((file) => gzipped(file) > 80_000)).toEqual([]);
});

test("the fonts together have less than 120 kB", () => {
  const fonts = readdirSync(join(dist, "assets")).filter((file) => file.endsWith(".woff2"));
  expect(fonts).toHaveLength(2);
  expect(fonts.reduce((sum, file) => sum + statSync(join(dist, "assets", file)).size, 0)).toBeLessThan(120_000);
});
