import { execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { appRouter } from "./app-router.ts";
import { withFieldComments } from "./field-comments.ts";
import { namedResults } from "./named-results.ts";
import { proceduresDeclaration } from "./procedures-declaration.ts";

/**
 * Builds the package into a folder: `node build.ts [folder]`.
 *
 * tsc compiles the client together with the server that its types come from. The package contains the client's code and
 * the declarations that its index references, directly or indirectly.
 */
const here = dirname(fileURLToPath(import.meta.url));
const target = resolve(process.argv[2] ?? join(here, "dist"));
const compiled = await mkdtemp(join(tmpdir(), "zonewright-client-"));
const router = join(compiled, "client-sdk/app-router.d.ts");

try {
  const compiler = join(here, "../node_modules/.bin/tsc");
  // With several checkers the order within unions changes from build to build, and they do much of their work twice.
  // `npm run check` has checked these files; checking them again would take as long as all the rest.
  const options = ["-p", here, "--outDir", compiled, "--singleThreaded", "--noCheck"];
  execFileSync(compiler, options, { stdio: ["ignore", 2, 2] });
  await rm(target, { recursive: true, force: true });
  await cp(join(compiled, "client-sdk/src"), target, { recursive: true, filter: (path) => !path.endsWith(".d.ts") });
  const named = namedResults(withFieldComments(await readFile(router, "utf8"), appRouter), appRouter);
  await writeFile(router, named.router);
  await writeFile(join(compiled, "client-sdk/src/results.d.ts"), named.results);
  const index = join(compiled, "client-sdk/src/index.d.ts");
  await writeFile(index, withNames(await readFile(index, "utf8"), named.names));
  await writeFile(join(compiled, "client-sdk/src/procedures.d.ts"), proceduresDeclaration(appRouter));
  await copyDeclarations(index, new Set());
} finally {
  await rm(compiled, { recursive: true, force: true });
}

/** Lists the names that the index exports all together, but those that it declares itself. */
function withNames(index: string, names: readonly string[]): string {
  const all = 'export type * from "./results.ts";';
  if (!index.includes(all)) throw new Error("The index does not export the results.");
  const own = new Set(index.match(/\w+/g));
  return index.replace(
    all,
    `export type { ${names.filter((name) => !own.has(name)).join(", ")} } from "./results.ts";`,
  );
}

/** Copies a declaration file and all that it references by relative path, rewriting the paths for the package. */
async function copyDeclarations(file: string, seen: Set<string>): Promise<void> {
  if (seen.has(file)) return;
  seen.add(file);
  const destination = packagePath(file);
  const named: string[] = [];
  const text = (await readFile(file, "utf8")).replaceAll(/"(\.{1,2}\/[^"]+)\.ts"/g, (_match, specifier: string) => {
    const other = resolve(dirname(file), `${specifier}.d.ts`);
    named.push(other);
    const path = relative(dirname(destination), packagePath(other))
      .replaceAll("\\", "/")
      .replace(/\.d\.ts$/, ".js");
    return `"${path.startsWith(".") ? path : `./${path}`}"`;
  });
  await mkdir(dirname(destination), { recursive: true });
  await writeFile(destination, text);
  for (const other of named) await copyDeclarations(other, seen);
}

/** Returns a file's path in the package. `client-sdk/src` becomes the root; the server stays in its folder, and its router with it. */
function packagePath(file: string): string {
  if (file === router) return join(target, "server/router.d.ts");
  return join(target, relative(compiled, file).replace(/^client-sdk[\\/]src[\\/]/, ""));
}
