import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { RestClient } from "../support/rest-client.ts";
import { gandi } from "../support/vendors/rrsets/gandi.ts";
import { startRrsetVendor } from "../support/vendors/rrsets/server.ts";
import { useZonewright } from "../support/zonewright.ts";
import { embeddedConfig, fileZone, freshName, unknownId, type Body } from "../support/zones.ts";

const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" } });

let member: RestClient;
beforeAll(async () => {
  member = await zw.member("member");
});

let names = 0;
async function add(config: object = { kind: "manual" }): Promise<Body> {
  const { status, body } = await zw.admin.post("/api/provider-configs", { name: `Config ${++names}`, ...config });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body;
}
const at = (config: Body) => `/api/provider-configs/${config.id}`;
const listed = async (): Promise<Body[]> => (await zw.admin.get("/api/provider-configs")).body.configs;

const calls = async ({ id }: Body) => (await listed()).find((each) => each.id === id)?.calls;

describe("provider configurations", () => {
  test("a provider configuration can be created, listed, changed and deleted", async () => {
    const config = await add({ kind: "zonefile", config: { folder: "team", hostmaster: "Dns@Example.com" } });
    expect(config).toEqual({
      id: config.id,
      kind: "zonefile",
      providerId: "5a1f0c52-7d0e-4c1b-9d0a-000000000002",
      name: config.name,
      config: { folder: "team", hostmaster: "Dns@Example.com" },
      membersMayUse: false,
      lastTest: null,
      calls: null,
      createdAt: expect.any(String),
    });
    expect(await listed()).toContainEqual(config);
    const patch = { name: "Renamed", config: { folder: "other" }, membersMayUse: true };
    const changed = await zw.admin.put(at(config), patch);
    expect([changed.status, changed.body]).toEqual([200, { ...config, ...patch }]);
    expect((await zw.admin.put(at(config), {})).body).toEqual(changed.body);
    const deleted = await zw.admin.delete(at(config));
    expect([deleted.status, deleted.body]).toEqual([200, { success: true }]);
    expect((await zw.admin.delete(at(config))).status).toBe(404);
    expect((await listed()).map(({ id }) => id)).not.toContain(config.id);
  });

  test("a configuration shows the calls that its account has left, to all with its credentials but not to members", async () => {
    const vendor = await startRrsetVendor(gandi);
    onTestFinished(vendor.stop);
    const one = await add({ kind: "gandi", config: vendor.config, membersMayUse: true });
    const two = await add({ kind: "gandi", config: vendor.config });
    expect([await calls(one), await calls(two)]).toEqual([null, null]);
    const headers = { "ratelimit-limit": "1000", "ratelimit-remaining": "997", "ratelimit-reset": "60" };
    vendor.failNext({ after: false, reply: { status: 200, headers, body: "[]" } });
    expect((await zw.admin.post(`${at(one)}/test`)).body).toMatchObject({ success: true });
    const left = { left: 997, limit: 1_000, seconds: null, resetsAt: expect.any(String), source: "provider" };
    expect([await calls(one), await calls(two)]).toEqual([left, null]);
    await zw.admin.get(`${at(two)}/zones`);
    expect(await calls(two)).toEqual(left);
    const { body } = await member.get("/api/provider-configs");
    expect(body.configs.find(({ id }: Body) => id === one.id)).toMatchObject({ calls: null });
    await zw.admin.put(at(one), { config: { ...vendor.config, token: "another-token-of-the-harbour" } });
    expect(await calls(one)).toBeNull();
  });

  test("members list the provider configurations that serve a domain they see or that they may use, and no others", async () => {
    const serving = await add();
    const usable = await add({ kind: "manual", membersMayUse: true });
    const other = await add();
    const reader = await zw.member("lists-configs");
    const name = freshName();
    const domain = await zw.admin.post("/api/domains", { name, providerConfigId: serving.id });
    const ids = async () => {
      const { body } = await reader.get("/api/provider-configs");
      return body.configs.map(({ id }: Body) => id);
    };
    expect(await ids()).not.toContain(serving.id);
    const { body: me } = await reader.get("/api/auth/me");
    const grant = { userId: me.id, domainId: domain.body.id, subdomainPattern: "www", access: "read" };
    expect((await zw.admin.post("/api/assignments", grant)).status).toBe(201);
    expect(await ids()).toEqual(expect.arrayContaining([serving.id, usable.id]));
    expect(await ids()).not.toContain(other.id);
  });

  test("members see provider configurations but cannot change, test or import from them", async () => {
    const config = await add({ kind: "manual", membersMayUse: true });
    expect((await member.get("/api/provider-configs")).body.configs).toContainEqual(config);
    const answers = [
      await member.post("/api/provider-configs", { kind: "manual", name: "Mine" }),
      await member.put(at(config), { membersMayUse: true }),
      await member.delete(at(config)),
      await member.post(`${at(config)}/test`),
      await member.get(`${at(config)}/zones`),
      await member.post(`${at(config)}/import`, { zones: ["x.example"] }),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [403, "FORBIDDEN"]));
    expect(await listed()).toContainEqual(config);
  });

  test("provider configuration names are unique, ignoring case", async () => {
    const one = await add({ kind: "manual", name: "Taken" });
    const two = await add();
    const answers = [
      await zw.admin.post("/api/provider-configs", { kind: "manual", name: "TAKEN" }),
      await zw.admin.put(at(two), { name: "taken" }),
    ];
    for (const { status, body } of answers) {
      expect([status, body.code]).toEqual([409, "CONFLICT"]);
      expect(body.issues).toMatchObject([{ path: ["name"] }]);
    }
    expect((await zw.admin.put(at(one), { name: "TAKEN" })).status).toBe(200);
  });

  test.each([
    [{ kind: "bind", name: "x" }, ["kind"]],
    [{ name: "x" }, ["kind"]],
    [{ kind: "manual", name: "" }, ["name"]],
    [{ kind: "manual", name: "two\nlines" }, ["name"]],
    [{ kind: "manual", name: "x", membersMayUse: "yes" }, ["membersMayUse"]],
    [{ kind: "manual", name: "x", embedded: true }, ["embedded"]],
    [{ kind: "manual", name: "x", config: [] }, ["config"]],
    [{ kind: "manual", name: "x", config: { folder: "x" } }, ["config", "folder"]],
    [{ kind: "zonefile", name: "x", config: { path: "x" } }, ["config", "path"]],
    [{ kind: "zonefile", name: "x", config: { folder: "" } }, ["config", "folder"]],
    [{ kind: "zonefile", name: "x", config: { folder: 7 } }, ["config", "folder"]],
    [{ kind: "zonefile", name: "x", config: { folder: { a: 1 } } }, ["config", "folder"]],
    [{ kind: "zonefile", name: "x", config: { folder: "a\u0000b" } }, ["config", "folder"]],
    [{ kind: "zonefile", name: "x", config: { folder: "\ud800" } }, ["config", "folder"]],
    [{ kind: "zonefile", name: "x", config: { hostmaster: "a b@example.com" } }, ["config", "hostmaster"]],
    [{ kind: "zonefile", name: "x", config: { folder: "../outside" } }, ["config"]],
  ])("a provider configuration from %j is refused, naming the field", async (input, path) => {
    const before = await listed();
    const { status, body } = await zw.admin.post("/api/provider-configs", input);
    expect({ status, issues: body.issues }).toMatchObject({ status: 400, issues: [{ path }] });
    expect(await listed()).toEqual(before);
  });

  test("an update to an invalid provider configuration is refused", async () => {
    const config = await add({ kind: "zonefile" });
    const { status, body } = await zw.admin.put(at(config), { config: { folder: "../outside" } });
    expect(status).toBe(400);
    expect(body.issues).toMatchObject([{ path: ["config"] }]);
    expect((await zw.admin.put(at(config), { kind: "manual" })).status).toBe(400);
    expect(await listed()).toContainEqual(config);
  });

  test("a provider configuration in use, and the embedded one, cannot be deleted", async () => {
    const config = await add();
    const domain = await zw.admin.post("/api/domains", { name: freshName(), providerConfigId: config.id });
    const refused = await zw.admin.delete(at(config));
    expect([refused.status, refused.body.code]).toEqual([409, "CONFLICT"]);
    expect(refused.body.detail).toContain(domain.body.name);
    await zw.admin.delete(`/api/domains/${domain.body.id}`);
    expect((await zw.admin.delete(at(config))).status).toBe(200);
    expect((await zw.admin.delete(`/api/provider-configs/${await embeddedConfig(zw)}`)).status).toBe(409);
  });

  test("a provider configuration in use cannot point elsewhere, and the embedded one never can", async () => {
    const config = await add({ kind: "zonefile", config: { folder: "here" } });
    const { body: domain } = await zw.admin.post("/api/domains", { name: freshName(), providerConfigId: config.id });
    const refused = await zw.admin.put(at(config), { name: "Elsewhere", config: { folder: "there" } });
    expect([refused.status, refused.body.code]).toEqual([409, "CONFLICT"]);
    expect(refused.body.detail).toContain(domain.name);
    expect(refused.body.detail).toContain("providerConfigId");
    expect(await listed()).toContainEqual(config);
    const patch = { name: "In use", config: { folder: "here" }, membersMayUse: true };
    expect((await zw.admin.put(at(config), patch)).body).toEqual({ ...config, ...patch });
    await zw.admin.delete(`/api/domains/${domain.id}`);
    expect((await zw.admin.put(at(config), { config: { folder: "there" } })).status).toBe(200);

    const embedded = `/api/provider-configs/${await embeddedConfig(zw)}`;
    const moved = await zw.admin.put(embedded, { config: { folder: "there" } });
    expect([moved.status, moved.body.code]).toEqual([409, "CONFLICT"]);
    expect((await zw.admin.put(embedded, { config: {}, membersMayUse: false })).status).toBe(200);
  });

  test("an unknown provider configuration is 404 in every call", async () => {
    const nowhere = `/api/provider-configs/${unknownId}`;
    const answers = [
      await zw.admin.put(nowhere, { name: "x" }),
      await zw.admin.delete(nowhere),
      await zw.admin.post(`${nowhere}/test`),
      await zw.admin.get(`${nowhere}/zones`),
      await zw.admin.post(`${nowhere}/import`, { zones: ["x.example"] }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  });
});

describe("testing a provider configuration", () => {
  test("testing a provider configuration returns the number of zones", async () => {
    const folder = join(zw.dataDir, "counted");
    await mkdir(folder);
    await writeFile(join(folder, "one.example.zone"), "@ SOA ns1 hostmaster 1 3600 900 1209600 300\n");
    const config = await add({ kind: "zonefile", config: { folder } });
    expect((await zw.admin.post(`${at(config)}/test`)).body).toEqual({ success: true, error: null, zones: 1 });
    const manual = await add();
    expect((await zw.admin.post(`${at(manual)}/test`)).body).toEqual({ success: true, error: null, zones: 0 });
  });

  test("testing a provider configuration returns the failure, without an error status", async () => {
    const config = await add({ kind: "zonefile", config: { folder: "missing" } });
    const { status, body } = await zw.admin.post(`${at(config)}/test`);
    expect(status).toBe(200);
    expect(body).toEqual({ success: false, error: expect.stringContaining("it does not exist"), zones: null });
    const zones = await zw.admin.get(`${at(config)}/zones`);
    expect([zones.status, zones.body.code]).toEqual([502, "PROVIDER_ERROR"]);
  });
});

test("the outcome of a provider configuration's last test is kept for all administrators, until its settings change", async () => {
  const folder = join(zw.dataDir, "zones", "tested");
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, "tested.example.zone"),
    "$TTL 300\n@ SOA ns.example. host.example. 1 7200 900 1209600 300\n@ NS ns.example.\n",
  );
  const config = await add({ kind: "zonefile", config: { folder: "tested" }, membersMayUse: true });
  const kept = async (client = zw.admin) => {
    const { body } = await client.get("/api/provider-configs");
    return body.configs.find(({ id }: Body) => id === config.id).lastTest;
  };
  expect([config.lastTest, await kept()]).toEqual([null, null]);
  await zw.admin.post(`${at(config)}/test`);
  const works = { testedAt: expect.any(String), success: true, error: null, zones: 1 };
  expect([await kept(), await kept(member)]).toEqual([works, null]);
  // Neither a new name nor the same settings are a change of where it leads.
  await zw.admin.put(at(config), { name: freshName(), config: { folder: "tested" } });
  expect(await kept()).toEqual(works);
  const moved = await zw.admin.put(at(config), { config: { folder: "missing" } });
  expect([moved.body.lastTest, await kept()]).toEqual([null, null]);

  // To list the zones is a test, too.
  const name = freshName();
  const broken = await add({
    kind: "rfc2136",
    name,
    config: {
      server: "127.0.0.1",
      port: 9,
      tsigName: "key.test",
      tsigSecret: "c2VjcmV0",
      zones: name,
      timeoutSeconds: 1,
    },
  });
  const failure = async () => (await listed()).find(({ id }) => id === broken.id)?.["lastTest"];
  await zw.admin.get(`${at(broken)}/zones`);
  const fails = { testedAt: expect.any(String), success: false, error: expect.any(String), zones: null };
  expect(await failure()).toEqual(fails);
  await zw.admin.put(at(broken), { config: { ...broken.config, tsigSecret: "b3RoZXI=" } });
  expect(await failure()).toBeNull();
});

test("the zones at a provider are listed by name, with managed ones marked", async () => {
  const config = await embeddedConfig(zw);
  const managed = await fileZone(zw);
  await writeFile(join(zw.dataDir, "zones", "aaa.example.zone"), "@ SOA ns1 hostmaster 1 3600 900 1209600 300\n");
  const { body } = await zw.admin.get(`/api/provider-configs/${config}/zones`);
  expect(body.zones).toEqual([
    { name: "aaa.example", managed: false },
    { name: managed.name, managed: true },
  ]);
  expect(body.unusable).toEqual([]);
});

test("a zone whose name no domain can have is listed apart with the reason, and an import of all zones leaves it out", async () => {
  const folder = freshName();
  await mkdir(join(zw.dataDir, "zones", folder), { recursive: true });
  for (const name of ["lan.zone", "aab.example.zone"]) {
    await writeFile(join(zw.dataDir, "zones", folder, name), "@ SOA ns1 hostmaster 1 3600 900 1209600 300\n");
  }
  const config = await add({ kind: "zonefile", config: { folder } });
  expect((await zw.admin.get(`${at(config)}/zones`)).body).toEqual({
    zones: [{ name: "aab.example", managed: false }],
    unusable: [{ name: "lan.zone", reason: expect.stringContaining("it has only one label") }],
  });
  expect((await zw.admin.post(`${at(config)}/test`)).body).toMatchObject({ success: true, zones: 1 });
  expect((await zw.admin.post(`${at(config)}/import`, { all: true })).body.progress).toMatchObject({ total: 1 });
});
