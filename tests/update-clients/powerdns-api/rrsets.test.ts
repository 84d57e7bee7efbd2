import { beforeAll, describe, expect, test } from "vitest";
import { useZonewright } from "../../support/zonewright.ts";
import { manualZone } from "../../support/zones.ts";
import { powerdnsClient, type PowerdnsClient } from "./client.ts";

const zw = useZonewright();
let client: PowerdnsClient;

beforeAll(async () => {
  client = await powerdnsClient(zw.admin);
});

describe("reading", () => {
  test("a zone is listed and shown with its SOA and RRsets", async () => {
    const zone = await manualZone(zw);
    await zone.add("MX", "@", "10 mail.example.net");
    await zone.add("TXT", "note", 'say "yes"', 60);
    const { status, body } = await client.get(`/zones?zone=${zone.name}.`);
    expect([status, body]).toEqual([
      200,
      [expect.objectContaining({ id: `${zone.name}.`, kind: "Native", serial: 2 })],
    ]);
    const shown = (await client.get(`/zones/${zone.name}.`)).body;
    expect(shown.rrsets[0]).toMatchObject({ name: `${zone.name}.`, type: "SOA", ttl: 3600 });
    expect(shown.rrsets.slice(1)).toEqual([
      {
        name: `${zone.name}.`,
        type: "MX",
        ttl: 3600,
        records: [{ content: "10 mail.example.net.", disabled: false }],
        comments: [],
      },
      {
        name: `note.${zone.name}.`,
        type: "TXT",
        ttl: 60,
        records: [{ content: '"say \\"yes\\""', disabled: false }],
        comments: [],
      },
    ]);
  });
});

describe("changing", () => {
  test("an RRset is created, replaced and deleted, each in one change", async () => {
    const zone = await manualZone(zw);
    expect((await client.replace(zone.name, "www", "A", ["192.0.2.1", "192.0.2.2"])).status).toBe(204);
    expect(await zone.lines()).toEqual(["www A 192.0.2.1", "www A 192.0.2.2"]);
    const [first] = await zone.records();
    expect((await client.replace(zone.name, "www", "A", ["192.0.2.2", "192.0.2.3"], 60)).status).toBe(204);
    expect(await zone.lines()).toEqual(["www A 192.0.2.2", "www A 192.0.2.3"]);
    expect((await zone.records()).map(({ id, ttl }) => [id === first.id, ttl])).toContainEqual([true, 60]);
    const gone = [{ name: `www.${zone.name}.`, type: "A", changetype: "delete" }];
    expect((await client.patch(zone.name, gone)).status).toBe(204);
    expect(await zone.lines()).toEqual([]);
    expect((await zone.history()).length).toBe(3);
  });
});
