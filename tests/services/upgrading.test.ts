import { execFile } from "node:child_process";
import { cp, lstat, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startArguments, thisCheckout } from "../../bench/support/start-script.ts";
import { page } from "../support/markdown.ts";
import { placeMigratedCluster } from "../support/migrated-cluster.ts";
import { patience } from "../support/patience.ts";
import { programEnv, startProgram } from "../support/programs.ts";
import { RestClient } from "../support/rest-client.ts";
import { adminPassword } from "../support/zonewright.ts";

const run = promisify(execFile);
let parent: string;
let dataDir: string;
let upgraded: Awaited<ReturnType<typeof start>>;
beforeAll(async () => {
  // Beside the checkout, so that packages can be linked instead of copied.
  parent = await mkdtemp(join(dirname(join(thisCheckout, ".")), "zonewright-upgrading-"));
  dataDir = join(parent, "data");
  await mkdir(dataDir, { mode: 0o700 });
  await placeMigratedCluster(dataDir);
});
afterAll(() => rm(parent, { recursive: true, force: true }));

/** Makes an installation of this checkout as the page says, with the packages of this one in place of `npm ci`. */
async function install(name: string): Promise<string> {
  const folder = join(parent, name);
  await mkdir(folder);
  await run("sh", ["-c", `git ls-files -co --exclude-standard | tar -cf - -T - | tar -xf - -C "$0"`, folder], {
    cwd: thisCheckout,
  });
  const packages = await readdir(join(thisCheckout, "node_modules"));
  // Not the caches, such as `.vitest-cache`: other tests write into them meanwhile, and `npm ci` makes none.
  const installed = packages.filter(
    (name) => !name.startsWith(".") || name === ".bin" || name === ".package-lock.json",
  );
  const copied = installed.map((name) => join(thisCheckout, "node_modules", name));
  const modules = join(folder, "node_modules");
  await mkdir(modules);
  await run("cp", ["-al", ...copied, modules]).catch(() => run("cp", ["-a", ...copied, modules]));
  for (const page of ["web/dist", "web/dist-reference"])
    await cp(join(thisCheckout, page), join(folder, page), { recursive: true });
  await run("npm", ["run", "slim"], { cwd: folder });
  return folder;
}

async function start(folder: string) {
  const program = await startProgram(
    join(folder, "node_modules/.bin/node"),
    startArguments(folder),
    /listening on (http:[^\s"]+)/,
    {
      env: {
        ...programEnv,
        DATA_DIR: dataDir,
        PORT: "0",
        LOG_LEVEL: "debug",
        ADMIN_PASSWORD: adminPassword,
        RATE_LIMIT: "off",
        RATE_LIMIT_COSTLY: "off",
        SECRET_KEYS: "k".repeat(32),
        RDAP_BOOTSTRAP_URL: "http://127.0.0.1:9/dns.json",
        WHOIS_SERVER: "127.0.0.1:9",
        RESOLVER_ROOTS: "127.0.0.1:9",
      },
    },
  );
  await vi.waitFor(() => expect(program.output()).toContain("All modules are loaded."), patience);
  const client = new RestClient(program.ready[1] ?? "");
  const { status, body } = await client.post("/api/auth/login", { username: "admin", password: adminPassword });
  expect(status).toBe(200);
  client.token = body.accessToken;
  return { program, client };
}

/** Space on the disk in MiB. */
async function sizeOf(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  let blocks = 0;
  for (const file of files) ({ blocks } = { blocks: blocks + (await lstat(join(file.parentPath, file.name))).blocks });
  return (blocks * 512) / 2 ** 20;
}

/** Calls whose modules load with the first of them, and the answers of a service that has them all. */
const lateCalls: [method: "get" | "post", path: string, body: object | undefined, status: number][] = [
  ["get", "/api/openapi.json", undefined, 200],
  ["post", "/api/2fa/totp/setup", {}, 200],
  ["post", "/api/2fa/passkeys/options", {}, 200],
  ["post", "/api/auth/passkey/options", {}, 200],
  ["post", "/api/domains/check-expiry-preview", { domain: "example.com" }, 200],
];

async function answers(client: RestClient): Promise<[string, number][]> {
  const made: [string, number][] = [];
  for (const [method, path, body] of lateCalls) {
    const { status } = method === "get" ? await client.get(path) : await client.post(path, body);
    made.push([path, status]);
  }
  return made;
}

test("an upgrade as the page says leaves a service under load whole until it stops, keeps its data, and needs 230 MB at most", async () => {
  const { blocks } = await page("docs/operations/deployment.md");
  const { code = "" } = blocks.find(({ code: text }) => text.includes("zonewright.old")) ?? {};
  expect(code.trim().split("\n")).toEqual([
    "cd /opt/zonewright.new && npm ci && npm run slim",
    "systemctl stop zonewright",
    "mv -T /opt/zonewright /opt/zonewright.old && mv -T /opt/zonewright.new /opt/zonewright",
    "systemctl start zonewright",
  ]);
  const folder = await install("zonewright");
  expect(await sizeOf(join(folder, "node_modules"))).toBeLessThan(230);
  const { program, client } = await start(folder);
  expect((await client.post("/api/domains", { name: "kept.example" })).status).toBe(201);
  const stopping = new AbortController();
  const seen = new Set<number>();
  const load = async () => {
    while (!stopping.signal.aborted) {
      seen.add((await client.get("/api/domains")).status);
      // Leaves the processor to the installation.
      await setTimeout(20);
    }
  };
  const loading = load();
  const next = await install("zonewright.new");
  stopping.abort();
  await loading;
  expect([...seen]).toEqual([200]);
  expect(await program.stop("SIGTERM")).toBe(0);
  await rename(folder, join(parent, "zonewright.old"));
  await rename(next, folder);
  upgraded = await start(folder);
  const { domains } = (await upgraded.client.get("/api/domains")).body;
  expect(domains).toEqual([expect.objectContaining({ name: "kept.example" })]);
});

test("a running service answers every call after its modules are gone", async () => {
  const folder = join(parent, "zonewright");
  for (const modules of ["node_modules", "server"])
    await rename(join(folder, modules), join(folder, `${modules}.gone`));
  expect(await answers(upgraded.client)).toEqual(lateCalls.map(([, path, , status]) => [path, status]));
  expect(await upgraded.program.stop("SIGTERM")).toBe(0);
});
