import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describedCommands, manPage } from "./cli-pages.ts";
import { withProviderTable } from "./provider-table.ts";
import { referencePages } from "./reference.ts";
import { protocolDocuments } from "./webhook-protocol.ts";
import manifest from "../../cli/package.json" with { type: "json" };

/**
 * Writes docs/reference, the table of providers, the man page of the command line, and the documents of the adapters' protocols:
 * `npm run docs`. A test fails if one is out of date.
 */
const folder = join(import.meta.dirname, "../reference");
const pages = await referencePages();
await rm(folder, { recursive: true, force: true });
for (const [name, text] of pages) {
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), text);
}
await writeFile(
  join(import.meta.dirname, "../../cli/zonewright.1"),
  manPage(await describedCommands(), manifest.version),
);
for (const [path, text] of protocolDocuments()) await writeFile(join(import.meta.dirname, "..", path), text);
const overview = join(import.meta.dirname, "../providers/README.md");
await writeFile(overview, withProviderTable(await readFile(overview, "utf8")));
process.stdout.write(`Wrote ${pages.size} pages to docs/reference.\n`);
