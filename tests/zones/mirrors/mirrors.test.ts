import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { assign } from "../../accounts/assignments/assigned.ts";
import { patience } from "../../support/patience.ts";
import { refusal } from "../../support/vendors/cloudflare/server.ts";
import { useCloudflare } from "./cloud.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualConfig, type Body, type Zone } from "../../support/zones.ts";

const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" } });
const cloud = useCloudflare(zw);

let folders = 0;
/** A configuration that writes zone files into a folder of its own. */
async function folderConfig(more: object = {}): Promise<{ id: string; folder: string }> {
  const folder = `mirror-${folders++}`;
  const { body } = await zw.admin.post("/api/provider-configs", {
    kind: "zonefile",
    name: folder,
    config: { folder },
    ...more,
  });
  return { id: body.id, folder };
}

const fileAt = (folder: string, zone: Zone) => join(zw.dataDir, "zones", folder, `${zone.name}.zone`);
const read = (folder: string, zone: Zone) => readFile(fileAt(folder, zone), "utf8");
const mirrorsOf = async (zone: Zone): Promise<Body[]> => (await zone.get("/mirrors")).body.mirrors;
const names = ({ mirrors }: Body) => mirrors.map(({ domainName }: Body) => domainName);
const add = (zone: Zone, providerConfigId: string, more: object = {}) =>
  zone.post("/mirrors", { providerConfigId, ...more });

/** Waits until the only mirror of a zone is in a state. */
async function reaches(zone: Zone, state: string): Promise<Body> {
  return await vi.waitFor(async () => {
    const { body } = await zone.get("/mirrors");
    expect(body.mirrors).toMatchObject([{ state }]);
    return body.mirrors[0];
  }, patience);
}

/** The records of a zone at Cloudflare, as `name type content`. */
function atCloudflare({ name }: Zone): string[] {
  return cloud.server
    .records(name)
    .map((record) => `${record.name} ${record.type} ${record.content}`)
    .toSorted();
}

let zone: Zone;
let mirror: { id: string; folder: string };
beforeEach(async () => {
  zone = await fileZone(zw);
  await zone.add("A", "www", "192.0.2.1", 300);
  await zone.add("TXT", "@", "v=spf1 -all");
  mirror = await folderConfig();
});

describe("a mirror", () => {
  test("a new mirror gets all records, and follows creates, updates and deletes", async () => {
    const { status, body } = await add(zone, mirror.id);
    expect({ status, body }).toMatchObject({ status: 200, body: { dryRun: false, delete: 0, deletes: [] } });
    await reaches(zone, "in_sync");
    expect(await read(mirror.folder, zone)).toMatch(/^www\s+300\s+IN\s+A\s+192\.0\.2\.1$/m);
    const { id } = await zone.add("A", "new", "192.0.2.2");
    await reaches(zone, "in_sync");
    expect(await read(mirror.folder, zone)).toContain("192.0.2.2");
    await zone.update(id, { value: "192.0.2.3" });
    await reaches(zone, "in_sync");
    expect(await read(mirror.folder, zone)).toContain("192.0.2.3");
    expect(await read(mirror.folder, zone)).not.toContain("192.0.2.2");
    await zone.delete(id);
    expect(await reaches(zone, "in_sync")).toMatchObject({
      lagSeconds: 0,
      differences: 0,
      foreign: 0,
      unsupported: 0,
      error: null,
    });
    expect(await read(mirror.folder, zone)).not.toContain("192.0.2.3");
  });

  test("a disabled record goes from the mirrors, and comes back when it is enabled", async () => {
    await add(zone, mirror.id);
    await reaches(zone, "in_sync");
    const { id } = (await zone.records()).find(({ name }) => name === "www");
    await zone.update(id, { status: "disabled" });
    expect(await reaches(zone, "in_sync")).toMatchObject({ differences: 0, foreign: 0 });
    expect(await read(mirror.folder, zone)).not.toContain("192.0.2.1");
    await zone.update(id, { status: "active" });
    await reaches(zone, "in_sync");
    expect(await read(mirror.folder, zone)).toContain("192.0.2.1");
  });

  test("a rollback reaches the mirrors", async () => {
    const { body: snapshot } = await zone.post("/snapshots");
    await add(zone, mirror.id);
    await zone.add("A", "later", "192.0.2.9");
    await reaches(zone, "in_sync");
    expect(await read(mirror.folder, zone)).toContain("192.0.2.9");
    await zone.post(`/snapshots/${snapshot.id}/rollback`);
    await reaches(zone, "in_sync");
    expect(await read(mirror.folder, zone)).not.toContain("192.0.2.9");
  });

  test("a dry run returns the plan and changes nothing", async () => {
    const { body } = await add(zone, mirror.id, { dryRun: true });
    expect(body).toEqual({
      dryRun: true,
      mirrorId: null,
      create: expect.any(Number),
      update: 0,
      delete: 0,
      deletes: [],
    });
    expect(body.create).toBe((await zone.records()).length);
    expect(await mirrorsOf(zone)).toEqual([]);
    await expect(read(mirror.folder, zone)).rejects.toThrow("ENOENT");
  });

  test("records that only the mirror has need force above the safety threshold, and the refusal names the number", async () => {
    cloud.server.addZone(zone.name);
    for (let index = 0; index < 12; index++)
      cloud.server.addRecord(zone.name, { type: "A", name: `x${index}.${zone.name}`, content: "192.0.2.7", ttl: 300 });
    const plan = await add(zone, cloud.configId, { dryRun: true });
    expect(plan.body).toMatchObject({ delete: 12, deletes: expect.arrayContaining(["x0 A 192.0.2.7"]) });
    const refused = await add(zone, cloud.configId);
    expect(refused).toMatchObject({ status: 409, body: { code: "CONFIRMATION_REQUIRED" } });
    expect((await add(zone, cloud.configId, { force: true })).status).toBe(200);
    await reaches(zone, "in_sync");
    expect(atCloudflare(zone).filter((line) => line.includes("192.0.2.7"))).toEqual([]);
  });

  test("a mirror with onDrift report keeps records of others and counts them", async () => {
    cloud.server.addZone(zone.name);
    cloud.server.addRecord(zone.name, { type: "A", name: `theirs.${zone.name}`, content: "192.0.2.7", ttl: 300 });
    expect((await add(zone, cloud.configId, { onDrift: "report" })).body).toMatchObject({ delete: 0 });
    expect(await reaches(zone, "in_sync")).toMatchObject({ differences: 1, foreign: 1 });
    expect(atCloudflare(zone)).toContain(`theirs.${zone.name} A 192.0.2.7`);
  });

  test("a mirror that only reports is refused with force, and nothing there is deleted", async () => {
    cloud.server.addZone(zone.name);
    cloud.server.addRecord(zone.name, { type: "A", name: `theirs.${zone.name}`, content: "192.0.2.7", ttl: 300 });
    const { status, body } = await add(zone, cloud.configId, { onDrift: "report", force: true });
    expect({ status, body }).toMatchObject({ status: 400, body: { issues: [{ path: ["force"] }] } });
    expect(await mirrorsOf(zone)).toEqual([]);
    expect(atCloudflare(zone)).toEqual([`theirs.${zone.name} A 192.0.2.7`]);
  });

  test.each(["report", "restore"])(
    "a record added beside one of others with another TTL reaches a mirror with onDrift %s",
    async (onDrift) => {
      cloud.server.addZone(zone.name);
      await add(zone, cloud.configId, { onDrift });
      await reaches(zone, "in_sync");
      cloud.server.addRecord(zone.name, { type: "A", name: `both.${zone.name}`, content: "192.0.2.7", ttl: 600 });
      await zone.add("A", "both", "192.0.2.8", 300);
      expect(await reaches(zone, "in_sync")).toMatchObject({ differences: onDrift === "report" ? 1 : 0 });
      const ours = `both.${zone.name} A 192.0.2.8`;
      const theirs = onDrift === "report" ? [`both.${zone.name} A 192.0.2.7`] : [];
      expect(atCloudflare(zone).filter((line) => line.startsWith("both."))).toEqual([...theirs, ours]);
      expect((await zone.get("/mirrors")).body.mirrors).toMatchObject([{ error: null }]);
    },
  );

  test("what others change at a mirror is put back when it is reconciled", async () => {
    const { body } = await add(zone, mirror.id);
    await reaches(zone, "in_sync");
    const file = await read(mirror.folder, zone);
    await writeFile(fileAt(mirror.folder, zone), file.replace("192.0.2.1", "198.51.100.66"));
    const answer = await zone.post(`/mirrors/${body.mirrorId}/reconcile`);
    expect(answer).toMatchObject({ status: 200, body: { mirrors: [{ state: "in_sync", differences: 0 }] } });
    expect(await read(mirror.folder, zone)).toContain("192.0.2.1");
    expect(await read(mirror.folder, zone)).not.toContain("198.51.100.66");
  });

  test("a mirror that fails says why, and follows again without being asked; the edit is made", async () => {
    cloud.server.addZone(zone.name);
    await add(zone, cloud.configId);
    await reaches(zone, "in_sync");
    const reply = refusal(400, 9_999, "The harbour master does not like it.");
    cloud.server.vendor.failNext({ after: false, reply }, 1_000, ({ method }) => method === "POST");
    await zone.add("A", "late", "192.0.2.44");
    expect((await reaches(zone, "failing")).error).toContain("harbour master");
    cloud.server.vendor.forgetFaults();
    expect(await reaches(zone, "in_sync")).toMatchObject({ error: null });
    expect(atCloudflare(zone)).toContain(`late.${zone.name} A 192.0.2.44`);
  });

  test("the mirrors of all domains are listed, failing ones first, to those who may see their domains, and filtered", async () => {
    const healthy = await fileZone(zw);
    const second = await folderConfig();
    await add(healthy, second.id);
    const { body: added } = await add(zone, mirror.id);
    await Promise.all([reaches(healthy, "in_sync"), reaches(zone, "in_sync")]);
    await writeFile(fileAt(mirror.folder, zone), "this is no zone file\n");
    await zone.add("A", "late", "192.0.2.44");
    await reaches(zone, "failing");
    const member = await zw.member("mirror-lister");
    await assign(zw, member, zone.id, "*", "read");
    const failing = { domainId: zone.id, domainName: zone.name, state: "failing", id: added.mirrorId };
    expect((await member.get("/api/mirrors")).body).toMatchObject({
      mirrors: [{ ...failing, error: "Ask the domain's owner." }],
      total: 1,
    });
    const list = async (query: string): Promise<Body> => (await zw.admin.get(`/api/mirrors?${query}`)).body;
    const all = await list("limit=100");
    expect(all.mirrors[0]).toMatchObject({ ...failing, error: expect.stringContaining(zone.name) });
    expect(names(all)).toContain(healthy.name);
    expect(names(await list("state=failing"))).toEqual([zone.name]);
    expect(names(await list("state=in_sync&limit=100"))).toContain(healthy.name);
    expect(names(await list(`providerConfigId=${second.id}`))).toEqual([healthy.name]);
    expect((await list("state=away")).issues).toMatchObject([{ path: ["state"] }]);
  });

  test("a mirror whose answer was lost ends up with each record once", async () => {
    cloud.server.addZone(zone.name);
    await add(zone, cloud.configId);
    await reaches(zone, "in_sync");
    cloud.server.fault("POST", "cutAfter");
    await zone.add("A", "twice", "192.0.2.45");
    await vi.waitFor(() => expect(atCloudflare(zone)).toContain(`twice.${zone.name} A 192.0.2.45`), patience);
    await zone.add("A", "other", "192.0.2.46");
    await vi.waitFor(() => expect(atCloudflare(zone)).toContain(`other.${zone.name} A 192.0.2.46`), patience);
    expect(atCloudflare(zone).filter((line) => line.includes("192.0.2.45"))).toHaveLength(1);
  });

  test("records that a provider cannot store refuse a new mirror; made later, they are left out and counted", async () => {
    cloud.server.addZone(zone.name);
    const tooShort = await zone.add("A", "short", "192.0.2.5", 5);
    const { status, body } = await add(zone, cloud.configId);
    expect({ status, issues: body.issues }).toMatchObject({
      status: 400,
      issues: [{ path: ["providerConfigId"], message: expect.stringContaining("short A 192.0.2.5") }],
    });
    await zone.delete(tooShort.id);
    await add(zone, cloud.configId);
    await reaches(zone, "in_sync");
    const plan = await zone.post("/records/plan", {
      changes: [{ action: "create", record: { recordType: "A", name: "short", value: "192.0.2.5", ttl: 5 } }],
    });
    expect(plan.body.warnings).toEqual([expect.stringContaining("The mirror Cloud will not have short A 192.0.2.5:")]);
    await zone.add("A", "short", "192.0.2.5", 5);
    await zone.add("A", "long", "192.0.2.6", 300);
    expect(await reaches(zone, "unsupported")).toMatchObject({ unsupported: 1, error: null });
    await vi.waitFor(() => expect(atCloudflare(zone)).toContain(`long.${zone.name} A 192.0.2.6`), patience);
    expect(atCloudflare(zone)).not.toContain(`short.${zone.name} A 192.0.2.5`);
  });
});

describe("a strict mirror", () => {
  const short = { recordType: "A", name: "short", value: "192.0.2.5", ttl: 5 };
  const strictly = "The strict mirror Cloud refuses it: Cloudflare requires a TTL from";
  beforeEach(async () => {
    cloud.server.addZone(zone.name);
    await add(zone, cloud.configId, { strict: true });
    await reaches(zone, "in_sync");
  });

  test("a plan refuses at its record what the mirror cannot store, and warns of nothing", async () => {
    const changes = [
      { action: "create", record: { recordType: "A", name: "long", value: "192.0.2.6", ttl: 300 } },
      { action: "create", record: short },
    ];
    const { status, body } = await zone.post("/records/plan", { changes });
    expect({ status, issues: body.issues }).toMatchObject({
      status: 400,
      issues: [{ path: ["changes", 1, "record", "ttl"], message: expect.stringContaining(strictly) }],
    });
    expect((await zone.post("/records/plan", { changes: changes.slice(0, 1) })).body.warnings).toEqual([]);
  });

  test("so do edits, bulks and zone files, and nothing reaches the main provider", async () => {
    const edited = await zone.create(short);
    expect({ status: edited.status, issues: edited.body.issues }).toMatchObject({
      status: 400,
      issues: [{ path: ["ttl"], message: expect.stringContaining(strictly) }],
    });
    const bulk = await zone.post("/records/bulk", { records: [short] });
    expect(bulk.body).toMatchObject({ succeeded: 0 });
    await zone.post("/zonefile", { zonefile: "short 5 A 192.0.2.5\n" });
    expect((await zone.records()).map(({ name }) => name)).not.toContain("short");
    const { id } = await zone.add("A", "later", "192.0.2.7", 300);
    expect((await zone.update(id, { ttl: 5 })).status).toBe(400);
  });
});

describe("mirrors of a domain", () => {
  test.each([
    ["the domain's own configuration", async () => (await zone.detail()).providerConfigId, 409],
    ["a configuration without a back end", () => manualConfig(zw), 400],
    ["a configuration that does not exist", () => "01990a5c-0000-7000-8000-000000000001", 400],
  ])("%s cannot be a mirror", async (_, config, status) => {
    expect((await add(zone, await config())).status).toBe(status);
    expect(await mirrorsOf(zone)).toEqual([]);
  });

  test("a configuration follows a domain once, and a domain has at most eight mirrors", async () => {
    expect((await add(zone, mirror.id)).status).toBe(200);
    expect((await add(zone, mirror.id)).status).toBe(409);
    for (let index = 1; index < 8; index++) expect((await add(zone, (await folderConfig()).id)).status).toBe(200);
    const { status, body } = await add(zone, (await folderConfig()).id);
    expect({ status, detail: body.detail }).toEqual({
      status: 409,
      detail: "The domain has 8 mirrors, which is the limit. Remove one first.",
    });
  });

  test("another view cannot use the zone of a mirror, and a configuration with mirrors cannot be deleted", async () => {
    cloud.server.addZone(zone.name);
    await add(zone, cloud.configId);
    await reaches(zone, "in_sync");
    const internal = { name: zone.name, view: "internal", providerConfigId: await manualConfig(zw) };
    const { body: other } = await zw.admin.post("/api/domains", internal);
    const answers = [
      await zw.admin.put(`/api/domains/${other.id}`, { providerConfigId: cloud.configId }),
      await zw.admin.post(`/api/domains/${other.id}/mirrors`, { providerConfigId: cloud.configId }),
      await zw.admin.delete(`/api/provider-configs/${cloud.configId}`, { "x-confirm-delete": "true" }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 409]);
    expect(answers[0]?.body.detail).toContain(`${zone.name} already uses the zone`);
  });

  test("a removed mirror is written no longer, and its zone stays", async () => {
    const { body } = await add(zone, mirror.id);
    await reaches(zone, "in_sync");
    const file = await read(mirror.folder, zone);
    expect((await zone.client.delete(`${zone.path}/mirrors/${body.mirrorId}`)).body).toEqual({ success: true });
    expect(await mirrorsOf(zone)).toEqual([]);
    const other = await folderConfig();
    await add(zone, other.id);
    await zone.add("A", "after", "192.0.2.50");
    expect((await zone.post(`/mirrors/${body.mirrorId}/reconcile`)).status).toBe(404);
    // By then the mirrors of the zone were written.
    await reaches(zone, "in_sync");
    expect(await read(other.folder, zone)).toContain("192.0.2.50");
    expect(await read(mirror.folder, zone)).toBe(file);
  });

  test("removing a mirror takes deleteZone=false, and refuses deleteZone=true because the zone stays there", async () => {
    const { body } = await add(zone, mirror.id);
    const path = `${zone.path}/mirrors/${body.mirrorId}`;
    expect(await zone.client.delete(`${path}?deleteZone=true`)).toMatchObject({
      status: 400,
      body: { issues: [{ path: ["deleteZone"], message: expect.stringContaining("delete the zone there") }] },
    });
    expect(await mirrorsOf(zone)).toHaveLength(1);
    expect((await zone.client.delete(`${path}?deleteZone=false`)).status).toBe(200);
    expect(await mirrorsOf(zone)).toEqual([]);
  });

  test("a domain that moves to its mirror has it as its provider, and no mirror there", async () => {
    await add(zone, mirror.id);
    await reaches(zone, "in_sync");
    const records = await zone.records();
    expect((await zw.admin.put(zone.path, { providerConfigId: mirror.id })).status).toBe(200);
    expect(await mirrorsOf(zone)).toEqual([]);
    expect(await zone.records()).toEqual(records);
    await zone.add("A", "moved", "192.0.2.51");
    expect(await read(mirror.folder, zone)).toContain("192.0.2.51");
  });

  test("members see mirrors without errors, and only owners change them", async () => {
    const ada = await zw.member("ada-mirrors");
    await assign(zw, ada, zone.id, "www", "write");
    const { body } = await add(zone, mirror.id);
    await reaches(zone, "in_sync");
    expect((await ada.get(`${zone.path}/mirrors`)).body.mirrors).toMatchObject([{ id: body.mirrorId, error: null }]);
    for (const answer of [
      await ada.post(`${zone.path}/mirrors`, { providerConfigId: mirror.id }),
      await ada.post(`${zone.path}/mirrors/${body.mirrorId}/reconcile`),
      await ada.delete(`${zone.path}/mirrors/${body.mirrorId}`),
    ])
      expect(answer.status).toBe(403);
    const grace = await zw.member("grace-mirrors");
    expect((await grace.get(`${zone.path}/mirrors`)).status).toBe(404);
  });

  test("owners add mirrors only through configurations that members may use, and not over zones that exist there", async () => {
    const owner = await zw.member("owner-mirrors");
    const open = await folderConfig({ membersMayUse: true });
    const second = await folderConfig({ membersMayUse: true });
    const { body } = await owner.post("/api/domains", { name: `own-${zone.name}`, providerConfigId: open.id });
    const path = `/api/domains/${body.id}/mirrors`;
    expect((await owner.post(path, { providerConfigId: mirror.id })).status).toBe(403);
    expect((await owner.post(path, { providerConfigId: second.id })).status).toBe(200);
  });
});
