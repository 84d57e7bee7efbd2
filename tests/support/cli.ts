import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { EventEmitter } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { promisify } from "node:util";
import { runInThisContext } from "node:vm";
import { afterAll, beforeAll } from "vitest";
import manifest from "../../cli/package.json" with { type: "json" };
import { cacheFolder } from "./cache-folder.ts";
import { programEnv, type Finished } from "./programs.ts";
import type { Zonewright } from "./zonewright.ts";

const root = join(import.meta.dirname, "../..");
const cache = join(cacheFolder, "cli");

/** Returns the built program, built anew only for other sources. */
export async function builtCli(): Promise<string> {
  return join(await builtFolder(), "dist/zonewright.js");
}

async function builtFolder(): Promise<string> {
  const folder = join(cache, await hashOfSources());
  if (!existsSync(folder)) await build(folder);
  return folder;
}

/** Several processes may do this at the same time: each ends with a whole folder. */
async function build(folder: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const made = await mkdtemp(join(cache, "building-"));
  await Promise.all([bundle(join(made, "dist")), bundle("--single", join(made, "program.cjs"), "program.ts")]);
  await writeFile(join(made, "package.json"), '{ "type": "module" }');
  await rename(made, folder).catch(() => rm(made, { recursive: true, force: true }));
}

const bundle = (...args: string[]) => promisify(execFile)(process.execPath, [join(root, "cli/build.ts"), ...args]);

/** Of all that may be bundled. Lists no folder of a build: another worker that packs the program replaces it meanwhile. */
async function hashOfSources(): Promise<string> {
  const folders = ["cli/src", "client-sdk/src", "server/dns", "server/platform"];
  const found = await Promise.all(
    folders.map((folder) => readdir(join(root, folder), { recursive: true, withFileTypes: true })),
  );
  const files = found
    .flat()
    .filter((entry) => entry.isFile() && /\.(?:ts|json)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .concat(["cli/build.ts", "cli/package.json"].map((file) => join(root, file)));
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
  let folder = "";
  let token = "";
  let configFolder = "";
  beforeAll(async () => {
    folder = await builtFolder();
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
    const { interruptAt, interruptWhen } = options;
    // Signals and the variables of Node itself reach only a process.
    const ofNode = Object.keys(options.env ?? {}).some((name) => name.startsWith("NODE_"));
    const within = interruptAt === undefined && interruptWhen === undefined && !ofNode;
    return await (within ? runWithin : runProcess)(folder, args, env, options);
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

type Env = Record<string, string | undefined>;

/** Looks at what a program prints, and acts when it prints what is awaited. */
function printedBy(awaited: readonly { pattern?: RegExp | undefined; act?: (() => Promise<unknown>) | undefined }[]) {
  const printed = { stdout: "", stderr: "" };
  const open = awaited.map((one) => ({ ...one }));
  const meanwhile: Promise<unknown>[] = [];
  const take = (from: keyof typeof printed) => (text: string) => {
    printed[from] += text;
    for (const one of open) {
      if (one.pattern?.test(printed.stdout + printed.stderr) !== true) continue;
      delete one.pattern;
      meanwhile.push(one.act?.() ?? Promise.resolve());
    }
  };
  return { printed, take, acted: () => Promise.all(meanwhile) };
}

/** Runs it as a process: for what only a process can show. */
async function runProcess(folder: string, args: readonly string[], env: Env, options: CliOptions): Promise<Finished> {
  const { input, interruptAt, interruptWhen, once } = options;
  const program = join(folder, "dist/zonewright.js");
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ["pipe", "pipe", "pipe"] });
  const { printed, take, acted } = printedBy([
    { pattern: once?.printed, act: once?.act },
    { pattern: interruptAt, act: () => Promise.resolve(child.kill("SIGINT")) },
  ]);
  void interruptWhen?.then(() => child.kill("SIGINT"));
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
  await acted();
  return { exitCode, ...printed };
}

interface Program {
  run(args: readonly string[], version: string): Promise<void>;
}

/** Evaluates the program anew, with these in place of the globals of CommonJS and of the process. */
type Evaluate = (
  module: { exports: unknown },
  exports: unknown,
  require: (id: string) => unknown,
  process: object,
) => void;

let evaluate: Evaluate | undefined;

/** A script that is evaluated like this cannot import: Node would print a warning. */
const wrapped = (code: string) =>
  `(module, require, load, process) => { const exports = module.exports; ${code.replaceAll(/\bimport\((?=`|\w\))/g, "load(")}\n}`;

/** Runs it within this process, where Node need not start and the program's code is compiled once: a process takes twenty times as long. */
async function runWithin(folder: string, args: readonly string[], env: Env, options: CliOptions): Promise<Finished> {
  const file = join(folder, "program.cjs");
  evaluate ??= runInThisContext(wrapped(readFileSync(file, "utf8")), { filename: file }) as Evaluate;
  const { printed, take, acted } = printedBy([{ pattern: options.once?.printed, act: options.once?.act }]);
  const { own, exited } = ownProcess(args, env, options.input ?? "", take);
  const needed = createRequire(file);
  const modules: Record<string, unknown> = {
    process: own,
    os: { ...(needed("node:os") as object), homedir: () => env["HOME"] },
  };
  const module = { exports: {} };
  const find = (id: string) => modules[id.replace(/^node:/, "")] ?? needed(id);
  evaluate(module, find, (id) => import(id), own);
  await Promise.race([(module.exports as Program).run(args, manifest.version), exited]);
  await acted();
  return { exitCode: own.exitCode ?? 0, ...printed };
}

/** A process of its own, as far as a program without threads and signals can see. */
function ownProcess(
  args: readonly string[],
  env: Env,
  input: string,
  take: (from: "stdout" | "stderr") => (text: string) => void,
) {
  const events = new EventEmitter();
  const { promise: exited, resolve: exit } = Promise.withResolvers<void>();
  const output = (from: "stdout" | "stderr") => {
    const taken = take(from);
    return new Writable({
      decodeStrings: false,
      write(chunk: string | Uint8Array, _encoding, done) {
        taken(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString());
        done();
      },
    });
  };
  const own = {
    argv: [process.execPath, "zonewright", ...args],
    env,
    stdin: Readable.from(input === "" ? [] : [Buffer.from(input)]),
    stdout: output("stdout"),
    stderr: output("stderr"),
    exitCode: undefined as number | undefined,
    exit(code?: number): never {
      own.exitCode = code ?? own.exitCode;
      exit();
      throw new Error("The program has ended.");
    },
    on: events.on.bind(events),
    once: events.once.bind(events),
    off: events.off.bind(events),
  };
  return { own: Object.setPrototypeOf(own, process) as typeof own, exited };
}

/** Adds a domain with the records of a zone file. @returns its name */
export async function domainWith(zonewright: Zonewright, name: string, zonefile: string): Promise<string> {
  const { body } = await zonewright.admin.post("/api/domains", { name });
  await zonewright.admin.post(`/api/domains/${(body as { id: string }).id}/zonefile`, { zonefile });
  return name;
}
