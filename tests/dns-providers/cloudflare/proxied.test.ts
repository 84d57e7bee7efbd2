import { describe, expect, test } from "vitest";
import { difference, none, recordAt, useCloudflare, writes } from "./cloudflare.ts";

const cf = useCloudflare();
const address = { recordType: "A", name: "www", value: "192.0.2.1" };

describe("TTLs of proxied records", () => {
  test("a proxied record created with a TTL gets 1, the plan says so, and a sync finds no difference", async () => {
    const zone = await cf.zone();
    const changes = [{ action: "create", record: { ...address, ttl: 300, proxied: true } }];
    const { body: plan } = await zone.post("/records/plan", { changes });
    expect(plan.creates).toMatchObject([{ ttl: 1, proxied: true }]);
    expect(plan.warnings).toEqual(["Cloudflare sets the TTL of proxied records itself: 1 instead of 300."]);
    expect((await zone.post("/records/apply", { changes, planHash: plan.planHash })).status).toBe(200);
    expect(recordAt(cf.server, zone, "www")).toMatchObject({ ttl: 1, proxied: true });
    expect(await zone.records()).toMatchObject([{ ttl: 1, proxied: true }]);
    expect(await difference(zone)).toEqual(none);
  });

  test("a proxied record created without a TTL gets 1 without a warning", async () => {
    const zone = await cf.zone();
    const changes = [{ action: "create", record: { ...address, proxied: true } }];
    const { body } = await zone.post("/records/plan", { changes });
    expect([body.creates[0].ttl, body.warnings]).toEqual([1, []]);
  });

  test("a record that becomes proxied gets TTL 1, and keeps it when given another", async () => {
    const zone = await cf.zone();
    const { id } = await zone.add("A", "www", "192.0.2.1", 300);
    expect((await zone.update(id, { proxied: true })).body).toMatchObject({ ttl: 1, proxied: true });
    cf.server.forgetCalls();
    expect((await zone.update(id, { ttl: 600 })).body).toMatchObject({ ttl: 1, proxied: true });
    expect(writes(cf.server)).toEqual([]);
    expect(await difference(zone)).toEqual(none);
    expect((await zone.update(id, { proxied: false, ttl: 600 })).body).toMatchObject({ ttl: 600, proxied: false });
    expect(await difference(zone)).toEqual(none);
  });

  test("a record that is no longer proxied gets the TTL of its RRset", async () => {
    const zone = await cf.zone();
    await zone.add("A", "www", "192.0.2.1", 300);
    const { body: second } = await zone.create({ ...address, value: "192.0.2.2", proxied: true });
    const ttls = async () => (await zone.records()).map(({ value, ttl }) => [value, ttl]);
    expect(await ttls()).toEqual([
      ["192.0.2.1", 300],
      ["192.0.2.2", 1],
    ]);
    expect(await difference(zone)).toEqual(none);
    await zone.update(second.id, { proxied: false });
    expect(await ttls()).toEqual([
      ["192.0.2.1", 300],
      ["192.0.2.2", 300],
    ]);
    expect(await difference(zone)).toEqual(none);
  });
});

const proxiedRecord = { ...address, proxied: true };
const { proxied: _setting, ...bareRecord } = proxiedRecord;
const exposed = "www A 192.0.2.1 is no longer proxied by Cloudflare: its value becomes public.";

test.each([
  ["turns the proxy off", [{ action: "update", record: { proxied: false } }], exposed],
  ["creates it again without", [{ action: "delete" }, { action: "create", record: bareRecord }], exposed],
  [
    "gives it another name",
    [{ action: "delete" }, { action: "create", record: { ...bareRecord, name: "web" } }],
    "www A 192.0.2.1 becomes web A 192.0.2.1 and is no longer proxied by Cloudflare: its value becomes public.",
  ],
  ["keeps the proxy under another name", [{ action: "update", record: { name: "web" } }], null],
  ["deletes it", [{ action: "delete" }], null],
])("a plan that %s is warned of only if the value becomes public", async (_what, given, warning) => {
  const zone = await cf.zone();
  const { id } = (await zone.create(proxiedRecord)).body;
  const changes = given.map((change) => (change.action === "create" ? change : { ...change, recordId: id }));
  const { body } = await zone.post("/records/plan", { changes });
  expect(body.warnings).toEqual(warning === null ? [] : [warning]);
});

test("a proxied record changes to a type without proxying only if proxied is set to false", async () => {
  const zone = await cf.zone();
  const { id } = (await zone.create({ ...address, proxied: true })).body;
  const text = { recordType: "TXT", value: "hello" };
  const { status, body } = await zone.update(id, text);
  expect([status, body.detail]).toEqual([400, expect.stringContaining("set proxied to false for TXT")]);
  expect((await zone.update(id, { ...text, proxied: false })).status).toBe(200);
  expect(await difference(zone)).toEqual(none);
});

test("the automatic TTL 1 is accepted and shown for any record", async () => {
  const zone = await cf.zone();
  const { id } = await zone.add("TXT", "text", "hello", 1);
  expect((await zone.update(id, { value: "bye" })).body.ttl).toBe(1);
  expect(recordAt(cf.server, zone, "text").ttl).toBe(1);
  expect(await difference(zone)).toEqual(none);
});

test.each(["merge", "replace"])(
  "importing an exported zone file by %s leaves proxied records as they are",
  async (mode) => {
    const zone = await cf.zone();
    await zone.create({ ...address, proxied: true });
    await zone.add("A", "ftp", "192.0.2.2", 300);
    const zonefile = (await zone.get("/zonefile")).body;
    const { body } = await zone.post("/zonefile", { zonefile, mode });
    expect(body).toMatchObject({ created: 0, updated: 0, deleted: 0, unchanged: 2 });
    const moved = zonefile.replace("192.0.2.1", "192.0.2.9");
    expect((await zone.post("/zonefile", { zonefile: moved, mode: "replace" })).body.updated).toBe(1);
    expect(recordAt(cf.server, zone, "www")).toMatchObject({ content: "192.0.2.9", proxied: true, ttl: 1 });
  },
);

test("a sync finds a proxy setting changed at Cloudflare, and a rollback restores it", async () => {
  const zone = await cf.zone();
  await zone.create({ ...address, proxied: true });
  const snapshot = (await zone.post("/snapshots")).body;
  const { id, name, type } = recordAt(cf.server, zone, "www");
  cf.server.changeRecord(zone.name, { id, name, type, ttl: 120, proxied: false });
  expect((await zone.post("/sync")).body).toMatchObject({ updated: 1 });
  expect(await zone.records()).toMatchObject([{ ttl: 120, proxied: false }]);
  expect((await zone.post(`/snapshots/${snapshot.id}/rollback`, {})).body).toMatchObject({ success: true, updated: 1 });
  expect(recordAt(cf.server, zone, "www")).toMatchObject({ ttl: 1, proxied: true });
});

/** Its owner lacks the final dot, as Cloudflare writes it. */
const soa = (zone: { name: string }) =>
  `${zone.name}\t3600\tIN\tSOA\tada.ns.cloudflare.com. dns.cloudflare.com. 1 10000 2400 604800 3600\n`;

describe("zone files and the proxy", () => {
  test("an export of Cloudflare imported into Cloudflare keeps proxies and automatic TTLs", async () => {
    const zone = await cf.zone();
    const at = `${zone.name}.`;
    const zonefile = `${soa(zone)}www.${at} 1 IN A 192.0.2.1 ; cf_tags=cf-proxied:true
direct.${at} 1 IN A 192.0.2.2 ; cf_tags=cf-proxied:false
slow.${at} 7200 IN TXT "x"
hand.${at} 300 IN A 192.0.2.3 ; cf_tags=cf-proxied:true
`;
    const { status, body } = await zone.post("/zonefile", { zonefile });
    expect([status, body.created]).toEqual([200, 4]);
    expect(body.warnings).toEqual([
      `Line 1: The owner of the SOA, "${zone.name}", has no final dot and is read as the zone itself.`,
    ]);
    expect(recordAt(cf.server, zone, "www")).toMatchObject({ ttl: 1, proxied: true });
    expect(recordAt(cf.server, zone, "direct")).toMatchObject({ ttl: 1, proxied: false });
    expect(recordAt(cf.server, zone, "hand")).toMatchObject({ ttl: 1, proxied: true });
    expect(recordAt(cf.server, zone, "slow")).toMatchObject({ ttl: 7200 });
    expect(await difference(zone)).toEqual(none);
    const again = await zone.post("/zonefile", { zonefile, mode: "replace" });
    expect(again.body).toMatchObject({ created: 0, updated: 0, deleted: 0, unchanged: 4 });
  });

  test("a file that does not speak of proxies leaves them on, also when a value changes", async () => {
    const zone = await cf.zone();
    await zone.create({ ...address, proxied: true });
    const { body } = await zone.post("/zonefile", { zonefile: "www 300 A 192.0.2.9\n", mode: "replace", force: true });
    expect(body.warnings).toEqual([]);
    expect(recordAt(cf.server, zone, "www")).toMatchObject({ content: "192.0.2.9", ttl: 1, proxied: true });
  });

  test.each([
    ["says so", "www 300 A 192.0.2.1 ; cf_tags=cf-proxied:false\n", "is"],
    ["changes the type", "www 300 CNAME www.example.net.\n", "becomes CNAME www.example.net and is"],
  ])("a record loses its proxy with a warning if the file %s", async (_what, zonefile, outcome) => {
    const zone = await cf.zone();
    await zone.create({ ...address, proxied: true });
    const { body } = await zone.post("/zonefile", { zonefile, mode: "replace", force: true });
    expect(body.warnings).toEqual([
      `www A 192.0.2.1 ${outcome} no longer proxied by Cloudflare: its value becomes public.`,
    ]);
    expect(recordAt(cf.server, zone, "www")).toMatchObject({ proxied: false });
  });

  test("a value that moves to another name in a file is warned of", async () => {
    const zone = await cf.zone();
    await zone.create({ ...address, proxied: true });
    const { body } = await zone.post("/zonefile", { zonefile: "web 300 A 192.0.2.1\n", mode: "replace", force: true });
    expect(body.warnings).toEqual([
      "www A 192.0.2.1 becomes web A 192.0.2.1 and is no longer proxied by Cloudflare: its value becomes public.",
    ]);
  });

  test("a merge cannot end a proxy in silence either", async () => {
    const zone = await cf.zone();
    await zone.create({ ...address, proxied: true });
    const zonefile = "www 300 A 192.0.2.1 ; cf_tags=cf-proxied:false\n";
    const { body } = await zone.post("/zonefile", { zonefile, mode: "merge" });
    expect(body.warnings).toEqual([expect.stringContaining("no longer proxied by Cloudflare")]);
  });
});
