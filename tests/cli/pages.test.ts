import { execFile } from "node:child_process";
import { chmod, copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeEach, beforeAll, expect, onTestFinished, test } from "vitest";
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

/** Approves a sign-in of the command line as the console does, and sends the browser back. */
async function approve(address: URL): Promise<void> {
  const asked = Object.fromEntries(address.searchParams);
  const { permissions = "", port, state = "", code_challenge: codeChallenge } = asked;
  const wish = { permissions: permissions.split(","), codeChallenge };
  const { body } = await zw.admin.post("/api/auth/cli/authorize", wish);
  await fetch(`http://127.0.0.1:${port}/callback?${new URLSearchParams({ code: body.code, state })}`);
}

test("the six lines of the README lead from the sign-in to an applied plan, which can be undone", async () => {
  const { blocks, prose } = await page("README.md");
  const [alias = "", way = ""] = blocks.flatMap(({ code }) => (/^\S*\s?zonewright\b/.test(code) ? [code] : []));
  const lines = way.trim().split("\n");
  expect(lines).toHaveLength(6);
  const [, undo = ""] = /`(zonewright history undo [^`]+)`/.exec(prose) ?? [];
  const browser = createServer((request, response) => {
    request.setEncoding("utf8").once("data", (address: string) => void approve(new URL(address)));
    request.once("end", () => response.end());
  });
  await new Promise<void>((resolve) => browser.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void browser.close());
  const own = await mkdtemp(join(folder, "readme-"));
  const opener = join(own, "browser");
  const { port } = browser.address() as AddressInfo;
  const open = `fetch("http://127.0.0.1:${port}", { method: "POST", body: process.argv[1] })`;
  await writeFile(opener, `#!/bin/sh\nexec '${process.execPath}' -e '${open}' "$1"\n`);
  await chmod(opener, 0o755);
  const program = alias.replace("$PWD/cli/dist/zonewright.js", await builtCli());
  const script = ["shopt -s expand_aliases", program, ...lines.map((line) => `${line}; echo "$?"`), `echo y | ${undo}`];
  const { promise: printed, resolve } = Promise.withResolvers<string>();
  const env = {
    PATH: process.env["PATH"],
    BROWSER: opener,
    XDG_CONFIG_HOME: own,
    NO_COLOR: "1",
    ZONEWRIGHT_TTY: "80",
  };
  const text = script.join("\n").replaceAll("http://127.0.0.1:3000", zw.url);
  const bash = execFile("bash", ["-c", text], { cwd: own, env }, (_error, stdout) => resolve(stdout));
  // Answers the question of `apply`.
  bash.stdin?.end("y\n");
  const plan = "example.net: 1 to create\n+ shop 300 A 192.0.2.80\n1 of 1 zone would change: 1 to create.\n";
  const undone = "example.net: 1 to delete\n- shop 300 A 192.0.2.80\nApplied as revision 2.\n";
  expect(await printed).toBe(
    `0\nAdded example.net with 0 records.\n0\n0\n0\n${plan}2\n${plan}example.net: applied as revision 1, 1 created.\n0\n${undone}`,
  );
});

test("the man page equals the output of `npm run docs`, and man can show it", async () => {
  const { version } = JSON.parse(await readFile(join(root, "cli/package.json"), "utf8")) as { version: string };
  const stored = await readFile(join(root, "cli/zonewright.1"), "utf8");
  expect(stored).toBe(manPage(await describedCommands(), version));
  // A line that begins with a dot is a request: each must be one that man(7) has.
  const requests = new Set([...stored.matchAll(/^\.(\w+)/gm)].map(([, request = ""]) => request));
  expect([...requests].toSorted()).toEqual(["B", "EE", "EX", "I", "PP", "SH", "SS", "TH", "TP"]);
});
