import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Clock } from "../../support/clock.ts";
import { startDnspodServer, type DnspodServer } from "../../support/vendors/dnspod/server.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { lineOf, type Body, type Zone } from "../../support/zones.ts";
import { settleOpen } from "../settling.ts";
import { applySet, configure, expectInSync, importZone, newZone, recordOf } from "../vendor-zone.ts";

const clock = new Clock();
const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" }, now: clock.now, pause: clock.pause });
const ours = "kontor.example";
const ownServers = ["NS f1g1ns1.dnspod.net. 86400", "NS f1g1ns2.dnspod.net. 86400"];

let vendor: DnspodServer;
let config: string;
let zone: Zone;
beforeAll(async () => {
  vendor = await startDnspodServer(clock.now);
  const { url, secretId, secretKey } = vendor;
  config = await configure(zw, "dnspod", { url, secretId, secretKey }, [secretKey]);
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
    .filter(({ Name }) => Name === name)
    .map(({ Type, MX, Value, TTL }) => [Type, ...(Type === "MX" ? [MX] : []), Value, TTL].join(" "))
    .toSorted();
const changingCalls = () => vendor.calls.filter(({ action }) => !action.startsWith("Describe"));

test("testing a configuration works for an account without domains", async () => {
  const empty = await startDnspodServer(clock.now);
  const { url, secretId, secretKey } = empty;
  const id = await configure(zw, "dnspod", { url, secretId, secretKey }, []);
  const { body } = await zw.admin.post(`/api/provider-configs/${id}/test`);
  await empty.stop();
  expect(body).toEqual({ success: true, error: null, zones: 0 });
});

test("domains of several pages are listed, in A-labels", async () => {
  const many = await startDnspodServer(clock.now);
  for (let index = 0; index < 3_001; index++) many.account.addDomain(`berth-${index}.example`);
  many.account.addDomain("中文.example");
  const { url, secretId, secretKey } = many;
  const id = await configure(zw, "dnspod", { url, secretId, secretKey }, []);
  const { zones } = (await zw.admin.get(`/api/provider-configs/${id}/zones`)).body;
  await many.stop();
  expect(zones).toHaveLength(3_002);
  expect(zones).toContainEqual({ name: "xn--fiq228c.example", managed: false });
  expect(many.calls.map(({ parameters }) => parameters.Offset)).toEqual([0, 3_000]);
});

test("every record type is created in the vendor's form, and a sync finds no difference", async () => {
  const records: [string, string, string, string][] = [
    ["A", "types", "192.0.2.1", "A 192.0.2.1 600"],
    ["AAAA", "types", "2001:db8::1", "AAAA 2001:db8::1 600"],
    ["MX", "types", "1 mail.example.net", "MX 1 mail.example.net. 600"],
    ["TXT", "types", "v=DKIM1; k=rsa; p=Grüße", "TXT v=DKIM1; k=rsa; p=Grüße 600"],
    ["CAA", "types", "0 issue ca.example; account=1", 'CAA 0 issue "ca.example; account=1" 600'],
    ["SRV", "_sip._tcp", "1 2 5060 sip.example.net", "SRV 1 2 5060 sip.example.net. 600"],
    ["CNAME", "*.alias", "www.example.net", "CNAME www.example.net. 600"],
    ["NS", "sub", "ns.example.net", "NS ns.example.net. 600"],
    ["CNAME", "chinese", "中文.example", "CNAME 中文.example. 600"],
  ];
  for (const [recordType, name, value] of records) await zone.add(recordType, name, value, 600);
  expect(served("types")).toEqual(records.flatMap(([, name, , line]) => (name === "types" ? [line] : [])).toSorted());
  for (const [, name, , line] of records.slice(5)) expect(served(name)).toEqual([line]);
  expect((await recordOf(zone, "chinese", "xn--fiq228c.example")).recordType).toBe("CNAME");
  await expectInSync(zone);
});

test("a record can be edited in place, given another TTL, moved and deleted", async () => {
  const { id } = await zone.add("MX", "crane", "10 mail.example.net", 600);
  vendor.calls.length = 0;
  expect((await zone.update(id, { value: "20 mail.example.net" })).status).toBe(200);
  expect(changingCalls().map(({ action }) => action)).toEqual(["ModifyRecord"]);
  expect((await zone.update(id, { ttl: 900 })).status).toBe(200);
  expect(served("crane")).toEqual(["MX 20 mail.example.net. 900"]);
  expect((await zone.update(id, { name: "winch" })).status).toBe(200);
  expect([served("crane"), served("winch")]).toEqual([[], ["MX 20 mail.example.net. 900"]]);
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
  expect(served("swap")).toEqual(["CNAME cdn.example.net. 600"]);
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
      await apex.add(recordType, "@", value, recordType === "NS" ? 86_400 : 600);
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
    for (const [Type, Value, MX] of [
      ["CNAME", "shop.example.net.", 0],
      ["MX", "mail.example.net.", 10],
    ] as const) {
      vendor.account.place("bare-apex.example", { Name: "@", Type, Value, MX });
    }
    const imported = await importZone(zw, config, "bare-apex.example");
    await imported.add("TXT", "@", "v=spf1 -all", 600);
    const { id } = await recordOf(imported, "@", "shop.example.net");
    expect((await imported.update(id, { value: "mall.example.net" })).status).toBe(200);
    await expectInSync(imported);
  });
});

test("a bulk creates 100 records", async () => {
  const records = Array.from({ length: 100 }, (_, index) => ({
    recordType: "A",
    name: `host${index}`,
    value: "192.0.2.7",
  }));
  const { body } = await zone.post("/records/bulk", { records, mode: "atomic" });
  expect(body).toMatchObject({ succeeded: 100 });
  expect(changingCalls()).toHaveLength(100);
  await expectInSync(zone);
});

describe("name servers at the apex", () => {
  test("the vendor's name servers at the apex are read-only, and others can be added", async () => {
    expect(served("@")).toEqual(ownServers);
    const own = await recordOf(zone, "@", "f1g1ns1.dnspod.net");
    const { status, body } = await zone.delete(own.id);
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain("DNSPod manages its own name servers at the apex");
    const other = await zone.add("NS", "@", "ns.example.net", 86_400);
    expect(served("@")).toEqual([...ownServers, "NS ns.example.net. 86400"]);
    await zone.delete(other.id);
    expect(served("@")).toEqual(ownServers);
  });

  test("the vendor's name servers at the apex stay when a zone file replaces the zone", async () => {
    vendor.account.addDomain("replaced.example");
    const replaced = await importZone(zw, config, "replaced.example");
    const zonefile = "@ 86400 IN NS ns.example.net.\nwww 600 IN A 192.0.2.1\n";
    const { status, body } = await replaced.post("/zonefile", { zonefile, mode: "replace" });
    expect({ status, body }).toMatchObject({ status: 200 });
    const now = vendor.account.records("replaced.example").map(({ Name, Type, Value }) => `${Name} ${Type} ${Value}`);
    expect(now.toSorted()).toEqual([
      "@ NS f1g1ns1.dnspod.net.",
      "@ NS f1g1ns2.dnspod.net.",
      "@ NS ns.example.net.",
      "www A 192.0.2.1",
    ]);
  });
});

test("a rollback restores a zone to a snapshot", async () => {
  await zone.add("A", "back", "192.0.2.40", 600);
  const { body: snapshot } = await zone.post("/snapshots");
  const { id } = await recordOf(zone, "back", "192.0.2.40");
  await zone.update(id, { value: "192.0.2.41", ttl: 900 });
  await zone.add("TXT", "back", "later", 600);
  const { status, body } = await zone.post(`/snapshots/${snapshot.id}/rollback`);
  expect({ status, body }).toMatchObject({ status: 200, body: { success: true, updated: 1, deleted: 1 } });
  expect(served("back")).toEqual(["A 192.0.2.40 600"]);
  await expectInSync(zone);
});

test("records of several pages are read", async () => {
  const name = "quay.example";
  vendor.account.addDomain(name);
  for (let index = 0; index < 3_201; index++) {
    vendor.account.place(name, { Name: `host${index}`, Type: "A", Value: "192.0.2.1" });
  }
  const quay = await importZone(zw, config, name);
  expect((await quay.detail()).recordCount).toBe(3_203);
  const pages = vendor.calls.filter(({ action }) => action === "DescribeRecordList");
  expect(pages.map(({ parameters }) => [parameters.Offset, parameters.Limit])).toEqual([
    [0, 3_000],
    [3_000, 3_000],
  ]);
});

test("a zone without records is read as empty", async () => {
  vendor.account.addDomain("bare.example");
  for (const { RecordId: id } of vendor.account.records("bare.example")) vendor.account.displace(id);
  const bare = await importZone(zw, config, "bare.example");
  expect(await bare.records()).toEqual([]);
});

describe("changes made at the vendor meanwhile", () => {
  test("a change made at the vendor is not overwritten and arrives with the next sync", async () => {
    const { id } = await zone.add("A", "both", "192.0.2.80", 600);
    const there = vendor.account.records(ours).find(({ Name }) => Name === "both");
    vendor.account.displace(there?.RecordId ?? 0);
    vendor.account.place(ours, { Name: "both", Type: "A", Value: "192.0.2.81" });
    const { status, body } = await zone.update(id, { value: "192.0.2.82" });
    expect(status).toBe(502);
    expect(body.message).toContain("is no longer in the zone at DNSPod; sync the zone first");
    expect(served("both")).toEqual(["A 192.0.2.81 600"]);
    await zone.post("/sync");
    expect((await zone.records("&search=both")).map(lineOf)).toEqual(["both A 192.0.2.81"]);
  });

  test("a record that the vendor's lists do not show yet can be edited", async () => {
    vendor.account.indexLag = 1;
    const { id } = await zone.add("A", "fresh", "192.0.2.90", 600);
    vendor.account.indexLag = 0;
    expect((await zone.update(id, { value: "192.0.2.91" })).status).toBe(200);
    expect(served("fresh")).toEqual(["A 192.0.2.91 600"]);
  });
});

describe("records that the vendor's lists do not show yet", () => {
  afterEach(() => {
    vendor.account.indexLag = 0;
  });

  test("a sync does not delete a record that the vendor's lists do not show yet", async () => {
    vendor.account.indexLag = 3;
    await zone.add("A", "lagging", "192.0.2.95", 600);
    const { body } = await zone.post("/sync");
    expect(body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
    expect((await zone.records("&search=lagging")).map(lineOf)).toEqual(["lagging A 192.0.2.95"]);
  });

  test("a sync deletes a record that is still missing after the lists' delay", async () => {
    // What the calls take on a busy machine is no part of the wait.
    clock.standStill();
    await zone.add("A", "displaced", "192.0.2.96", 600);
    const there = vendor.account.records(ours).find(({ Name }) => Name === "displaced");
    vendor.account.displace(there?.RecordId ?? 0);
    const before = clock.now().getTime();
    expect((await zone.post("/sync")).body).toMatchObject({ created: 0, updated: 0, deleted: 1 });
    expect(clock.now().getTime() - before).toBe(30_000);
  });

  test("a record created by a call without an answer is found once the lists show it", async () => {
    vendor.account.indexLag = 2;
    vendor.faults.next("CreateRecord", { kind: "cuts after" });
    expect((await zone.create({ recordType: "A", name: "unseen", value: "192.0.2.97", ttl: 600 })).status).toBe(502);
    expect((await zone.create({ recordType: "A", name: "unseen", value: "192.0.2.97", ttl: 600 })).status).toBe(503);
    await settleOpen(zw, clock);
    expect((await zone.records("&search=unseen")).map(lineOf)).toEqual(["unseen A 192.0.2.97"]);
    await expectInSync(zone);
  });
});

test.each([
  [
    "a disabled record",
    { Type: "A", Value: "192.0.2.1", Status: "DISABLE" as const },
    "DNSPOD_A",
    "disabled 192.0.2.1",
  ],
  ["one on a line", { Type: "A", Value: "192.0.2.1", Line: "电信", LineId: "10=0" }, "DNSPOD_A", "line=电信 192.0.2.1"],
  ["one with a weight", { Type: "A", Value: "192.0.2.1", Weight: 3 }, "DNSPOD_A", "weight=3 192.0.2.1"],
  [
    "a redirect",
    { Type: "显性URL", Value: "https://example.net/a?b=C" },
    "DNSPOD_REDIRECT_URL",
    "https://example.net/a?b=C",
  ],
  ["a framed page", { Type: "隐性URL", Value: "https://example.net/" }, "DNSPOD_FORWARD_URL", "https://example.net/"],
  ["a service binding", { Type: "HTTPS", MX: 1, Value: ". alpn=h2" }, "DNSPOD_HTTPS", "1 . alpn=h2"],
])("%s is shown as read-only", async (what, entry, recordType, value) => {
  const name = what.replaceAll(" ", "-");
  vendor.account.place(ours, { Name: name, ...entry });
  await zone.post("/sync");
  const own = await recordOf(zone, name, value);
  expect(own).toMatchObject({ recordType, ttl: 600 });
  for (const { status, body } of [await zone.delete(own.id), await zone.update(own.id, { ttl: 900 })]) {
    expect({ status, body }).toMatchObject({ status: 400 });
    expect(JSON.stringify(body)).toContain("DNSPod manages this record only in its console");
  }
  expect(changingCalls()).toEqual([]);
  expect(served(name)).toHaveLength(1);
  await expectInSync(zone);
});

test("quotes around a text that was entered with them are read as quoting", async () => {
  vendor.account.place(ours, { Name: "quoting", Type: "TXT", Value: '"v=spf1 -all"' });
  vendor.account.place(ours, { Name: "quoting", Type: "TXT", Value: '"v=DKIM1; p=" "AAAA"' });
  vendor.account.place(ours, { Name: "quoting", Type: "TXT", Value: 'say "hi"' });
  await zone.post("/sync");
  expect((await zone.records("&search=quoting")).map(lineOf).toSorted()).toEqual([
    'quoting TXT say "hi"',
    "quoting TXT v=DKIM1; p=AAAA",
    "quoting TXT v=spf1 -all",
  ]);
  const { id } = await recordOf(zone, "quoting", "v=spf1 -all");
  expect((await zone.update(id, { value: "v=spf1 ~all" })).status).toBe(200);
  expect(served("quoting")).toContain("TXT v=spf1 ~all 600");
  await expectInSync(zone);
});

test("a record with weight 0 is an ordinary record", async () => {
  vendor.account.place(ours, { Name: "weightless", Type: "A", Value: "192.0.2.1", Weight: 0 });
  await zone.post("/sync");
  expect((await recordOf(zone, "weightless", "192.0.2.1")).recordType).toBe("A");
});

describe("limits of the vendor", () => {
  test.each([
    ["TXT", "quoted", 'say "hello"', "rejects or changes quotes, single quotes and backslashes"],
    ["TXT", "ticked", "it's", "rejects or changes quotes, single quotes and backslashes"],
    ["TXT", "slashed", String.raw`C:\zones`, "rejects or changes quotes, single quotes and backslashes"],
    ["TXT", "blank", "behind ", "drops spaces at the end"],
    ["TXT", "empty", "", "does not allow an empty TXT value"],
    ["SRV", "_imap._tcp", "0 0 1 .", 'does not support SRV records with the target "."'],
    ["MX", "null", "0 .", "does not support null MX records"],
    ["TXT", "long", "t".repeat(256), "allows at most 255 octets in a TXT value; this one has 256"],
    ["TXT", "wide", "文".repeat(86), "allows at most 255 octets in a TXT value; this one has 258"],
    ["A", "bücher", "192.0.2.1", "allows only ASCII and Chinese characters in names"],
    ["MX", "mail", "10 grüße.example", "allows only ASCII and Chinese characters in names"],
    ["A", "0/25", "192.0.2.1", "allows only letters, digits, hyphens and underscores"],
  ])("an unsupported %s record at %s is refused before anything is sent", async (recordType, name, value, message) => {
    const { status, body } = await zone.create({ recordType, name, value });
    expect({ status, body }).toMatchObject({ status: 400 });
    expect(body.issues.map((issue: Body) => issue.message).join()).toContain(`DNSPod ${message}`);
    expect(vendor.calls).toEqual([]);
  });

  test("a TTL below that of the zone's package is refused before anything is sent", async () => {
    vendor.account.addDomain("free.example", "DP_FREE");
    const free = await importZone(zw, config, "free.example");
    vendor.calls.length = 0;
    const low = await free.create({ recordType: "A", name: "ttl", value: "192.0.2.1", ttl: 300 });
    expect(low.status).toBe(400);
    expect(low.body.message).toBe("ttl: DNSPod requires a TTL from 600 to 604800 seconds.");
    expect(changingCalls()).toEqual([]);
    await free.add("A", "ttl", "192.0.2.1", 600);
  });
});

describe("rejected keys", () => {
  const wrong = "wrong-key-that-nobody-should-see";

  test.each([
    ["a wrong key", { secretKey: wrong }, "AuthFailure.SignatureFailure"],
    ["a wrong id", { secretId: "AKIDunknown", secretKey: wrong }, "AuthFailure.SecretIdNotFound"],
  ])("%s is reported with the vendor's message and without the key", async (_what, change, code) => {
    const { url, secretId } = vendor;
    const closed = await configure(zw, "dnspod", { url, secretId, ...change }, []);
    const { body } = await zw.admin.post(`/api/provider-configs/${closed}/test`);
    expect(body).toMatchObject({ success: false, error: expect.stringContaining(code) });
    expect(body.error).toContain("rejects the key of this provider configuration");
    const { status, body: zones } = await zw.admin.get(`/api/provider-configs/${closed}/zones`);
    expect(status).toBe(502);
    expect(JSON.stringify([body, zones])).not.toContain(wrong);
  });

  test("a key without a permission is reported with the missing permission", async () => {
    vendor.denied.add("CreateRecord");
    const { status, body } = await zone.create({ recordType: "A", name: "denied", value: "192.0.2.1" });
    vendor.denied.clear();
    expect(status).toBe(502);
    expect(body.message).toMatch(
      /permissions listed in docs\/providers\/dnspod\.md \(AuthFailure\.UnauthorizedOperation.*CreateRecord/,
    );
    expect(served("denied")).toEqual([]);
  });
});

test("a zone of another account is not taken over, and a deleted one is reported as missing", async () => {
  vendor.account.foreign.add("foreign.example");
  const { status, body } = await zw.admin.post("/api/domains", { name: "foreign.example", providerConfigId: config });
  expect(status).toBe(502);
  expect(body.message).toContain("DomainOwnedByOtherUser");
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
    expect.stringMatching(
      /refuses the key .* for the zone closed\.example.*OperationDenied\.NoPermissionToOperateDomain/,
    ),
  ]);
  expect(body.message).not.toContain("has no zone");
});

test("no secret appears in the history or in a configuration", async () => {
  const { body } = await zw.admin.get("/api/provider-configs");
  expect(JSON.stringify([body, await zone.history()])).not.toContain(vendor.secretKey);
});
