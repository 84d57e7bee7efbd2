import { afterAll, beforeAll, expect, test } from "vitest";
import { update } from "../../support/name-servers/update-client.ts";
import { startAlidnsServer, type AlidnsServer } from "../../support/vendors/alidns/server.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { powerdnsClient } from "../../update-clients/powerdns-api/client.ts";
import { newZone } from "./key-clients.ts";

const zw = useZonewright({
  env: { DNS_LISTEN: "127.0.0.1:0", EGRESS_ALLOW: "127.0.0.1", JOBS: "off" },
  pause: () => Promise.resolve(),
});
let alidns: AlidnsServer;
let providerConfigId: string;

beforeAll(async () => {
  alidns = await startAlidnsServer();
  const { url, accessKeyId, accessKeySecret } = alidns;
  const wish = { kind: "alidns", name: "Vendor", config: { url, accessKeyId, accessKeySecret } };
  providerConfigId = (await zw.admin.post("/api/provider-configs", wish)).body.id;
});
afterAll(() => alidns.stop());

async function vendorZone(name: string, minTtl = 1) {
  alidns.account.addDomain(name, minTtl);
  return await newZone(zw, name, { providerConfigId });
}

const newRecord = update.add("_acme-challenge", "TXT", "challenge", 120);

test("a TTL below the smallest of a zone is raised to it, and the same record again changes nothing", async () => {
  const zone = await vendorZone("floor.example", 600);
  expect(await zone.client.update([newRecord])).toBe(0);
  expect(await zone.lines()).toEqual(["_acme-challenge 600 TXT challenge"]);
  const revision = await zone.revision();
  expect(await zone.client.update([newRecord])).toBe(0);
  expect(await zone.client.update([update.add("_acme-challenge", "TXT", "challenge", 0)])).toBe(0);
  expect(await zone.revision()).toBe(revision);
});

test("a TTL that a zone takes stays as it is", async () => {
  const zone = await vendorZone("low.example");
  expect(await zone.client.update([newRecord, update.add("www", "A", "192.0.2.1", 900)])).toBe(0);
  expect(await zone.lines()).toEqual(["_acme-challenge 120 TXT challenge", "www 900 A 192.0.2.1"]);
});

test("PowerDNS's API refuses a TTL below the smallest of a zone and names the smallest, because its clients compare what they wrote", async () => {
  const zone = await vendorZone("compared.example", 600);
  const client = await powerdnsClient(zw.admin);
  const refused = await client.replace("compared.example", "www", "A", ["192.0.2.1"], 120);
  expect([refused.status, refused.body.error]).toEqual([
    422,
    "RRset www.compared.example. IN A: Alibaba Cloud DNS requires a TTL from 600 to 86400 seconds.",
  ]);
  expect((await client.replace("compared.example", "www", "A", ["192.0.2.1"], 600)).status).toBe(204);
  expect(await zone.lines()).toEqual(["www 600 A 192.0.2.1"]);
});
