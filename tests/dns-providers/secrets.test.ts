import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "kysely";
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { loadConfig } from "../../server/ops/config/config.ts";
import { queries } from "../../server/database/database.ts";
import { startServer } from "../../server/start.ts";
import { problemOf } from "../support/problems.ts";
import { freePorts } from "../support/programs.ts";
import { RestClient } from "../support/rest-client.ts";
import { adminPassword, useZonewright } from "../support/zonewright.ts";
import { freshName, type Body } from "../support/zones.ts";

const older = "the-older-key-of-at-least-32-characters";
const newer = "the-newer-key-of-at-least-32-characters";
const zw = useZonewright({ env: { SECRET_KEYS: older } });
const mask = "********";

/** The key that the server received, and the service's answer. */
let keysSeen: (string | undefined)[] = [];
let url = "";
beforeAll(async () => {
  const server = createServer((request, answer) => {
    keysSeen.push(request.headers["x-api-key"]?.toString());
    answer.setHeader("content-type", "application/json").end("[]");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return () => void server.close();
});
afterEach(() => {
  keysSeen = [];
});

const keyOf = (sealed: string) => sealed.split(".")[1];

let made = 0;
async function add(apiKey: string): Promise<Body> {
  const input = { kind: "powerdns", name: `Server ${++made}`, config: { url, apiKey } };
  const { status, body } = await zw.admin.post("/api/provider-configs", input);
  expect({ status, body }).toMatchObject({ status: 201 });
  return body;
}
const at = (config: Body) => `/api/provider-configs/${config.id}`;

/** The key that a configuration sends to the server; null if it sends none. */
async function keyUsed(config: Body, client: RestClient = zw.admin): Promise<string | null> {
  keysSeen = [];
  await client.post(`${at(config)}/test`);
  return keysSeen[0] ?? null;
}

async function stored(): Promise<{ id: string; config: Record<string, unknown>; text: string }[]> {
  const { rows } = await sql<{ id: string; config: Record<string, unknown>; text: string }>`
    select id, config, provider_configs::text as text from provider_configs order by id`.execute(
    queries(zw.services.database.fork()),
  );
  return rows;
}

async function sealedOf(config: Body): Promise<string> {
  return String((await stored()).find(({ id }) => id === config.id)?.config["apiKey"]);
}

/** Overwrites a configuration's stored secret, bypassing the service. */
async function overwrite(config: Body, text: string): Promise<void> {
  await sql`update provider_configs set config = jsonb_set(config, '{apiKey}', to_jsonb(${text}::text)) where id = ${config.id}`.execute(
    queries(zw.services.database.fork()),
  );
}

/** A second service on the same database, as after a restart with other keys; a folder belongs to one process. */
async function restarted(secretKeys: string): Promise<RestClient> {
  const dataDir = await mkdtemp(join(tmpdir(), "zonewright-"));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const environment = { PORT: "0", DATA_DIR: dataDir, LOG_LEVEL: "silent", SECRET_KEYS: secretKeys };
  const server = await startServer(loadConfig({ ...environment, ADMIN_PASSWORD: adminPassword }), {
    announce: () => undefined,
    database: zw.services.database,
  });
  onTestFinished(() => server.stop());
  const client = new RestClient(server.url);
  const { body } = await client.post("/api/auth/login", { username: "admin", password: adminPassword });
  client.token = body.accessToken;
  return client;
}

describe("secrets of provider configurations", () => {
  test("a secret is used for calls but never stored in plain text", async () => {
    const config = await add("a-secret-for-the-table");
    expect(await keyUsed(config)).toBe("a-secret-for-the-table");
    expect(await sealedOf(config)).toMatch(/^v1\.[0-9a-f]{16}\./);
    for (const { text } of await stored()) expect(text).not.toContain("a-secret-for-the-table");
  });

  test("a secret is masked in every response", async () => {
    const secret = "a-secret-for-the-answers";
    const config = await add(secret);
    const member = await zw.member("reader");
    const domain = await zw.admin.post("/api/domains", { name: freshName(), providerConfigId: config.id });
    const answers = [
      await zw.admin.get("/api/provider-configs"),
      await member.get("/api/provider-configs"),
      await zw.admin.put(at(config), { name: "Renamed" }),
      await zw.admin.put(at(config), { config: { url, apiKey: secret } }),
      await zw.admin.put(at(config), { config: { url, apiKey: `${secret} ` } }),
      await zw.admin.put(at(config), { config: { url, apiKey: [secret] } }),
      await zw.admin.post("/api/provider-configs", {
        kind: "powerdns",
        name: "Renamed",
        config: { url, apiKey: secret },
      }),
      await zw.admin.post(`${at(config)}/test`),
      await zw.admin.get(`${at(config)}/zones`),
      domain,
    ];
    for (const { body } of answers) expect(JSON.stringify(body)).not.toContain(secret);
    expect(config.config).toEqual({ url, apiKey: mask, serverId: "localhost" });
    const { configs } = answers[0]?.body ?? {};
    expect(configs.find(({ id }: Body) => id === config.id).config.apiKey).toBe(mask);
  });

  test.each([
    ["absent", {}],
    ["empty", { apiKey: "" }],
    ["masked", { apiKey: mask }],
  ])("a secret that is %s in an update keeps its stored value", async (_how, patch) => {
    const config = await add("a-secret-that-stays");
    const { status, body } = await zw.admin.put(at(config), { config: { url, serverId: "other", ...patch } });
    expect([status, body.config]).toEqual([200, { url, apiKey: mask, serverId: "other" }]);
    expect(await keyUsed(config)).toBe("a-secret-that-stays");
  });

  test("a new secret replaces the old one", async () => {
    const config = await add("the-first-secret");
    await zw.admin.put(at(config), { config: { url, apiKey: "the-second-secret" } });
    expect(await keyUsed(config)).toBe("the-second-secret");
  });

  test("removing a required secret with null is refused", async () => {
    const config = await add("a-secret-that-is-needed");
    const { status, body } = await zw.admin.put(at(config), { config: { url, apiKey: null } });
    expect([status, body.issues]).toMatchObject([400, [{ path: ["config", "apiKey"] }]]);
    expect(await keyUsed(config)).toBe("a-secret-that-is-needed");
  });

  test.each([{}, { apiKey: "" }, { apiKey: mask }, { apiKey: null }])(
    "a new configuration without its secret is refused: %j",
    async (secret) => {
      const input = { kind: "powerdns", name: "Never made", config: { url, ...secret } };
      const { status, body } = await zw.admin.post("/api/provider-configs", input);
      expect([status, body.issues]).toMatchObject([400, [{ path: ["config", "apiKey"] }]]);
    },
  );
});

describe("secrets that no key opens", () => {
  test.each([
    ["was moved here from another configuration", async () => await sealedOf(await add("somebody-elses-secret"))],
    ["was damaged", async () => "v1.0123456789abcdef.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA.AAAA"],
    ["was stored in plain text", async () => "in-plain-text"],
  ])("a secret that %s is reported, and everything else keeps working", async (_why, text) => {
    const config = await add("a-secret-that-gets-lost");
    const domain = await zw.admin.post("/api/domains", { name: freshName(), providerConfigId: config.id });
    await overwrite(config, await text());
    keysSeen = [];
    const tried = await zw.admin.post(`${at(config)}/test`);
    expect(tried.body).toMatchObject({ success: false, error: expect.stringMatching(/"API key".*Enter it again/) });
    expect(keysSeen).toEqual([]);
    problemOf(await zw.admin.get(`${at(config)}/zones`), 502, "PROVIDER_ERROR");
    const { status, body } = await zw.admin.get("/api/provider-configs");
    expect([status, body.configs.find(({ id }: Body) => id === config.id).config.apiKey]).toEqual([200, mask]);
    expect((await zw.admin.get("/api/domains")).status).toBe(200);
    expect(domain.status).toBe(502);
    const kept = await zw.admin.put(at(config), { config: { url } });
    expect(problemOf(kept, 409, "CONFLICT").issues).toMatchObject([{ path: ["config", "apiKey"] }]);
    expect((await zw.admin.put(at(config), { name: `${config.name} again` })).status).toBe(200);
    expect((await zw.admin.put(at(config), { config: { url, apiKey: "entered-again" } })).status).toBe(200);
    expect(await keyUsed(config)).toBe("entered-again");
  });
});

test("after two restarts, secrets are sealed with the new key and the old one can go", async () => {
  const configs = [await add("first-to-move"), await add("second-to-move")];
  const before = await Promise.all(configs.map(sealedOf));
  const both = await restarted(`${newer},${older}`);
  const after = await Promise.all(configs.map(sealedOf));
  expect(new Set(after.map(keyOf)).size).toBe(1);
  expect(keyOf(after[0] ?? "")).not.toBe(keyOf(before[0] ?? ""));
  // In sequence, because only the server's latest call is checked.
  const used: (string | null)[] = [];
  for (const config of configs) used.push(await keyUsed(config, both));
  expect(used).toContain("first-to-move");

  await restarted(`${newer},${older}`);
  expect(await Promise.all(configs.map(sealedOf))).toEqual(after);

  const alone = await restarted(newer);
  for (const [index, config] of configs.entries()) {
    expect(await keyUsed(config, alone)).toBe(["first-to-move", "second-to-move"][index]);
  }
  const lost = await restarted(older);
  const [config] = configs;
  if (!config) throw new Error("There are two.");
  expect((await lost.post(`${at(config)}/test`)).body.error).toContain("SECRET_KEYS");
  expect((await lost.get("/api/provider-configs")).status).toBe(200);
  // With both keys again, every secret works.
  await restarted(`${older},${newer}`);
  expect(await keyUsed(config)).toBe("first-to-move");
});

test("the error for an unreachable server does not contain the secret", async () => {
  const [port] = await freePorts(1);
  const input = {
    kind: "powerdns",
    name: "Nowhere",
    config: { url: `http://127.0.0.1:${port}`, apiKey: "unseen-secret" },
  };
  const { body: config } = await zw.admin.post("/api/provider-configs", input);
  const { body } = await zw.admin.post(`${at(config)}/test`);
  expect(body).toMatchObject({ success: false, error: expect.stringContaining("refused the connection") });
  expect(JSON.stringify(body)).not.toContain("unseen-secret");
});
