import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { environmentNames, loadConfig } from "../../server/config.ts";

const page = await readFile(new URL("../../docs/operations.md", import.meta.url), "utf8");
const table = page.slice(page.indexOf("| variable |"), page.indexOf("\n\n", page.indexOf("| variable |")));
const rows = table
  .split("\n")
  .slice(2)
  .map((line) => line.split(" | "));

test("the operations page has a row for every variable, and for no other", () => {
  const told = rows.flatMap(([names = ""]) => [...names.matchAll(/`([A-Z_]+)`/g)].map(([, name = ""]) => name));
  expect(told.toSorted()).toEqual(environmentNames.toSorted());
});

test("the defaults that the page tells are the service's", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "zonewright-docs-"));
  const defaults = rows.flatMap(([names = "", values = ""]) => {
    const variables = [...names.matchAll(/`([A-Z_]+)`/g)].map(([, name = ""]) => name);
    const told = [...values.matchAll(/`([^`]+)`/g)].map(([, value = ""]) => value);
    // Only rows that tell a plain value for each of their variables.
    return variables.length === told.length ? variables.map((name, index) => [name, told[index] ?? ""] as const) : [];
  });
  // The first three are told in words; the last is chosen where it is used.
  const others = new Set(["SITE_URL", "DATA_DIR", "SECRET_KEYS", "WHOIS_SERVER"]);
  const plain = defaults.filter(([name]) => !others.has(name));
  expect(plain.length).toBeGreaterThan(8);
  // Set to what the page says they are, they change nothing.
  expect(loadConfig({ ...Object.fromEntries(plain), DATA_DIR: dataDir })).toEqual(loadConfig({ DATA_DIR: dataDir }));
});
