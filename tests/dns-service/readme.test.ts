import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

const readText = (file: string) => readFile(join(import.meta.dirname, file), "utf8");

test("every test that the table of proofs names exists under that title", async () => {
  const rows = [...(await readText("README.md")).matchAll(/^\|[^|]+\|[^|]*\| `([^`]+)` +\| (.*?) *\|$/gm)];
  expect(rows.length).toBeGreaterThan(50);
  const missing: string[] = [];
  for (const [, file = "", title = ""] of rows)
    if (!(await readText(file)).includes(title)) missing.push(`${file}: ${title}`);
  expect(missing).toEqual([]);
});
