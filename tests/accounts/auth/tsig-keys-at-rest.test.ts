import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadConfig } from "../../../server/ops/config/config.ts";
import { queries, type Database } from "../../../server/database/database.ts";
import { createServices } from "../../../server/composition/services.ts";
import { createLog } from "../../../server/platform/log.ts";
import { startServer } from "../../../server/start.ts";
import { emptyDatabase } from "../../support/database.ts";
import { RestClient } from "../../support/rest-client.ts";
import { adminPassword } from "../../support/zonewright.ts";

const [older, newer] = ["o".repeat(32), "n".repeat(32)];
let dataDir: string;
let database: Database;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "zonewright-keys-"));
  database = await emptyDatabase();
});
afterAll(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

function configWith(keys: string) {
  const env = { PORT: "0", DATA_DIR: dataDir, ADMIN_PASSWORD: adminPassword, LOG_LEVEL: "silent", JOBS: "off" };
  return loadConfig({ ...env, SECRET_KEYS: keys });
}

async function withKeys<T>(keys: string, work: (client: RestClient) => Promise<T>): Promise<T> {
  const server = await startServer(configWith(keys), { announce: () => undefined, database });
  try {
    return await work(new RestClient(server.url));
  } finally {
    await server.stop();
  }
}

/** Returns the secret with which a message is verified, in base64. */
async function secretOf(keys: string, keyName: string): Promise<string | undefined> {
  const services = await createServices({ config: configWith(keys), database, log: createLog("silent") });
  return (await services.tsigKeyCredentials.named(keyName))?.tsig.secret.toString("base64");
}

const stored = () => queries(database.fork()).selectFrom("tsig_keys").select(["id", "secret"]).orderBy("id").execute();

test("secrets of TSIG keys are bound to their row and are re-encrypted when keys rotate", async () => {
  const [one, other] = await withKeys(older, async (client) => {
    const { body } = await client.post("/api/auth/login", { username: "admin", password: adminPassword });
    client.token = body.accessToken;
    const { body: zone } = await client.post("/api/domains", { name: "rest.example" });
    const made = async () => (await client.post("/api/auth/me/tsig-keys", { domainId: zone.id })).body;
    return [await made(), await made()];
  });
  expect(await secretOf(older, one.keyName)).toBe(one.secret);
  expect(await secretOf(newer, one.keyName)).toBeUndefined();

  const before = await stored();
  await withKeys(`${newer},${older}`, async () => undefined);
  const after = await stored();
  expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  expect(after.filter(({ secret }, index) => secret === before[index]?.secret)).toEqual([]);
  expect(await secretOf(newer, one.keyName)).toBe(one.secret);

  const moved = after.find(({ id }) => id === other.id)?.secret ?? "";
  await queries(database.fork()).updateTable("tsig_keys").set({ secret: moved }).where("id", "=", one.id).execute();
  expect(await secretOf(newer, one.keyName)).toBeUndefined();
});
