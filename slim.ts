import { execFileSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * Removes from an installation what the service never loads: `npm run slim`, after `npm ci`. The build tools go by `npm prune`; npm keeps
 * the rest, because packages declare it (docs/decisions/0085-slim-installations.md). To get it back, run `npm ci`.
 */
const modules = join(import.meta.dirname, "node_modules");

/** A peer of tRPC's that only compilers read, declarations of types, and a bundler of trpc-to-openapi's own build. */
const unused = ["typescript", "@typescript", "@types", "@rollup", ".cache"];
/** Node reads no TypeScript within packages, and source maps only with --enable-source-maps. */
const unusedFiles = /\.(?:[cm]?tsx?|map)$/;

execFileSync("npm", ["prune", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"], {
  cwd: import.meta.dirname,
  stdio: "inherit",
});
for (const name of unused) rmSync(join(modules, name), { recursive: true, force: true });
// `npm ci` links its program to node/bin.
rmSync(join(modules, "node/node_modules"), { recursive: true, force: true });
for (const file of readdirSync(modules, { recursive: true, withFileTypes: true })) {
  if (file.isFile() && unusedFiles.test(file.name)) rmSync(join(file.parentPath, file.name));
}
