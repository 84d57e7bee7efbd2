import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { useCli } from "../support/cli.ts";
import { useZonewright } from "../support/zonewright.ts";

const run = promisify(execFile);
const zw = useZonewright();
const cli = useCli(zw);
const root = join(import.meta.dirname, "../..");

/** The package alone, as `npm install` unpacks it. */
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonewright-packed-"));
  const { stdout } = await run("npm", ["pack", "-w", "@zonewright/cli", "--pack-destination", folder, "--json"], {
    cwd: root,
  });
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf("[\n"))) as [{ filename: string }];
  await run("tar", ["-xzf", join(folder, filename), "-C", folder]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Manifest {
  version: string;
  bin: { zonewright: string };
  man: string;
  dependencies?: object;
  engines: { node: string };
}

const manifest = async () => JSON.parse(await readFile(join(folder, "package/package.json"), "utf8")) as Manifest;

/** The Node that runs the tests, and the one that runs npm, which is the oldest supported one in the checks. */
const nodes = [...new Set([process.execPath, process.env["npm_node_execpath"] ?? process.execPath])];

test("the package needs no other, and has its licenses and man page", async () => {
  const { dependencies = {}, man } = await manifest();
  expect(dependencies).toEqual({});
  const top = await readdir(join(folder, "package"));
  expect(top.toSorted()).toEqual(["LICENSE", "README.md", "dist", "package.json", man.replace("./", "")]);
  const licenses = await readFile(join(folder, "package/dist/licenses.txt"), "utf8");
  expect(licenses).toContain("commander 14.0.3 (MIT)");
});

test.each(nodes)("the packed program runs alone, with %s", async (node) => {
  const { version, bin } = await manifest();
  const program = join(folder, "package", bin.zonewright);
  expect((await run(node, [program, "--version"])).stdout).toBe(`${version}\n`);
  await zw.admin.post("/api/domains", { name: `node-${nodes.indexOf(node)}.example` });
  const env = { ...process.env, ZONEWRIGHT_URL: zw.url, ZONEWRIGHT_TOKEN: cli.token, XDG_CONFIG_HOME: folder };
  const zone = `node-${nodes.indexOf(node)}.example`;
  // Every command is loaded.
  expect((await run(node, [program, "describe"])).stdout).toContain('"name":"zonewright records edit"');
  const added = await run(node, [program, "records", "add", zone, "www", "A", "192.0.2.1"], { env });
  expect(added.stdout).toBe(`${zone}: 1 to create\n+ www 3600 A 192.0.2.1\nApplied as revision 1.\n`);
  const file = join(folder, `${zone}.zone`);
  await writeFile(file, "www 3600 IN A 192.0.2.1\nsub 3600 IN CSYNC 1 3 A NS CAA\n");
  const planned = await run(node, [program, "apply", "--yes", file], { env });
  expect(planned.stdout).toContain("+ sub 3600 CSYNC 1 3 A NS CAA\n");
  const exported = await run(node, [program, "export", zone, "--format", "octodns"], { env });
  expect(exported.stdout).toContain("192.0.2.1");
});

test("the packed program calls nothing that the first Node 20 lacks", async () => {
  const dist = join(folder, "package/dist");
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
