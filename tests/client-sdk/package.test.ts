import { execFile } from "node:child_process";
import { mkdir, readFile, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { page } from "../support/markdown.ts";
import { clientDependencies, installPackedClient, type ClientProject } from "../support/packed-client.ts";
import { adminPassword, useZonewright } from "../support/zonewright.ts";

const run = promisify(execFile);
const zw = useZonewright();
const root = join(import.meta.dirname, "../..");

/** A program that uses every part of the package's types. */
const consumer = `
import type { TRPCClient } from "@trpc/client";
import type { inferRouterOutputs } from "@trpc/server";
import { createClient, isZonewrightError, type AppRouter, type Client, type DnsRecord, type NotificationChannels, type Plan, type RouterInputs, type Session } from "@zonewright/client";

/** A type as libraries for browsers declare it. */
interface AuthenticationResponseJSON {
  id: string;
  rawId: string;
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string };
  authenticatorAttachment?: "cross-platform" | "platform";
  clientExtensionResults: { credProps?: { rk?: boolean } };
  type: "public-key";
}
declare function answer(challenge: string): Promise<AuthenticationResponseJSON>;
let stored: Session | null = null;
const client: Client = createClient({
  url: "https://dns.example.com",
  fetch: (url, init) => fetch(url, { ...init, credentials: "include" }),
  onSessionChange: (session) => { stored = session; },
});
let result = await client.signIn({ username: "admin", password: "secret" });
if (result.kind === "secondFactorNeeded") {
  const [method] = result.methods;
  if (method === "email") await client.twoFactor.sendEmailCode.mutate();
  if (method === "passkey") {
    const options = await client.twoFactor.passkeyOptions.mutate();
    const { challenge }: { challenge: string } = options;
    result = await client.completeSecondFactor({ method, credential: await answer(challenge) });
  } else {
    result = await client.completeSecondFactor({ method: "recovery", code: "7k2m-x0qd-9fhs-3w8c" });
  }
  // @ts-expect-error -- a passkey requires a credential.
  await client.completeSecondFactor({ method: "passkey", code: "123456" });
}
const { username } = result.user;
const { domains } = await client.domains.list.query({ tag: "production" }, { signal: AbortSignal.timeout(5000) });
const expiry: Date | null | undefined = domains[0]?.expiresAt;
const input: RouterInputs["records"]["create"] = { id: "", recordType: "A", name: "www", value: "192.0.2.1" };
try {
  const record = await client.records.create.mutate(input);
  const ttl: number = record.ttl;
  const { recordType, name, value, priority } = record;
  const copy: DnsRecord = await client.records.create.mutate({ id: "", recordType, name, value, ttl, priority });
  const { updates }: Plan = await client.records.plan.mutate({ id: "", changes: [] });
  const [oldTtl, newTtl]: [number, number] = updates[0]?.changes.ttl ?? [ttl, copy.ttl];
  const reviewed: [Date | null, Date | null] | undefined = updates[0]?.changes.reviewAt;
  // @ts-expect-error -- a TTL is a number.
  const text: [string, string] | undefined = updates[0]?.changes.ttl;
  const { configs }: NotificationChannels = await client.channels.list.query({});
  for (const channel of configs) {
    if (channel.channel === "webhook") {
      const receiver: string | undefined = channel.config.url;
      await client.channels.update.mutate({ id: channel.id, channel: "webhook", config: { url: receiver ?? "" } });
    }
    // @ts-expect-error -- Slack has no such field.
    if (channel.channel === "slack") channel.config.to;
    await client.channels.update.mutate({ id: channel.id, enabled: !channel.enabled });
  }
  await client.channels.create.mutate({ channel: "email", name: "Team", config: { to: "dns@example.com" }, events: ["zone.drift"] });
  // @ts-expect-error -- a webhook needs a URL.
  await client.channels.create.mutate({ channel: "webhook", name: "Hook", config: { to: "dns@example.com" }, events: ["zone.drift"] });
  for await (const { updatedAt } of client.eachRecord({ id: record.domainId, type: "A" })) updatedAt.getTime();
  for await (const { title, createdAt } of client.watchNotifications({ onConnected: ({ gap }) => !gap })) {
    const when: [string, number] = [title, createdAt.getTime()];
    // @ts-expect-error -- would compile if notifications were any.
    title.colour;
  }
  // @ts-expect-error -- a record type has a name; would compile if inputs were any.
  await client.records.create.mutate({ ...input, recordType: 65 });
  // @ts-expect-error -- would compile if the client were any.
  await client.domains.destroy.mutate({ id: "" });
  // @ts-expect-error -- would compile if outputs were any.
  record.colour;
} catch (error) {
  if (isZonewrightError(error)) {
    const told: "CONFLICT" | undefined = error.code === "CONFLICT" ? error.code : undefined;
    const path: (string | number)[] | undefined = error.issues?.[0]?.path;
    const status: number | null = error.status;
    switch (error.code) {
      case "BAD_REQUEST": case "UNAUTHORIZED": case "FORBIDDEN": case "NOT_FOUND": case "CONFLICT":
      case "CONFIRMATION_REQUIRED": case "METHOD_NOT_ALLOWED": case "REQUEST_TIMEOUT": case "PRECONDITION_FAILED": case "HISTORY_GONE": case "PAYLOAD_TOO_LARGE": case "UNSUPPORTED_MEDIA_TYPE":
      case "TOO_MANY_REQUESTS": case "INTERNAL_SERVER_ERROR": case "REAUTHENTICATION_REQUIRED": case "REVIEW_REQUIRED": case "PROVIDER_ERROR": case "UNAVAILABLE":
      case "NETWORK_ERROR": case "ABORTED": case "TIMEOUT": case "UNEXPECTED_ANSWER": break;
      default: error.code satisfies never;
    }
  }
}
// Libraries built on tRPC's client accept this one.
export const trpc: TRPCClient<AppRouter> = client;
export const inferred: inferRouterOutputs<AppRouter>["domains"]["list"] = await client.domains.list.query();
// As in scripts: environment variables may be missing.
declare const env: Record<string, string | undefined>;
export const script = createClient({ url: env["URL"] ?? "", token: env["TOKEN"], session: stored });
`;

let project: ClientProject;
let built: string;
beforeAll(async () => {
  project = await installPackedClient();
  built = project.dist;
  await writeFile(join(project.folder, "consumer.ts"), consumer);
}, 180_000);
afterAll(() => project.remove());

test("the package contains only its code, types, README, changelog, license and manifest", async () => {
  const strange = project.files.filter(
    (path) => !/^(?:dist\/.+\.(?:js|d\.ts)|(?:README|CHANGELOG)\.md|LICENSE|package\.json)$/.test(path),
  );
  expect(strange).toEqual([]);
  expect(project.files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "CHANGELOG.md"]));
  expect(await readFile(join(built, "../LICENSE"), "utf8")).toBe(await readFile(join(root, "LICENSE"), "utf8"));
  const packed = JSON.parse(await readFile(join(built, "../package.json"), "utf8")) as Record<string, object>;
  expect(Object.keys(packed["dependencies"] ?? {}).toSorted()).toEqual(clientDependencies.toSorted());
  expect(packed).not.toHaveProperty("peerDependencies");
});

async function importsOf(extension: string): Promise<string[]> {
  const files = (await readdir(built, { recursive: true })).filter((file) => file.endsWith(extension));
  expect(files).toContain(`index${extension}`);
  const texts = await Promise.all(files.map((file) => readFile(join(built, file), "utf8")));
  const imports = /(?:\bfrom\s*|\bimport\s*\(\s*|\bimport\s+|\brequire\s*\(\s*)["']([^"']+)["']|<reference [^>]+>/g;
  const matches = [...texts.join("\n").matchAll(imports)];
  return [...new Set(matches.map(([whole, specifier]) => specifier ?? whole))].filter(
    (specifier) => !/^\.\.?\/.*\.js$/.test(specifier),
  );
}

test("the shipped types import only tRPC, superjson and each other, and nothing of the server", async () => {
  const foreign = (await importsOf(".d.ts")).filter(
    (name) => !/^(@trpc\/(client|server)(\/.+)?|superjson)$/.test(name),
  );
  expect(foreign).toEqual([]);
});

test("the shipped code imports only tRPC, superjson and its own files, so it runs in browsers", async () => {
  const found = (await importsOf(".js")).filter((name) => name !== "@trpc/server/observable");
  expect(found.toSorted()).toEqual(["@trpc/client", "superjson"]);
});

const strict = {
  target: "es2022",
  // tRPC's own declarations use Disposable.
  lib: ["es2022", "dom", "esnext.disposable"],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  // The compiler's own declarations are not of interest.
  skipDefaultLibCheck: true,
  noEmit: true,
};

/** The repository's compiler, and the most widely used one. */
const compilers = {
  // Parallel checkers would repeat much of the work.
  "TypeScript 7": [join(root, "node_modules/.bin/tsc"), "--singleThreaded"],
  "TypeScript 5": [join(root, "tests/rest-consumer/node_modules/typescript/bin/tsc")],
} as const;

/** The compiler's output for a program in the project. */
async function complaints(compiler: keyof typeof compilers, options: object, file: string): Promise<string> {
  const config = join(project.folder, `tsconfig.${file}.json`);
  await writeFile(config, JSON.stringify({ compilerOptions: { ...strict, ...options }, files: [file] }));
  const [program, ...own] = compilers[compiler];
  return await run(program, [...own, "-p", config]).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
}

test.each([
  ["TypeScript 7", "nodenext", "nodenext"],
  ["TypeScript 7", "bundler", "esnext"],
  ["TypeScript 5", "nodenext", "nodenext"],
  ["TypeScript 5", "bundler", "esnext"],
] as const)(
  "a strict program compiles against the package with %s and %s",
  async (compiler, moduleResolution, module) => {
    expect(await complaints(compiler, { module, moduleResolution }, "consumer.ts")).toBe("");
  },
);

test("the README's examples compile unchanged in a strict program", async () => {
  const { blocks } = await page("client-sdk/README.md");
  const examples = blocks.filter(({ language }) => language === "ts").map(({ code }) => code);
  const functions = examples.map((code, index) => {
    const body = code.replaceAll(/^import .*\n/gm, "");
    const own = body.includes("const client =") ? "" : "client: Client, ";
    return `export async function example${index}(${own}{ username, password, code, url, id, name }: Given) {\n{\n${body}}\n}`;
  });
  const program = `
    import { createClient, isZonewrightError, type Client, type DnsRecord, type FieldChanges, type Plan } from "@zonewright/client";
    declare const process: { env: Record<string, string | undefined> };
    declare function showUserMenu(signedIn: boolean): void;
    declare function askForPassword(): Promise<string>;
    type Given = Record<"username" | "password" | "code" | "url" | "id" | "name", string>;
  `;
  await writeFile(join(project.folder, "examples.ts"), [program, ...functions].join("\n"));
  expect(examples.length).toBeGreaterThanOrEqual(5);
  expect(await complaints("TypeScript 7", { module: "nodenext" }, "examples.ts")).toBe("");
});

test("a project made today by the commands of the README compiles and runs a program in TypeScript", async () => {
  const { blocks } = await page("client-sdk/README.md");
  const install =
    blocks
      .find(({ code }) => code.includes("npm init"))
      ?.code.trim()
      .split("\n") ?? [];
  const made = await installPackedClient();
  onTestFinished(() => made.remove());
  await rm(join(made.folder, "package.json"));
  for (const name of ["typescript", "@types/node", "undici-types"]) {
    const link = join(made.folder, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(await realpath(join(root, "node_modules", name)), link);
  }
  const program = `
    import { createClient } from "@zonewright/client";
    const client = createClient({ url: process.env["ZONEWRIGHT_URL"] ?? "" });
    await client.signIn({ username: "admin", password: process.env["ADMIN_PASSWORD"] ?? "" });
    const { username } = await client.auth.me.query({});
    console.log(username);
  `;
  await writeFile(join(made.folder, "program.ts"), program);
  const inProject = {
    cwd: made.folder,
    env: { ...process.env, ZONEWRIGHT_URL: zw.url, ADMIN_PASSWORD: adminPassword },
  };
  const manifest = JSON.parse(await readFile(join(made.dist, "../package.json"), "utf8")) as { version: string };
  // npm would fetch what is installed here already.
  expect(install.filter((line) => line.startsWith("npm install"))).toEqual([
    `npm install ../zonewright/zonewright-client-${manifest.version}.tgz`,
    "npm install --save-dev typescript @types/node",
  ]);
  for (const line of install.filter((line) => !line.startsWith("npm install"))) {
    const [command = "", ...options] = line.split(" ");
    if (command === "npx")
      await run(process.execPath, ["node_modules/typescript/bin/tsc", ...options.slice(1)], inProject);
    else await run(command, options, inProject);
  }
  await run(process.execPath, ["node_modules/typescript/bin/tsc", "--noEmit"], inProject);
  expect((await run(process.execPath, ["program.ts"], inProject)).stdout).toBe("admin\n");
});

test("the packed package runs in Node", async () => {
  const program = `
    import { createClient, isZonewrightError } from "@zonewright/client";
    const client = createClient({ url: process.argv[2] });
    const { user } = await client.signIn({ username: "admin", password: process.argv[3] });
    const { id } = await client.domains.create.mutate({ name: "packed.example" });
    const error = await client.domains.create.mutate({ name: "packed.example" }).catch((reason) => reason);
    console.log(JSON.stringify({ user: user.username, id: typeof id, known: isZonewrightError(error), code: error.code }));
  `;
  await writeFile(join(project.folder, "program.js"), program);
  const { stdout } = await run(process.execPath, [join(project.folder, "program.js"), zw.url, adminPassword]);
  expect(JSON.parse(stdout)).toEqual({ user: "admin", id: "string", known: true, code: "CONFLICT" });
});

test("the client bundled for browsers with its dependencies is smaller than 25 kB compressed", async () => {
  const { code, imports } = await project.bundle(
    'export { createClient, isZonewrightError } from "@zonewright/client";',
  );
  const size = gzipSync(code).length;
  expect(imports).toEqual([]);
  // Printed to make its growth visible.
  console.info(`The client, bundled and compressed: ${size} bytes.`);
  expect(size).toBeLessThan(25 * 1024);
});
