import { chmod, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join } from "node:path";

/**
 * Bundles the command line into `cli/dist`, with all that it imports: the package needs no other to be installed. Runs after each install.
 * `node cli/build.ts [folder]`; `node cli/build.ts --single file.cjs [source]` makes one script, for an executable. Without the bundler, as in
 * a production install, it only says so.
 */
async function main(): Promise<void> {
  const rolldown = await import("rolldown").catch(() => null);
  if (!rolldown) {
    const missing = "its build tools are not installed (npm ci without --omit=dev)";
    process.stdout.write(`The command line was not built: ${missing}.\n`);
    return;
  }
  const [target = join(import.meta.dirname, "dist"), file, source = "main.ts"] = process.argv.slice(2);
  const options = {
    input: { zonewright: join(import.meta.dirname, "src", source) },
    platform: "node" as const,
    resolve: { conditionNames: ["zonewright-source", "node", "import", "default"] },
    // No call sends a form, and asking whether it is one would load what `fetch` needs.
    transform: { target: "node20", define: { FormData: "Blob" } },
    logLevel: "warn" as const,
  };
  if (target === "--single") {
    await rolldown.build({ ...options, output: { file, format: "cjs", minify: true, codeSplitting: false } });
    return;
  }
  const dir = target;
  await rm(dir, { recursive: true, force: true });
  const { output } = await rolldown.build({
    ...options,
    output: { dir, format: "esm", minify: true, chunkFileNames: "[name]-[hash].js", entryFileNames: "[name].js" },
  });
  await chmod(join(dir, "zonewright.js"), 0o755);
  const imported = output.flatMap((chunk) =>
    chunk.type === "chunk" ? [...chunk.imports, ...chunk.dynamicImports] : [],
  );
  const own = new Set(output.map(({ fileName }) => fileName));
  const foreign = imported.filter((name) => !own.has(name) && !isBuiltin(name));
  if (foreign.length > 0) throw new Error(`These imports are not bundled: ${foreign.join(", ")}.`);
  const modules = output.flatMap((chunk) => (chunk.type === "chunk" ? Object.keys(chunk.modules) : []));
  await writeFile(join(dir, "licenses.txt"), await licensesOf(modules));
}

/** The licenses of the bundled packages: their code may be copied only with them. */
async function licensesOf(modules: readonly string[]): Promise<string> {
  const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
  const texts = [...new Set(folders)].toSorted().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
      name: string;
      version: string;
      license: string;
    };
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? "" : `\n\n${(await readFile(join(folder, file), "utf8")).trim()}`;
    return `${name} ${version} (${license})${text}\n`;
  });
  return (await Promise.all(texts)).join(`\n${"-".repeat(80)}\n\n`);
}

await main();
