import { beforeAll, describe, expect, test } from "vitest";
import { useZonewright } from "../support/zonewright.ts";
import { fileZone, type Body, type Zone } from "../support/zones.ts";

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
