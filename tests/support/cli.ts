import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll } from "vitest";
import { cacheFolder } from "./cache-folder.ts";
import { programEnv, type Finished } from "./programs.ts";
import type { Zonewright } from "./zonewright.ts";

const root = join(import.meta.dirname, "../..");
const cache = join(cacheFolder, "cli");

/** Returns the built program, built anew only for other sources. */
export async function builtCli(): Promise<string> {
  const folder = join(cache, await hashOfSources());
  if (!existsSync(folder)) await build(folder);
  return join(folder, "dist/zonewright.js");
}

/** Several processes may do this at the same time: each ends with a whole folder. */
async function build(folder: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const made = await mkdtemp(join(cache, "building-"));
  await promisify(execFile)(process.execPath, [join(root, "cli/build.ts"), join(made, "dist")]);
  await writeFile(join(made, "package.json"), '{ "type": "module" }');
  await rename(made, folder).catch(() => rm(made, { recursive: true, force: true }));
}

/** Of all that may be bundled. */
async function hashOfSources(): Promise<string> {
  const folders = ["cli", "client-sdk/src", "server/dns", "server/platform"];
  const found = await Promise.all(
    folders.map((folder) => readdir(join(root, folder), { recursive: true, withFileTypes: true })),
  );
  const files = found
    .flat()
    .filter((entry) => entry.isFile() && /\.(?:ts|json)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/\/(?:node_modules|dist)\//.test(file));
  const hash = createHash("sha256").update(await readFile(join(root, "package-lock.json")));
  for (const file of files.toSorted()) hash.update(`${file.slice(root.length)}\n`).update(await readFile(file));
  return hash.digest("hex").slice(0, 16);
}

interface CliOptions {
  env?: Record<string, string>;
  /** What is typed, or piped in. */
  input?: string;
  /** Prints and asks as on a terminal of this many columns. */
  columns?: number;
  /** Sends SIGINT, as Ctrl-C does, once this is printed. */
  interruptAt?: RegExp;
  /** Sends SIGINT once this resolves. */
  interruptWhen?: Promise<void>;
  /** What happens once this is printed. */
  once?: { printed: RegExp; act: () => Promise<unknown> };
}

/** The command line as the tests of a file run it. */
export interface Cli {
  /** Runs it to its end with the token of an administrator. */
  run(args: readonly string[], options?: CliOptions): Promise<Finished>;
  /** Runs it; it must succeed. @returns what it printed */
  must(args: readonly string[], options?: CliOptions): Promise<string>;
  /** Runs it with `--json`; it must succeed. @returns the document */
  json<Answer>(args: readonly string[], options?: CliOptions): Promise<Answer>;
  /** The folder that it looks for its configuration in. */
  readonly configFolder: string;
  readonly token: string;
}

const allPermissions = [
  "domains:read",
  "domains:write",
  "records:read",
  "records:write",
  "snapshots:read",
  "snapshots:write",
  "requests:read",
  "requests:write",
  "providers:read",
  "notifications:read",
  "registrations:read",
  "registrations:write",
];

/** Prepares the built command line and a personal token for a service. Use the result only within tests and hooks. */
export function useCli(zonewright: Zonewright): Cli {
  let program = "";
  let token = "";
  let configFolder = "";
  beforeAll(async () => {
    program = await builtCli();
    configFolder = await mkdtemp(join(tmpdir(), "zonewright-cli-"));
    const created = await zonewright.admin.post("/api/auth/me/tokens", { name: "Tests", permissions: allPermissions });
    token = (created.body as { token: string }).token;
  });
  afterAll(() => rm(configFolder, { recursive: true, force: true }));
  const run = async (args: readonly string[], options: CliOptions = {}) => {
    const env = {
      ...programEnv,
      NO_COLOR: "1",
      HOME: configFolder,
      XDG_CONFIG_HOME: configFolder,
      ZONEWRIGHT_URL: zonewright.url,
      ZONEWRIGHT_TOKEN: token,
      ...(options.columns === undefined ? {} : { ZONEWRIGHT_TTY: String(options.columns) }),
      ...options.env,
    };
    return await finished([program, ...args], env, options);
  };
  const must = async (args: readonly string[], options: CliOptions = {}) => {
    const { exitCode, stdout, stderr } = await run(args, options);
    if (exitCode !== 0) throw new Error(`zonewright ${args.join(" ")} ended with ${exitCode}:\n${stdout}${stderr}`);
    return stdout;
  };
  return {
    run,
    must,
    json: async <Answer>(args: readonly string[], options: CliOptions = {}) =>
      JSON.parse(await must([...args, "--json"], options)) as Answer,
    get configFolder() {
      return configFolder;
    },
    get token() {
      return token;
    },
  };
}

async function finished(
  args: string[],
  env: NodeJS.ProcessEnv,
  { input, interruptAt, interruptWhen, once }: CliOptions,
): Promise<Finished> {
  const child = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "pipe"] });
  const printed = { stdout: "", stderr: "" };
  const awaited = [
    { pattern: once?.printed, act: once?.act },
    { pattern: interruptAt, act: () => Promise.resolve(child.kill("SIGINT")) },
  ];
  void interruptWhen?.then(() => child.kill("SIGINT"));
  const meanwhile: Promise<unknown>[] = [];
  const take = (from: keyof typeof printed) => (text: string) => {
    printed[from] += text;
    for (const one of awaited) {
      if (one.pattern?.test(printed.stdout + printed.stderr) !== true) continue;
      delete one.pattern;
      meanwhile.push(one.act?.() ?? Promise.resolve());
    }
  };
  child.stdout.setEncoding("utf8").on("data", take("stdout"));
  child.stderr.setEncoding("utf8").on("data", take("stderr"));
  // A program that ends without reading closes the pipe.
  child.stdin.on("error", () => undefined);
  if (interruptAt === undefined) child.stdin.end(input ?? "");
  else if (input !== undefined) child.stdin.write(input);
  const exitCode = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? (signal === "SIGINT" ? 130 : 255)));
  });
  await Promise.all(meanwhile);
  return { exitCode, ...printed };
}
