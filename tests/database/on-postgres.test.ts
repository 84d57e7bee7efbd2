import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inMemory, onPostgres } from "../support/on-postgres/files.ts";

// That the listed files execute every statement is tested on PostgreSQL, see tests/support/on-postgres/every-statement.ts.

const root = join(import.meta.dirname, "../..");
const tests = globSync("tests/**/*.test.ts", { cwd: root, exclude: ["tests/services/**", "**/node_modules/**"] });
const listed = Object.values(onPostgres).flat();
const title = /\btest(?:\.(?:each|for)\([^]*?\))?\(\s*(?:"([^"\n]*)"|`([^`\n]*)`)/g;
const several = /\b(?:concurrent|concurrently|simultaneous|simultaneously|at the same time(?! of day)|parallel)\b/;

test("every file that also runs on PostgreSQL is a test of `npm test`, and is listed once", () => {
  expect(listed.filter((file) => !tests.includes(file))).toEqual([]);
  expect(listed.filter((file, place) => listed.indexOf(file) !== place)).toEqual([]);
});

test("a test of concurrency also runs on PostgreSQL, where statements of several connections do", () => {
  const found = tests.filter((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(title)].some(([, plain, template]) =>
      several.test(plain ?? template ?? ""),
    ),
  );
  expect(found.length).toBeGreaterThan(40);
  expect(found.filter((file) => !listed.includes(file)).toSorted()).toEqual([...inMemory].toSorted());
});
