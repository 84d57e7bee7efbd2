import { describe, expect, test } from "vitest";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualZone, type Zone } from "../../support/zones.ts";

const zw = useZonewright({ env: { JOBS: "off" } });

const off = { status: "disabled" };

async function disabled(zone: Zone, recordType: string, name: string, value: string, more = {}) {
  const { status, body } = await zone.create({ recordType, name, value, ...off, ...more });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body;
}

/** The lines of a zone's file that name servers read. */
async function served(zone: Zone): Promise<string[]> {
  const lines = (await zone.readFile()).split("\n");
  return lines.filter((line) => !line.startsWith(";")).map((line) => line.replaceAll(/ +/g, " "));
}

async function statuses(zone: Zone): Promise<string[]> {
  return (await zone.records()).map(({ name, value, status }) => `${name} ${value} ${status}`).toSorted();
}

describe("what a disabled record is", () => {
  test("a record created as disabled is listed, found, counted and exported as a comment, and its provider does not get it", async () => {
    const zone = await fileZone(zw, "@ NS ns1.example.net.\n");
    const record = await disabled(zone, "A", "spare", "192.0.2.55");

    expect(record).toMatchObject({ status: "disabled", version: 1 });
    expect(await statuses(zone)).toEqual(["@ ns1.example.net active", "spare 192.0.2.55 disabled"]);
    expect(await zone.records("&status=disabled")).toMatchObject([{ name: "spare" }]);
    expect(await zone.records("&status=active")).toMatchObject([{ name: "@" }]);
    expect((await zone.detail()).recordCount).toBe(2);
    const { body: found } = await zw.admin.get("/api/records?value=192.0.2.55");
    expect(found.records).toMatchObject([{ name: "spare", status: "disabled" }]);
    expect(await served(zone)).not.toContainEqual(expect.stringContaining("spare"));
    const { body: text } = await zone.get("/zonefile");
    expect(text).toMatch(/^; disabled: spare +3600 +IN A +192\.0\.2\.55$/m);
  });

  test("disabling takes a record from its provider and enabling brings it back, each as one change that a revert takes back", async () => {
    const zone = await fileZone(zw, "@ NS ns1.example.net.\nwww A 192.0.2.1\n");
    const www = (await zone.records()).find(({ name }) => name === "www");

    const after = await zone.update(www.id, off);
    expect(after.body).toMatchObject({ status: "disabled", version: 2, value: "192.0.2.1" });
    expect(await served(zone)).not.toContainEqual(expect.stringContaining("www"));
    const [entry] = await zone.history();
    expect(entry).toMatchObject({
      creates: 0,
      updates: 1,
      deletes: 0,
      changes: [{ action: "update", before: { status: "active" }, after: { status: "disabled" } }],
    });

    expect((await zone.post(`/history/${entry.id}/revert`, {})).status).toBe(200);
    expect(await served(zone)).toContain("www 3600 IN A 192.0.2.1");
    expect(await statuses(zone)).toContain("www 192.0.2.1 active");

    await zone.update(www.id, off);
    await zone.update(www.id, { status: "active", ttl: 60 });
    expect(await served(zone)).toContain("www 60 IN A 192.0.2.1");
  });

  test("changing or deleting a disabled record tells its provider nothing", async () => {
    const zone = await fileZone(zw, "@ NS ns1.example.net.\n");
    const { id } = await disabled(zone, "A", "spare", "192.0.2.1");
    const before = await zone.readFile();
    expect((await zone.update(id, { value: "192.0.2.2", name: "other" })).body).toMatchObject({ status: "disabled" });
    expect((await zone.delete(id)).status).toBe(200);
    expect(await zone.readFile()).toBe(before);
  });

  test("a plan shows a change of the status, and apply makes it", async () => {
    const zone = await fileZone(zw, "@ NS ns1.example.net.\nwww A 192.0.2.1\n");
    const www = (await zone.records()).find(({ name }) => name === "www");
    const changes = [
      { action: "update", recordId: www.id, record: off },
      { action: "create", record: { recordType: "A", name: "www", value: "192.0.2.2" } },
    ];
    const { body: plan } = await zone.post("/records/plan", { changes });
    expect(plan.updates).toMatchObject([{ id: www.id, changes: { status: ["active", "disabled"] } }]);
    expect(plan.creates).toMatchObject([{ status: "active" }]);
    expect((await zone.post("/records/apply", { changes, planHash: plan.planHash })).status).toBe(200);
    expect(await served(zone)).toContain("www 3600 IN A 192.0.2.2");
    expect(await served(zone)).not.toContain("www 3600 IN A 192.0.2.1");
  });

  test("an unknown status is refused and says which there are", async () => {
    const zone = await manualZone(zw);
    const { status, body } = await zone.create({ recordType: "A", name: "a", value: "192.0.2.1", status: "off" });
    expect(status).toBe(400);
    expect(body.issues).toEqual([{ path: ["status"], message: "This must be active or disabled." }]);
  });
});

describe("rules", () => {
  test("a disabled record breaks no rule of zones, and enabling it is refused as creating it would be", async () => {
    const zone = await manualZone(zw);
    await zone.add("A", "www", "192.0.2.1");
    const alias = await disabled(zone, "CNAME", "www", "other.example.net");
    const same = await disabled(zone, "A", "www", "192.0.2.1");
    const again = await disabled(zone, "A", "www", "192.0.2.1");

    const cname = await zone.update(alias.id, { status: "active" });
    expect([cname.status, cname.body.detail]).toEqual([409, expect.stringContaining("must be the only record")]);
    expect((await zone.update(same.id, { status: "active" })).status).toBe(409);
    expect((await zone.update(again.id, { status: "active", value: "192.0.2.2" })).status).toBe(200);
    expect(await zone.records("&status=disabled")).toHaveLength(2);
  });

  test("the place of a disabled record is free for others", async () => {
    const zone = await manualZone(zw);
    const address = await zone.add("A", "www", "192.0.2.1");
    await zone.update(address.id, off);
    expect((await zone.create({ recordType: "CNAME", name: "www", value: "other.example.net" })).status).toBe(201);
    expect((await zone.update(address.id, { status: "active" })).status).toBe(409);
  });

  test("a disabled record keeps its own TTL, and takes that of its RRset when it is enabled", async () => {
    const zone = await manualZone(zw);
    await zone.add("A", "www", "192.0.2.1", 300);
    const spare = await disabled(zone, "A", "www", "192.0.2.2", { ttl: 60 });
    expect(await zone.records("&status=active")).toMatchObject([{ ttl: 300 }]);
    expect((await zone.update(spare.id, { status: "active" })).body).toMatchObject({ ttl: 300, status: "active" });
  });

  test("limits of the provider count when a record is enabled", async () => {
    const zone = await fileZone(zw, "@ NS ns1.example.net.\n");
    const alias = await disabled(zone, "ALIAS", "@", "other.example.net");
    const { status, body } = await zone.update(alias.id, { status: "active" });
    expect(status).toBe(400);
    expect(body.issues).toMatchObject([{ path: ["recordType"] }]);
  });

  test("a name server loses its address to no disabled record", async () => {
    const zone = await fileZone(zw, "@ NS ns1\nns1 A 192.0.2.1\n");
    const address = (await zone.records()).find(({ name }) => name === "ns1");
    const { status, body } = await zone.update(address.id, off);
    expect([status, body.detail]).toEqual([409, expect.stringContaining("ns1")]);
  });

  test("disabling or enabling a locked record needs unlock", async () => {
    const zone = await manualZone(zw);
    const { id } = await zone.add("A", "www", "192.0.2.1");
    await zone.update(id, { locked: true });
    expect((await zone.update(id, off)).status).toBe(409);
    expect((await zone.update(id, { ...off, unlock: true })).body).toMatchObject({ status: "disabled", locked: true });
    expect((await zone.update(id, { status: "active" })).status).toBe(409);
  });

  test("disabling needs the review that the domain requires", async () => {
    const zone = await manualZone(zw);
    const { id } = await zone.add("A", "www", "192.0.2.1");
    await zw.admin.put(zone.path, { reviewRequired: "everyone" });
    expect((await zone.update(id, off)).body).toMatchObject({ code: "REVIEW_REQUIRED" });
  });

  test("disabling more than 30 % of a zone needs force", async () => {
    const zone = await manualZone(zw);
    const records = Array.from({ length: 10 }, (_, n) => ({ recordType: "A", name: `n${n}`, value: "192.0.2.1" }));
    await zone.post("/records/bulk", { records });
    const some = (await zone.records("&type=A")).slice(0, 4);
    const changes = some.map(({ id }) => ({ action: "update", recordId: id, record: off }));
    const { body: plan } = await zone.post("/records/plan", { changes });
    const refused = await zone.post("/records/apply", { changes, planHash: plan.planHash });
    expect(refused.body).toMatchObject({ code: "CONFIRMATION_REQUIRED" });
  });
});

describe("the provider's zone", () => {
  test("no comparison with the provider reports a disabled record, and a sync leaves it", async () => {
    const zone = await fileZone(zw, "@ NS ns1.example.net.\nwww A 192.0.2.1\n");
    const www = (await zone.records()).find(({ name }) => name === "www");
    await zone.update(www.id, off);
    expect((await zone.post("/sync", { dryRun: true })).body).toMatchObject({ created: 0, updated: 0, deleted: 0 });

    await zone.edit((text) => `${text}mail A 192.0.2.25\n`);
    expect((await zone.post("/sync", {})).body).toMatchObject({ created: 1, updated: 0, deleted: 0 });
    expect(await statuses(zone)).toContain("www 192.0.2.1 disabled");
  });

  test("a sync enables a disabled record that somebody gave its provider", async () => {
    const zone = await fileZone(zw, "@ NS ns1.example.net.\nwww A 192.0.2.1\n");
    const www = (await zone.records()).find(({ name }) => name === "www");
    await zone.update(www.id, off);
    await zone.edit((text) => `${text}www A 192.0.2.1\n`);
    expect((await zone.post("/sync", {})).body).toMatchObject({ created: 0, updated: 1, deleted: 0 });
    expect((await zone.records()).find(({ name }) => name === "www")).toMatchObject({ id: www.id, status: "active" });
  });

  test("a zone file that replaces a zone leaves disabled records, and enables those that it has", async () => {
    const zone = await fileZone(zw, "@ NS ns1.example.net.\nwww A 192.0.2.1\nftp A 192.0.2.2\n");
    for (const { id } of await zone.records("&type=A")) await zone.update(id, off);
    const { body: text } = await zone.get("/zonefile");
    const same = await zone.post("/zonefile", { zonefile: text, mode: "replace" });
    expect(same.body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
    const zonefile = `${text}www 3600 A 192.0.2.1\n`;
    const enabled = await zone.post("/zonefile", { zonefile, mode: "replace" });
    expect(enabled.body).toMatchObject({ created: 0, updated: 1, deleted: 0 });
    expect(await statuses(zone)).toEqual([
      "@ ns1.example.net active",
      "ftp 192.0.2.2 disabled",
      "www 192.0.2.1 active",
    ]);
  });

  test("an export brings its disabled records to another zone, still disabled, each with a warning", async () => {
    const zone = await manualZone(zw);
    await zone.add("CNAME", "www", "example.net");
    await disabled(zone, "A", "www", "192.0.2.1", { ttl: 60 });
    await zone.create({ recordType: "TXT", name: "spare", strings: ["a;b", 'c"d'], ...off });
    await disabled(zone, "ALIAS", "shop", "other.example.net");
    const { body: text } = await zone.get("/zonefile");

    const other = await manualZone(zw);
    const zonefile = String(text).replaceAll(zone.name, other.name);
    const { status, body } = await other.post("/zonefile", { zonefile });
    expect(body).toMatchObject({ created: 4, unchanged: 0 });
    expect(status).toBe(200);
    expect(body.warnings).toEqual([expect.stringMatching(/^Lines \d+, \d+ and \d+: Imported as disabled/)]);
    expect(await other.records("&status=disabled")).toMatchObject([
      { name: "shop", recordType: "ALIAS", value: "other.example.net" },
      { name: "spare", strings: ["a;b", 'c"d'] },
      { name: "www", recordType: "A", ttl: 60 },
    ]);
    expect((await other.post("/zonefile", { zonefile, mode: "replace" })).body).toMatchObject({
      created: 0,
      deleted: 0,
    });
  });

  test("a comment that looks like a disabled record is one only in a file that Zonewright wrote", async () => {
    const zone = await manualZone(zw);
    const zonefile = "$TTL 60\n; disabled: old A 192.0.2.9\nwww A 192.0.2.1\n";
    expect((await zone.post("/zonefile", { zonefile })).body).toMatchObject({ created: 1, warnings: [] });
  });

  test("a move takes active records to the new provider, and leaves disabled ones disabled", async () => {
    const zone = await manualZone(zw);
    await zone.add("NS", "@", "ns1.example.net");
    await zone.add("A", "www", "192.0.2.1");
    const spare = await disabled(zone, "ALIAS", "spare", "other.example.net");
    const { body } = await zw.admin.get("/api/provider-configs");
    const files = body.configs.find(({ kind }: { kind: string }) => kind === "zonefile");
    const moved = await zw.admin.put(zone.path, { providerConfigId: files.id });
    expect(moved).toMatchObject({ status: 200 });
    expect(await served(zone)).toContain("www 3600 IN A 192.0.2.1");
    expect((await zone.records("&status=disabled"))[0]).toMatchObject({ id: spare.id });
    expect((await zone.post("/sync", { dryRun: true })).body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
  });
});

describe("a record beside a disabled equal", () => {
  test.each(["active", "disabled"])("a deletion of the %s one can be reverted", async (deleted) => {
    const zone = await manualZone(zw);
    const record = { recordType: "A", name: "x", value: "192.0.2.1" };
    for (const status of ["disabled", "active"]) expect((await zone.create({ ...record, status })).status).toBe(201);
    const before = await zone.records();
    await zone.delete(before.find(({ status }) => status === deleted)?.id);
    const [entry] = await zone.history();
    expect((await zone.post(`/history/${entry?.id}/revert`, {})).status).toBe(200);
    expect((await zone.records()).map(({ id, status }) => `${id} ${status}`).toSorted()).toEqual(
      before.map(({ id, status }) => `${id} ${status}`).toSorted(),
    );
    await zone.delete(before.find(({ status }) => status === deleted)?.id);
    const [again] = await zone.history();
    await zone.create({ ...record, status: deleted });
    expect((await zone.post(`/history/${again?.id}/revert`, {})).body.message).toMatch(/was created again since/);
  });

  test("a comparison with a zone that has only the active one shows one disabled record more", async () => {
    const [one, other] = [await manualZone(zw), await manualZone(zw)];
    await disabled(one, "A", "x", "192.0.2.1");
    for (const zone of [one, other]) await zone.add("A", "x", "192.0.2.1");
    expect((await one.post("/compare", { with: other.id })).body).toMatchObject({
      added: [],
      removed: [{ name: "x", status: "disabled" }],
      modified: [],
    });
  });
});

describe("snapshots", () => {
  test("a snapshot keeps the status, its differences show it, and a rollback restores it", async () => {
    const zone = await fileZone(zw, "@ NS ns1.example.net.\nwww A 192.0.2.1\n");
    const www = (await zone.records()).find(({ name }) => name === "www");
    const take = async () => (await zone.post("/snapshots", {})).body;
    const active = await take();
    await zone.update(www.id, off);
    const spare = await disabled(zone, "A", "spare", "192.0.2.9");
    const inactive = await take();

    const { body: difference } = await zone.get(`/snapshots/diff?from=${active.id}&to=${inactive.id}`);
    expect(difference).toMatchObject({
      added: [{ name: "spare", status: "disabled" }],
      removed: [],
      modified: [{ changes: { status: ["active", "disabled"] } }],
    });
    expect((await zone.post(`/snapshots/${active.id}/rollback`, {})).body).toMatchObject({ success: true });
    expect(await statuses(zone)).toEqual(["@ ns1.example.net active", "www 192.0.2.1 active"]);
    expect(await served(zone)).toContain("www 3600 IN A 192.0.2.1");
    expect((await zone.post(`/snapshots/${inactive.id}/rollback`, {})).body).toMatchObject({ success: true });
    expect(await statuses(zone)).toContain("www 192.0.2.1 disabled");
    expect((await zone.records()).find(({ id }) => id === spare.id)).toMatchObject({ status: "disabled" });
    expect(await served(zone)).not.toContainEqual(expect.stringContaining("www"));
  });
});
