import { execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openApiDocument } from "../server/openapi.ts";
import { appRouter } from "../server/router.ts";

/**
 * Stores the interface as it is now in client-sdk/api, for later changes to be held against: `npm run store-api`, when the
 * version was raised.
 */
const here = import.meta.dirname;
const api = join(here, "api");
const { version } = JSON.parse(await readFile(join(here, "package.json"), "utf8")) as { version: string };
const built = await mkdtemp(join(tmpdir(), "zonewright-api-"));

try {
  execFileSync(process.execPath, [join(here, "build.ts"), built], { stdio: "inherit" });
  await rm(api, { recursive: true, force: true });
  await mkdir(join(api, "types"), { recursive: true });
  await cp(join(built, "server"), join(api, "types/server"), { recursive: true });
  const document = openApiDocument(appRouter, { version, siteUrl: "https://dns.example.com" });
  await writeFile(join(api, "openapi.json"), `${JSON.stringify(document, null, 1)}\n`);
} finally {
  await rm(built, { recursive: true, force: true });
}
