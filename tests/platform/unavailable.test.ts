import { stringify } from "superjson";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newToken } from "../../server/access/authenticator.ts";
import { loadConfig } from "../../server/ops/config/config.ts";
import { openDatabase, type Database } from "../../server/database/database.ts";
import { startServer, type RunningServer } from "../../server/start.ts";
import { emptyDatabase } from "../support/database.ts";
import { problemOf } from "../support/problems.ts";
import { RestClient } from "../support/rest-client.ts";
import { adminPassword, useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();

test("during shutdown the instance is not ready and refuses new calls with Retry-After", async () => {
  zw.services.health.drain();
  expect(await zw.nobody.get("/readyz")).toMatchObject({ status: 503, body: { ready: false, draining: true } });
  expect(await zw.nobody.get("/healthz")).toMatchObject({ status: 200 });
  const answer = await zw.admin.get("/api/domains");
  problemOf(answer, 503, "UNAVAILABLE");
  expect(answer.headers.get("connection")).toBe("close");
});

describe("calls without a database", () => {
  let away: RunningServer;
  let dead: Database;
  beforeAll(async () => {
    const alive = await emptyDatabase();
    dead = await openDatabase({ databaseUrl: "postgres://nobody@127.0.0.1:1/nothing", dataDir: "memory" });
    let current = alive;
    const config = loadConfig({
      PORT: "0",
      DATA_DIR: `${zw.dataDir}/away`,
      ADMIN_PASSWORD: adminPassword,
      LOG_LEVEL: "silent",
      JOBS: "off",
    });
    const database = { ...alive, fork: () => current.fork(), ready: () => current.ready() };
    away = await startServer(config, { announce: () => undefined, database });
    current = dead;
  });
  afterAll(async () => {
    await away.stop();
    await dead.close();
  });

  test("without a database, calls return 503 with Retry-After, over REST and tRPC", async () => {
    const client = new RestClient(away.url);
    const credentials = { username: "admin", password: adminPassword };
    problemOf(await client.post("/api/auth/login", credentials), 503, "UNAVAILABLE");
    const trpc = await client.post("/trpc/auth.login", stringify(credentials));
    expect(trpc).toMatchObject({ status: 503, body: { error: { json: { data: { code: "UNAVAILABLE" } } } } });
    expect(trpc.headers.get("retry-after")).toMatch(/^\d+$/);
  });

  test("without a database, a malformed personal token is still refused, because it needs no lookup", async () => {
    const token = newToken("zw");
    const mistyped = `${token.slice(0, -1)}${token.endsWith("a") ? "b" : "a"}`;
    const cases = { [token]: 503, [mistyped]: 401, [newToken("acme")]: 401 };
    for (const [bearer, status] of Object.entries(cases)) {
      const answer = await new RestClient(away.url, bearer).get("/api/v1/domains");
      expect(answer).toBeProblem(status, status === 503 ? "UNAVAILABLE" : "UNAUTHORIZED");
    }
  });

  test("without a database, the process is healthy but not ready", async () => {
    const client = new RestClient(away.url);
    expect(await client.get("/healthz")).toMatchObject({ status: 200, body: { status: "ok" } });
    expect(await client.get("/readyz")).toMatchObject({
      status: 503,
      body: { ready: false, database: "unavailable", draining: false },
    });
  });
});
