import { readdir, rm, mkdtemp } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ConfigError, loadConfig } from "../../server/ops/config/config.ts";
import { lockFolder } from "../../server/database/lock-file.ts";
import { version } from "../../server/platform/version.ts";
import { startServer } from "../../server/start.ts";
import { emptyDatabase } from "../support/database.ts";
import { placeMigratedCluster } from "../support/migrated-cluster.ts";
import { programEnv, startProgram, type RunningProgram } from "../support/programs.ts";
import { problemOf } from "../support/problems.ts";
import { parseAnswer, RawConnection } from "../support/raw-http.ts";
import { RestClient } from "../support/rest-client.ts";
import { serviceArguments } from "../support/service-process.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonewright-start-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

function start(env: Record<string, string>) {
  return startProgram(process.execPath, serviceArguments, /"database":.*\n|database {2}.*\n/, {
    env: { ...programEnv, PORT: "0", ...env },
  });
}

async function refusedStart(env: Record<string, string>): Promise<string> {
  try {
    const program = await start(env);
    await program.stop("SIGKILL");
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("It started.");
}

const urlOf = (program: RunningProgram) => /listening on (http:[^\s"]+)/.exec(program.output())?.[1] ?? "";
const passwordOf = (program: RunningProgram) => /shown only once: ([^\s"]+)/.exec(program.output())?.[1];

/** A program's output, in which each line must be a JSON object with a level and a message. */
function jsonLines(printed: string): Record<string, unknown>[] {
  return printed
    .trimEnd()
    .split("\n")
    .map((line) => {
      const object = JSON.parse(line) as Record<string, unknown>;
      expect(object).toMatchObject({ level: expect.any(Number), time: expect.any(Number), msg: expect.any(String) });
      return object;
    });
}

test("an operator starts the service, sees its URLs, and stops it without losing a request", async () => {
  const dataDir = join(folder, "data");
  // Making a cluster takes seconds of computing; the services suite starts without one.
  await placeMigratedCluster(dataDir);
  const first = await start({ DATA_DIR: dataDir });
  const password = passwordOf(first) ?? "";
  expect(password.length).toBeGreaterThanOrEqual(20);
  const [notice, banner] = jsonLines(first.output()).slice(-2);
  expect(notice?.["msg"]).toContain('Administrator "admin" created.');
  expect(banner).toMatchObject({
    console: urlOf(first).replace("127.0.0.1", "localhost"),
    api: expect.stringContaining(`${urlOf(first)}/api `),
    documentation: `${urlOf(first)}/api/docs`,
    zoneFiles: join(dataDir, "zones"),
    database: join(dataDir, "database"),
  });
  const { status } = await new RestClient(urlOf(first)).post("/api/auth/login", { username: "admin", password });
  expect(status).toBe(200);

  const refused = await refusedStart({ DATA_DIR: dataDir });
  expect(refused).toMatch(/ended with 1 /);
  expect(refused).toContain(`${dataDir} is in use by process ${first.pid}; stop it first`);
  expect(refused).not.toMatch(/ {4}at /);

  // Killed without cleanup: the lock remains and is taken over.
  await first.stop("SIGKILL");
  expect(await readdir(dataDir)).toContain("lock");
  const second = await start({ DATA_DIR: dataDir, LOG_LEVEL: "trace" });
  expect(passwordOf(second)).toBeUndefined();

  const secrets = await useTokens(new RestClient(urlOf(second)), password);

  // The service has received the head of this request, and is asked to stop before it gets the body.
  const login = JSON.stringify({ username: "admin", password });
  const open = new RawConnection(urlOf(second));
  const head = ["POST /api/auth/login HTTP/1.1", "Host: localhost", "Content-Type: application/json"];
  open.write([...head, `Content-Length: ${login.length}`, "Expect: 100-continue", "", ""].join("\r\n"));
  await open.receive(/100 Continue/);
  const idle = new RawConnection(urlOf(second));
  idle.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await idle.receive(/"ok"/);
  const stopped = second.stop("SIGTERM");
  await idle.end();
  await expect(fetch(`${urlOf(second)}/readyz`)).rejects.toThrow("fetch failed");
  open.write(login);
  const answer = parseAnswer(await open.receive(/\r\n\r\n\{.*\}$/));
  expect(answer).toMatchObject({ status: 200, body: { user: { username: "admin" } } });
  expect(await stopped).toBe(0);
  await open.end();
  expect(await readdir(dataDir)).not.toContain("lock");
  const reported = jsonLines(second.output()).map(({ msg }) => msg);
  expect(reported).toContain("SIGTERM: finishing open requests");
  expect(reported.at(-1)).toBe("Zonewright has stopped.");

  for (const secret of [...secrets, password, answer.body.accessToken, answer.body.refreshToken])
    expect(second.output()).not.toContain(secret);
});

/** Makes valid and invalid calls with tokens. @returns all of the tokens */
async function useTokens(client: RestClient, password: string): Promise<string[]> {
  const { body: session } = await client.post("/api/auth/login", { username: "admin", password });
  const { body: renewed } = await client.post("/api/auth/refresh", undefined, {
    cookie: `refresh_token=${session.refreshToken}`,
  });
  client.token = renewed.accessToken;
  await client.get("/api/auth/me");
  await client.post("/api/auth/refresh", { refreshToken: [renewed.refreshToken] });
  await client.post("/api/auth/login", { username: renewed.refreshToken, password: renewed.accessToken });
  await client.post("/api/auth/login", `{"username":"admin","password":"${password}"`);
  await client.get(`/api/domains?search=${renewed.accessToken}`);
  await client.get(`/api/${renewed.accessToken}`);
  await client.post("/api/auth/logout", { refreshToken: renewed.refreshToken });
  await client.get("/api/auth/me");
  return [session.accessToken, session.refreshToken, renewed.accessToken, renewed.refreshToken];
}

test("LOG_FORMAT=text prints a human-readable startup message", async () => {
  await placeMigratedCluster(join(folder, "text"));
  const program = await start({ DATA_DIR: join(folder, "text"), LOG_FORMAT: "text" });
  expect(await program.stop("SIGTERM")).toBe(0);
  const url = urlOf(program);
  expect(program.output()).toContain(
    [
      `Administrator "admin" created. Password, shown only once: ${passwordOf(program)}`,
      `Zonewright ${version} is listening on ${url}`,
      `  console        ${url.replace("127.0.0.1", "localhost")}`,
      `  API            ${url}/api (tRPC: ${url}/trpc)`,
      `  documentation  ${url}/api/docs`,
      `  zone files     ${join(folder, "text", "zones")}`,
      `  database       ${join(folder, "text", "database")}`,
      "SIGTERM: finishing open requests",
      "Zonewright has stopped.",
      "",
    ].join("\n"),
  );
});

test("a failed start prints one line of JSON if the output is not a terminal", async () => {
  const printed = await refusedStart({ DATA_DIR: join(folder, "other"), PORT: "http", JOBS: "maybe" });
  expect(jsonLines(printed.slice(printed.indexOf("\n") + 1))).toEqual([
    expect.objectContaining({
      level: 60,
      msg: "Zonewright failed to start.",
      reason: "PORT must be a whole number from 0 to 65535.\nJOBS must be on or off.",
    }),
  ]);
});

test("an invalid variable stops the start with exit code 1 and a sentence, not a stack trace", async () => {
  const env = { DATA_DIR: join(folder, "other"), PORT: "http", JOBS: "maybe", LOG_FORMAT: "text" };
  const printed = await refusedStart(env);
  expect(printed).toMatch(/ended with 1 /);
  expect(printed).toContain(
    "Zonewright failed to start.\nPORT must be a whole number from 0 to 65535.\nJOBS must be on or off.\n",
  );
  expect(printed).not.toMatch(/ {4}at /);
});

/** The error message of a failing start; fails the test if the start succeeds. */
async function blame(env: Record<string, string>): Promise<string> {
  const config = loadConfig({ DATA_DIR: join(folder, "blame"), PORT: "0", LOG_LEVEL: "silent", JOBS: "off", ...env });
  const database = env["DATABASE_URL"] === undefined ? { database: await emptyDatabase() } : {};
  const failure = await startServer(config, { announce: () => undefined, ...database }).then(
    () => new Error("It started."),
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(ConfigError);
  // Everything that was opened is closed again, so the directory is free.
  (await lockFolder(join(folder, "blame")))();
  return (failure as ConfigError).message;
}

describe("startup errors name their variable", () => {
  test("a port in use is reported with PDNS_LISTEN, and the service does not run without it", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    expect(await blame({ PDNS_LISTEN: `127.0.0.1:${port}` })).toBe(
      `PDNS_LISTEN: 127.0.0.1:${port} is taken by another program; choose another port.`,
    );
    await new Promise((resolve) => server.close(resolve));
  });

  test("a port in use is reported with PORT", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    expect(await blame({ PORT: String(port) })).toBe(
      `PORT: ${port} is taken by another program; set PORT to a free one.`,
    );
    await new Promise((resolve) => other.close(resolve));
  });

  test("an address that this machine does not have is reported with HOST", async () => {
    expect(await blame({ HOST: "192.0.2.1" })).toMatch(/^HOST: 192\.0\.2\.1 is not an address of this machine/);
  });

  test("an unreachable database server is reported with DATABASE_URL", async () => {
    expect(await blame({ DATABASE_URL: "postgres://zonewright:secret@127.0.0.1:1/zonewright" })).toMatch(
      /^DATABASE_URL: the database server cannot be reached \(.*ECONNREFUSED/,
    );
  });
});

test("a request that is not HTTP gets a problem document", async () => {
  const server = await startServer(
    loadConfig({ DATA_DIR: join(folder, "raw"), PORT: "0", LOG_LEVEL: "silent", ADMIN_PASSWORD: "long enough for it" }),
    { announce: () => undefined, database: await emptyDatabase() },
  );
  const requests = [
    "NONSENSE\r\n\r\n",
    "GET /api/auth/me HTTP/1.1\r\nHost: localhost\r\nBad Header\r\n\r\n",
    `GET /api/auth/me HTTP/1.1\r\nHost: localhost\r\nX-Long: ${"x".repeat(20_000)}\r\n\r\n`,
    "POST /api/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: many\r\n\r\n",
  ];
  for (const request of requests) {
    const connection = new RawConnection(server.url);
    connection.write(request);
    expect(problemOf(parseAnswer(await connection.end()), 400, "BAD_REQUEST").detail).toMatch(/^The request/);
  }
  await server.stop();
});
