import { globSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { byChance, notReached } from "./files.ts";
import { statementPlaces, type Place } from "./statements.ts";

// This runs after the tests on PostgreSQL, see vitest.services.config.ts.

const root = join(import.meta.dirname, "../../..");
const folder = process.env["TEST_STATEMENTS_FOLDER"] ?? "";

const places: Place[] = [];
const reached = new Set<string>();

beforeAll(async () => {
  for (const file of globSync("server/**/*.ts", { cwd: root }))
    places.push(...statementPlaces(file, await readFile(join(root, file), "utf8")));
  for (const worker of await readdir(folder))
    for (const name of (await readFile(join(folder, worker), "utf8")).split("\n")) reached.add(name);
});

const excepted = Object.values(notReached).flat();
const allowed = new Set([...excepted, ...byChance]);

test("the tests on PostgreSQL execute every place of the server that makes or sends a statement", () => {
  expect(places.length).toBeGreaterThan(1_500);
  const missed = places.filter(({ name, within }) => !reached.has(name) && !allowed.has(within));
  expect(missed.map(({ name, within }) => `${name} in ${within}`)).toEqual([]);
});

test("every exception names a function that has such a place which is not executed", () => {
  const missed = new Set(places.filter(({ name }) => !reached.has(name)).map(({ within }) => within));
  expect(excepted.filter((within) => !missed.has(within))).toEqual([]);
});
