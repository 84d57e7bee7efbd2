import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

const readText = (file: string) => readFile(join(import.meta.dirname, file), "utf8");

test("every test that the table of proofs names exists under that title, in a file that leaves out no test", async () => {
  const text = await readText("README.md");
  const rows = [...text.matchAll(/^\|[^|]+\|[^|]*\| `([^`]+)` +\| (.*?) *\|$/gm)];
  const lines = text.split("\n").filter((line) => line.startsWith("|"));
  // Two lines are the table's head.
  expect(rows).toHaveLength(lines.length - 2);
  const wrong: string[] = [];
  for (const [, file = "", title = ""] of rows) {
    // A title that stands in a comment is not one of a test.
    const tests = (await readText(file)).replaceAll(/^\s*\/\/.*$|\/\*[^]*?\*\//gm, "");
    if (!tests.includes(title)) wrong.push(`${file}: ${title}`);
    if (/\.(?:skip|skipIf|runIf|todo|only)\b/.test(tests)) wrong.push(`${file} leaves out tests`);
  }
  expect(wrong).toEqual([]);
});
