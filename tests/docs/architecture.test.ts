import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import linter, { layers } from "../../oxlint.config.ts";
import { page } from "../support/markdown.ts";

const root = join(import.meta.dirname, "../..");

test("the architecture map names every wing of the server, and none that is missing", async () => {
  const { prose } = await page("docs/architecture.md");
  const reported = [...prose.matchAll(/`((?:server|docs|tests|bench|client-sdk)\/[\w./-]*)`/g)].map(
    ([, path = ""]) => path,
  );
  expect(reported.filter((path) => globSync(path, { cwd: root }).length === 0)).toEqual([]);
  const rooms = globSync("server/*/", { cwd: root }).map((path) => `${path.replace(/\/$/, "")}/`);
  expect(rooms.length).toBeGreaterThan(10);
  expect(rooms.filter((room) => !reported.includes(room))).toEqual([]);
});

test("the table of wings matches the linter's layers and the imports that it allows", async () => {
  const { prose } = await page("docs/architecture.md");
  const rows = prose.split("\n").flatMap((line) => {
    const [, layer = "", room, , beside = ""] = line.split("|").map((cell) => cell.trim());
    const [, name] = /^`server\/([\w-]+)\/`$/.exec(room ?? "") ?? [];
    return name === undefined ? [] : [{ layer, name, beside: beside === "" ? [] : beside.split(", ") }];
  });
  const names = ["composition", "product", "services", "ground"];
  expect(rows).toEqual(
    layers.flatMap((rooms, index) =>
      Object.entries(rooms).map(([name, beside]) => ({ layer: names[index], name, beside })),
    ),
  );
});

test("every rule for files of a wing of the server includes the wing's layer", () => {
  const rules = (linter.overrides ?? []).flatMap(({ files, rules }) => {
    const restriction = JSON.stringify(
      new Map<string, unknown>(Object.entries(rules ?? {})).get("no-restricted-imports") ?? null,
    );
    return files.flatMap((file) => {
      const [, room = ""] = /^server\/([\w-]+)\//.exec(file) ?? [];
      return room === "" || restriction === "null" ? [] : [{ file, room, restriction }];
    });
  });
  // Nothing is above the composition.
  const isFree = ({ room }: (typeof rules)[number]) => room === "composition";
  expect(new Set(rules.map(({ room }) => room)).size).toBe(layers.flatMap((rooms) => Object.keys(rooms)).length);
  const unheld = rules.filter(
    (rule) => !isFree(rule) && !rule.restriction.includes(`${rule.room} may import lower layers`),
  );
  expect(unheld.map(({ file }) => file)).toEqual([]);
});

test("the console imports nothing of the server but server/dns, and the command line nothing but its formats", () => {
  const console = importsOfServer("web/src");
  expect(console.length).toBeGreaterThan(4);
  expect(console.filter((path) => !path.startsWith("dns/"))).toEqual([]);
  expect(importsOfServer("cli/src").filter((path) => !path.startsWith("dns/formats/"))).toEqual([]);
});

/** The files of the server that a folder imports, from `server/` on. */
function importsOfServer(folder: string): string[] {
  const imported = /(?:from|import\() ?"(?:\.\.\/)+server\/([^"]+)"/g;
  return globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(imported)].map(([, path = ""]) => path),
  );
}
