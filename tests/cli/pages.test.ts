import { chmod, copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeEach, beforeAll, expect, test } from "vitest";
import { describedCommands, manPage } from "../../docs/generator/cli-pages.ts";
import { builtCli, useCli } from "../support/cli.ts";
import { page } from "../support/markdown.ts";
import { runShell, shellSteps, wrongOutputs } from "../support/pages/shell-examples.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();
const cli = useCli(zw);
const root = join(import.meta.dirname, "../..");

/** Where the examples run, with a `zonewright` that is found as an installed one is. */
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonewright-pages-"));
  const program = join(folder, "zonewright");
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${await builtCli()}' "$@"\n`);
  await chmod(program, 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  for (const { id } of (await zw.admin.get("/api/domains")).body.domains) await zw.admin.delete(`/api/domains/${id}`);
  await copyFile(join(root, "docs/example.com.zone"), join(zw.dataDir, "zones/example.com.zone"));
  const [{ id }] = (await zw.admin.get("/api/provider-configs")).body.configs;
  await zw.admin.post(`/api/provider-configs/${id}/import`, { zones: ["example.com"] });
});

test.each(["cli/README.md", "docs/guide/command-line.md", "docs/guide/zones-in-git.md"])(
  "the examples of %s work as documented",
  async (path) => {
    const { blocks } = await page(path);
    const steps = blocks
      .filter(({ language }) => language === "sh")
      .flatMap(({ code }) => shellSteps(code.replaceAll("http://127.0.0.1:3000", zw.url)));
    expect(steps.length).toBeGreaterThan(6);
    const variables = {
      PATH: [folder, process.env["PATH"]].join(delimiter),
      XDG_CONFIG_HOME: cli.configFolder,
      TOKEN: cli.token,
      NO_COLOR: "1",
      // Pages show what people see.
      ZONEWRIGHT_TTY: "80",
      // The first page signs in.
      ...(path === "cli/README.md" ? {} : { ZONEWRIGHT_URL: zw.url, ZONEWRIGHT_TOKEN: cli.token }),
    };
    const settings = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`);
    const json = `json() { node -p "JSON.parse(require('fs').readFileSync(0))$1"; }`;
    const all = [{ commands: [...settings, json].join("\n"), reported: null }, ...steps];
    const outputs = await runShell(all, folder);
    expect(wrongOutputs(steps, outputs.slice(1))).toEqual([]);
  },
);

test("the man page equals the output of `npm run docs`, and man can show it", async () => {
  const { version } = JSON.parse(await readFile(join(root, "cli/package.json"), "utf8")) as { version: string };
  const stored = await readFile(join(root, "cli/zonewright.1"), "utf8");
  expect(stored).toBe(manPage(await describedCommands(), version));
  // A line that begins with a dot is a request: each must be one that man(7) has.
  const requests = new Set([...stored.matchAll(/^\.(\w+)/gm)].map(([, request = ""]) => request));
  expect([...requests].toSorted()).toEqual(["B", "EE", "EX", "I", "PP", "SH", "SS", "TH", "TP"]);
});
