import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApiDocument } from "../support/api/api-document.ts";
import { useZonewright } from "../support/zonewright.ts";
import { breakingChanges } from "./breaking-changes.ts";

/*
 * What clients rely on is stored in client-sdk/api: the interface as it was at the version that it names. While the version
 * stays, it may only grow; who breaks it raises the version in both package.json and stores the interface anew with
 * `npm run store-api`. docs/compatibility.md tells clients what they can count on.
 */
const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const stored = join(root, "client-sdk/api");
const zw = useZonewright({ env: { SITE_URL: "https://dns.example.com" } });

let before: ApiDocument;
let after: ApiDocument;
beforeAll(async () => {
  before = JSON.parse(await readFile(join(stored, "openapi.json"), "utf8")) as ApiDocument;
  after = (await zw.nobody.get("/api/openapi.json")).body;
});

/** The client's types, old ones and new ones, in a folder where they can be compared. */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonewright-types-"));
  await run(process.execPath, [join(root, "client-sdk/build.ts"), join(folder, "after")]);
  await cp(join(stored, "types"), join(folder, "before"), { recursive: true });
  await mkdir(join(folder, "node_modules/@trpc"), { recursive: true });
  const server = await realpath(join(root, "node_modules/@trpc/server"));
  await symlink(server, join(folder, "node_modules/@trpc/server"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Fails to compile where an input of before is refused now, or an answer of now would have been impossible before. */
const comparison = (before: string, after: string) => `
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { AppRouter as Before } from "./${before}/server/router.js";
import type { AppRouter as After } from "./${after}/server/router.js";

type Takes<Inputs> = { [R in keyof Inputs]: { [P in keyof Inputs[R]]: (input: Inputs[R][P]) => void } };
declare const takes: Takes<inferRouterInputs<After>>;
export const stillTakes: Takes<inferRouterInputs<Before>> = takes;
declare const gives: inferRouterOutputs<After>;
export const stillGives: inferRouterOutputs<Before> = gives;
`;

async function complaints(before: string, after: string): Promise<string> {
  await writeFile(join(folder, "comparison.ts"), comparison(before, after));
  const options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2022", "--skipLibCheck"];
  const compiled = run(join(root, "node_modules/.bin/tsc"), [...options, "comparison.ts"], { cwd: folder });
  return await compiled.then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
}

async function versionIn(file: string): Promise<string> {
  return (JSON.parse(await readFile(join(root, file), "utf8")) as { version: string }).version;
}

test("service, client and stored interface have one version: who raises it runs `npm run store-api`", async () => {
  expect(await versionIn("client-sdk/package.json")).toBe(await versionIn("package.json"));
  expect(after.info.version).toBe(await versionIn("package.json"));
  expect(before.info.version).toBe(after.info.version);
});

test("REST clients of this version go on working", () => {
  expect(Object.keys(before.paths).length).toBeGreaterThan(50);
  expect(breakingChanges(before, after)).toEqual([]);
});

test("programs written against this version's types go on compiling", async () => {
  expect(await complaints("before", "after")).toBe("");
});

test("a change that breaks programs is noticed", async () => {
  const router = join(folder, "before/server/router.d.ts");
  const text = await readFile(router, "utf8");
  const broken = text.replace("password: string;", "password: string | number;");
  expect(broken).not.toBe(text);
  await writeFile(router, broken);
  expect(await complaints("before", "after")).toContain("'auth.login' are incompatible");
  await writeFile(router, text);
});
