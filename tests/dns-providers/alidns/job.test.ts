import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { alidnsRefusal, startAlidnsServer, type AlidnsServer } from "../../support/vendors/alidns/server.ts";
import { Clock } from "../../support/clock.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { lineOf, type Body, type Zone } from "../../support/zones.ts";
import { applySet, configure, expectInSync, importZone, newZone, recordOf } from "../vendor-zone.ts";

const clock = new Clock();
const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" }, now: clock.now, pause: clock.pause });
const ours = "hafen.example";

let vendor: AlidnsServer;
let config: string;
let zone: Zone;
beforeAll(async () => {
  vendor = await startAlidnsServer(clock.now);
  const { url, accessKeyId, accessKeySecret } = vendor;
  config = await configure(zw, "alidns", { url, accessKeyId, accessKeySecret }, [accessKeySecret]);
  zone = await newZone(zw, config, ours);
});
afterAll(() => vendor.stop());
beforeEach(() => {
  vendor.calls.length = 0;
});

/** The vendor's records of a name as `type value ttl`. */
const served = (name: string) =>
  vendor.account
    .records(ours)
    .filter(({ RR }) => RR === name)
    .map(({ Type, Priority, Value, TTL }) =>
      [Type, ...(Priority === undefined ? [] : [Priority]), Value, TTL].join(" "),
    )
    .toSorted();
const added = (name: string) => ({ recordType: "A", name, value: "192.0.2.1", ttl: 600 });
const changingCalls = () => vendor.calls.filter(({ action }) => !action.startsWith("Describe"));

test("testing a configuration lists its zones page by page, in A-labels", async () => {
  for (let index = 0; index < 250; index++) vendor.account.addDomain(`berth-${index}.example`);
  vendor.account.addDomain("中文.example");
  const { body } = await zw.admin.post(`/api/provider-configs/${config}/test`);
  expect(body).toEqual({ success: true, error: null, zones: 252 });
  expect(vendor.calls.map(({ parameters }) => parameters.PageNumber)).toEqual(["1", "2", "3"]);
  const { zones } = (await zw.admin.get(`/api/provider-configs/${config}/zones`)).body;
  expect(zones).toContainEqual({ name: "xn--fiq228c.example", managed: false });
  expect(zones).toContainEqual({ name: ours, managed: true });
});

test("every record type is created in the vendor's form, and a sync finds no difference", async () => {
  const records: [string, string, string, string][] = [
    ["A", "types", "192.0.2.1", "A 192.0.2.1 600"],
    ["AAAA", "types", "2001:db8::1", "AAAA 2001:db8::1 600"],
    ["MX", "types", "10 mail.example.net", "MX 10 mail.example.net 600"],
    ["TXT", "types", "v=spf1 include:_spf.example.net ?all", "TXT v=spf1 include:_spf.example.net ?all 600"],
    ["CAA", "types", "0 issue ca.example; account=1", 'CAA 0 issue "ca.example; account=1" 600'],
    ["SRV", "_sip._tcp", "1 2 5060 sip.example.net", "SRV 1 2 5060 sip.example.net 600"],
    ["CNAME", "*.alias", "www.example.net", "CNAME www.example.net 600"],
    ["NS", "sub", "ns.example.net", "NS ns.example.net 600"],
    ["CNAME", "书店", "中文.example", "CNAME xn--fiq228c.example 600"],
  ];
  for (const [recordType, name, value] of records) await zone.add(recordType, name, value, 600);
  expect(served("types")).toEqual(records.flatMap(([, name, , line]) => (name === "types" ? [line] : [])).toSorted());
  for (const [, name, , line] of records.slice(5, 8)) expect(served(name)).toEqual([line]);
  expect(served("xn--1jqq80b")).toEqual([records[8]?.[3]]);
  await expectInSync(zone);
});

test("a record can be edited in place, given another TTL, moved and deleted", async () => {
  const { id } = await zone.add("A", "crane", "192.0.2.1", 600);
  vendor.calls.length = 0;
  expect((await zone.update(id, { value: "192.0.2.2" })).status).toBe(200);
  expect(changingCalls().map(({ action }) => action)).toEqual(["UpdateDomainRecord"]);
  expect((await zone.update(id, { ttl: 900 })).status).toBe(200);
  expect(served("crane")).toEqual(["A 192.0.2.2 900"]);
  expect((await zone.update(id, { name: "winch" })).status).toBe(200);
  expect([served("crane"), served("winch")]).toEqual([[], ["A 192.0.2.2 900"]]);
  expect((await zone.delete(id)).status).toBe(200);
  expect(served("winch")).toEqual([]);
});

test("an atomic set replaces addresses by a CNAME, and back", async () => {
  const addresses = [await zone.add("A", "swap", "192.0.2.30"), await zone.add("TXT", "swap", "text")];
  const there = await applySet(zone, [
    { action: "create", record: { recordType: "CNAME", name: "swap", value: "cdn.example.net", ttl: 600 } },
    ...addresses.map(({ id }: Body) => ({ action: "delete", recordId: id })),
  ]);
  expect(there).toMatchObject({ status: 200 });
  expect(served("swap")).toEqual(["CNAME cdn.example.net 600"]);
  const { id } = await recordOf(zone, "swap", "cdn.example.net");
  await applySet(zone, [{ action: "update", recordId: id, record: { recordType: "A", value: "192.0.2.31" } }]);
  expect(served("swap")).toEqual(["A 192.0.2.31 600"]);
});

describe("a CNAME at the apex", () => {
  test("stands beside MX, NS and TXT, and nothing else", async () => {
    const apex = await newZone(zw, config, "apex.example");
    for (const [recordType, value] of [
      ["MX", "10 mail.example.net"],
      ["TXT", "v=spf1 -all"],
      ["NS", "ns.example.net"],
      ["CNAME", "shop.example.net"],
    ] as const) {
      await apex.add(recordType, "@", value, 600);
    }
    vendor.calls.length = 0;
    for (const [recordType, value] of [
      ["A", "192.0.2.1"],
      ["CAA", "0 issue ca.example"],
    ] as const) {
      const { status, body } = await apex.create({ recordType, name: "@", value });
      expect({ status, body }).toMatchObject({ status: 409 });
      expect(JSON.stringify(body)).toContain(
        `Only MX, NS and TXT may stand beside a CNAME at the apex, which also has ${recordType}`,
      );
    }
    expect(changingCalls()).toEqual([]);
    await expectInSync(apex);
  });

  test("may be there in an imported zone, whose other records can be edited", async () => {
    vendor.account.addDomain("bare-apex.example");
    for (const [Type, Value, Priority] of [
      ["CNAME", "shop.example.net", 0],
      ["MX", "mail.example.net", 10],
    ] as const) {
      vendor.account.place("bare-apex.example", { RR: "@", Type, Value, ...(Priority > 0 && { Priority }) });
    }
    const imported = await importZone(zw, config, "bare-apex.example");
    await imported.add("TXT", "@", "v=spf1 -all", 600);
    const { id } = await recordOf(imported, "@", "shop.example.net");
    expect((await imported.update(id, { value: "mall.example.net" })).status).toBe(200);
    await expectInSync(imported);
  });
});

test("name servers of a second provider can be added at the apex and removed", async () => {
  const { id } = await zone.add("NS", "@", "ns.example.net", 600);
  expect(served("@")).toEqual(["NS ns.example.net 600"]);
  expect((await zone.delete(id)).status).toBe(200);
  expect(served("@")).toEqual([]);
});

test("the vendor's own name servers at the apex are read-only", async () => {
  vendor.account.place(ours, { RR: "@", Type: "NS", Value: "dns1.hichina.com" });
  await zone.post("/sync");
  const { status, body } = await zone.delete((await recordOf(zone, "@", "dns1.hichina.com")).id);
  expect({ status, body }).toMatchObject({ status: 400 });
  expect(JSON.stringify(body)).toContain("Alibaba Cloud DNS manages its own name servers at the apex");
});

test("a bulk of 100 records reports the item that the vendor refuses", async () => {
  vendor.account.place(ours, { RR: "host7", Type: "CNAME", Value: "taken.example", Line: "default" });
  const records = Array.from({ length: 100 }, (_, index) => ({
    recordType: "A",
    name: `host${index}`,
    value: "192.0.2.7",
  }));
  const { body } = await zone.post("/records/bulk", { records });
  expect(body.succeeded).toBe(99);
  expect(body.results[7]).toMatchObject({ success: false, error: expect.stringContaining("host7") });
  expect(served("host8")).toEqual(["A 192.0.2.7 3600"]);
  await zone.post("/sync", { force: true });
  await expectInSync(zone);
});

describe("a domain takes one write at a time", () => {
  test("the records of a bulk are sent one after another", async () => {
    const before = vendor.collisions;
    const records = Array.from({ length: 12 }, (_, index) => added(`queue${index}`));
    expect((await zone.post("/records/bulk", { records })).body).toMatchObject({ succeeded: 12 });
    expect(vendor.collisions).toBe(before);
  });

  // alicloud provider: pull requests #541, #848, #2829, #3813, #5400 and #5412 name the operations and codes.
  test.each([
    ["AddDomainRecord", "LastOperationNotFinished", 400],
    ["UpdateDomainRecord", "LastOperationNotFinished", 400],
    ["DeleteDomainRecord", "LastOperationNotFinished", 400],
    ["DeleteDomainRecord", "RecordForbidden.DNSChange", 400],
    ["AddDomainRecord", "DnsSystemBusyness", 503],
    ["AddDomainRecord", "InternalError", 400],
    ["DeleteDomainRecord", "InternalError", 500],
  ])("%s is repeated while it is refused with %s (%i)", async (action, code, status) => {
    const name = `${action}-${code}`.toLowerCase().replaceAll(".", "-");
    vendor.faults.next(action, { kind: "refuses", status, body: alidnsRefusal(code, "Busy.") }, { times: 7 });
    const { id } = await zone.add("A", name, "192.0.2.1", 600);
    expect((await zone.update(id, { value: "192.0.2.2" })).status).toBe(200);
    expect(served(name)).toEqual(["A 192.0.2.2 600"]);
    expect((await zone.delete(id)).status).toBe(200);
    expect([served(name), vendor.faults.left]).toEqual([[], 0]);
    expect(changingCalls()).toHaveLength(3 + 7);
  });

  test("a deletion that was made although InternalError was answered counts as made", async () => {
    const { id } = await zone.add("A", "made", "192.0.2.1", 600);
    const body = alidnsRefusal("InternalError", "The request processing has failed due to some unknown error.");
    vendor.faults.next("DeleteDomainRecord", { kind: "fails after", status: 500, body });
    expect((await zone.delete(id)).status).toBe(200);
    expect(served("made")).toEqual([]);
    await expectInSync(zone);
  });

  test("a write that stays refused for a minute is reported as not made", async () => {
    const refusal = { kind: "refuses", status: 400, body: alidnsRefusal("LastOperationNotFinished", "Busy.") } as const;
    vendor.faults.next("AddDomainRecord", refusal, { times: 100 });
    const { status, body } = await zone.create(added("stuck"));
    expect({ status, body }).toMatchObject({ status: 502 });
    expect(body.message).toContain(
      "Alibaba Cloud DNS has not finished an earlier change of this zone. Try again later",
    );
    expect(vendor.faults.left).toBeGreaterThan(80);
    vendor.faults.forget();
    expect((await zone.create(added("stuck"))).status).toBe(201);
  });
});

test("a rollback restores a snapshot and leaves read-only records", async () => {
  const kept = vendor.account.place(ours, { RR: "back", Type: "A", Value: "192.0.2.60", Line: "telecom" });
  await zone.add("A", "back", "192.0.2.40", 600);
  const { body: snapshot } = await zone.post("/snapshots");
  const { id } = await recordOf(zone, "back", "192.0.2.40");
  await zone.update(id, { value: "192.0.2.41", ttl: 900 });
  await zone.add("TXT", "back", "later", 600);
  await zone.post("/sync");
  const { status, body } = await zone.post(`/snapshots/${snapshot.id}/rollback`);
  // The record on a line was added after the snapshot, so the rollback would delete it.
  const left = {
    recordType: "ALIDNS_A",
    name: "back",
    error: expect.stringContaining("manages this record only in its console"),
  };
  expect({ status, body }).toMatchObject({ status: 200, body: { updated: 1, deleted: 1, failed: [left] } });
  expect(served("back")).toEqual(["A 192.0.2.40 600", "A 192.0.2.60 600"]);
  expect(vendor.account.records(ours).map(({ RecordId }) => RecordId)).toContain(kept);
  await expectInSync(zone);
});

test("1,201 records are read page by page", async () => {
  const name = "quay.example";
  vendor.account.addDomain(name);
  for (let index = 0; index < 1_201; index++) {
    vendor.account.place(name, { RR: `host${index}`, Type: "A", Value: "192.0.2.1" });
  }
  const quay = await importZone(zw, config, name);
  expect((await quay.detail()).recordCount).toBe(1_201);
  const pages = vendor.calls.filter(({ action }) => action === "DescribeDomainRecords");
  expect(pages.map(({ parameters }) => [parameters.PageNumber, parameters.PageSize])).toEqual([
    ["1", "500"],
    ["2", "500"],
    ["3", "500"],
  ]);
});

describe("changes made at the vendor meanwhile", () => {
  test("a change made at the vendor is not overwritten and arrives with the next sync", async () => {
    const { id } = await zone.add("A", "both", "192.0.2.80", 600);
    const there = vendor.account.records(ours).find(({ RR }) => RR === "both");
    vendor.account.displace(there?.RecordId ?? "");
    vendor.account.place(ours, { RR: "both", Type: "A", Value: "192.0.2.81" });
    const { status, body } = await zone.update(id, { value: "192.0.2.82" });
    expect(status).toBe(502);
    expect(body.message).toContain("is no longer in the zone at Alibaba Cloud DNS; sync the zone first");
    expect(served("both")).toEqual(["A 192.0.2.81 600"]);
    await zone.post("/sync");
    expect((await zone.records("&search=both")).map(lineOf)).toEqual(["both A 192.0.2.81"]);
  });

  test("a record added at the vendor gets the TTL of its RRset with the next edit", async () => {
    await zone.add("A", "joined", "192.0.2.1", 600);
    vendor.account.place(ours, { RR: "joined", Type: "A", Value: "192.0.2.2", TTL: 1200 });
    const { id } = await recordOf(zone, "joined", "192.0.2.1");
    await zone.update(id, { ttl: 900 });
    expect(served("joined")).toEqual(["A 192.0.2.1 900", "A 192.0.2.2 900"]);
    await zone.post("/sync");
  });
});

test.each([
  [
    "a disabled record",
    { Type: "A", Value: "192.0.2.1", Status: "DISABLE" as const },
    "ALIDNS_A",
    "disabled 192.0.2.1",
  ],
  ["one on a line", { Type: "A", Value: "192.0.2.1", Line: "telecom" }, "ALIDNS_A", "line=telecom 192.0.2.1"],
  [
    "one with a weight",
    { Type: "A", Value: "192.0.2.1", LbaStatus: true, Weight: 3 },
    "ALIDNS_A",
    "weight=3 192.0.2.1",
  ],
  [
    "one with a weight and no status of it",
    { Type: "A", Value: "192.0.2.1", Weight: 3 },
    "ALIDNS_A",
    "weight=3 192.0.2.1",
  ],
  [
    "a mail server on a line",
    { Type: "MX", Value: "m.example", Priority: 5, Line: "oversea" },
    "ALIDNS_MX",
    "line=oversea 5 m.example",
  ],
  [
    "a redirect",
    { Type: "REDIRECT_URL", Value: "https://example.net/a?b=C" },
    "ALIDNS_REDIRECT_URL",
    "https://example.net/a?b=C",
  ],
])("%s is shown as read-only", async (what, entry, recordType, value) => {
  const name = what.replaceAll(" ", "-");
  vendor.account.place(ours, { RR: name, ...entry });
  await zone.post("/sync");
  const own = await recordOf(zone, name, value);
  expect(own).toMatchObject({ recordType, ttl: 600 });
  for (const { status, body } of [await zone.delete(own.id), await zone.update(own.id, { ttl: 900 })]) {
    expect({ status, body }).toMatchObject({ status: 400 });
    expect(JSON.stringify(body)).toContain("Alibaba Cloud DNS manages this record only in its console");
  }
  expect(changingCalls()).toEqual([]);
  expect(served(name)).toHaveLength(1);
  await expectInSync(zone);
});

describe("limits of the vendor", () => {
  test.each([
    ["TXT", "quoted", 'say "hello"', "drops quotes and backslashes"],
    ["TXT", "slashed", String.raw`C:\zones`, "drops quotes and backslashes"],
    ["TXT", "blank", "behind ", "drops spaces at the end"],
    ["TXT", "long", "t".repeat(512), "at most 511 characters"],
    ["TXT", "empty", "", "not allow an empty TXT value"],
    ["TXT", "umlaut", "Grüße", "only printable ASCII"],
    ["TXT", "*", "any", "not allow wildcard names for TXT records"],
    ["SRV", "*", "1 2 3 sip.example.net", "not allow wildcard names for SRV records"],
    ["SRV", "_imap._tcp", "0 0 1 .", 'not support SRV records with the target "."'],
    ["MX", "null", "0 .", "not support null MX records"],
    ["MX", "far", "51 mail.example.net", "MX priorities from 1 to 50"],
    ["NS", "@", "ns1.alidns.com", "manages its own name servers at the apex"],
    ["A", "bücher", "192.0.2.1", "only ASCII and Chinese characters in names"],
    ["CNAME", "shop", "grüße.example", "only ASCII and Chinese characters in names"],
    ["SRV", "_sip._tcp", "1 2 3 sip.grüße.example", "only ASCII and Chinese characters in names"],
    ["A", "0/25", "192.0.2.1", "only letters, digits, hyphens and underscores"],
  ])("an unsupported %s record at %s is refused before anything is sent", async (recordType, name, value, message) => {
    const { status, body } = await zone.create({ recordType, name, value });
    expect({ status, body }).toMatchObject({ status: 400 });
    expect(JSON.stringify(body.issues)).toMatch(/Alibaba Cloud DNS/);
    expect(body.issues.map((issue: Body) => issue.message).join()).toContain(message);
    expect(vendor.calls).toEqual([]);
  });

  test("a TTL outside the limits of every edition, or of the zone's, is refused before anything is sent", async () => {
    const { status, body } = await zone.create({ recordType: "A", name: "ttl", value: "192.0.2.1", ttl: 86_401 });
    expect({ status, body }).toMatchObject({ status: 400 });
    expect(vendor.calls).toEqual([]);
    vendor.account.addDomain("free.example", 600);
    const free = await importZone(zw, config, "free.example");
    vendor.calls.length = 0;
    const low = await free.create({ recordType: "A", name: "ttl", value: "192.0.2.1", ttl: 300 });
    expect(low.status).toBe(400);
    expect(low.body.message).toBe("ttl: Alibaba Cloud DNS requires a TTL from 600 to 86400 seconds.");
    expect(changingCalls()).toEqual([]);
    await free.add("A", "ttl", "192.0.2.1", 600);
  });
});

/** The id of a configuration with another key. */
async function keyed(change: Record<string, string>): Promise<string> {
  const { url, accessKeyId, accessKeySecret } = vendor;
  return await configure(zw, "alidns", { url, accessKeyId, accessKeySecret, ...change }, []);
}

describe("rejected keys", () => {
  const wrong = "wrong-secret-that-nobody-should-see";
  test.each([
    ["a wrong secret", { accessKeySecret: wrong }, "SignatureDoesNotMatch"],
    ["a wrong id", { accessKeyId: "LTAIunknown", accessKeySecret: wrong }, "InvalidAccessKeyId.NotFound"],
  ])("%s is reported with the vendor's message and without the secret", async (_what, change, code) => {
    const closed = await keyed(change);
    const { body } = await zw.admin.post(`/api/provider-configs/${closed}/test`);
    expect(body).toMatchObject({ success: false, error: expect.stringContaining(code) });
    expect(body.error).toContain("rejects the access key of this provider configuration");
    const { status, body: zones } = await zw.admin.get(`/api/provider-configs/${closed}/zones`);
    expect(status).toBe(502);
    expect(JSON.stringify([body, zones])).not.toContain(wrong);
  });

  test("a key without a permission is reported with the missing permission", async () => {
    vendor.denied.add("AddDomainRecord");
    const { status, body } = await zone.create({ recordType: "A", name: "denied", value: "192.0.2.1" });
    vendor.denied.clear();
    expect(status).toBe(502);
    expect(body.message).toMatch(/permissions listed in docs\/providers\/alidns\.md \(Forbidden\.RAM/);
    expect(served("denied")).toEqual([]);
  });
});

test("a zone of another account is not taken over, and a deleted one is reported as missing", async () => {
  vendor.account.foreign.add("foreign.example");
  const { status, body } = await zw.admin.post("/api/domains", { name: "foreign.example", providerConfigId: config });
  expect(status).toBe(502);
  expect(body.message).toContain("DomainAddedByOthers");
  vendor.account.addDomain("gone.example");
  const gone = await importZone(zw, config, "gone.example");
  vendor.account.domains.delete("gone.example");
  const answer = await gone.create({ recordType: "A", name: "www", value: "192.0.2.1" });
  expect(answer.status).toBe(502);
  expect(answer.body.message).toContain("has no zone gone.example");
});

test("a zone that the key has no access to is not reported as missing", async () => {
  vendor.account.addDomain("closed.example");
  const closed = await importZone(zw, config, "closed.example");
  vendor.account.domains.delete("closed.example");
  vendor.account.foreign.add("closed.example");
  const { status, body } = await closed.create({ recordType: "A", name: "www", value: "192.0.2.1" });
  expect([status, body.message]).toEqual([
    502,
    expect.stringMatching(/refuses the access key .* for the zone closed\.example.*IncorrectDomainUser/),
  ]);
  expect(body.message).not.toContain("has no zone");
});

test("an internal API address is not called unless allowed", async () => {
  const inside = { url: "http://10.0.0.1", accessKeyId: "LTAIx", accessKeySecret: "secret-of-nothing" };
  const { body } = await zw.admin.post(`/api/provider-configs/${await configure(zw, "alidns", inside, [])}/test`);
  expect(body).toMatchObject({ success: false });
});

test("no secret appears in the history or in a configuration", async () => {
  const { body } = await zw.admin.get("/api/provider-configs");
  expect(JSON.stringify([body, await zone.history()])).not.toContain(vendor.accessKeySecret);
});
