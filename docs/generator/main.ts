import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { referencePages } from "./reference.ts";

/** Writes docs/reference: `npm run docs`. A test fails if the stored pages are out of date. */
const folder = join(import.meta.dirname, "../reference");
const pages = await referencePages();
await rm(folder, { recursive: true, force: true });
for (const [name, text] of pages) {
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), text);
}
process.stdout.write(`Wrote ${pages.size} pages to docs/reference.\n`);
