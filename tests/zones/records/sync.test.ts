import { writeFile } from "node:fs/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { indexedZone } from "../../../server/zones/changes/state/live-queries.ts";
import type { RecordData } from "../../../server/dns/record.ts";
import { recordText } from "../../../server/dns/desired-state.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualZone, type Zone } from "../../support/zones.ts";

const zw = useZonewright();

let zone: Zone;
beforeEach(async () => {
  zone = await fileZone(zw, "www 300 A 192.0.2.1\nttl 300 A 192.0.2.2\nold 300 TXT x\n");
});

const sync = (body?: object) => zone.post("/sync", body);

describe("a sync", () => {
  test("a sync finds manual edits, first as a dry run, and preserves the records' identity", async () => {
    const [old, ttl, www] = await zone.records();
    await zone.update(www.id, { comment: "kept" });
    await zone.edit((text) =>
      `${text}new 60 A 192.0.2.9\n`
        .replace("192.0.2.1", "192.0.2.8")
        .replace(/^ttl +300/m, "ttl 77")
        .replace(/^old.*$/m, ""),
    );
    const dry = await sync({ dryRun: true });
    expect(dry.status).toBe(200);
    const counts = { synced: 3, created: 1, updated: 2, deleted: 1, unchanged: 0 };
    expect(dry.body).toMatchObject(counts);
    expect(dry.body.plan.creates).toMatchObject([{ name: "new", value: "192.0.2.9", ttl: 60 }]);
    expect(dry.body.plan.updates).toMatchObject([
      { changes: { ttl: [300, 77] } },
      { changes: { value: ["192.0.2.1", "192.0.2.8"] } },
    ]);
    expect(dry.body.plan.deletes).toMatchObject([{ id: old.id }]);
    expect(await zone.detail()).toMatchObject({ recordCount: 3, revision: 2 });

    const real = await sync();
    expect(real.body).toEqual({ ...counts, revision: 3, plan: null, planHash: null });
    expect(await zone.records()).toMatchObject([
      { name: "new", version: 1 },
      { id: ttl.id, ttl: 77, version: 2 },
      { id: www.id, value: "192.0.2.8", comment: "kept", version: 3 },
    ]);
    expect((await sync()).body).toMatchObject({ ...counts, created: 0, updated: 0, deleted: 0, unchanged: 3 });
  });

  test("a sync takes a snapshot of the previous state only if something changes", async () => {
    await sync();
    expect((await zone.get("/snapshots")).body.total).toBe(0);
    const before = await zone.records();
    await zone.edit((text) => `${text}new A 192.0.2.9\n`);
    await sync();
    const { body } = await zone.get("/snapshots");
    expect(body).toMatchObject({ total: 1, snapshots: [{ trigger: "on_change", records: before }] });
  });

  test("a sync leaves the zone file as it is", async () => {
    await zone.edit((text) => `; my comment\n${text}new A 192.0.2.9\n`);
    const file = await zone.readFile();
    await sync();
    expect(await zone.readFile()).toBe(file);
  });

  test("a sync imports records that break the rules, and never drops them", async () => {
    await zone.edit(
      (text) =>
        `${text}www CNAME x.example.\n@ CNAME y.example.\nsrv SRV 0 0 0 .\nnull MX 0 .\nnull MX 10 mx.example.net.\n`,
    );
    const { warnings } = (await sync({ dryRun: true })).body.plan;
    expect(warnings).toContainEqual(
      expect.stringMatching(/^Kept as the provider has it: A null MX .* that null accepts no mail/),
    );
    expect((await sync()).body).toMatchObject({ created: 5, deleted: 0 });
    expect((await sync()).body).toMatchObject({ created: 0, unchanged: 8 });
  });

  test("a sync matches every record by its data, whatever its type", async () => {
    zone = await fileZone(
      zw,
      'www 300 AAAA 2001:db8::1\n@ MX 10 mail.example.\n_sip._tcp SRV 1 2 3 sip.example.\ntxt TXT "a b" " \\"c\\\\ "\n' +
        '\\.dot\\032space A 192.0.2.1\n* TYPE65280 \\# 2 abcd\nü CAA 0 issue "ca.example; a=b"\n',
    );
    const records = (await zone.records()) as RecordData[];
    expect(records).toHaveLength(7);
    const index = await indexedZone(zw.services.database.fork(), zone.id);
    expect([...index.keys()].toSorted()).toEqual(records.map(recordText).toSorted());
  });

  test("a sync of a zone without a provider is 400, dry or not", async () => {
    zone = await manualZone(zw);
    expect((await sync()).status).toBe(400);
    expect((await sync({ dryRun: true })).status).toBe(400);
  });

  test("a sync of a file with a syntax error is 502 with file and line, and changes nothing", async () => {
    const before = await zone.records();
    await writeFile(zone.file, `${await zone.readFile()}bad A 999.1.1.1\n`);
    const line = (await zone.readFile()).split("\n").length - 1;
    for (const dryRun of [true, false]) {
      const { status, body } = await sync({ dryRun });
      expect([status, body.code]).toEqual([502, "PROVIDER_ERROR"]);
      expect(body.detail).toContain(`${zone.name}.zone, line ${line}: `);
    }
    expect(await zone.records()).toEqual(before);
  });

  test.each([
    ["dryRun", "yes"],
    ["force", 1],
  ])("a sync with %s %j is 400 and names the field", async (field, given) => {
    const { status, body } = await sync({ [field]: given });
    expect(status).toBe(400);
    expect(body.issues).toMatchObject([{ path: [field] }]);
  });
});

const hosts = (count: number, value = "192.0.2.1") =>
  Array.from({ length: count }, (_, index) => `h${index} 300 A ${value}\n`).join("");
const soa = "@ SOA ns1 hostmaster 1 3600 900 1209600 300\n";

describe("the safety threshold of a sync", () => {
  test.each([
    ["10 records that loses 3", hosts(10), hosts(7), 200],
    ["10 records that loses 4", hosts(10), hosts(6), 409],
    ["10 records that changes 4", hosts(10), hosts(6) + hosts(10, "192.0.2.2").split("\n").slice(6).join("\n"), 409],
    ["10 records that gains 4", hosts(10), hosts(14), 409],
    ["9 records that loses 8", hosts(9), hosts(1), 200],
    ["1 record that loses it", hosts(1), "", 409],
    ["10 records that loses all", hosts(10), "", 409],
  ])("a sync applies the safety threshold to a zone of %s", async (_, before, after, status) => {
    zone = await fileZone(zw, before);
    const count = (await zone.records()).length;
    await writeFile(zone.file, soa + after);
    const answer = await sync();
    expect(answer.status).toBe(status);
    if (status === 200) return;
    expect(answer.body.code).toBe("CONFIRMATION_REQUIRED");
    expect(await zone.detail()).toMatchObject({ recordCount: count, revision: 1 });
    expect((await sync({ dryRun: true })).status).toBe(200);
    expect((await sync({ force: true })).status).toBe(200);
    expect((await sync()).body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
  });

  test("a sync needs force before an emptied file empties the zone", async () => {
    await writeFile(zone.file, "");
    expect((await sync()).body.code).toBe("CONFIRMATION_REQUIRED");
    expect((await sync({ force: true })).body).toMatchObject({ synced: 0, deleted: 3 });
    expect(await zone.detail()).toMatchObject({ recordCount: 0 });
  });
});
