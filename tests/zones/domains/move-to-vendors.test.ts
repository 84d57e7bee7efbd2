import { afterAll, beforeAll, expect, test } from "vitest";
import { manualZone } from "../../support/zones.ts";
import { startAlidnsServer, type AlidnsServer } from "../../support/vendors/alidns/server.ts";
import { startCloudflare, type CloudflareServer } from "../../support/vendors/cloudflare/server.ts";
import { startDigitalOcean, type DigitalOceanServer } from "../../support/vendors/digitalocean/server.ts";
import { startDnspodServer, type DnspodServer } from "../../support/vendors/dnspod/server.ts";
import { startRoute53, type Route53Server } from "../../support/vendors/route53/server.ts";
import { useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" } });
let alidns: AlidnsServer;
let cloudflare: CloudflareServer;
let route53: Route53Server;
let digitalocean: DigitalOceanServer;
let dnspod: DnspodServer;
beforeAll(async () => {
  [route53, digitalocean, dnspod] = await Promise.all([startRoute53(), startDigitalOcean(), startDnspodServer()]);
  [alidns, cloudflare] = await Promise.all([startAlidnsServer(), startCloudflare()]);
});
afterAll(async () => {
  await Promise.all([alidns, cloudflare, route53, digitalocean, dnspod].map((server) => server.stop()));
});

const vendors: [kind: string, config: () => object][] = [
  ["route53", () => ({ ...pick(route53, "accessKeyId", "secretAccessKey"), endpoint: route53.url })],
  ["digitalocean", () => ({ ...pick(digitalocean, "token"), endpoint: digitalocean.url })],
  ["dnspod", () => pick(dnspod, "secretId", "secretKey", "url")],
];

function pick<Key extends string>(from: Record<Key, string>, ...keys: Key[]): object {
  return Object.fromEntries(keys.map((key) => [key, from[key]]));
}

test.each(vendors)(
  "a domain that moves to %s gets its name servers there and keeps its other records",
  async (kind, config) => {
    const zone = await manualZone(zw);
    const www = await zone.add("A", "www", "192.0.2.1", 600);
    for (const value of ["ns1.example.net", "ns2.example.net"]) await zone.add("NS", "@", value);
    const made = await zw.admin.post("/api/provider-configs", { kind, name: kind, config: config() });
    const { status, body } = await zw.admin.put(zone.path, { providerConfigId: made.body.id });
    expect({ status, body }).toMatchObject({ status: 200, body: { providerConfigId: made.body.id, revision: 4 } });
    const records = await zone.records();
    expect(records).toContainEqual(expect.objectContaining({ id: www.id, version: 1, value: "192.0.2.1" }));
    const servers = records.filter(({ recordType }) => recordType === "NS").map(({ value }) => value);
    expect(servers.length).toBeGreaterThanOrEqual(2);
    expect(servers).not.toContain("ns1.example.net");
    expect(body.recordCount).toBe(servers.length + 1);
    expect((await zone.post("/sync", { dryRun: true })).body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
    expect((await zone.history())[0]).toMatchObject({ kind: "sync", state: "applied" });
    const { snapshots } = (await zone.get("/snapshots")).body;
    expect(snapshots).toMatchObject([{ trigger: "on_change", recordCount: 3 }]);
  },
);

const toCloudflare = () => ({ apiToken: cloudflare.token, accountId: cloudflare.accountId, endpoint: cloudflare.url });

/** Vendors whose zones differ in the smallest TTL, with a zone of the lowest edition. */
const withFloors: [kind: string, config: () => object, floor: number, add: (zone: string) => unknown][] = [
  ["cloudflare", toCloudflare, 60, (zone) => cloudflare.addZone(zone, "free")],
  [
    "dnspod",
    () => pick(dnspod, "secretId", "secretKey", "url"),
    600,
    (zone) => dnspod.account.addDomain(zone, "DP_FREE"),
  ],
  [
    "alidns",
    () => pick(alidns, "accessKeyId", "accessKeySecret", "url"),
    600,
    (zone) => alidns.account.addDomain(zone, 600),
  ],
];

test.each(withFloors)(
  "a move names every TTL too low for the zone at %s before it writes anything there",
  async (kind, config, floor, add) => {
    const zone = await manualZone(zw);
    await zone.add("A", "www", "192.0.2.1", 40);
    await zone.add("TXT", "@", "short", 50);
    await zone.add("A", "ftp", "192.0.2.1", 7200);
    const before = await zone.detail();
    add(zone.name);
    const made = await zw.admin.post("/api/provider-configs", { kind, name: `${kind} floor`, config: config() });
    const { status, body } = await zw.admin.put(zone.path, { providerConfigId: made.body.id });
    expect({ status, detail: body.detail }).toMatchObject({
      status: 400,
      detail: expect.stringContaining("cannot store 2 of this zone's records"),
    });
    expect(body.issues.map(({ message }: { message: string }) => message).toSorted()).toEqual([
      expect.stringMatching(new RegExp(`^@ TXT: .* requires a TTL from ${floor} to `)),
      expect.stringMatching(new RegExp(`^www A: .* requires a TTL from ${floor} to `)),
    ]);
    expect(await zone.detail()).toEqual(before);
  },
);

test("TTLs too low for a zone that the move creates are named too, and the zone stays empty", async () => {
  const zone = await manualZone(zw);
  const www = await zone.add("A", "www", "192.0.2.1", 40);
  const made = await zw.admin.post("/api/provider-configs", {
    kind: "cloudflare",
    name: "new",
    config: toCloudflare(),
  });
  const move = async () => await zw.admin.put(zone.path, { providerConfigId: made.body.id });
  const { status, body } = await move();
  expect({ status, detail: body.detail, issues: body.issues }).toMatchObject({
    status: 400,
    detail: expect.stringContaining("The zone there stays as it is, without them."),
    issues: [{ message: expect.stringMatching(/^www A: Cloudflare requires a TTL from 60 to /) }],
  });
  expect((await zw.admin.put(`${zone.path}/records/${www.id}`, { ttl: 60 })).status).toBe(200);
  expect((await move()).status).toBe(200);
});
