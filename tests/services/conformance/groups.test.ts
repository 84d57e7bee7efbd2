import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { groups } from "./driver.ts";
import { limitedGroups } from "./limits.ts";
import { targets } from "./targets.ts";

test("the conformance suite has at least sixty uniquely named groups for every provider", () => {
  expect(groups.length).toBeGreaterThanOrEqual(60);
  const names = new Set(groups.map(({ name }) => name));
  expect(names.size).toBe(groups.length);
  expect([...limitedGroups()].filter((name) => !names.has(name))).toEqual([]);
});

test("a file runs the conformance suite against each kind of target", async () => {
  const files = await readdir(import.meta.dirname);
  expect(Object.keys(targets).filter((name) => !files.includes(`${name}.test.ts`))).toEqual([]);
});
