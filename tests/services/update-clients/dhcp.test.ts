import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startBind } from "../../support/name-servers/bind.ts";
import type { UpdateServer } from "../../support/name-servers/update-server.ts";
import { startKea, type Kea } from "../../support/servers/kea.ts";
import { startZonewright, type Zonewright } from "../../support/zonewright.ts";

/** A DHCP server that keeps the names of its clients (RFC 4702, RFC 4703), against zones that BIND serves. */

const zone = "office.test";
const reverseZone = "2.0.192.in-addr.arpa";
const patience = { timeout: 30_000, interval: 100 };
let zw: Zonewright & { stop(): Promise<void> };
let bind: UpdateServer;
let kea: Kea;
const domainIds: string[] = [];

beforeAll(async () => {
  bind = await startBind([zone, reverseZone]);
  zw = await startZonewright({ env: { EGRESS_ALLOW: "127.0.0.1", DNS_LISTEN: "127.0.0.1:0" } });
  const wish = { kind: "rfc2136", name: "BIND", config: bind.config };
  const { body: config } = await zw.admin.post("/api/provider-configs", wish);
  for (const name of [zone, reverseZone]) {
    const { body } = await zw.admin.post("/api/domains", { name, providerConfigId: config.id });
    domainIds.push(body.id);
  }
  const [port = 0] = zw.services.dnsService.ports;
  const [forwardId, reverseId] = domainIds;
  const forward = await keyFor({ domainId: forwardId, hostPattern: "*.dhcp" });
  const reverse = await keyFor({ domainId: reverseId });
  kea = await startKea(port, { name: zone, key: forward }, { name: reverseZone, key: reverse });
});
afterAll(async () => {
  await kea.stop();
  await zw.stop();
  await bind.stop();
});

async function keyFor(wish: object) {
  const { status, body } = await zw.admin.post("/api/auth/me/tsig-keys", wish);
  expect({ status, body }).toMatchObject({ status: 201 });
  return { name: body.keyName, algorithm: body.algorithm, secret: body.secret };
}

const served = async (name: string, type: string) => (await bind.lookUp(name, type)).map(({ rdata }) => rdata);

async function refusals(): Promise<(string | null)[]> {
  const { body } = await zw.admin.get("/api/auth/me/tsig-keys");
  return body.keys.map(({ lastError }: { lastError: string | null }) => lastError);
}

test("Kea adds the forward and the reverse name of a lease, each with a key for its zone, and deletes both when it ends", async () => {
  const [host, reverseName] = [`laptop.dhcp.${zone}`, `77.${reverseZone}`];
  const names = async () => [await served(host, "A"), await served(host, "DHCID"), await served(reverseName, "PTR")];
  await kea.lease("begins", host, "192.0.2.77");
  const begun = [["192.0.2.77"], [expect.any(String)], [`${host}.`]];
  await vi.waitFor(async () => expect(await names()).toEqual(begun), patience);
  await kea.lease("ends", host, "192.0.2.77");
  await vi.waitFor(async () => expect(await names()).toEqual([[], [], []]), patience);
  expect(await refusals()).toEqual([null, null]);
});

test("Kea never takes a name that a person gave to another host", async () => {
  const [domainId = ""] = domainIds;
  const printer = { recordType: "A", name: "printer.dhcp", value: "192.0.2.20" };
  expect((await zw.admin.post(`/api/domains/${domainId}/records`, printer)).status).toBe(201);
  await kea.lease("begins", `printer.dhcp.${zone}`, "192.0.2.78");
  await vi.waitFor(() => expect(kea.output()).toMatch(/DHCP_DDNS_ADD_FAILED[^]*printer\.dhcp/), patience);
  expect(await served(`printer.dhcp.${zone}`, "A")).toEqual(["192.0.2.20"]);
  expect(await served(`78.${reverseZone}`, "PTR")).toEqual([]);
});
