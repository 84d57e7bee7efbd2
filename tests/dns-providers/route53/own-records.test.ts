import { expect, onTestFinished, test } from "vitest";
import type { Body, Zone } from "../../support/zones.ts";
import { manualConfig } from "../../support/zones.ts";
import { startRoute53 } from "../../support/vendors/route53/server.ts";
import { useAccount } from "./account.ts";

const account = useAccount();

const alias = {
  AliasTarget: { HostedZoneId: "Z2FDTNDATAQYW2", DNSName: "d1.cloudfront.net.", EvaluateTargetHealth: "false" },
};
const weighted = (identifier: string, weight: number) => ({ SetIdentifier: identifier, Weight: weight });

/** A zone with an alias at the apex, two weighted RRsets, a failover pair of aliases and a plain record. */
async function zoneWithOwn(): Promise<{ zone: Zone; hosted: string }> {
  const { zone, hosted } = await account.zone();
  const put = account.server.put.bind(account.server, hosted);
  put({ name: zone.name, type: "A", settings: alias });
  put({
    name: `w.${zone.name}`,
    type: "A",
    ttl: 60,
    values: ["192.0.2.1", "192.0.2.2"],
    settings: weighted("blue", 10),
  });
  put({ name: `w.${zone.name}`, type: "A", ttl: 60, values: ["192.0.2.3"], settings: weighted("green fields", 20) });
  const check = { HealthCheckId: "abcdef11-2222-3333-4444-555555fedcba" };
  put({
    name: `f.${zone.name}`,
    type: "A",
    settings: { SetIdentifier: "one", Failover: "PRIMARY", ...check, ...alias },
  });
  put({
    name: `g.${zone.name}`,
    type: "TXT",
    ttl: 60,
    values: ['"eu"'],
    settings: { SetIdentifier: "eu", GeoLocation: { ContinentCode: "EU" } },
  });
  put({ name: `www.${zone.name}`, type: "A", ttl: 60, values: ["192.0.2.9"] });
  expect((await zone.post("/sync", { force: true })).body).toMatchObject({ created: 6, deleted: 0 });
  return { zone, hosted };
}

const isOwn = ({ recordType }: Body) => recordType.startsWith("R53_");
const ownOf = async (zone: Zone): Promise<Body[]> => (await zone.records()).filter(isOwn);

test("aliases and routed RRsets are shown, each as one descriptive record", async () => {
  const { zone } = await zoneWithOwn();
  expect((await ownOf(zone)).map(({ name, recordType, value, ttl }) => [name, recordType, ttl, value])).toEqual([
    [
      "@",
      "R53_ALIAS",
      0,
      "A alias-target.dns-name=d1.cloudfront.net. alias-target.evaluate-target-health=false alias-target.hosted-zone-id=Z2FDTNDATAQYW2",
    ],
    [
      "f",
      "R53_ROUTING",
      0,
      "A alias-target.dns-name=d1.cloudfront.net. alias-target.evaluate-target-health=false alias-target.hosted-zone-id=Z2FDTNDATAQYW2 failover=PRIMARY health-check-id=abcdef11-2222-3333-4444-555555fedcba set-identifier=one",
    ],
    ["g", "R53_ROUTING", 60, 'TXT geo-location.continent-code=EU set-identifier=eu: "eu"'],
    ["w", "R53_ROUTING", 60, "A set-identifier=blue weight=10: 192.0.2.1, 192.0.2.2"],
    ["w", "R53_ROUTING", 60, 'A set-identifier="green fields" weight=20: 192.0.2.3'],
  ]);
  expect((await zone.post("/sync")).body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
});

test("aliases and routed RRsets are read-only, and all other records are editable", async () => {
  const { zone, hosted } = await zoneWithOwn();
  const before = account.server.lines(hosted);
  for (const record of await ownOf(zone)) {
    expect((await zone.update(record.id, { ttl: 120 })).body.detail).toContain("Amazon Route 53 manages");
    expect((await zone.delete(record.id)).status).toBe(400);
  }
  for (const name of ["@", "w"]) {
    const joined = await zone.create({ recordType: "A", name, value: "192.0.2.8" });
    expect([joined.status, joined.body.detail]).toEqual([502, expect.stringContaining("alias or a routing policy")]);
  }
  expect((await zone.create({ recordType: "CNAME", name: "w", value: "x.example.net" })).status).toBe(409);
  expect(account.server.lines(hosted)).toEqual(before);
  const [www] = await zone.records("&search=www");
  expect((await zone.update(www.id, { value: "192.0.2.10" })).status).toBe(200);
  await zone.add("TXT", "w", "beside them", 60);
  expect((await ownOf(zone)).length).toBe(5);
});

test("rollbacks, zone-file imports and diffs leave aliases and routed RRsets and report them", async () => {
  const { zone, hosted } = await zoneWithOwn();
  const { body: snapshot } = await zone.post("/snapshots");
  account.server.remove(hosted, zone.name, "A");
  await zone.post("/sync", { force: true });
  const { body: later } = await zone.post("/snapshots");
  const { body: diff } = await zone.get(`/snapshots/diff?from=${snapshot.id}&to=${later.id}`);
  expect(JSON.stringify(diff)).toContain("R53_ALIAS");
  const { body: back } = await zone.post(`/snapshots/${snapshot.id}/rollback`, { force: true });
  expect(back).toMatchObject({ success: false, created: 0 });
  expect(back.failed).toMatchObject([
    { recordType: "R53_ALIAS", error: expect.stringContaining("manages alias records") },
  ]);
  const { body: replaced } = await zone.post("/zonefile", { zonefile: "new 60 A 192.0.2.7\n", mode: "replace" });
  expect(replaced).toMatchObject({ created: 1, deleted: 1 });
  expect(replaced.warnings.filter((warning: string) => warning.includes("routing policy"))).toHaveLength(4);
  expect(await ownOf(zone)).toHaveLength(4);
});

test("a push leaves aliases and routed RRsets that it cannot write, and reports them", async () => {
  const { zone, hosted } = await zoneWithOwn();
  account.server.remove(hosted, zone.name, "A");
  account.server.put(hosted, { name: `a.${zone.name}`, type: "A", settings: alias });
  account.server.put(hosted, { name: `www.${zone.name}`, type: "A", ttl: 60, values: ["192.0.2.10"] });
  const { plan } = (await zone.post("/push", { dryRun: true })).body;
  expect([plan.creates, plan.deletes, plan.updates.length, plan.warnings.length]).toEqual([[], [], 1, 2]);
  const { body } = await zone.post("/push");
  expect(body).toMatchObject({ success: false, created: 0, updated: 1, deleted: 0 });
  expect(body.failed).toMatchObject([{ recordType: "R53_ALIAS" }, { recordType: "R53_ALIAS" }]);
  expect(
    account.server.lines(hosted).filter((line) => /^a\..*AliasTarget|192\.0\.2\.(?:9|10)/.test(line)),
  ).toHaveLength(2);
  expect((await zone.post("/sync", { dryRun: true })).body).toMatchObject({ created: 1, updated: 0, deleted: 1 });
});

test("aliases and routed RRsets are exported as comments, which an import ignores", async () => {
  const { zone } = await zoneWithOwn();
  const { body: zonefile } = await zone.get("/zonefile");
  const lines = zonefile.split("\n").filter((line: string) => line.includes("R53_"));
  expect(lines).toHaveLength(5);
  expect(lines.every((line: string) => line.startsWith("; "))).toBe(true);
  const { body } = await zone.post("/zonefile", { zonefile, mode: "merge" });
  expect(body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
});

test("a zone with aliases or routed RRsets does not move to a provider without them", async () => {
  const { zone } = await zoneWithOwn();
  const elsewhere = await manualConfig(account.zw);
  const { status, body } = await account.zw.admin.put(zone.path, { providerConfigId: elsewhere });
  expect([status, body.issues[0].message]).toEqual([400, expect.stringContaining("cannot store R53_")]);
});

test("a domain does not move to another account without reporting its aliases and routed RRsets", async () => {
  const { zone } = await zoneWithOwn();
  const there = await startRoute53();
  onTestFinished(() => there.stop());
  const { accessKeyId, secretAccessKey, url: endpoint } = there;
  const other = await account.configure({ accessKeyId, secretAccessKey, endpoint });
  const move = async () => await account.zw.admin.put(zone.path, { providerConfigId: other.id });
  const before = [await zone.detail(), await zone.records()];
  const { status, body } = await move();
  expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
  expect(body.detail).toMatch(/Amazon Route 53.*@ R53_ALIAS.*w R53_ROUTING/);
  expect(body.issues).toHaveLength(5);
  expect(there.batches()).toEqual([]);
  expect([await zone.detail(), await zone.records()]).toEqual(before);
});

test("a domain with aliases moves to another configuration of the same account", async () => {
  const { zone } = await zoneWithOwn();
  const own = await ownOf(zone);
  const other = await account.configure();
  const { status } = await account.zw.admin.put(zone.path, { providerConfigId: other.id });
  expect([status, await ownOf(zone)]).toEqual([200, own]);
});
