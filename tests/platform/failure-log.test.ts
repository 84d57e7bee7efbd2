import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "superjson";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { loadConfig } from "../../server/ops/config/config.ts";
import { openDatabase, queries, type Database } from "../../server/database/database.ts";
import { startServer, type RunningServer } from "../../server/start.ts";
import { Clock, second } from "../support/clock.ts";
import { emptyDatabase } from "../support/database.ts";
import { RestClient, type Answer } from "../support/rest-client.ts";
import { adminPassword, memberPassword } from "../support/zonewright.ts";

const clock = new Clock();
const lines: string[] = [];
let server: RunningServer;
let dataDir: string;
let alive: Database;
let dead: Database;
let current: Database;
let admin: RestClient;
let member: RestClient;
let memberId: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "zonewright-failures-"));
  current = alive = await emptyDatabase();
  dead = await openDatabase({ databaseUrl: "postgres://nobody@127.0.0.1:1/nothing", dataDir: "memory" });
  const database = { ...alive, fork: () => current.fork(), ready: () => current.ready() };
  const env = { PORT: "0", DATA_DIR: dataDir, ADMIN_PASSWORD: adminPassword, LOG_LEVEL: "info", JOBS: "off" };
  server = await startServer(loadConfig(env), {
    announce: () => undefined,
    database,
    now: clock.now,
    logTo: { write: (line) => lines.push(line) },
  });
  const { users } = server.services;
  const user = { username: "member", password: memberPassword, email: null, role: "member" } as const;
  memberId = (await users.create(alive.fork(), user)).id;
  admin = await signIn("admin", adminPassword);
  member = await signIn("member", memberPassword);
});
afterAll(async () => {
  await server.stop();
  await dead.close();
  await rm(dataDir, { recursive: true, force: true });
});
beforeEach(() => {
  lines.length = 0;
});

async function signIn(username: string, password: string): Promise<RestClient> {
  const client = new RestClient(server.url);
  client.token = (await client.post("/api/auth/login", { username, password })).body.accessToken;
  return client;
}

/** The only log line of a call, which must name the call's request. */
function lineOf(answer: Answer): Record<string, unknown> {
  expect(lines).toHaveLength(1);
  const line = JSON.parse(lines.pop() ?? "{}") as Record<string, unknown>;
  expect(line["requestId"]).toBe(answer.headers.get("x-request-id"));
  expect(line["level"]).toBe(40);
  return line;
}

/** Makes the same call over REST and tRPC. */
async function bothWays(
  client: RestClient,
  path: string,
  procedure: string,
  input: object,
  check: (line: Record<string, unknown>) => void,
): Promise<void> {
  const calls = [() => client.post(path, input), () => client.post(`/trpc/${procedure}`, stringify(input))];
  for (const call of calls) {
    const answer = await call();
    expect(answer.status).toBeGreaterThanOrEqual(400);
    check(lineOf(answer));
  }
}

/** Makes the database refuse new provider configurations. */
async function refusing(statement: string, work: () => Promise<void>): Promise<void> {
  const db = queries(alive.fork());
  const body = sql.lit(`begin ${statement}; end`);
  await sql`create function test_fault() returns trigger language plpgsql as ${body}`.execute(db);
  await sql`create trigger test_fault before insert on provider_configs execute function test_fault()`.execute(db);
  try {
    await work();
  } finally {
    await sql`drop function test_fault cascade`.execute(db);
  }
}

describe("a failed call is logged in one line", () => {
  test("an unreachable database is logged once, with its error", async () => {
    current = dead;
    try {
      const credentials = { username: "admin", password: adminPassword };
      await bothWays(new RestClient(server.url), "/api/auth/login", "auth.login", credentials, (line) =>
        expect(line).toMatchObject({
          code: "UNAVAILABLE",
          procedure: "auth.login",
          err: { message: expect.stringContaining("ECONNREFUSED"), stack: expect.any(String) },
        }),
      );
    } finally {
      current = alive;
    }
  });

  test.each([
    ["23503", "CONFLICT", "wrong"],
    ["22021", "BAD_REQUEST", '"the-value" is wrong'],
  ])("the database's refusal %s is logged once, without the value", async (sqlState, code, message) => {
    await refusing(`raise exception '${message}' using errcode = '${sqlState}', detail = 'the-value'`, async () => {
      const input = { kind: "manual", name: "the-value" };
      await bothWays(admin, "/api/provider-configs", "providerConfigs.create", input, (line) => {
        expect(line).toMatchObject({ code, err: { code: sqlState } });
        expect(JSON.stringify(line)).not.toContain("the-value");
      });
    });
  });

  test("a DNS provider's failure is logged once, with its cause", async () => {
    const config = { kind: "zonefile", name: "Missing", config: { folder: "missing" } };
    const { body } = await admin.post("/api/provider-configs", config);
    const answer = await admin.get(`/api/provider-configs/${body.id}/zones`);
    expect(lineOf(answer)).toMatchObject({
      code: "PROVIDER_ERROR",
      procedure: "providerConfigs.zones",
      err: { type: "ProviderError", message: expect.stringContaining("missing") },
    });
  });

  test("a failed zone in an import is logged once, with the zone's name", async () => {
    const { body } = await admin.get("/api/provider-configs");
    const embedded = body.configs.find(({ name }: { name: string }) => name === "Embedded zone files");
    await writeFile(join(dataDir, "zones", "broken.example.zone"), "@ SOA a b 1 2 3 4 5\nwww A x\n");
    const answer = await admin.post(`/api/provider-configs/${embedded.id}/import`, {
      zones: ["broken.example", "unknown.example"],
    });
    expect(answer.status).toBe(200);
    expect(lineOf(answer)).toMatchObject({ code: "PROVIDER_ERROR", zone: "broken.example" });
  });

  test("a wrong password is logged once, with the user's name and never the password", async () => {
    const nobody = new RestClient(server.url);
    for (const [username, reported] of [
      ["Admin", "admin"],
      ["typed-into-the-wrong-field", null],
    ]) {
      await bothWays(nobody, "/api/auth/login", "auth.login", { username, password: "a wrong password" }, (line) => {
        expect(line).toMatchObject({ code: "UNAUTHORIZED", username: reported, ip: expect.any(String) });
        expect(JSON.stringify(line)).not.toMatch(/a wrong password|typed-into/);
      });
    }
  });

  test("a reused refresh token is logged once, with the session", async () => {
    const nobody = new RestClient(server.url);
    const { body } = await nobody.post("/api/auth/login", { username: "member", password: memberPassword });
    await nobody.post("/api/auth/refresh", { refreshToken: body.refreshToken });
    clock.advance(11 * second);
    const reused = await nobody.post("/api/auth/refresh", { refreshToken: body.refreshToken });
    const line = lineOf(reused);
    expect(line).toMatchObject({ msg: expect.stringContaining("used again"), userId: memberId });
    expect(JSON.stringify(line)).not.toContain(body.refreshToken);
    await nobody.post("/api/auth/refresh", { refreshToken: body.refreshToken });
    expect(lines).toEqual([]);
  });

  test("a member's call of an administrator procedure is logged once", async () => {
    const input = { kind: "manual", name: "Mine" };
    await bothWays(member, "/api/provider-configs", "providerConfigs.create", input, (line) =>
      expect(line).toMatchObject({ code: "FORBIDDEN", userId: memberId, procedure: "providerConfigs.create" }),
    );
  });
});

test("mistakes of a caller are reported to the caller and not logged", async () => {
  await admin.post("/api/domains", {});
  await admin.post("/api/domains", "{");
  await admin.get("/api/domains/7");
  await admin.get("/api/nothing");
  await admin.get("/trpc/no.thing");
  await new RestClient(server.url).get("/api/domains");
  await new RestClient(server.url).post("/api/auth/refresh", { refreshToken: "unknown" });
  expect(lines).toEqual([]);
});

test.each([
  ["/nic/update?hostname=home.example.com", "dyndns2 call refused"],
  ["/api/auth/oauth/github/callback?state=unknown", "external sign-in failed"],
])("calls of %s that anybody can make are logged twenty times a minute", async (path, message) => {
  const nobody = new RestClient(server.url);
  for (let call = 0; call < 25; call++) await nobody.get(path);
  expect(lines.filter((line) => line.includes(message))).toHaveLength(20);
});
