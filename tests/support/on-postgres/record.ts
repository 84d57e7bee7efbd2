import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll } from "vitest";

declare global {
  /** What `reportStatements` has each place call. Returns no arguments to add. */
  // oxlint-disable-next-line no-var -- what is declared otherwise is no property of `globalThis`
  var statementReached: (place: string) => [];
}

/** Of this file of tests. What the server executes when it is imported counts for the worker's first. */
const reached = new Set<string>();

globalThis.statementReached = (place) => {
  reached.add(place);
  return [];
};

afterAll(async () => {
  const folder = process.env["TEST_STATEMENTS_FOLDER"] ?? "";
  await appendFile(join(folder, `${process.pid}`), [...reached].map((place) => `${place}\n`).join(""));
});
