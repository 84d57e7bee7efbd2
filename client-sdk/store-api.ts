import { execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openApiDocument } from "../server/api/openapi/document.ts";
import { appRouter } from "./app-router.ts";
import { versionLine } from "./version-line.ts";

/**
 * Stores the current interface in client-sdk/api as the baseline for later changes. Run `npm run store-api` when a new
 * version line begins, or when releasing additions that must remain. Within a version line, refuses changes that break the stored
 * interface.
 */
const here = import.meta.dirname;
const api = join(here, "api");
const { version } = JSON.parse(await readFile(join(here, "package.json"), "utf8")) as { version: string };
const stored = JSON.parse(await readFile(join(api, "openapi.json"), "utf8")) as { info: { version: string } };
if (versionLine(stored.info.version) === versionLine(version)) {
  const vitest = join(here, "../node_modules/vitest/vitest.mjs");
  const guard = ["run", "tests/compatibility/stored-api.test.ts"];
  execFileSync(process.execPath, [vitest, ...guard], { stdio: "inherit", cwd: join(here, "..") });
}
const built = await mkdtemp(join(tmpdir(), "zonewright-api-"));

try {
  execFileSync(process.execPath, [join(here, "build.ts"), built], { stdio: "inherit" });
  await rm(api, { recursive: true, force: true });
  await mkdir(api);
  await cp(built, join(api, "types"), { recursive: true, filter: (path) => !path.endsWith(".js") });
  for (const file of await readdir(join(api, "types"), { recursive: true })) {
    if (file.endsWith(".d.ts")) await withoutComments(join(api, "types", file));
  }
  const document = openApiDocument(appRouter, { version, siteUrl: "https://dns.example.com" });
  await writeFile(join(api, "openapi.json"), `${JSON.stringify(document, null, 1)}\n`);
} finally {
  await rm(built, { recursive: true, force: true });
}

/** Removes comments, because descriptions may change at any time. */
async function withoutComments(file: string): Promise<void> {
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replaceAll(/^ *\/\*\*.*?\*\/\n/gms, ""));
}
