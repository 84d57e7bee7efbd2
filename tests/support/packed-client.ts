import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { packClient } from "./client-tarball.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");

/** All dependencies that the package may need. */
export const clientDependencies = ["@trpc/client", "@trpc/server", "superjson"];

/** An empty project with the client installed from its tarball. */
export interface ClientProject {
  folder: string;
  /** Where the package's code and types are. */
  dist: string;
  /** What the tarball holds. */
  files: string[];
  /** Bundles a module for browsers, with all that it imports. */
  bundle(source: string): Promise<{ code: string; imports: string[] }>;
  remove(): Promise<void>;
}

export async function installPackedClient(): Promise<ClientProject> {
  const folder = await mkdtemp(join(tmpdir(), "zonewright-consumer-"));
  const installed = join(folder, "node_modules/@zonewright/client");
  const { tarball, files } = await packClient();
  await mkdir(installed, { recursive: true });
  await run("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"]);
  for (const name of clientDependencies) {
    const link = join(folder, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(await realpath(join(root, "node_modules", name)), link);
  }
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  return {
    folder,
    dist: join(installed, "dist"),
    files,
    async bundle(source) {
      const input = join(folder, "bundled.js");
      await writeFile(input, source);
      const bundle = await rolldown({ input, platform: "browser", cwd: folder });
      const { output } = await bundle.generate({ format: "esm", minify: true, codeSplitting: false });
      return { code: output[0].code, imports: output[0].imports };
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
