import { beforeAll, describe, expect, test } from "vitest";
import { useZonewright } from "../support/zonewright.ts";
import { fileZone, type Body, type Zone } from "../support/zones.ts";

const zw = useZonewright();

const lines = [
  "_443._tcp 300 TLSA 3 1 1 AABBCC",
  "alias 300 DNAME target.example.",
  "host 300 SSHFP 4 0 aabbcc",
  "odd 300 TYPE65280 \\# 2 abcd",
  "ptr 300 PTR host.example.",
  "secure 300 DS 1 13 9 aabbcc",
  'tree 300 NAPTR 100 10 "u" "E2U+sip" "!^.*$!sip:x@example.com!" .',
  "web 300 HTTPS 1 . alpn=h2,h3",
];

let zone: Zone;
let records: Body[];
beforeAll(async () => {
  zone = await fileZone(zw, `${lines.join("\n")}\n`);
  records = await zone.records();
});

const ofType = (type: string): Body => records.find(({ recordType }) => recordType === type);

describe("records of types other than the eight editable ones", () => {
  test("records of non-editable types are listed and found by type", async () => {
    expect(records.map(({ recordType }) => recordType)).toEqual([
      "TLSA",
      "DNAME",
      "SSHFP",
      "TYPE65280",
      "PTR",
      "DS",
      "NAPTR",
      "HTTPS",
    ]);
    expect(await zone.records("&type=type65280")).toEqual([ofType("TYPE65280")]);
  });

  test("records of non-editable types are exported, and importing the export changes nothing", async () => {
    const { body: zonefile } = await zone.get("/zonefile");
    for (const { recordType } of records) expect(zonefile).toContain(` IN ${recordType} `);
    const { body } = await zone.post("/zonefile", { zonefile, mode: "replace" });
    expect(body).toMatchObject({ created: 0, updated: 0, deleted: 0, unchanged: 8 });
  });

  test("records of non-editable types are in snapshots, and a rollback restores them unchanged", async () => {
    const snapshot = (await zone.post("/snapshots")).body;
    expect(snapshot.records).toEqual(records);
    const https = ofType("HTTPS");
    expect((await zone.delete(https.id)).status).toBe(200);
    expect(await zone.readFile()).not.toContain("HTTPS");
    expect((await zone.post(`/snapshots/${snapshot.id}/rollback`)).body).toMatchObject({ success: true, created: 1 });
    const back = await zone.records("&type=HTTPS");
    expect(back).toMatchObject([{ id: https.id, value: https.value, version: https.version + 1 }]);
    expect((await zone.post("/sync")).body).toMatchObject({ unchanged: 8 });
  });

  test("records of non-editable types can be given a new TTL", async () => {
    for (const { id, value } of records) {
      expect((await zone.update(id, { ttl: 60 })).body).toMatchObject({ ttl: 60, value });
    }
    expect((await zone.post("/sync")).body).toMatchObject({ unchanged: 8, updated: 0 });
  });

  test("no record can be changed to a non-editable type", async () => {
    const { id } = ofType("PTR");
    const { status, body } = await zone.update(id, { recordType: "TLSA" });
    expect(status).toBe(400);
    expect(body.issues).toMatchObject([{ path: ["recordType"] }]);
  });
});
