import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { btree_gin } from "@electric-sql/pglite/contrib/btree_gin";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../server/ops/config/config.ts";
import { startServer, type RunningServer } from "../../server/start.ts";
import { placeEmptyCluster } from "../support/empty-cluster.ts";
import { RestClient } from "../support/rest-client.ts";
import { codeAt } from "../support/second-factors/authenticator-app.ts";
import { createDatabase } from "../support/servers/postgres.ts";
import { accounts, secretKeys, type Fixture } from "./fixture.ts";

/** Stored installations, made by make-fixture.ts from a checkout each: of 0.1.0, with rows in every table, and of a commit between releases. */
const versions = ["0.1.0", "2026-11-30"];

let folder: string;
let fixture: Fixture;
let server: RunningServer;
let admin: RestClient;
const clock = { time: 0 };
let databases = 0;

/** Puts the stored database where the service finds it, embedded or on the server of the suite. @returns its address */
async function restore(sql: string): Promise<Record<string, string>> {
  const postgres = process.env["TEST_DATABASE_URL"];
  if (postgres === undefined) {
    await placeEmptyCluster(folder);
    const database = new PGlite({ dataDir: join(folder, "database"), extensions: { btree_gin, pg_trgm } });
    await database.exec(sql);
    await database.close();
    return {};
  }
  const databaseUrl = await createDatabase(postgres, `zonewright_upgrade_${process.pid}_${databases++}`);
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(sql);
  await client.end();
  return { DATABASE_URL: databaseUrl };
}

const login = ({ username, password }: { username: string; password: string }) =>
  new RestClient(server.url).post("/api/auth/login", { username, password });

describe.each(versions)("an upgrade from %s", (version) => {
  beforeAll(async () => {
    const stored = join(import.meta.dirname, version);
    folder = await mkdtemp(join(tmpdir(), "zonewright-upgrade-"));
    fixture = JSON.parse(await readFile(join(stored, "fixture.json"), "utf8")) as Fixture;
    // A minute later, so nothing in it has expired.
    clock.time = new Date(fixture.madeAt).getTime() + 60_000;
    await cp(join(stored, "zones"), join(folder, "zones"), { recursive: true });
    const config = loadConfig({
      PORT: "0",
      DATA_DIR: folder,
      SECRET_KEYS: secretKeys,
      LOG_LEVEL: "silent",
      JOBS: "off",
      RATE_LIMIT: "off",
      RATE_LIMIT_COSTLY: "off",
      ...(await restore(await readFile(join(stored, "database.sql"), "utf8"))),
    });
    server = await startServer(config, { announce: () => undefined, now: () => new Date(clock.time) });
    admin = new RestClient(server.url, (await login(accounts.admin)).body.accessToken);
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test("an upgraded installation answers as before: domains, records, snapshots, diffs, history, users, configurations, channels", async () => {
    for (const [path, answer] of Object.entries(fixture.answers)) {
      const { status, body } = await admin.get(path === "/api/templates" ? `${path}?limit=100` : path);
      expect([path, status]).toEqual([path, 200]);
      // Fields may be added, and sign-ins, token use and time since then do not count.
      expect({ path, body }).toMatchObject({ path, body: keptOf(path, withoutTimes(answer)) });
    }
  });

  test("an upgraded installation exports the zone as before", async () => {
    expect((await admin.get(`/api/domains/${fixture.harbour}/zonefile`)).body).toBe(fixture.exported);
  });

  test("users can still sign in after an upgrade: password, refresh token, personal token, authenticator app, recovery code", async () => {
    expect((await login(accounts.member)).body).toMatchObject({ user: { username: "mona" } });
    const refreshed = await new RestClient(server.url).post("/api/auth/refresh", {
      refreshToken: fixture.refreshToken,
    });
    expect(refreshed.status).toBe(200);
    const token = new RestClient(server.url, fixture.token);
    expect((await token.get(`/api/domains/${fixture.harbour}/records`)).status).toBe(200);
    expect(await token.delete(`/api/domains/${fixture.harbour}`)).toBeProblem(403, "FORBIDDEN");
    const factors = [
      { method: "totp", code: codeAt(fixture.totpSecret, new Date(clock.time)) },
      { method: "recovery", code: fixture.recoveryCode },
    ];
    for (const factor of factors) {
      const { body: half } = await login(accounts.guarded);
      expect(half).toMatchObject({ requires2FA: true });
      expect((await new RestClient(server.url, half.tempToken).post("/api/2fa/verify", factor)).status).toBe(200);
    }
  });

  test("an upgrade preserves secrets, narrow rights and a pending change with an unknown outcome", async () => {
    const { body } = await admin.get("/api/provider-configs");
    const powerdns = body.configs.find(({ kind }: { kind: string }) => kind === "powerdns");
    // The key opens the secret, so only the connection fails.
    expect((await admin.post(`/api/provider-configs/${powerdns.id}/test`)).body.error).toContain("127.0.0.1");
    const member = new RestClient(server.url, (await login(accounts.member)).body.accessToken);
    const add = (name: string) =>
      member.post(`/api/domains/${fixture.harbour}/records`, { recordType: "A", name, value: "192.0.2.77" });
    expect((await add("one.lab")).status).toBe(201);
    expect((await add("one")).status).toBe(403);
    const open = (await admin.get("/api/domains?search=open.example")).body.domains[0];
    expect(open).toMatchObject({ name: "open.example", view: "" });
    const { body: history } = await admin.get(`/api/domains/${open.id}/history`);
    expect(history.entries).toMatchObject([{ state: "pending" }]);
  });

  test("an upgraded installation can be rolled back to its snapshots, and used from there", async () => {
    const path = `/api/domains/${fixture.harbour}`;
    const { body } = await admin.post(`${path}/snapshots/${fixture.snapshots[1]}/rollback`);
    expect(body).toMatchObject({ success: true, failed: [] });
    const query = `from=${fixture.snapshots[1]}&to=${body.snapshot.id}`;
    expect((await admin.get(`${path}/snapshots/diff?${query}`)).body).toEqual({ added: [], removed: [], modified: [] });
    expect(await readFile(join(folder, "zones", "harbour.example.zone"), "utf8")).not.toContain("_sip._tcp");
    expect((await admin.post(`${path}/sync`, { dryRun: true })).body).toMatchObject({
      created: 0,
      updated: 0,
      deleted: 0,
    });
    const { body: audit } = await admin.get("/api/audit?limit=100");
    expect(audit.entries.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(["records.rollback", "user.create", "provider_config.create"]),
    );
  });
});

/** What must still be answered. Built-in templates may be added. */
function keptOf(path: string, answer: unknown): unknown {
  if (path !== "/api/templates") return answer;
  const { templates } = answer as { templates: object[] };
  return {
    templates: expect.arrayContaining(templates.map((one): unknown => expect.objectContaining(one))) as unknown,
  };
}

function withoutTimes(answer: unknown): unknown {
  const passing = new Set(["lastLoginAt", "lastUsedAt", "lagSeconds"]);
  return JSON.parse(JSON.stringify(answer, (key, value: unknown) => (passing.has(key) ? undefined : value)));
}
