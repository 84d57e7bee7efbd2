import { describe, expect, test } from "vitest";
import { useZonewright } from "../../support/zonewright.ts";
import { addZone, embeddedConfig, fileZone, manualConfig, manualZone, type Zone } from "../../support/zones.ts";

const zw = useZonewright();
const digest = "ab".repeat(32);

/** A value as a client writes it, as it is stored, and another one. */
const samples = [
  ["PTR", "ptr", "Host.Example.net.", "Host.Example.net", "other.example.net"],
  ["TLSA", "_443._tcp", `3 1 1 ${digest.toUpperCase()}`, `3 1 1 ${digest}`, `3 0 1 ${digest}`],
  ["SSHFP", "ssh", `4 2 ${digest}`, `4 2 ${digest}`, `1 2 ${digest}`],
  ["HTTPS", "@", '1 . alpn="h2,h3" port=8443', "1 . alpn=h2,h3 port=8443", "0 www.example.net."],
  ["SVCB", "_dns", "1 dns.example.net alpn=dot", "1 dns.example.net. alpn=dot", "2 dns.example.net. alpn=h2"],
  [
    "NAPTR",
    "n",
    '100 10 s SIP+D2U "" _sip._udp.example.net',
    '100 10 "s" "SIP+D2U" "" _sip._udp.example.net.',
    '100 20 "s" "SIP+D2U" "" _sip._udp.example.net.',
  ],
  [
    "DHCID",
    "d",
    "AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA=",
    "AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA=",
    "AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEE=",
  ],
  [
    "LOC",
    "place",
    "60 10 N 24 56 E 20m",
    "60 10 0.000 N 24 56 0.000 E 20.00m 1m 10000m 10m",
    "60 10 0.000 N 24 57 0.000 E 20.00m 1m 10000m 10m",
  ],
  ["DNAME", "moved", "New.Example.net", "New.Example.net.", "newer.example.net."],
  ["URI", "_ftp", '010 1 "ftp://a.example/"', '10 1 "ftp://a.example/"', '10 2 "ftp://a.example/"'],
  ["OPENPGPKEY", "key", "AaBb CcDd", "AaBbCcDd", "AaBbCcDe"],
  ["TYPE65280", "odd", String.raw`\# 2 AB CD`, String.raw`\# 2 abcd`, String.raw`\# 2 abce`],
] as const;

describe.each([
  ["zone files", () => fileZone(zw)],
  ["manual", () => manualZone(zw)],
])("records at %s", (_, make) => {
  test.each(samples)(
    "a %s record can be created, found in any spelling, changed, exported, imported and deleted",
    async (recordType, name, given, stored, changed) => {
      const zone: Zone = await make();
      const { status, body: record } = await zone.create({ recordType, name, value: given, ttl: 300 });
      expect({ status, record }).toMatchObject({
        status: 201,
        record: { recordType, name, value: stored, priority: null },
      });
      expect(await zone.create({ recordType, name, value: given })).toMatchObject({ status: 409 });
      const found = await zone.records(`&type=${recordType}&value=${encodeURIComponent(given)}`);
      expect(found.map(({ id }) => id)).toEqual([record.id]);
      const { body: zonefile } = await zone.get("/zonefile");
      expect(zonefile).toContain(` IN ${recordType} `);
      expect((await zone.update(record.id, { value: changed })).body).toMatchObject({ value: changed, id: record.id });
      const { body: imported } = await zone.post("/zonefile", { zonefile, mode: "replace", force: true });
      expect(imported).toMatchObject({ created: 0, updated: 1, deleted: 0 });
      expect(await zone.records(`&type=${recordType}`)).toMatchObject([{ id: record.id, value: stored }]);
      expect(await zone.create({ recordType: "CNAME", name, value: "a.example" })).toMatchObject({
        status: name === "@" ? 400 : 409,
      });
      expect((await zone.delete(record.id)).status).toBe(200);
      expect(await zone.records(`&type=${recordType}`)).toEqual([]);
    },
  );

  test("a DS record stands only beside the NS records of a delegation", async () => {
    const zone = await make();
    const ds = { recordType: "DS", name: "sub", value: `60485 13 2 ${digest}` };
    const ns = { recordType: "NS", name: "sub", value: "ns.example.net" };
    const alone = await zone.create(ds);
    expect(alone).toMatchObject({
      status: 409,
      body: { issues: [{ path: ["recordType"], message: expect.stringContaining("Add the NS first") }] },
    });
    expect(await zone.create({ ...ds, name: "@" })).toMatchObject({ status: 409 });
    const changes = [ns, ds].map((record) => ({ action: "create", record }));
    const { body: plan } = await zone.post("/records/plan", { changes });
    expect((await zone.post("/records/apply", { changes, planHash: plan.planHash })).status).toBe(200);
    const records = await zone.records();
    const deletions = records
      .filter(({ name }) => name === "sub")
      .map(({ id }) => ({ action: "delete", recordId: id }));
    const { body: end } = await zone.post("/records/plan", { changes: deletions });
    expect(
      (await zone.post("/records/apply", { changes: deletions, planHash: end.planHash, force: true })).status,
    ).toBe(200);
  });

  test("HTTPS in alias mode is the only HTTPS record of its name", async () => {
    const zone = await make();
    await zone.add("HTTPS", "www", "0 web.example.net");
    const second = await zone.create({ recordType: "HTTPS", name: "www", value: "1 . alpn=h2" });
    expect(second).toMatchObject({ status: 409, body: { issues: [{ path: ["value"] }] } });
  });
});

describe("providers", () => {
  test.each(["digitalocean", "alidns", "dnspod"])(
    "the kind %s, whose vendor documents eight types, lists no others",
    async (kind) => {
      const { body } = await zw.admin.get("/api/providers");
      const { recordTypes } = body.providers.find((one: { kind: string }) => one.kind === kind);
      expect(recordTypes.toSorted()).toEqual(["A", "AAAA", "CAA", "CNAME", "MX", "NS", "SRV", "TXT"]);
    },
  );
});

test("an ALIAS at the apex is written where the provider has it, and refused elsewhere by the provider's name", async () => {
  const zone = await manualZone(zw);
  const alias = { recordType: "ALIAS", name: "@", value: "Shop.Example.net." };
  expect(await zone.create(alias)).toMatchObject({ status: 201, body: { value: "Shop.Example.net" } });
  expect((await zone.get("/zonefile")).body).toContain("ALIAS");
  expect(await (await fileZone(zw)).create(alias)).toMatchObject({
    status: 400,
    body: { issues: [{ path: ["recordType"], message: expect.stringContaining("Zone files") }] },
  });
});

describe("reverse zones", () => {
  test.each([
    ["2.0.192.in-addr.arpa", "1", "a host of an IPv4 network"],
    ["0/25.9.0.192.in-addr.arpa", "1", "part of an IPv4 network (RFC 2317)"],
    ["8.b.d.0.1.0.0.2.ip6.arpa", "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0", "a host of an IPv6 network"],
  ])("%s is a domain with PTR records, and has no expiry date to look up", async (name, host) => {
    for (const providerConfigId of [await manualConfig(zw), await embeddedConfig(zw)]) {
      const view = providerConfigId === (await manualConfig(zw)) ? "" : "files";
      const zone = await addZone(zw, { name, view, providerConfigId });
      expect(await zone.detail()).toMatchObject({ name, autoCheckExpiry: false, expiresAt: null });
      await zone.add("PTR", host, "host.example.net");
      expect(await zone.lines()).toEqual([`${host} PTR host.example.net`]);
      expect((await zone.post("/sync")).status).toBe(providerConfigId === (await manualConfig(zw)) ? 400 : 200);
      const preview = await zone.post("/check-expiry");
      expect(preview.body).toMatchObject({ success: false });
    }
  });
});
