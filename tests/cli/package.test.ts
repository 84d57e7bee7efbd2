import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { useCli } from "../support/cli.ts";
import { useZonewright } from "../support/zonewright.ts";

const run = promisify(execFile);
const zw = useZonewright();
const cli = useCli(zw);
const root = join(import.meta.dirname, "../..");

/** An empty folder with the package, as the README installs it; nothing comes from the registry. */
let folder = "";
const installed = () => join(folder, "lib/node_modules/@zonewright/cli");
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonewright-packed-"));
  const { stdout } = await run("npm", ["pack", "-w", "@zonewright/cli", "--pack-destination", folder, "--json"], {
    cwd: root,
  });
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf("[\n"))) as [{ filename: string }];
  const install = ["install", "--global", "--prefix", folder, "--offline", "--engine-strict", `./${filename}`];
  await run("npm", install, { cwd: folder });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Manifest {
  version: string;
  bin: { zonewright: string };
  dependencies?: object;
  engines: { node: string };
}

const manifest = async () => JSON.parse(await readFile(join(installed(), "package.json"), "utf8")) as Manifest;

/** Returns the folder of a Node: the one that runs npm if it has this major version, else that of npm's package, which npm keeps in its cache. */
async function nodeOf(version: string): Promise<string> {
  const [major = ""] = version.split(".");
  const own = process.env["npm_node_execpath"];
  const found = own === undefined ? "" : (await run(own, ["--version"])).stdout;
  if (own !== undefined && found.startsWith(`v${major}.`)) return dirname(own);
  const exec = ["exec", "--yes", "--prefer-offline", `--package=node@${version}`, "--"];
  const { stdout } = await run("npm", [...exec, "node", "-p", "process.execPath"], { cwd: folder });
  return dirname(stdout.trim());
}

test("the package installs no other, and has its licenses and man page", async () => {
  const { dependencies = {} } = await manifest();
  expect(dependencies).toEqual({});
  expect(await readdir(join(folder, "lib/node_modules"))).toEqual(["@zonewright"]);
  const top = await readdir(installed());
  expect(top.toSorted()).toEqual(["LICENSE", "README.md", "dist", "package.json", "zonewright.1"]);
  const licenses = await readFile(join(installed(), "dist/licenses.txt"), "utf8");
  expect(licenses).toContain("commander 14.0.3 (MIT)");
  expect(await readFile(join(folder, "share/man/man1/zonewright.1"), "utf8")).toMatch(/^\.TH ZONEWRIGHT 1 /im);
});

test.each(["20.20.2", "24.21.0"])("the installed program runs with Node %s", async (wanted) => {
  const { version } = await manifest();
  const [major = ""] = wanted.split(".");
  // The program names no path of Node: its first line takes the one that is found first.
  const PATH = [join(folder, "bin"), await nodeOf(wanted), process.env["PATH"]].join(delimiter);
  const config = { ZONEWRIGHT_URL: zw.url, ZONEWRIGHT_TOKEN: cli.token, XDG_CONFIG_HOME: folder };
  const options = { cwd: folder, env: { ...process.env, ...config, PATH } };
  expect((await run("node", ["-p", "process.versions.node"], options)).stdout).toMatch(new RegExp(`^${major}\\.`));
  const zonewright = async (...args: string[]) => {
    const { stdout, stderr } = await run("zonewright", args, options);
    expect(stderr).toBe("");
    return stdout;
  };
  expect(await zonewright("--version")).toBe(`${version}\n`);
  // Every command is loaded.
  expect(await zonewright("describe")).toContain('"name":"zonewright records edit"');
  const zone = `node-${major}.example`;
  await zw.admin.post("/api/domains", { name: zone });
  const added = await zonewright("records", "add", zone, "www", "A", "192.0.2.1");
  expect(added).toBe(`${zone}: 1 to create\n+ www 3600 A 192.0.2.1\nApplied as revision 1.\n`);
  await writeFile(join(folder, `${zone}.zone`), "www 3600 IN A 192.0.2.1\nsub 3600 IN CSYNC 1 3 A NS CAA\n");
  expect(await zonewright("apply", "--yes", `${zone}.zone`)).toContain("+ sub 3600 CSYNC 1 3 A NS CAA\n");
  expect(await zonewright("export", zone, "--format", "octodns")).toContain("192.0.2.1");
});

test("the packed program calls nothing that the first Node 20 lacks", async () => {
  const dist = join(installed(), "dist");
  for (const file of (await readdir(dist)).filter((name) => name.endsWith(".js"))) {
    const text = await readFile(join(dist, file), "utf8");
    const newer = text.match(
      /\bstyleText\b|AbortSignal\.any\(|\b(?:(?:Map|Object)\.groupBy|Promise\.(?:try|withResolvers)|Array\.fromAsync|RegExp\.escape|Error\.isError|Iterator\.\w+|Uint8Array\.from(?:Hex|Base64))\(|\.(?:isSubsetOf|isSupersetOf|isDisjointFrom|symmetricDifference|getOrInsert(?:Computed)?|toHex|toBase64)\(|\.(?:values|keys|entries)\(\)\.(?:map|filter|flatMap|some|every|find|reduce|toArray|take|drop|forEach)\(/g,
    );
    expect({ file, newer }).toEqual({ file, newer: null });
  }
});

test("an executable is made from one script, which needs no other file", async () => {
  const script = join(folder, "alone.cjs");
  await run(process.execPath, [join(root, "cli/build.ts"), "--single", script]);
  expect((await run(process.execPath, [script, "--version"])).stdout).toBe(`${(await manifest()).version}\n`);
  expect((await run(process.execPath, [script, "describe"])).stdout).toContain('"name":"zonewright records edit"');
});
