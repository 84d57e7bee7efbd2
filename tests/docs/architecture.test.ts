import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { layers } from "../../oxlint.config.ts";
import { page } from "../support/markdown.ts";

const root = join(import.meta.dirname, "../..");

test("the architecture map names every folder of the server, and none that is missing", async () => {
  const { prose } = await page("docs/architecture.md");
  const reported = [...prose.matchAll(/`((?:server|docs|tests|bench|client-sdk)\/[\w./-]*)`/g)].map(
    ([, path = ""]) => path,
  );
  expect(reported.filter((path) => globSync(path, { cwd: root }).length === 0)).toEqual([]);
  const rooms = globSync("server/*/", { cwd: root }).map((path) => `${path.replace(/\/$/, "")}/`);
  expect(rooms.length).toBeGreaterThan(15);
  expect(rooms.filter((room) => !reported.includes(room))).toEqual([]);
});

test("the table of folders matches the linter's layers and the imports that it allows", async () => {
  const { prose } = await page("docs/architecture.md");
  const rows = prose.split("\n").flatMap((line) => {
    const [, layer = "", room, , beside = ""] = line.split("|").map((cell) => cell.trim());
    const [, name] = /^`server\/([\w-]+)\/`$/.exec(room ?? "") ?? [];
    return name === undefined ? [] : [{ layer, name, beside: beside === "" ? [] : beside.split(", ") }];
  });
  const names = ["composition", "features", "services", "ground"];
  expect(rows).toEqual(
    layers.flatMap((rooms, index) =>
      Object.entries(rooms).map(([name, beside]) => ({ layer: names[index], name, beside })),
    ),
  );
});
