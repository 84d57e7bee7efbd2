import { beforeAll, describe, expect, test } from "vitest";
import { transfer } from "../support/name-servers/transfer-client.ts";
import { useZonewright } from "../support/zonewright.ts";
import { manualConfig } from "../support/zones.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" } });
const catalog = "catalog.invalid";
let port = 0;
let configs: { listed: string; unlisted: string; other: string };

beforeAll(async () => {
  [port = 0] = zw.services.dnsService.ports;
  const configure = async (name: string, more: object = {}) => {
    const config = { nameServers: "ns1.example.net", contact: "dns@example.net", allowTransfer: "127.0.0.1", ...more };
    const { status, body } = await zw.admin.post("/api/provider-configs", {
      kind: "primary",
      name,
      config,
      membersMayUse: true,
    });
    expect({ status, body }).toMatchObject({ status: 201 });
    return String(body.id);
  };
  configs = {
    listed: await configure("with a catalog", { catalogZone: catalog }),
    unlisted: await configure("without a catalog"),
    other: await configure("with another catalog", { catalogZone: "other.invalid" }),
  };
});

let count = 0;
async function create(providerConfigId: string, client = zw.admin): Promise<{ path: string; name: string }> {
  count += 1;
  const name = `leaving${count}.example`;
  const { status, body } = await client.post("/api/domains", { name, providerConfigId });
  expect({ status, body }).toMatchObject({ status: 201 });
  return { path: `/api/domains/${body.id}`, name };
}

const members = async () => (await transfer(port, catalog)).lines.filter((line) => line.includes(" PTR ")).join("\n");
const refusal = {
  status: 409,
  body: {
    code: "CONFIRMATION_REQUIRED",
    detail: expect.stringContaining("secondaries will drop this zone"),
    issues: [{ path: ["force"] }],
  },
};

describe("a domain in a catalog zone (RFC 9432 §5.3)", () => {
  test("is deleted only with force, and the refusal says that secondaries drop the zone", async () => {
    const { path, name } = await create(configs.listed);
    expect(await zw.admin.delete(path)).toMatchObject(refusal);
    expect(await members()).toContain(name);
    expect((await zw.admin.delete(`${path}?force=true`)).status).toBe(200);
    expect(await members()).not.toContain(name);
  });

  test.each([
    ["another kind", () => manualConfig(zw)],
    ["a configuration of the same kind without a catalog", () => configs.unlisted],
    ["another catalog", () => configs.other],
  ])("moves to %s only with force", async (_, target) => {
    const { path, name } = await create(configs.listed);
    const providerConfigId = await target();
    expect(await zw.admin.put(path, { providerConfigId })).toMatchObject(refusal);
    expect(await members()).toContain(name);
    expect((await zw.admin.put(path, { providerConfigId, force: true })).status).toBe(200);
    expect(await members()).not.toContain(name);
  });

  test("owners confirm their own moves and deletions", async () => {
    const owner = await zw.member("owner-of-catalog-members");
    const moved = await create(configs.listed, owner);
    expect((await owner.put(moved.path, { providerConfigId: configs.unlisted, force: true })).status).toBe(200);
    const gone = await create(configs.listed, owner);
    expect(await owner.delete(gone.path)).toMatchObject(refusal);
    expect((await owner.delete(`${gone.path}?force=true`)).status).toBe(200);
  });

  test("a change that leaves it where it is needs no force", async () => {
    const { path } = await create(configs.listed);
    expect((await zw.admin.put(path, { notes: "stays", providerConfigId: configs.listed })).status).toBe(200);
  });
});

test("a domain without a catalog is deleted and moved without force, and its owner may not abandon pending changes", async () => {
  const owner = await zw.member("owner-without-catalog");
  const { path } = await create(configs.unlisted, owner);
  expect((await owner.put(path, { providerConfigId: configs.listed, force: true })).status).toBe(403);
  expect((await owner.put(path, { providerConfigId: configs.listed })).status).toBe(200);
  const { path: other } = await create(configs.unlisted);
  expect((await zw.admin.delete(other)).status).toBe(200);
});

test("force that is neither true nor false is refused", async () => {
  const { path } = await create(configs.unlisted);
  expect((await zw.admin.delete(`${path}?force=perhaps`)).status).toBe(400);
  expect((await zw.admin.get(path)).status).toBe(200);
});
