import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { dependenciesOf } from "../../web/licenses.ts";
import lock from "../../package-lock.json" with { type: "json" };

const root = join(import.meta.dirname, "../..");
const run = promisify(execFile);
const packages: Readonly<Record<string, { version?: string; license?: string; dev?: boolean; link?: boolean }>> =
  lock.packages;
const installed = [...new Set(dependenciesOf().flatMap(({ brings }) => brings))];

/** The name of the package at a path of the lock file. */
const nameOf = (path: string) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);

/** Those that let anybody use, change and pass on the package with its notice. */
const permissive = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  "MIT-0",
  "Unlicense",
  "(MIT OR CC0-1.0)",
]);

test("each package of a production installation has a permissive license", () => {
  const others = installed.filter((path) => !permissive.has(packages[path]?.license ?? ""));
  expect(others).toEqual([]);
});

test("each direct dependency has its reason in the decisions", async () => {
  const reasons = await readFile(join(root, "docs/decisions/0001-dependencies.md"), "utf8");
  expect(dependenciesOf().filter(({ name }) => !reasons.includes(`\`${name}\``))).toEqual([]);
});

test("the SBOM of the image has every package of a production installation, and nothing else", async () => {
  const dockerfile = await readFile(join(root, "Dockerfile"), "utf8");
  const [, command = ""] = /^RUN (npm pkg delete .+)$/m.exec(dockerfile) ?? [];
  const guide = await readFile(join(root, "docs/operations/deployment.md"), "utf8");
  for (const step of command.split(" && ").slice(0, 2)) expect(guide).toContain(`\n${step}\n`);

  const folder = await mkdtemp(join(tmpdir(), "zonewright-sbom-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const file of ["package.json", "package-lock.json", ".npmrc"]) await cp(join(root, file), join(folder, file));
  await run("sh", ["-c", command], { cwd: folder, env: { ...process.env, npm_config_offline: "true" } });
  const sbom = JSON.parse(await readFile(join(folder, "sbom.cdx.json"), "utf8")) as { components: { purl: string }[] };
  const listed = new Set(sbom.components.map(({ purl }) => decodeURIComponent(purl)));
  const purls = (paths: readonly string[]) => paths.map((path) => `pkg:npm/${nameOf(path)}@${packages[path]?.version}`);
  expect(purls(installed).filter((purl) => !listed.has(purl))).toEqual([]);
  const kept = new Set(purls(Object.keys(packages).filter((path) => packages[path]?.dev !== true)));
  expect([...listed].filter((purl) => !kept.has(purl))).toEqual([]);
});
