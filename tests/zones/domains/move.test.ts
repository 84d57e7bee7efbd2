import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { useZonewright } from "../../support/zonewright.ts";
import {
  embeddedConfig,
  fileOf,
  fileZone,
  manualConfig,
  manualZone,
  writeZoneFile,
  type Zone,
} from "../../support/zones.ts";

const zw = useZonewright();

const move = (zone: Zone, providerConfigId: string) => zw.admin.put(zone.path, { providerConfigId });

async function filled(zone: Zone): Promise<Zone> {
  await zone.add("A", "www", "192.0.2.1", 300);
  await zone.add("MX", "@", "10 mail.example.net");
  await zone.add("TXT", "@", 'say "hi"; bye');
  return zone;
}

describe("moving a domain to another provider configuration", () => {
  test("a move writes the records to the target and keeps their identity, versions and snapshots", async () => {
    const zone = await filled(await manualZone(zw));
    const snapshot = (await zone.post("/snapshots")).body;
    const before = await zone.records();
    const { status, body } = await move(zone, await embeddedConfig(zw));
    expect(status).toBe(200);
    expect(body).toMatchObject({ providerConfigId: await embeddedConfig(zw), recordCount: 3 });
    expect(await zone.records()).toEqual(before);
    expect((await zone.post("/sync")).body).toMatchObject({
      synced: 3,
      unchanged: 3,
      created: 0,
      updated: 0,
      deleted: 0,
    });
    expect((await zone.get(`/snapshots/${snapshot.id}`)).body).toEqual(snapshot);
  });

  test("edits after a move reach the new provider only, and the old zone file stays", async () => {
    const zone = await filled(await fileZone(zw));
    const file = await zone.readFile();
    await move(zone, await manualConfig(zw));
    await zone.add("A", "later", "192.0.2.2");
    expect(await zone.readFile()).toBe(file);
    expect((await zone.post("/sync")).status).toBe(400);
  });

  test("a domain can move to another provider and back while the old records are unchanged", async () => {
    const zone = await filled(await fileZone(zw));
    const records = await zone.records();
    await move(zone, await manualConfig(zw));
    expect((await move(zone, await embeddedConfig(zw))).status).toBe(200);
    expect(await zone.records()).toEqual(records);
    await zone.add("A", "back", "192.0.2.3");
    expect(await zone.readFile()).toContain("back");
  });

  test("a move is refused if the target has other records, and changes nothing on either side", async () => {
    const zone = await filled(await manualZone(zw));
    await writeZoneFile(zw, zone.name, "other A 192.0.2.99\n");
    const before = [await zone.detail(), await zone.readFile()];
    const { status, body } = await move(zone, await embeddedConfig(zw));
    expect([status, body.code]).toEqual([409, "CONFLICT"]);
    expect([await zone.detail(), await zone.readFile()]).toEqual(before);
    await zone.add("A", "still", "192.0.2.4");
  });

  test("an interrupted move continues where it was interrupted", async () => {
    const zone = await filled(await manualZone(zw));
    for (const value of ["ns1.example.net", "ns2.example.net"]) await zone.add("NS", "@", value);
    const before = await zone.records();
    await writeZoneFile(zw, zone.name, "www 300 A 192.0.2.1\n@ NS ns1.example.net.\n");
    expect(await move(zone, await embeddedConfig(zw))).toMatchObject({ status: 200, body: { recordCount: 5 } });
    expect(await zone.records()).toEqual(before);
    expect((await zone.post("/sync")).body).toMatchObject({ synced: 5, unchanged: 5 });
  });

  test("a move is refused if the target has one of the records with another TTL", async () => {
    const zone = await filled(await manualZone(zw));
    await writeZoneFile(zw, zone.name, "www 301 A 192.0.2.1\n");
    expect(await move(zone, await embeddedConfig(zw))).toMatchObject({ status: 409 });
  });

  test("a move to a provider that fails is 502 and leaves the domain where it is", async () => {
    const zone = await filled(await manualZone(zw));
    await mkdir(fileOf(zw, zone.name));
    const { status, body } = await move(zone, await embeddedConfig(zw));
    expect([status, body.code]).toEqual([502, "PROVIDER_ERROR"]);
    expect((await zone.detail()).providerConfigId).toBe(await manualConfig(zw));
    await rm(fileOf(zw, zone.name), { recursive: true });
    expect((await move(zone, await embeddedConfig(zw))).status).toBe(200);
  });

  test("a move preserves imported rule violations, and edits and syncs work afterwards", async () => {
    const zone = await fileZone(zw, "x CNAME y.example.\nx A 192.0.2.1\n@ CNAME z.example.\n");
    const records = await zone.records();
    const config = { kind: "zonefile", name: "Elsewhere", config: { folder: "elsewhere" } };
    const target = (await zw.admin.post("/api/provider-configs", config)).body.id;
    expect(await move(zone, target)).toMatchObject({ status: 200 });
    expect(await zone.records()).toEqual(records);
    expect((await zone.post("/sync")).body).toMatchObject({ synced: 3, unchanged: 3 });
    await zone.add("A", "later", "192.0.2.2");
    expect(await readFile(join(zw.dataDir, "zones", "elsewhere", `${zone.name}.zone`), "utf8")).toContain("later");
    const changes = [{ action: "create", record: { recordType: "A", name: "next", value: "192.0.2.3" } }];
    expect((await zone.post("/records/plan", { changes })).body.warnings).toEqual([]);
  });

  test("a move is refused with every reason if the target's name servers would refuse the zone", async () => {
    const zone = await filled(await manualZone(zw));
    await zone.add("NS", "@", `ns1.${zone.name}`);
    await zone.add("NS", "sub", `ns2.${zone.name}`);
    const { status, body } = await move(zone, await embeddedConfig(zw));
    expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
    expect(body.issues).toMatchObject([
      { path: ["providerConfigId"], message: expect.stringMatching(/ns1\.zone.* is a name server of the zone/) },
      { message: expect.stringMatching(/ns2\.zone.* is a name server of the delegation sub/) },
    ]);
    for (const name of ["ns1", "ns2"]) await zone.add("A", name, "192.0.2.53");
    expect((await move(zone, await embeddedConfig(zw))).status).toBe(200);
  });

  test("a move to a provider that refuses a record leaves nothing there, and can be retried", async () => {
    const zone = await filled(await manualZone(zw));
    const refused = await zone.add("NS", "@", "placeholder.invalid");
    const { status, body } = await move(zone, await embeddedConfig(zw));
    expect([status, body.code]).toEqual([502, "PROVIDER_ERROR"]);
    expect(body.detail).toContain("placeholder.invalid stands in");
    expect(await zone.readFile()).not.toContain("192.0.2.1");
    await zone.delete(refused.id);
    expect((await move(zone, await embeddedConfig(zw))).status).toBe(200);
    expect((await zone.post("/sync")).body).toMatchObject({ synced: 3, unchanged: 3 });
  });

  test("a move to the current provider changes nothing", async () => {
    const zone = await filled(await fileZone(zw));
    const file = await zone.readFile();
    expect((await move(zone, await embeddedConfig(zw))).status).toBe(200);
    expect(await zone.readFile()).toBe(file);
  });
});
