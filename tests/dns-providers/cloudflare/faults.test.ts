import { describe, expect, onTestFinished, test } from "vitest";
import { freshName, Zone } from "../../support/zones.ts";
import { startCloudflare } from "../../support/vendors/cloudflare/server.ts";
import { difference, linesAt, none, recordAt, useCloudflare, writes } from "./cloudflare.ts";

const cf = useCloudflare();
const address = { recordType: "A", name: "www", value: "192.0.2.1", ttl: 300 };

describe("Cloudflare failures", () => {
  test("a rate-limited call to Cloudflare is retried", async () => {
    const zone = await cf.zone();
    cf.server.fault("POST", "throttle");
    expect((await zone.create(address)).status).toBe(201);
    expect(writes(cf.server)).toHaveLength(2);
    expect(await difference(zone)).toEqual(none);
  });

  test("a failed read from Cloudflare is retried", async () => {
    const zone = await cf.zone();
    cf.server.addRecord(zone.name, { type: "A", name: "www", ttl: 300, content: "192.0.2.1" });
    cf.server.fault("GET", "fail");
    cf.server.fault("GET", "cut");
    expect((await zone.post("/sync")).body).toMatchObject({ created: 1 });
  });

  test("a read is retried twice if the token is refused, as Cloudflare does now and then for valid ones", async () => {
    const zone = await cf.zone();
    cf.server.addRecord(zone.name, { type: "A", name: "www", ttl: 300, content: "192.0.2.1" });
    cf.server.fault("GET", "deny");
    cf.server.fault("GET", "deny");
    expect((await zone.post("/sync")).body).toMatchObject({ created: 1 });
    for (let attempt = 0; attempt < 3; attempt++) cf.server.fault("GET", "deny");
    cf.server.forgetCalls();
    const { status, body } = await zone.post("/sync");
    expect([status, cf.server.calls.length]).toEqual([502, 3]);
    expect(body.message).toContain("Cloudflare rejects the token of this provider configuration");
  });

  test("a change is not repeated if the token is refused", async () => {
    const zone = await cf.zone();
    cf.server.fault("POST", "deny");
    expect((await zone.create(address)).status).toBe(502);
    expect(writes(cf.server)).toHaveLength(1);
  });

  test.each(["failAfter", "cutAfter"] as const)(
    "a change that Cloudflare makes before %s is reported as made",
    async (does) => {
      const zone = await cf.zone();
      cf.server.fault("POST", does);
      const { status, body } = await zone.create(address);
      expect({ status, body }).toMatchObject({ status: 201, body: { name: "www" } });
      expect(writes(cf.server)).toHaveLength(1);
      expect(await difference(zone)).toEqual(none);
    },
  );

  test.each(["fail", "cut"] as const)(
    "a change that Cloudflare does not make (%s) is reported as not made and not resent",
    async (does) => {
      const zone = await cf.zone();
      cf.server.fault("POST", does);
      const { status, body } = await zone.create(address);
      expect([status, body.code]).toEqual([502, "PROVIDER_ERROR"]);
      expect(writes(cf.server)).toHaveLength(1);
      expect([await zone.records(), cf.server.records(zone.name)]).toEqual([[], []]);
      // The call may still be carried out; once it no longer can be, it was not.
      expect((await zone.create(address)).status).toBe(503);
      await cf.settle();
      expect([await zone.records(), cf.server.records(zone.name)]).toEqual([[], []]);
      expect((await zone.create(address)).status).toBe(201);
    },
  );
});

const hosts = (count: number) =>
  Array.from({ length: count }, (_, index) => `host${index} 300 IN A 10.0.${index >> 8}.${index & 255}`).join("\n");

const load = (zone: Zone, zonefile: string, mode = "merge") =>
  zone.post("/zonefile", { zonefile: `${zonefile}\n`, mode });

describe("changes that need several batches", () => {
  test("a batch holds 200 changes on the Free plan", async () => {
    const zone = await cf.zone();
    expect((await load(zone, hosts(1_201))).body).toMatchObject({ created: 1_201 });
    expect(writes(cf.server).map(({ posts }) => posts.length)).toEqual([200, 200, 200, 200, 200, 200, 1]);
    expect(await difference(zone)).toEqual(none);
  });

  test("the same changes are one batch on a paid plan", async () => {
    const zone = await cf.zone("pro");
    expect((await load(zone, hosts(1_201))).body).toMatchObject({ created: 1_201 });
    expect(writes(cf.server)).toHaveLength(1);
  });

  test("earlier batches are undone with their comments and tags when a later one is refused", async () => {
    const zone = await cf.zone();
    const noted = { type: "TXT", name: "noted", ttl: 600, content: '"old"', comment: "keep me", tags: ["team:quay"] };
    cf.server.addRecord(zone.name, noted);
    cf.server.addRecord(zone.name, { type: "A", name: "host3", ttl: 600, content: "192.0.2.3", comment: "me too" });
    await zone.post("/sync");
    const before = linesAt(cf.server, zone);
    cf.server.fault("POST", "refuse", 1);
    const { status, body } = await load(zone, hosts(250), "replace");
    expect([status, body.detail]).toEqual([
      409,
      expect.stringContaining("The harbour master does not like it. (9999)"),
    ]);
    expect(linesAt(cf.server, zone)).toEqual(before);
    expect(recordAt(cf.server, zone, "noted")).toMatchObject({ comment: "keep me", tags: ["team:quay"], ttl: 600 });
    expect(recordAt(cf.server, zone, "host3")).toMatchObject({ comment: "me too", ttl: 600 });
    expect(await difference(zone)).toEqual(none);
  });

  test("undoing a batch keeps comments that somebody else added meanwhile", async () => {
    const zone = await cf.zone();
    cf.server.addRecord(zone.name, { type: "A", name: "host3", ttl: 600, content: "192.0.2.3", comment: "before" });
    await zone.post("/sync");
    cf.server.fault("POST", "refuse", 1);
    cf.server.vendor.meanwhile(
      ({ method, body }) => method === "POST" && body.includes("host249"),
      () => {
        const { id, name, type, ttl } = recordAt(cf.server, zone, "host3");
        cf.server.changeRecord(zone.name, { id, name, type, ttl, comment: "after" });
      },
    );
    expect((await load(zone, hosts(250), "replace")).status).toBe(409);
    expect(cf.server.records(zone.name)).toMatchObject([{ content: "192.0.2.3", ttl: 600, comment: "after" }]);
    expect(await difference(zone)).toEqual(none);
  });

  test("undoing a batch is tried twice", async () => {
    const zone = await cf.zone();
    for (let refusals = 0; refusals < 2; refusals++) cf.server.fault("POST", "refuse", 1);
    expect((await load(zone, hosts(250))).status).not.toBe(200);
    expect([cf.server.records(zone.name), await zone.records()]).toEqual([[], []]);
    expect(await difference(zone)).toEqual(none);
  });

  test("if a batch cannot be undone, the records are shown as Cloudflare has them", async () => {
    const zone = await cf.zone();
    for (let refusals = 0; refusals < 100; refusals++) cf.server.fault("POST", "refuse", 1);
    expect((await load(zone, hosts(250))).status).not.toBe(200);
    cf.server.vendor.forgetFaults();
    expect(cf.server.records(zone.name)).toHaveLength(200);
    expect(await zone.records()).toHaveLength(200);
    expect(await difference(zone)).toEqual(none);
  });

  test("all batches are reported as made if only the answer to the last is lost", async () => {
    const zone = await cf.zone();
    cf.server.fault("POST", "cutAfter", 1);
    const { status } = await load(zone, hosts(250));
    expect(status).toBe(200);
    expect(await zone.records()).toHaveLength(250);
    expect(await difference(zone)).toEqual(none);
  });
});

describe("changes made at Cloudflare meanwhile", () => {
  test("a sync finds a change made at Cloudflare, and editing a deleted record there is refused with advice", async () => {
    const zone = await cf.zone();
    const record = await zone.add("A", "www", "192.0.2.1", 300);
    const { id, name, type } = recordAt(cf.server, zone, "www");
    cf.server.changeRecord(zone.name, { id, name, type, ttl: 300, content: "192.0.2.2" });
    const { status, body } = await zone.update(record.id, { value: "192.0.2.3" });
    expect([status, body.detail]).toEqual([
      502,
      expect.stringMatching(/no longer in the zone at Cloudflare; sync the zone/),
    ]);
    expect(writes(cf.server)).toHaveLength(1);
    expect((await zone.post("/sync")).body).toMatchObject({ updated: 1 });
    expect(await zone.lines()).toEqual(["www A 192.0.2.2"]);
  });

  test("an edit is refused if Cloudflare has a conflicting or an equal record", async () => {
    const zone = await cf.zone();
    cf.server.addRecord(zone.name, { type: "CNAME", name: "www", ttl: 300, content: "cdn.example.net" });
    cf.server.addRecord(zone.name, { type: "A", name: "ftp", ttl: 300, content: "192.0.2.1" });
    expect((await zone.create(address)).body.detail).toContain("The zone at Cloudflare has other records");
    expect((await zone.create({ ...address, name: "ftp" })).body.detail).toContain(
      "is already in the zone at Cloudflare",
    );
    expect(writes(cf.server)).toEqual([]);
  });

  test("a record added at Cloudflare gets the TTL of an edit to its RRset", async () => {
    const zone = await cf.zone();
    const record = await zone.add("A", "www", "192.0.2.1", 300);
    cf.server.addRecord(zone.name, { type: "A", name: "www", ttl: 900, content: "192.0.2.2", comment: "by hand" });
    await zone.update(record.id, { ttl: 600 });
    expect(cf.server.records(zone.name)).toMatchObject([{ ttl: 600 }, { ttl: 600, comment: "by hand" }]);
  });

  test("a sync fails without losing records if the zone changes while it is read", async () => {
    const zone = await cf.zone();
    const records = Array.from({ length: 5_201 }, (_, index) => index);
    cf.server.addRecords(
      zone.name,
      records.map((index) => ({
        type: "A",
        name: `host${index}`,
        ttl: 300,
        content: `10.0.${index >> 8}.${index & 255}`,
      })),
    );
    expect((await zone.post("/sync")).body).toMatchObject({ created: 5_201 });
    const pages = cf.server.calls.filter(({ path }) => path.endsWith("/dns_records")).map(({ query }) => query["page"]);
    expect(pages).toEqual(["1", "2"]);
    cf.server.vendor.meanwhile(
      ({ url }) => url.searchParams.get("page") === "2",
      () => cf.server.removeRecord(zone.name, recordAt(cf.server, zone, "host0").id),
    );
    const { status, body } = await zone.post("/sync");
    expect([status, body.detail]).toEqual([502, expect.stringContaining("changed while being read. Try again.")]);
    expect((await zone.post("/sync")).body).toMatchObject({ deleted: 1, unchanged: 5_200 });
  });

  test("a zone deleted at Cloudflare is reported as missing", async () => {
    const [zone] = [await cf.zone(), await cf.zone()];
    cf.server.removeZone(zone.name);
    const { status, body } = await zone.post("/sync");
    expect([status, body.detail]).toEqual([502, `Cloudflare has no zone ${zone.name} for this token.`]);
  });
});

describe("zones that Cloudflare does not serve from its records alone", () => {
  test("a secondary zone is read, and an edit is refused with advice before anything is sent", async () => {
    const zone = await cf.zone();
    cf.server.addRecord(zone.name, { type: "A", name: "www", ttl: 300, content: "192.0.2.1" });
    cf.server.zone(zone.name).type = "secondary";
    expect((await zone.post("/sync")).body).toMatchObject({ created: 1 });
    const { status, body } = await zone.create({ ...address, name: "new" });
    expect([status, writes(cf.server)]).toEqual([502, []]);
    expect(body.message).toContain(`${zone.name} is a secondary zone at Cloudflare; change it at its primary server.`);
    const changes = [{ action: "create", record: { ...address, name: "new" } }];
    expect(await zone.post("/records/plan", { changes })).toBeProblem(502, "PROVIDER_ERROR");
  });

  test("in a zone with a CNAME set-up only proxied records can be written, and any deleted", async () => {
    const zone = await cf.zone();
    cf.server.addRecord(zone.name, { type: "TXT", name: "old", ttl: 300, content: '"old"' });
    cf.server.zone(zone.name).type = "partial";
    await zone.post("/sync");
    const { status, body } = await zone.create(address);
    expect([status, writes(cf.server)]).toEqual([400, []]);
    expect(body.message).toContain("Cloudflare serves only proxied records of this zone");
    const changes = [{ action: "create", record: address }];
    expect(await zone.post("/records/plan", { changes })).toBeProblem(400, "BAD_REQUEST");
    expect((await zone.create({ ...address, proxied: true })).status).toBe(201);
    const [old] = await zone.records("&search=old");
    expect((await zone.delete(old?.id)).status).toBe(200);
    expect(await difference(zone)).toEqual(none);
  });
});

describe("records that Cloudflare manages", () => {
  const mail = { type: "MX", name: "@", ttl: 1, content: "route1.mx.cloudflare.net", priority: 5 };
  const reason = "Cloudflare created this record for one of its services, such as Email Routing or Workers";

  async function routed(): Promise<Zone> {
    const zone = await cf.zone();
    cf.server.addRecord(zone.name, { ...mail, name: zone.name }, { read_only: true });
    await zone.post("/sync");
    return zone;
  }

  test("records of Cloudflare's own services are shown, and editing them is refused with the reason", async () => {
    const zone = await routed();
    const [record] = await zone.records();
    expect(record).toMatchObject({ recordType: "MX", value: "5 route1.mx.cloudflare.net" });
    for (const answer of [await zone.update(record.id, { ttl: 300 }), await zone.delete(record.id)]) {
      expect([answer.status, answer.body.detail]).toEqual([502, expect.stringContaining(reason)]);
    }
    expect(writes(cf.server)).toEqual([]);
  });

  test("zone-file imports and rollbacks leave Cloudflare's own records and report them", async () => {
    const zone = await cf.zone();
    const snapshot = (await zone.post("/snapshots")).body;
    cf.server.addRecord(zone.name, { ...mail, name: zone.name }, { read_only: true });
    await zone.add("A", "www", "192.0.2.1", 300);
    await zone.post("/sync");
    const { body } = await load(zone, "ftp 300 IN A 192.0.2.2", "replace");
    expect(body).toMatchObject({ created: 1, deleted: 1, warnings: [expect.stringContaining(reason)] });
    const rollback = (await zone.post(`/snapshots/${snapshot.id}/rollback`, { force: true })).body;
    expect(rollback).toMatchObject({ success: false, deleted: 1, failed: [{ recordType: "MX" }] });
    expect(linesAt(cf.server, zone)).toEqual([`${zone.name} MX route1.mx.cloudflare.net`]);
  });
});

test("a token that sees no zones at all does not make a zone count as missing", async () => {
  const alone = await startCloudflare();
  onTestFinished(() => alone.stop());
  const name = freshName();
  alone.addZone(name);
  const config = await cf.configure({ apiToken: alone.token, accountId: alone.accountId, endpoint: alone.url });
  const { body: domain } = await cf.zw.admin.post("/api/domains", { name, providerConfigId: config });
  alone.removeZone(name);
  const { status, body } = await new Zone(cf.zw, domain).create(address);
  expect([status, body.detail]).toEqual([502, expect.stringContaining("shows this token no zones")]);
  const member = await cf.zw.member("newcomer");
  await cf.zw.admin.put(`/api/provider-configs/${config}`, { membersMayUse: true });
  const refused = await member.post("/api/domains", { name: freshName(), providerConfigId: config });
  expect([refused.status, refused.body.detail]).toEqual([502, expect.stringContaining("does not say whether")]);
});
