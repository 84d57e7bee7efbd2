import { expect, test } from "vitest";
import { transfer } from "../support/name-servers/transfer-client.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" } });
const config = (catalogZone?: string, more: object = {}) => ({
  nameServers: "ns1.example.net",
  contact: "dns@example.net",
  allowTransfer: "127.0.0.1",
  ...(catalogZone === undefined ? {} : { catalogZone }),
  ...more,
});
const configure = (name: string, catalogZone?: string, more: object = {}) =>
  zw.admin.post("/api/provider-configs", { kind: "primary", name, config: config(catalogZone, more) });
const managed = {
  status: 400,
  body: { issues: [{ path: ["config", "catalogZone"], message: expect.stringContaining("managed here as a domain") }] },
};

test("a catalog cannot have the name of a domain, however it is written", async () => {
  expect((await zw.admin.post("/api/domains", { name: "members.example" })).status).toBe(201);
  expect(await configure("New", "members.example")).toMatchObject(managed);
  const { body } = await configure("Stored");
  const path = `/api/provider-configs/${body.id}`;
  expect(await zw.admin.put(path, { config: config("Members.Example.") })).toMatchObject(managed);
  expect((await zw.admin.put(path, { config: config("catalog.invalid") })).status).toBe(200);
});

test("a domain cannot have the name of a catalog, and gets it once the catalog is renamed", async () => {
  const { body } = await configure("Renamed", "Shared.Example");
  const create = () => zw.admin.post("/api/domains", { name: "shared.example" });
  expect(await create()).toMatchObject({
    status: 409,
    body: { issues: [{ path: ["name"], message: expect.stringContaining("is the name of a catalog zone") }] },
  });
  const path = `/api/provider-configs/${body.id}`;
  expect((await zw.admin.put(path, { config: config("renamed.invalid") })).status).toBe(200);
  expect((await create()).status).toBe(201);
});

const taken = {
  status: 400,
  body: {
    issues: [{ path: ["config", "catalogZone"], message: expect.stringContaining("has a catalog of this name") }],
  },
};

test("a catalog cannot have the name of another configuration's, whose members its secondaries would not get", async () => {
  expect((await configure("First", "both.invalid")).status).toBe(201);
  expect(await configure("Second", "Both.Invalid.")).toMatchObject(taken);
  const { body } = await configure("Third", "third.invalid");
  const path = `/api/provider-configs/${body.id}`;
  expect(await zw.admin.put(path, { config: config("both.invalid") })).toMatchObject(taken);
  expect((await zw.admin.put(path, { config: config("third.invalid", { retrySeconds: 60 }) })).status).toBe(200);
});

test("catalogs of two configurations may share a name if each has keys of its own, and each peer gets its own members", async () => {
  const keys = ["one", "two"].map((name) => ({ name, algorithm: "hmac-sha256" as const, secret: Buffer.from(name) }));
  const [one = "", two = ""] = keys.map(({ name, secret }) => `${name}:hmac-sha256:${secret.toString("base64")}`);
  const ids: string[] = [];
  for (const tsigKeys of [one, two]) {
    const { status, body } = await configure(`with ${tsigKeys}`, "keys.invalid", { tsigKeys });
    expect(status).toBe(201);
    ids.push(body.id);
    await zw.admin.post("/api/domains", { name: `member${ids.length}.example`, providerConfigId: body.id });
  }
  expect(await configure("With the key of one", "keys.invalid", { tsigKeys: one })).toMatchObject(taken);
  expect(await configure("Without keys", "keys.invalid")).toMatchObject(taken);
  const path = `/api/provider-configs/${ids[1]}`;
  expect(await zw.admin.put(path, { config: config("keys.invalid", { tsigKeys: `${two},${one}` }) })).toMatchObject(
    taken,
  );
  const [port = 0] = zw.services.dnsService.ports;
  const members = await Promise.all(
    keys.map(async (key) =>
      (await transfer(port, "keys.invalid", { key })).lines.filter((line) => line.includes(" PTR ")),
    ),
  );
  expect(members).toEqual([[expect.stringContaining("member1.example")], [expect.stringContaining("member2.example")]]);
});
