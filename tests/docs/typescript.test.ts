import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { page, pages, type Page } from "../support/markdown.ts";
import { installPackedClient } from "../support/packed-client.ts";
import { mustRun, run } from "../support/programs.ts";
import { adminPassword, useZonewright } from "../support/zonewright.ts";

const root = join(import.meta.dirname, "../..");
const zw = useZonewright();

/** Declarations that examples assume, unless they make them themselves. */
const given = {
  client: 'ReturnType<typeof import("@zonewright/client").createClient>',
  password: "string",
};

/** Within the repository, so that the client's package is found. */
async function folderInRepository(): Promise<string> {
  const folder = await mkdtemp(join(import.meta.dirname, "typed-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

function programs({ path, blocks }: Page): [name: string, code: string][] {
  const examples = blocks.filter(({ language }) => language === "ts" || language === "typescript");
  return examples.map(({ code }, index) => {
    const missing = Object.entries(given).filter(([name]) => !new RegExp(`\\b(?:const|let) ${name}\\b`).test(code));
    const head = missing.map(([name, type]) => `declare const ${name}: ${type};\n`).join("");
    return [`${path.replaceAll(/\W/g, "-")}-${index}.ts`, `${head}${code}export {};\n`];
  });
}

test("every TypeScript example of the documentation fits the client's types", async () => {
  const all = (await pages()).filter(({ path }) => !path.startsWith("client-sdk/"));
  const written = all.flatMap(programs);
  expect(written.length).toBeGreaterThanOrEqual(3);
  const folder = await folderInRepository();
  for (const [name, code] of written) await writeFile(join(folder, name), code);
  // The published types: reading them takes a fraction of reading the server.
  const project = await installPackedClient();
  onTestFinished(() => project.remove());
  await mkdir(join(folder, "node_modules/@zonewright"), { recursive: true });
  await symlink(dirname(project.dist), join(folder, "node_modules/@zonewright/client"));
  const compilerOptions = { noUnusedLocals: false, customConditions: [] };
  const config = { extends: "../../../tsconfig.json", compilerOptions, include: ["*.ts"], exclude: [] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  expect(await run(process.execPath, [tsc, "--singleThreaded", "-p", folder])).toMatchObject({
    stdout: "",
    stderr: "",
  });
});

test("the first program does what Getting started says", async () => {
  await zw.admin
    .post("/api/domains", { name: "example.com" })
    .then(({ body }) =>
      zw.admin.post(`/api/domains/${body.id}/records`, { recordType: "MX", name: "@", value: "10 mail.example.com" }),
    );
  const { blocks } = await page("docs/getting-started.md");
  const program = blocks.find(({ language }) => language === "ts")?.code ?? "";
  const [, reported] = /first\.ts\n# (.+)/.exec(blocks.map(({ code }) => code).join("\n")) ?? [];
  const file = join(await folderInRepository(), "first.ts");
  await writeFile(file, program.replace("http://127.0.0.1:3000", zw.url));
  const env = [`ADMIN_PASSWORD=${adminPassword}`, process.execPath, "--conditions=zonewright-source", file];
  expect(await mustRun("env", env)).toBe(`${reported}\n`);
});
