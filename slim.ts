import { execFileSync } from "node:child_process";
import { readdirSync, rmSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";

/**
 * Removes from an installation what the service never loads: `npm run slim`, after `npm ci`. The build tools go by `npm prune`; npm keeps
 * the rest, because packages declare it (docs/decisions/0085-slim-installations.md). To get it back, run `npm ci`.
 */
const modules = join(import.meta.dirname, "node_modules");

/** Where builds and tests keep what they have compiled. */
const caches = [".cache", ".vite", ".vite-temp", ".vitest-cache"];
/** Besides these, a peer of tRPC's that only compilers read, declarations of types, and a bundler of trpc-to-openapi's own build. */
const unused = [...caches, "typescript", "@typescript", "@types", "@rollup"];
/** Node reads no TypeScript within packages, and source maps only with --enable-source-maps. */
const unusedFiles = /\.(?:[cm]?tsx?|map)$/;

execFileSync("npm", ["prune", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"], {
  cwd: import.meta.dirname,
  stdio: "inherit",
});
for (const name of unused) rmSync(join(modules, name), { recursive: true, force: true });
// `npm ci` links its program to node/bin.
rmSync(join(modules, "node/node_modules"), { recursive: true, force: true });

/** Octets by package. */
const weights: Record<string, number> = {};
for (const file of readdirSync(modules, { recursive: true, withFileTypes: true })) {
  if (!file.isFile()) continue;
  const path = join(file.parentPath, file.name);
  if (unusedFiles.test(file.name)) {
    rmSync(path);
    continue;
  }
  const [name = "", within = ""] = relative(modules, path).split(sep);
  const owner = name.startsWith("@") ? `${name}/${within}` : name;
  weights[owner] = (weights[owner] ?? 0) + statSync(path).size;
}
const megabytes = (octets: number) => `${(octets / 1e6).toFixed(1).padStart(7)} MB`;
const sum = (some: readonly (readonly [string, number])[]) => some.reduce((total, [, octets]) => total + octets, 0);
const byWeight = Object.entries(weights).toSorted(([, a], [, b]) => b - a);
const [largest, others] = [byWeight.slice(0, 12), byWeight.slice(12)];
process.stdout.write(`${megabytes(sum(byWeight))} in node_modules:\n`);
for (const [name, octets] of largest) process.stdout.write(`${megabytes(octets)} ${name}\n`);
process.stdout.write(`${megabytes(sum(others))} ${others.length} others\n`);
