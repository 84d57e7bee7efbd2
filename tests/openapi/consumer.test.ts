import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { adminPassword, useZonewright } from "../support/zonewright.ts";

const run = promisify(execFile);
/** A project with tools and a compiler of its own. */
const project = join(import.meta.dirname, "../rest-consumer");
const tool = (name: string) => join(project, "node_modules/.bin", name);
const zw = useZonewright();

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(project, "generated-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("a client generated from the document compiles strictly and makes real calls", async () => {
  const document = join(folder, "openapi.json");
  await writeFile(document, JSON.stringify((await zw.nobody.get("/api/openapi.json")).body));
  await run(tool("openapi-typescript"), [document, "--output", join(folder, "schema.d.ts")]);
  await cp(join(project, "consumer.ts"), join(folder, "consumer.ts"));
  const options = ["--target", "es2022", "--module", "nodenext", "--strict", "--types", "node"];
  const compiled = run(tool("tsc"), [...options, join(folder, "consumer.ts")]);
  const complaints = await compiled.then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
  expect(complaints).toBe("");

  const consumer = [join(folder, "consumer.js"), `${zw.url}/api`, "admin", adminPassword];
  const { stdout } = await run(process.execPath, consumer);
  expect(JSON.parse(stdout)).toEqual({ version: 1, refused: "BAD_REQUEST", value: "192.0.2.1" });
});
