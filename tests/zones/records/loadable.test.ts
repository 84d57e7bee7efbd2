import { beforeEach, describe, expect, test } from "vitest";
import { useZonewright } from "../../support/zonewright.ts";
import type { Answer } from "../../support/rest-client.ts";
import { fileZone, freshName, manualZone, Zone, type Body } from "../../support/zones.ts";

const zw = useZonewright();

let zone: Zone;
beforeEach(async () => {
  zone = await fileZone(zw);
});

describe("records for which a name server would refuse the whole zone", () => {
  test.each([
    [{ recordType: "A", name: "my_host", value: "192.0.2.1" }, "name"],
    [{ recordType: "MX", name: "in_box", value: "10 mail.example.net" }, "name"],
    [{ recordType: "MX", name: "@", value: "10 foo_bar.example.net" }, "value"],
    [{ recordType: "NS", name: "sub", value: "foo_bar.example.net" }, "value"],
    [{ recordType: "NS", name: "*", value: "ns1.example.net" }, "recordType"],
    [{ recordType: "SRV", name: "_sip._tcp", value: "0 5 5060 my_host.example.net" }, "value"],
    [{ recordType: "A", name: "0/25", value: "192.0.2.1" }, "name"],
    [{ recordType: "MX", name: "@", value: "10 0/25.example.net" }, "value"],
    [{ recordType: "NS", name: "sub", value: "0/25.example.net" }, "value"],
  ])("a record for which a name server would refuse the zone file is refused: %j", async (record, field) => {
    const { status, body } = await zone.create(record);
    expect(status).toBe(400);
    expect(body.issues).toMatchObject([{ path: [field] }]);
  });

  test("underscores are accepted where they belong, and in zones that no such server loads", async () => {
    for (const record of [
      { recordType: "TXT", name: "_dmarc", value: "v=DMARC1" },
      { recordType: "SRV", name: "_sip._tcp", value: "0 5 5060 sip.example.net" },
      { recordType: "CNAME", name: "_acme-challenge", value: "_acme.example.net" },
      { recordType: "A", name: "gc._msdcs", value: "192.0.2.1" },
      { recordType: "A", name: "DomainDnsZones", value: "192.0.2.1" },
      { recordType: "AAAA", name: "ForestDnsZones", value: "2001:db8::1" },
      { recordType: "CNAME", name: "8a3f._msdcs", value: "dc1.example.net" },
      { recordType: "CNAME", name: "0/25", value: "host.example.net" },
    ]) {
      expect((await zone.create(record)).status).toBe(201);
    }
    const manual = await manualZone(zw);
    expect((await manual.create({ recordType: "A", name: "my_host", value: "192.0.2.1" })).status).toBe(201);
  });
});

const ns = (name = "@", value = `ns1.${zone.name}`) => zone.create({ recordType: "NS", name, value });

async function refusal(answer: Promise<Answer>) {
  const { status, body } = await answer;
  return [status, body.message];
}

/** A line of a zone file. */
function addressLine(index: number): string {
  return `r 300 A 192.0.2.${index}\n`;
}

describe("a name server of the zone", () => {
  const noAddress = [409, expect.stringMatching(/ns1\.zone\d+\.example is a name server of .* no A or AAAA record/)];

  test("an NS without an address in the zone is refused, and its last address cannot be removed", async () => {
    expect(await refusal(ns())).toEqual(noAddress);
    const one = await zone.add("A", "ns1", "192.0.2.53");
    const two = await zone.add("AAAA", "ns1", "2001:db8::53");
    expect((await ns()).status).toBe(201);
    expect((await zone.delete(one.id)).status).toBe(200);
    expect(await refusal(zone.delete(two.id))).toEqual(noAddress);
    expect(await refusal(zone.update(two.id, { name: "other" }))).toEqual(noAddress);
    expect((await zone.update(two.id, { value: "2001:db8::54" })).status).toBe(200);
  });

  test("an NS is refused if its target is a CNAME or below a DNAME", async () => {
    await zone.add("CNAME", "ns1", "ns.example.net");
    expect(await refusal(ns())).toEqual([409, expect.stringMatching(/would be a CNAME/)]);
    zone = await fileZone(zw, "d DNAME other.example.\n");
    expect(await refusal(ns("@", `ns1.d.${zone.name}`))).toEqual([409, expect.stringMatching(/below a DNAME/)]);
  });

  test("a name server may use a wildcard's address until its name has other records", async () => {
    const wildcard = await zone.add("A", "*", "192.0.2.53");
    expect((await ns()).status).toBe(201);
    expect(await refusal(zone.create({ recordType: "TXT", name: "x.ns1", value: "x" }))).toEqual(noAddress);
    expect(await refusal(zone.delete(wildcard.id))).toEqual(noAddress);
    await zone.add("A", "ns1", "192.0.2.53");
    expect((await zone.delete(wildcard.id)).status).toBe(200);
  });

  test("the name server of a delegation needs glue, unless it is below another delegation", async () => {
    expect(await refusal(ns("sub", `ns1.sub.${zone.name}`))).toEqual([
      409,
      expect.stringMatching(/name server of the delegation sub/),
    ]);
    const glue = await zone.add("A", "ns1.sub", "192.0.2.53");
    expect((await ns("sub", `ns1.sub.${zone.name}`)).status).toBe(201);
    const other = (await ns("other", `ns2.sub.${zone.name}`)).body;
    expect((await zone.delete(glue.id)).status).toBe(409);
    const sub = (await zone.records()).find(({ recordType, name }) => recordType === "NS" && name === "sub");
    expect((await zone.delete(sub?.id ?? "")).body.message).toMatch(/ns2\.sub\.zone\d+\.example is a name server of/);
    expect((await zone.delete(other.id)).status).toBe(200);
    expect((await zone.delete(sub?.id ?? "")).status).toBe(200);
  });

  test("an NS and its address may be in one plan or bulk, in any order", async () => {
    const record = { recordType: "NS", name: "@", value: `ns1.${zone.name}` };
    const address = { recordType: "A", name: "ns1", value: "192.0.2.53" };
    const changes = [record, address].map((each) => ({ action: "create", record: each }));
    expect((await zone.post("/records/plan", { changes })).status).toBe(200);
    const lone = await zone.post("/records/plan", { changes: changes.slice(0, 1) });
    expect(lone).toMatchObject({ status: 409, body: { issues: [{ path: ["changes", 0, "record", "value"] }] } });
    const other = { recordType: "NS", name: "@", value: `ns2.${zone.name}` };
    const { body } = await zone.post("/records/bulk", { records: [record, other, address] });
    expect(body.results.map(({ success }: Body) => success)).toEqual([true, false, true]);
    expect(body.results[1].error).toMatch(/ns2\.zone\d+\.example is a name server of the zone/);
  });

  test("an imported NS without an address may stay, but no second one can be added", async () => {
    zone = await fileZone(zw, "@ NS ns1\nwww A 192.0.2.1\n");
    expect((await zone.create({ recordType: "A", name: "other", value: "192.0.2.2" })).status).toBe(201);
    expect((await ns("@", `ns2.${zone.name}`)).status).toBe(409);
    expect((await zone.create({ recordType: "A", name: "ns1", value: "192.0.2.53" })).status).toBe(201);
  });

  test("imports and rollbacks also check name server addresses, and rollbacks leave out what is refused", async () => {
    const address = await zone.add("A", "ns1", "192.0.2.53");
    const { body: snapshot } = await zone.post("/snapshots");
    await zone.delete(address.id);
    const other = await zone.add("A", "ns2", "192.0.2.54");
    await ns("@", `ns2.${zone.name}`);
    const replaced = await zone.post("/zonefile", { zonefile: "@ NS ns2\n", mode: "replace", force: true });
    expect([replaced.status, replaced.body.message]).toEqual([409, expect.stringMatching(/ns2\..* no A or AAAA/)]);
    const merged = await zone.post("/zonefile", { zonefile: "@ NS ns3\n" });
    expect(merged.status).toBe(409);
    const { body } = await zone.post(`/snapshots/${snapshot.id}/rollback`, { force: true });
    expect(body).toMatchObject({ success: true, failed: [] });
    expect(await zone.lines()).toEqual(["ns1 A 192.0.2.53"]);
    expect(other.name).toBe("ns2");
  });
});

describe("the records of one name", () => {
  test("more than 100 records of one name and type are refused, however they are added", async () => {
    zone = await fileZone(zw, Array.from({ length: 99 }, (_, index) => addressLine(index)).join(""));
    await zone.add("A", "r", "198.51.100.1", 300);
    const record = { recordType: "A", name: "r", value: "198.51.100.2" };
    const message = /would have 101 A records/;
    expect((await zone.create(record)).body.message).toMatch(message);
    const bulk = (await zone.post("/records/bulk", { records: [record] })).body;
    expect(bulk.results[0]).toMatchObject({ success: false, error: expect.stringMatching(message) });
    const changes = [{ action: "create", record }];
    expect((await zone.post("/records/plan", { changes })).body.message).toMatch(message);
    const zonefile = "r 300 A 198.51.100.2\n";
    expect(await zone.post("/zonefile", { zonefile })).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(message) },
    });
  });

  test("records below a DNAME are refused", async () => {
    zone = await fileZone(zw, "d DNAME other.example.\n");
    const { status, body } = await zone.create({ recordType: "A", name: "x.d", value: "192.0.2.1" });
    expect([status, body.message]).toEqual([409, expect.stringMatching(/x\.d is below d, which has a DNAME/)]);
    expect((await zone.post("/zonefile", { zonefile: "a DNAME b.\nx.a TXT x\n" })).status).toBe(409);
  });
});

describe("a rollback", () => {
  test("a rollback restores what current rules allow, and names each record they forbid", async () => {
    zone = await fileZone(zw, "dev_box A 192.0.2.1\nwww A 192.0.2.2\n");
    const { body: snapshot } = await zone.post("/snapshots");
    for (const { id } of await zone.records()) await zone.delete(id);
    const rollback = (body: object) => zone.post(`/snapshots/${snapshot.id}/rollback`, { force: true, ...body });
    const failed = [
      {
        recordType: "A",
        name: "dev_box",
        value: "192.0.2.1",
        error: expect.stringMatching(/dev_box\.zone\d+\.example: BIND refuses .*check-names/),
      },
    ];
    expect((await rollback({ dryRun: true })).body).toMatchObject({ created: 1, failed });
    const { status, body } = await rollback({});
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: false, created: 1, failed });
    expect(await zone.lines()).toEqual(["www A 192.0.2.2"]);
  });

  test("a rollback restores records of a name up to the limit", async () => {
    zone = await fileZone(zw, Array.from({ length: 102 }, (_, index) => addressLine(index)).join(""));
    const { body: snapshot } = await zone.post("/snapshots");
    await zone.post("/zonefile", { zonefile: addressLine(0), mode: "replace", force: true });
    const { body } = await zone.post(`/snapshots/${snapshot.id}/rollback`, { force: true });
    expect(body).toMatchObject({ success: false, created: 99 });
    expect(body.failed).toHaveLength(2);
    expect(await zone.records()).toHaveLength(100);
  });
});

describe("settings of a zone-file configuration", () => {
  let names = 0;
  const configure = async (config: object) =>
    await zw.admin.post("/api/provider-configs", { kind: "zonefile", name: `Zones ${(names += 1)}`, config });
  const zoneAt = async (config: object) => {
    const { body } = await configure({ folder: `folder${names}`, ...config });
    const made = await zw.admin.post("/api/domains", { name: freshName(), providerConfigId: body.id });
    return { config: body, zone: new Zone(zw, made.body) };
  };

  test("zone-file settings can allow any host name, and other limits on records and types", async () => {
    const { zone: lax } = await zoneAt({ checkNames: "off", maxRecordsPerType: 2, maxTypesPerName: 0 });
    await lax.add("A", "my_host", "192.0.2.1");
    await lax.add("A", "my_host", "192.0.2.2");
    expect((await lax.create({ recordType: "A", name: "my_host", value: "192.0.2.3" })).body.message).toMatch(
      /more than 2 of one name and type/,
    );
    const { zone: few } = await zoneAt({ maxTypesPerName: 1 });
    await few.add("A", "www", "192.0.2.1");
    expect((await few.create({ recordType: "TXT", name: "www", value: "x" })).body.message).toMatch(/2 record types/);
  });

  test("zone-file settings may change while domains use them, except the folder", async () => {
    const { config, zone: lax } = await zoneAt({});
    const put = (patch: object) =>
      zw.admin.put(`/api/provider-configs/${config.id}`, { config: { ...config.config, ...patch } });
    const record = { recordType: "A", name: "my_host", value: "192.0.2.1" };
    expect((await lax.create(record)).status).toBe(400);
    expect((await put({ checkNames: "off" })).status).toBe(200);
    expect((await lax.create(record)).status).toBe(201);
    expect((await put({ folder: "elsewhere" })).status).toBe(409);
  });

  test.each([
    ["checkNames", "strict"],
    ["maxRecordsPerType", -1],
    ["maxRecordsPerType", 1.5],
    ["maxTypesPerName", "many"],
  ])("the zone-file settings %s %j are 400, and the field is named", async (field, value) => {
    const { status, body } = await configure({ [field]: value });
    expect(status).toBe(400);
    expect(body.issues).toMatchObject([{ path: ["config", field] }]);
  });

  test("zone-file settings are listed among the provider kinds", async () => {
    const { body } = await zw.admin.get("/api/providers");
    const { configFields } = body.providers.find(({ kind }: Body) => kind === "zonefile");
    expect(configFields.map(({ name }: Body) => name)).toEqual([
      "folder",
      "hostmaster",
      "checkNames",
      "maxRecordsPerType",
      "maxTypesPerName",
    ]);
  });
});

test("data of a type whose records name servers make is stored unchanged", async () => {
  zone = await fileZone(zw, "host 300 TYPE65534 \\# 1 00\n");
  const [record] = await zone.records();
  for (const patch of [{ value: "garbage" }, { name: "other" }, { recordType: "A", value: "192.0.2.1" }]) {
    const { status, body } = await zone.update(record.id, patch);
    expect(status).toBe(400);
    expect(body.message).toMatch(/are read-only except for `ttl`, `status`, `comment`, `locked`/);
  }
  expect((await zone.update(record.id, { value: record.value, ttl: 60, comment: "key" })).body).toMatchObject({
    ttl: 60,
  });
});

test("an export has the SOA that the provider serves", async () => {
  const soa = /IN SOA[^)]*\)/;
  const [served] = soa.exec(await zone.readFile()) ?? [];
  expect(served).toBeDefined();
  expect((await zone.get("/zonefile")).body).toContain(served);
});
