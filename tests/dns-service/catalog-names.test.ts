import { expect, test } from "vitest";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" } });
const config = (catalogZone?: string) => ({
  nameServers: "ns1.example.net",
  contact: "dns@example.net",
  allowTransfer: "127.0.0.1",
  ...(catalogZone === undefined ? {} : { catalogZone }),
});
const configure = (name: string, catalogZone?: string) =>
  zw.admin.post("/api/provider-configs", { kind: "primary", name, config: config(catalogZone) });
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
