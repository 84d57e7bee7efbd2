import { execFileSync } from "node:child_process";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openApiDocument } from "../server/api/openapi/document.ts";
import { appRouter } from "./app-router.ts";
import { versionLine } from "./version-line.ts";

/**
 * Stores the current interface as the baseline for later changes: the OpenAPI document in client-sdk/api, and the packed client beside the
 * tests that compare it. Run `npm run store-api` when a new version line begins, or when releasing additions that must remain. Within a
 * version line, refuses changes that break the stored interface.
 */
const root = join(import.meta.dirname, "..");
const documentFile = join(root, "client-sdk/api/openapi.json");
const tests = join(root, "tests/compatibility");
const { version } = JSON.parse(await readFile(join(root, "client-sdk/package.json"), "utf8")) as { version: string };
const stored = JSON.parse(await readFile(documentFile, "utf8")) as { info: { version: string } };
if (versionLine(stored.info.version) === versionLine(version)) {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const guard = ["run", "tests/compatibility/stored-api.test.ts"];
  execFileSync(process.execPath, [vitest, ...guard], { stdio: "inherit", cwd: root });
}

const pack = ["pack", "--workspace", "@zonewright/client", "--pack-destination", tests, "--silent"];
const packed = execFileSync("npm", pack, { encoding: "utf8", cwd: root, stdio: ["ignore", "pipe", "inherit"] });
await rename(join(tests, packed.trim()), join(tests, "client.tgz"));
const document = openApiDocument(appRouter, { version, siteUrl: "https://dns.example.com" });
await writeFile(documentFile, `${JSON.stringify(document, null, 1)}\n`);
