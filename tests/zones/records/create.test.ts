import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualZone, unknownId, type Zone } from "../../support/zones.ts";

const zw = useZonewright();

let zone: Zone;
beforeAll(async () => {
  zone = await manualZone(zw);
});

describe("a new record", () => {
  test("a new record is returned whole, with its version as ETag, and is listed", async () => {
    const answer = await zone.create({
      recordType: "A",
      name: "whole",
      value: "192.0.2.1",
      ttl: 60,
      priority: null,
      proxied: false,
      comment: "for people",
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("etag")).toBe('"1"');
    expect(answer.body).toEqual({
      id: answer.body.id,
      domainId: zone.id,
      recordType: "A",
      name: "whole",
      value: "192.0.2.1",
      ttl: 60,
      strings: null,
      priority: null,
      proxied: false,
      serverManaged: false,
      status: "active",
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      comment: "for people",
      locked: false,
      ownerId: null,
      reviewAt: null,
      updatedAt: answer.body.createdAt,
      version: 1,
    });
    expect(await zone.records("&search=whole")).toEqual([answer.body]);
  });

  test.each([
    ["A", "192.0.2.7", "192.0.2.7", null],
    ["AAAA", "2001:DB8:0:0:0:0:0:1", "2001:db8::1", null],
    ["CNAME", "WWW.Example.NET.", "WWW.Example.NET", null],
    ["CNAME", "bücher.example", "xn--bcher-kva.example", null],
    ["NS", "Ns1.Example.net.", "Ns1.Example.net", null],
    ["MX", "10 Mail.Example.net.", "10 Mail.Example.net", 10],
    ["MX", "0 .", "0 .", 0],
    ["TXT", 'v=spf1 "quoted"; \\ -all', 'v=spf1 "quoted"; \\ -all', null],
    ["TXT", "日本".repeat(1024), "日本".repeat(1024), null],
    ["SRV", "10 5 5060 Sip.Example.net.", "10 5 5060 Sip.Example.net", 10],
    ["CAA", '0 issue "letsencrypt.org"', "0 issue letsencrypt.org", null],
  ])("a new record of type %s with %j has the canonical value %j", async (recordType, value, canonical, priority) => {
    const fresh = await manualZone(zw);
    const { status, body } = await fresh.create({ recordType, name: "x", value });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { recordType, value: canonical, priority, ttl: 3600 },
    });
  });

  test.each([
    ["A", "256.0.0.1"],
    ["A", "192.0.2"],
    ["A", "::1"],
    ["AAAA", "192.0.2.1"],
    ["AAAA", "2001:db8::g"],
    ["CNAME", "not a name"],
    ["CNAME", "192.0.2.1"],
    ["NS", ""],
    ["MX", "mail.example.net"],
    ["MX", "65536 mail.example.net"],
    ["MX", "10 not a name"],
    ["TXT", "x".repeat(2049)],
    ["SRV", "10 5 0 sip.example.net"],
    ["SRV", "10 65536 5060 sip.example.net"],
    ["SRV", "10 5 65536 sip.example.net"],
    ["CAA", "256 issue x"],
    ["CAA", "0 issue"],
  ])(
    "a new record of type %s with the value %j is refused, and the answer names the value",
    async (recordType, value) => {
      const { status, body } = await zone.create({ recordType, name: "bad", value });
      expect(status).toBe(400);
      expect(body).toMatchObject({ code: "BAD_REQUEST", issues: [{ path: ["value"] }] });
      expect(body.issues).toHaveLength(1);
    },
  );

  test.each(["RRSIG", "SOA", "NSEC3PARAM", "TYPE65534", "TYPE41", "AXFR", "LUA", "NOTYPE", "TYPE65536", "", null, 1])(
    "a client cannot create a record of type %j",
    async (recordType) => {
      const { status, body } = await zone.create({ recordType, name: "x", value: "192.0.2.1" });
      expect(status).toBe(400);
      expect(body.issues).toMatchObject([{ path: ["recordType"] }]);
    },
  );

  test("an SRV with port 0 is refused, and the answer says how to write that a service is not offered", async () => {
    const { status, body } = await zone.create({ recordType: "SRV", name: "_imap._tcp", value: "0 0 0 ." });
    expect(status).toBe(400);
    expect(body.issues).toMatchObject([{ path: ["value"] }]);
    expect(body.message).toContain('write "0 0 1 ."');
    expect((await zone.create({ recordType: "SRV", name: "_imap._tcp", value: "0 0 1 ." })).status).toBe(201);
  });

  test("a name with escapes is accepted for a type whose owners need not be hosts", async () => {
    const name = String.raw`office\032printer\.2._ipp._tcp`;
    const { status, body } = await zone.create({ recordType: "SRV", name, value: "0 0 631 printer.example.net" });
    expect({ status, body }).toMatchObject({ status: 201, body: { name } });
    const text = { recordType: "TXT", name: `${name}.${zone.name}.`, value: "txtvers=1" };
    expect((await zone.create(text)).body).toMatchObject({ name });
    const pointer = { recordType: "PTR", name: "_ipp._tcp", value: `${name}.${zone.name}` };
    expect((await zone.create(pointer)).body).toMatchObject({ value: pointer.value });
    for (const [recordType, value] of [
      ["A", "192.0.2.1"],
      ["AAAA", "::1"],
      ["MX", "10 mail.example.net"],
    ]) {
      const host = await zone.create({ recordType, name, value });
      expect([host.status, host.body.issues[0].path]).toEqual([400, ["name"]]);
      expect(host.body.message).toContain("is that of a host");
    }
  });

  test("a name may begin or end with a hyphen where it need not be that of a host, as in a zone file", async () => {
    const fresh = await manualZone(zw);
    const given = [
      { recordType: "TXT", name: "-x-", value: "text" },
      { recordType: "CNAME", name: "y-", value: "-z.example.net" },
      { recordType: "A", name: "-a", value: "192.0.2.1" },
    ];
    for (const record of given) expect(await fresh.create(record)).toMatchObject({ status: 201, body: record });
    const host = await fresh.create({ recordType: "MX", name: "@", value: "10 -x-.example.net" });
    expect([host.status, host.body.issues[0].path]).toEqual([400, ["value"]]);
  });

  test("a CAA value takes quotes and backslashes as in a zone file, and text of a TXT over 2,048 characters comes from one", async () => {
    const fresh = await manualZone(zw);
    const caa = { recordType: "CAA", name: "@", value: String.raw`1 issue "x\"y"` };
    expect(await fresh.create(caa)).toMatchObject({ status: 201, body: { value: '1 issue x"y' } });
    const strings = Array.from({ length: 9 }, () => `"${"a".repeat(255)}"`).join(" ");
    const zonefile = `@ CAA 1 issue "x\\"y"\nlong TXT ${strings}\n`;
    expect((await fresh.post("/zonefile", { zonefile, mode: "merge" })).body).toMatchObject({
      created: 1,
      unchanged: 1,
    });
    const { status, body } = await fresh.create({ recordType: "TXT", name: "longer", value: "a".repeat(2_295) });
    expect([status, body.issues[0].path]).toEqual([400, ["value"]]);
    const [long] = await fresh.records("&name=long");
    expect((await fresh.update(long.id, { ttl: 60 })).body.value).toHaveLength(2_295);
  });

  test("octets of a TXT that are no UTF-8 are shown as strings, and written so", async () => {
    const fresh = await manualZone(zw);
    const zonefile = String.raw`umlaut TXT "gr\252\223e"`;
    await fresh.post("/zonefile", { zonefile: `${zonefile}\n`, mode: "merge" });
    const [record] = await fresh.records();
    const shown = { value: String.raw`\# 6 056772fcdf65`, strings: [String.raw`gr\252\223e`] };
    expect(record).toMatchObject(shown);
    const { id, ...content } = record;
    expect((await fresh.update(id, { value: content.value, strings: content.strings })).body).toMatchObject({
      ...shown,
      version: record.version,
    });
    expect((await fresh.create({ recordType: "TXT", name: "umlaut", strings: shown.strings })).status).toBe(409);
    const other = { recordType: "TXT", name: "other", strings: shown.strings };
    expect(await fresh.create(other)).toMatchObject({ status: 201, body: shown });
    expect((await fresh.get("/zonefile")).body).toContain(shown.value);
    const [last] = await fresh.history();
    expect(last.changes).toMatchObject([{ after: shown }]);
    expect((await fresh.post("/snapshots")).body.records).toContainEqual(expect.objectContaining(shown));
  });

  test('an empty CAA value is accepted, and shown as ""', async () => {
    const caa = { recordType: "CAA", name: "@", value: '0 issue ""' };
    expect(await zone.create(caa)).toMatchObject({ status: 201, body: { value: '0 issue ""' } });
    expect((await zone.create(caa)).status).toBe(409);
    expect((await zone.get("/zonefile")).body).toContain('CAA    0 issue ""');
  });

  test("a null MX is refused beside another MX, in either order and in a zone file", async () => {
    const nullMx = { recordType: "MX", name: "mail", value: "0 ." };
    const mx = { recordType: "MX", name: "mail", value: "10 mx.example.net" };
    const file = await zone.post("/zonefile", { zonefile: "mail MX 0 .\nmail MX 10 mx.example.net.\n" });
    expect(file).toMatchObject({ status: 409, body: { message: expect.stringContaining("RFC 7505 §3") } });
    const first = await zone.create(nullMx);
    expect([first.status, (await zone.create({ ...mx, name: "other" })).status]).toEqual([201, 201]);
    expect(await zone.create(mx)).toMatchObject({ status: 409, body: { issues: [{ path: ["value"] }] } });
    expect((await zone.create({ ...nullMx, name: "other" })).status).toBe(409);
    expect((await zone.update(first.body.id, { value: "10 mx.example.net" })).status).toBe(200);
  });

  test.each([
    ["ttl", -1],
    ["ttl", 2_147_483_648],
    ["ttl", 1.5],
    ["ttl", "60"],
    ["ttl", null],
    ["priority", 65_536],
    ["priority", "10"],
    ["proxied", "false"],
    ["comment", "two\nlines"],
    ["value", null],
    ["value", "x\u0000"],
    ["name", 1],
    ["status", "off"],
    ["domainId", unknownId],
  ])("a new record with %s %j is refused, and the answer names the field", async (field, given) => {
    const { status, body } = await zone.create({ recordType: "A", name: "x", value: "192.0.2.1", [field]: given });
    expect(status).toBe(400);
    expect(body.issues).toMatchObject([{ path: [field] }]);
  });

  test("a proxied record is refused if the provider has no proxy", async () => {
    for (const provider of [zone, await fileZone(zw)]) {
      const { status, body } = await provider.create({ recordType: "A", name: "p", value: "192.0.2.1", proxied: true });
      expect(status).toBe(400);
      expect(body.issues).toMatchObject([{ path: ["proxied"] }]);
    }
  });
});

describe("the name of a record", () => {
  let fresh: Zone;
  beforeEach(async () => {
    fresh = await manualZone(zw);
  });

  test.each([
    ["@", "@"],
    ["", "@"],
    ["ZONE", "@"],
    ["ZONE.", "@"],
    ["www", "www"],
    ["WWW.Dev", "WWW.Dev"],
    ["www.ZONE", "www"],
    ["www.ZONE.", "www"],
    ["*", "*"],
    ["*.dev", "*.dev"],
    ["*.dev.ZONE.", "*.dev"],
    ["_dmarc", "_dmarc"],
    ["bücher", "xn--bcher-kva"],
    ["www.other.example", "www.other.example"],
    ["a\\.b", "a\\.b"],
  ])("the record name %j is stored as %j", async (given, stored) => {
    const name = given.replace("ZONE", fresh.name);
    const { body } = await fresh.create({ recordType: "TXT", name, value: "x" });
    expect(body).toMatchObject({ name: stored });
  });

  test.each(["www.other.example.", "a..b", ".", "a.*.b", "*a", "a b", "x".repeat(64), "a.".repeat(130)])(
    "the record name %j is refused, and the answer names the field",
    async (name) => {
      const { status, body } = await fresh.create({ recordType: "TXT", name, value: "x" });
      expect(status).toBe(400);
      expect(body.issues).toMatchObject([{ path: ["name"] }]);
    },
  );
});
