import { afterAll, beforeAll, expect, test } from "vitest";
import { manualZone } from "../records/zones.ts";
import { startDigitalOcean, type DigitalOceanServer } from "../support/vendors/digitalocean/server.ts";
import { startDnspodServer, type DnspodServer } from "../support/vendors/dnspod/server.ts";
import { startRoute53, type Route53Server } from "../support/vendors/route53/server.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" } });
let route53: Route53Server;
let digitalocean: DigitalOceanServer;
let dnspod: DnspodServer;
beforeAll(async () => {
  [route53, digitalocean, dnspod] = await Promise.all([startRoute53(), startDigitalOcean(), startDnspodServer()]);
});
afterAll(async () => {
  await Promise.all([route53.stop(), digitalocean.stop(), dnspod.stop()]);
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
  "a domain that moves to %s has its name servers there and keeps its other records",
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
