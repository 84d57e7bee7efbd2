import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadConfig } from "../../../../server/ops/config/config.ts";
import { queries, type Database } from "../../../../server/database/database.ts";
import { startServer } from "../../../../server/start.ts";
import { codeAt, setUpApp, step } from "../../../support/second-factors/authenticator-app.ts";
import { Clock } from "../../../support/clock.ts";
import { emptyDatabase } from "../../../support/database.ts";
import { problemOf } from "../../../support/problems.ts";
import { RestClient, type Answer } from "../../../support/rest-client.ts";
import { adminPassword } from "../../../support/zonewright.ts";

const clock = new Clock();
const [older, newer] = ["o".repeat(32), "n".repeat(32)];
let dataDir: string;
let database: Database;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "zonewright-factors-"));
  database = await emptyDatabase();
});
afterAll(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

async function withKeys<T>(keys: string, work: (client: RestClient) => Promise<T>): Promise<T> {
  const env = { PORT: "0", DATA_DIR: dataDir, ADMIN_PASSWORD: adminPassword, LOG_LEVEL: "silent", JOBS: "off" };
  const server = await startServer(loadConfig({ ...env, SECRET_KEYS: keys }), {
    announce: () => undefined,
    database,
    now: clock.now,
  });
  try {
    return await work(new RestClient(server.url));
  } finally {
    await server.stop();
  }
}

async function pendingIn(client: RestClient): Promise<RestClient> {
  const { body } = await client.post("/api/auth/login", { username: "admin", password: adminPassword });
  return new RestClient(client.url, body.tempToken);
}

async function verify(client: RestClient, proof: object): Promise<Answer> {
  return await (await pendingIn(client)).post("/api/2fa/verify", proof);
}

/** Everything in the tables of second factors. */
async function stored(): Promise<string> {
  const tables = ["totp_factors", "recovery_codes", "sign_in_challenges"];
  const found = await Promise.all(
    tables.map((table) =>
      sql<{ row: string }>`select t::text as row from ${sql.table(table)} t`.execute(queries(database.fork())),
    ),
  );
  return found.flatMap(({ rows }) => rows.map(({ row }) => row)).join("\n");
}

test("secrets, codes and tokens are not stored in plain text, and app secrets are re-encrypted when keys rotate", async () => {
  const { secret, recoveryCodes } = await withKeys(older, async (client) => {
    const { body } = await client.post("/api/auth/login", { username: "admin", password: adminPassword });
    client.token = body.accessToken;
    const secret = await setUpApp(client, clock.now());
    const { body: enabled } = await client.post("/api/2fa/totp/enable", { code: codeAt(secret, clock.now()) });
    const { token } = await pendingIn(client);
    const rows = await stored();
    expect(rows).toMatch(/v1\.[0-9a-f]{16}\./);
    expect(rows).not.toContain(secret);
    expect(rows).not.toContain(token);
    for (const code of enabled.recoveryCodes as string[]) {
      expect(rows).not.toContain(code);
      expect(rows).not.toContain(code.replaceAll("-", ""));
    }
    return { secret, recoveryCodes: enabled.recoveryCodes as string[] };
  });
  const sealedByOlder = await stored();

  const totp = () => {
    clock.advance(step);
    return { method: "totp", code: codeAt(secret, clock.now()) };
  };
  await withKeys(`${newer},${older}`, async (client) => {
    expect(await stored()).not.toBe(sealedByOlder);
    expect((await verify(client, totp())).status).toBe(200);
  });
  await withKeys(newer, async (client) => {
    expect((await verify(client, totp())).status).toBe(200);
    expect((await verify(client, { method: "recovery", code: recoveryCodes[0] })).status).toBe(200);
  });
  // Without its key the app cannot be used, and the error says so; recovery codes still work.
  await withKeys("x".repeat(32), async (client) => {
    const answer = await verify(client, totp());
    expect(problemOf(answer, 401, "UNAUTHORIZED").detail).toMatch(/can no longer be read/);
    expect((await verify(client, { method: "recovery", code: recoveryCodes[1] })).status).toBe(200);
  });
});
