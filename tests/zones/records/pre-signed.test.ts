import { describe, expect, test } from "vitest";
import { fileZone, manualZone, type Body, type Zone } from "../../support/zones.ts";
import { useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright({ env: { JOBS: "off" } });
const times = "20301201000000 20251101000000 12345";
const over = (owner: string, type: string, labels: number) =>
  `${owner} 300 RRSIG ${type} 13 ${labels} 300 ${times} zone.example. AAAA\n`;
const dnskey = "@ 300 DNSKEY 257 3 13 AAAA\n";
const signed = `www 300 A 192.0.2.1\n${dnskey}${over("@", "SOA", 2)}${over("www", "A", 3)}`;
const create = { action: "create", record: { recordType: "A", name: "new", value: "192.0.2.9" } };
const bogus = expect.stringMatching(/signed elsewhere.*invalidates? (?:its|the) signatures.*bogus/);

const plan = async (zone: Zone, changes: readonly unknown[]): Promise<Body> =>
  (await zone.post("/records/plan", { changes })).body;

describe("a zone whose file was signed elsewhere", () => {
  test("a zone signed elsewhere says so, alone and in the list, and lists its signatures as records", async () => {
    const zone = await fileZone(zw, signed);
    expect(await zone.detail()).toMatchObject({ signedBy: "file", recordCount: 4 });
    const { body: page } = await zw.admin.get(`/api/domains?search=${zone.name}`);
    expect(page.domains).toMatchObject([{ signedBy: "file" }]);
    const records = await zone.records();
    expect(records.map(({ serverManaged }: Body) => serverManaged)).toEqual([false, false, false, false]);
    expect(await zone.records("&serverManaged=false")).toEqual(records);
    const { body: file } = await zone.get("/zonefile");
    expect(file).toContain("RRSIG");
  });

  test("a zone signed elsewhere says so if its signature is in generic form", async () => {
    const rdata = `0006${"00".repeat(20)}`;
    const zone = await fileZone(zw, `www A 192.0.2.1\n@ 300 RRSIG \\# ${rdata.length / 2} ${rdata}\n`);
    expect(await zone.detail()).toMatchObject({ signedBy: "file" });
  });

  test("a zone with a signature over anything but the SOA does not count as signed", async () => {
    const zone = await fileZone(zw, `www A 192.0.2.1\n${over("www", "A", 3)}${dnskey}`);
    expect(await zone.detail()).toMatchObject({ signedBy: null });
    expect((await plan(zone, [create])).warnings).toEqual([]);
  });

  test("every plan for a zone signed elsewhere warns that its signatures become invalid", async () => {
    const zone = await fileZone(zw, signed);
    expect((await plan(zone, [create])).warnings).toContainEqual(bogus);
    const imported = await zone.post("/zonefile", { zonefile: "more 300 A 192.0.2.7\n", dryRun: true });
    expect(imported.body.plan.warnings).toContainEqual(bogus);
    const { body: snapshot } = await zone.post("/snapshots", {});
    await zone.add("A", "more", "192.0.2.7");
    const back = await zone.post(`/snapshots/${snapshot.id}/rollback`, { dryRun: true });
    expect(back.body.plan.warnings).toContainEqual(bogus);
  });

  test("a zone no longer counts as signed elsewhere once the signature over its SOA is deleted, and does again after an undo", async () => {
    const zone = await fileZone(zw, signed);
    const [signature] = await zone.records("&type=RRSIG&name=@");
    expect(await zone.delete(signature.id)).toMatchObject({ status: 200 });
    expect(await zone.detail()).toMatchObject({ signedBy: null });
    const [deletion] = await zone.history();
    expect(await zone.post(`/history/${deletion.id}/revert`, {})).toMatchObject({ status: 200 });
    expect(await zone.detail()).toMatchObject({ signedBy: "file" });
  });

  test("a change that deletes the signature over the SOA causes no warning about signatures", async () => {
    const zone = await fileZone(zw, signed);
    const [signature] = await zone.records("&type=RRSIG&name=@");
    expect((await plan(zone, [{ action: "delete", recordId: signature.id }])).warnings).toEqual([]);
  });
});

describe.each([
  ["in a zone file", fileZone],
  ["kept in Zonewright only", manualZone],
] as const)("importing a signed file into a zone %s", (_, make) => {
  test("importing a signed file warns of invalid signatures, and the zone then counts as signed elsewhere", async () => {
    const zone = await make(zw);
    expect(await zone.detail()).toMatchObject({ signedBy: null });
    const dry = await zone.post("/zonefile", { zonefile: signed, dryRun: true });
    expect(dry.body.plan.warnings).toContainEqual(bogus);
    const { status, body } = await zone.post("/zonefile", { zonefile: signed });
    expect({ status, body }).toMatchObject({ status: 200, body: { created: 4 } });
    expect(body.warnings).toContainEqual(bogus);
    expect(await zone.detail()).toMatchObject({ signedBy: "file" });
  });
});
