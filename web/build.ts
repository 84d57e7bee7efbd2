import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** Text files; fonts are compressed already. */
const compressible = /\.(?:css|html|js|json|svg)$/;

/** The console and the API reference: their configurations, and the folders that they are built into. */
const pages = [
  ["vite.config.ts", "dist"],
  ["vite.reference.config.ts", "dist-reference"],
] as const;

/**
 * Builds the console and the API reference, and compresses every text file beside it. Runs after each install. Without Vite, as in a production
 * install, it only says so: the image and packages bring the built console.
 */
async function main(): Promise<void> {
  const vite = await import("vite").catch(() => null);
  if (!vite) {
    process.stdout.write(
      "The web console and the API reference were not built: their build tools are not installed (npm ci without --omit=dev).\n",
    );
    return;
  }
  const logLevel = process.argv.includes("--verbose") ? "info" : "warn";
  for (const [config, folder] of pages) {
    await vite.build({ configFile: join(import.meta.dirname, config), logLevel });
    await compressAll(join(import.meta.dirname, folder));
  }
}

async function compressAll(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && compressible.test(entry.name));
  await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      const content = await readFile(path);
      const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
      await writeFile(`${path}.br`, await promisify(brotliCompress)(content, { params }));
      await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }));
    }),
  );
}

await main();
