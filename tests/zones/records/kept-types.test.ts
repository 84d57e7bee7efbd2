import { beforeAll, describe, expect, test } from "vitest";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, type Body, type Zone } from "../../support/zones.ts";

const zw = useZonewright();

const lines = [
  "_443._tcp 300 SMIMEA 3 1 0 AABBCC",
  "alias 300 DNAME target.example.",
  "key 300 OPENPGPKEY aabbccdd",
  "odd 300 TYPE65280 \\# 2 abcd",
  "place 300 LOC 52 22 23.000 N 4 53 32.000 E -2.00m",
  'uri 300 URI 10 1 "https://www.example.com/"',
];

let zone: Zone;
let records: Body[];
beforeAll(async () => {
  zone = await fileZone(zw, `${lines.join("\n")}\n`);
  records = await zone.records();
});

const ofType = (type: string): Body => records.find(({ recordType }) => recordType === type);

describe("records of types without rules of their own", () => {
  test("records of such types are listed and found by type", async () => {
    expect(records.map(({ recordType }) => recordType)).toEqual([
      "SMIMEA",
      "DNAME",
      "OPENPGPKEY",
      "TYPE65280",
      "LOC",
      "URI",
    ]);
    expect(await zone.records("&type=type65280")).toEqual([ofType("TYPE65280")]);
  });

  test("records of such types are exported, and importing the export changes nothing", async () => {
    const { body: zonefile } = await zone.get("/zonefile");
    for (const { recordType } of records) expect(zonefile).toContain(` IN ${recordType} `);
    const { body } = await zone.post("/zonefile", { zonefile, mode: "replace" });
    expect(body).toMatchObject({ created: 0, updated: 0, deleted: 0, unchanged: 6 });
  });

  test("records of such types are in snapshots, and a rollback restores them unchanged", async () => {
    const snapshot = (await zone.post("/snapshots")).body;
    expect(snapshot.records).toEqual(records);
    const uri = ofType("URI");
    expect((await zone.delete(uri.id)).status).toBe(200);
    expect(await zone.readFile()).not.toContain("URI");
    expect((await zone.post(`/snapshots/${snapshot.id}/rollback`)).body).toMatchObject({ success: true, created: 1 });
    const back = await zone.records("&type=URI");
    expect(back).toMatchObject([{ id: uri.id, value: uri.value, version: uri.version + 1 }]);
    expect((await zone.post("/sync")).body).toMatchObject({ unchanged: 6 });
  });

  test("records of such types can be given a new TTL", async () => {
    for (const { id, value } of records) {
      expect((await zone.update(id, { ttl: 60 })).body).toMatchObject({ ttl: 60, value });
    }
    expect((await zone.post("/sync")).body).toMatchObject({ unchanged: 6, updated: 0 });
  });

  test("a record cannot be changed to a type whose records name servers make", async () => {
    const { id } = ofType("LOC");
    const { status, body } = await zone.update(id, { recordType: "RRSIG" });
    expect(status).toBe(400);
    expect(body.issues).toMatchObject([
      { path: ["recordType"], message: "RRSIG records are made by the name server itself. Choose another type." },
    ]);
  });

  test.each([
    ["TYPE1", String.raw`\# 4 c0000201`, "A", "192.0.2.1"],
    ["TYPE5", String.raw`\# 3 016100`, "CNAME", "a"],
    ["PTR", String.raw`\# 3 01 61 00`, "PTR", "a"],
    ["MX", String.raw`\# 5 000A 016100`, "MX", "10 a"],
    ["type33", String.raw`\# 9 000100020003016100`, "SRV", "1 2 3 a"],
    ["TYPE257", String.raw`\# 9 000569737375656162`, "CAA", "0 issue ab"],
    ["TYPE34", String.raw`\# 3 020102`, "ATMA", String.raw`\# 3 020102`],
  ])("%s with the generic data %s is %s %s", async (recordType, value, type, plain) => {
    const name = `g-${type.toLowerCase()}`;
    const made = await zone.create({ recordType, name, value });
    expect({ status: made.status, body: made.body }).toMatchObject({
      status: 201,
      body: { recordType: type, value: plain },
    });
    expect((await zone.delete(made.body.id)).status).toBe(200);
  });

  test("generic data of a known type must be that type's", async () => {
    for (const value of [String.raw`\# 3 c00002`, String.raw`\# 4 c00002`, String.raw`\#`]) {
      const { status, body } = await zone.create({ recordType: "A", name: "bad", value });
      expect([status, body.issues[0].path]).toEqual([400, ["value"]]);
    }
  });

  test("a type may be written in any case and by its number, and its data in generic form", async () => {
    const given = { recordType: "type29", name: "generic", value: String.raw`\# 16 001613138b3cf018810cbce0009895b8` };
    const { status, body } = await zone.create(given);
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { recordType: "LOC", value: "52 22 23.000 N 4 53 32.000 E -2.00m 10000m 10m 10m" },
    });
    expect((await zone.create({ ...given, recordType: "loc", value: body.value })).status).toBe(409);
    expect(await zone.create({ recordType: "TYPE65280", name: "generic", value: "text" })).toMatchObject({
      status: 400,
      body: { issues: [{ path: ["value"], message: expect.stringContaining("RFC 3597") }] },
    });
  });
});

describe("ALIAS, ANAME and LUA in a zone file", () => {
  const vendors = [
    "@ 300 NS ns1.example.net.",
    "@ 300 ALIAS other.example.net.",
    "a 300 ANAME other.example.net.",
    `l 300 LUA A "ifportup(443, {'192.0.2.1'})"`,
  ];

  test("are restored by a revert and by a rollback, although none can be added", async () => {
    const file = await fileZone(zw, `${vendors.join("\n")}\n`);
    const before = await file.lines();
    expect(before).toHaveLength(4);
    const snapshot = (await file.post("/snapshots")).body;
    const gone = (await file.records()).filter(({ recordType }: Body) => recordType !== "NS");
    for (const { id } of gone) expect((await file.delete(id)).status).toBe(200);
    const [last] = await file.history();
    expect((await file.post(`/history/${last.id}/revert`)).status).toBe(200);
    const { body } = await file.post(`/snapshots/${snapshot.id}/rollback`);
    expect(body).toMatchObject({ success: true, failed: [] });
    expect(await file.lines()).toEqual(before);
    for (const type of ["ALIAS", "ANAME", "LUA"]) expect(await file.readFile()).toContain(` IN ${type} `);
    const added = await file.create({ recordType: "ALIAS", name: "new", value: "other.example.net" });
    expect(added.status).toBe(400);
  });
});
