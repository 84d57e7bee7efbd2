import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { page } from "../support/markdown.ts";

const root = join(import.meta.dirname, "../..");

test("the map of the house has every room of the server, and none that there is not", async () => {
  const { prose } = await page("docs/architecture.md");
  const told = [...prose.matchAll(/`((?:server|docs|tests|bench|client-sdk)\/[\w./-]*)`/g)].map(
    ([, path = ""]) => path,
  );
  expect(told.filter((path) => globSync(path, { cwd: root }).length === 0)).toEqual([]);
  const rooms = globSync("server/*/", { cwd: root }).map((path) => `${path.replace(/\/$/, "")}/`);
  expect(rooms.length).toBeGreaterThan(15);
  expect(rooms.filter((room) => !told.includes(room))).toEqual([]);
});
