import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { queries } from "../../server/database/database.ts";
import { beginImport, beginZone, endZone } from "../../server/zones/domains/zone-imports.ts";
import { createClient } from "../../client-sdk/src/index.ts";
import { patience } from "../support/patience.ts";
import { freshName, manualConfig, unknownId, type Body } from "../support/zones.ts";
import { adminPassword, useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();

let config: string;
let path: string;
let folder: string;
beforeEach(async () => {
  const name = freshName();
  folder = join(zw.dataDir, "zones", name);
  await mkdir(folder, { recursive: true });
  const { body } = await zw.admin.post("/api/provider-configs", { kind: "zonefile", name, config: { folder: name } });
  config = body.id;
  path = `/api/provider-configs/${config}/import`;
});

async function zones(count: number, lines = "www A 192.0.2.1\n"): Promise<string[]> {
  const names = Array.from({ length: count }, () => freshName());
  for (const name of names) {
    const soa = `$ORIGIN ${name}.\n$TTL 3600\n@ SOA ns1 hostmaster 1 3600 900 1209600 300\n`;
    await writeFile(join(folder, `${name}.zone`), soa + lines);
  }
  return names.toSorted();
}

/** The progress once the import has ended. */
async function ended(): Promise<Body> {
  return await vi.waitFor(async () => {
    const { body } = await zw.admin.get(path);
    expect(body.finishedAt).not.toBeNull();
    return body;
  }, patience);
}

const all = () => zw.admin.post(path, { all: true });
const done = (name: string) => ({ name, state: "done", domainId: expect.any(String), records: 1, error: null });

describe("importing all zones", () => {
  test("an import of all zones returns immediately and continues until every zone is managed", async () => {
    const names = await zones(9);
    await zw.admin.post(path, { zones: names.slice(0, 1) });
    const { status, body } = await all();
    expect(status).toBe(200);
    expect(body).toMatchObject({ results: [], progress: { startedAt: expect.any(String), total: 8 } });
    expect(body.progress.results.map(({ name }: Body) => name)).toEqual(names.slice(1));
    const progress = await ended();
    expect(progress).toMatchObject({ startedAt: body.progress.startedAt, total: 8, done: 8 });
    expect(progress.results).toEqual(names.slice(1).map(done));
    expect((await zw.admin.get(`/api/domains/${progress.results[0].domainId}`)).body).toMatchObject({
      name: names[1],
      recordCount: 1,
      providerConfigId: config,
    });
    expect((await all()).body.progress).toMatchObject({ total: 0, done: 0, results: [] });
  });

  test("an import of all zones reports why a zone failed, and imports the others", async () => {
    const [good = ""] = await zones(1);
    const [broken = ""] = await zones(1, "www A nonsense\n");
    await all();
    const { results } = await ended();
    const error = expect.stringMatching(new RegExp(`^${broken}\\.zone, line 4: `));
    const failed = { name: broken, state: "failed", domainId: null, records: null, error };
    // In the order of their names, as everywhere.
    expect(results).toEqual(good < broken ? [done(good), failed] : [failed, done(good)]);
  });
});

describe("import progress", () => {
  test("import progress is empty before the first import", async () => {
    const { status, body } = await zw.admin.get(path);
    expect([status, body]).toEqual([200, { startedAt: null, finishedAt: null, total: 0, done: 0, results: [] }]);
  });

  test("import progress also covers named zones", async () => {
    const [name = ""] = await zones(1);
    const { body } = await zw.admin.post(path, { zones: [name, "unknown.example"] });
    expect(body.progress).toBeNull();
    expect(await ended()).toMatchObject({
      total: 2,
      done: 2,
      results: [
        { ...done(name), domainId: body.results[0].domainId },
        { name: "unknown.example", state: "failed", domainId: null, records: null, error: body.results[1].error },
      ],
    });
  });

  test("import progress is shown to administrators only, and is 404 for unknown configurations", async () => {
    const member = await zw.member("importer");
    expect((await member.get(path)).status).toBe(403);
    expect((await zw.nobody.get(path)).status).toBe(401);
    expect((await zw.admin.get(`/api/provider-configs/${unknownId}/import`)).status).toBe(404);
  });

  test("the client returns import progress with dates", async () => {
    await zones(1);
    const client = createClient({ url: zw.url });
    await client.signIn({ username: "admin", password: adminPassword });
    const { progress } = await client.providerConfigs.import.mutate({ id: config, all: true });
    await ended();
    const { startedAt, finishedAt, results } = await client.providerConfigs.importProgress.query({ id: config });
    expect(startedAt).toEqual(progress?.startedAt);
    expect(finishedAt).toBeInstanceOf(Date);
    expect(results).toMatchObject([{ state: "done", records: 1 }]);
  });
});

describe("imports run by another instance", () => {
  let names: string[];
  let importId: string;
  beforeEach(async () => {
    names = await zones(3);
    const em = zw.services.database.fork();
    importId = await beginImport(em, config, names, new Date());
    await endZone(em, importId, 0, { success: false, domainId: null, error: "No." });
    await beginZone(em, importId, 1);
  });

  test("another instance's import is shown, and a second one of the same configuration is refused", async () => {
    expect((await zw.admin.get(path)).body).toMatchObject({
      finishedAt: null,
      total: 3,
      done: 1,
      results: [{ state: "failed", error: "No." }, { state: "running" }, { state: "waiting" }],
    });
    for (const answer of [await all(), await zw.admin.post(path, { zones: names })]) {
      expect([answer.status, answer.body.code]).toEqual([409, "CONFLICT"]);
    }
    expect((await zw.admin.get(`/api/domains?search=${names[0]}`)).body.total).toBe(0);
  });

  test("when an instance dies, its unfinished imports fail and can be repeated", async () => {
    const brought = await zw.admin.post("/api/domains", { name: names[1], providerConfigId: config });
    await leaseEnds();
    const { body } = await zw.admin.get(path);
    expect(body).toMatchObject({ finishedAt: expect.any(String), done: 3 });
    expect(body.results.slice(1)).toEqual([
      { ...done(names[1] ?? ""), domainId: brought.body.id },
      {
        name: names[2],
        state: "failed",
        domainId: null,
        records: null,
        error: expect.stringContaining("import it again"),
      },
    ]);
    await all();
    expect((await ended()).results).toEqual([names[0] ?? "", names[2] ?? ""].map(done));
  });

  test("when an instance dies between the views of a name, each is reported as it ended", async () => {
    const [name = ""] = await zones(1);
    await rename(join(folder, `${name}.zone`), join(folder, `${name}!lab.zone`));
    await leaseEnds();
    await zw.admin.get(path);
    const em = zw.services.database.fork();
    importId = await beginImport(em, config, [name, `${name}!lab`], new Date());
    for (const position of [0, 1]) await beginZone(em, importId, position);
    const lab = await zw.admin.post("/api/domains", { name, view: "lab", providerConfigId: config });
    await leaseEnds();
    const { results } = (await zw.admin.get(path)).body;
    expect(results).toMatchObject([
      { name, state: "failed", domainId: null },
      { name: `${name}!lab`, state: "done", domainId: lab.body.id },
    ]);
  });

  test("named zones are listed as the provider names them, by which their end is known after a crash", async () => {
    await leaseEnds();
    const [name = ""] = await zones(1);
    const { body } = await zw.admin.post(path, { zones: [name.toUpperCase()] });
    expect(body.results).toMatchObject([{ name: name.toUpperCase(), success: true }]);
    expect((await zw.admin.get(path)).body.results).toEqual([done(name)]);
  });

  test("an import of a dead instance does not block the next one", async () => {
    await leaseEnds();
    expect((await all()).status).toBe(200);
    expect(await ended()).toMatchObject({ total: 3, done: 3 });
  });

  async function leaseEnds(): Promise<void> {
    await queries(zw.services.database.fork())
      .updateTable("zone_imports")
      .set({ lease_until: new Date(Date.now() - 1000) })
      .where("id", "=", importId)
      .execute();
  }
});

test.each([
  [{}, "zones", /or `all: true`/],
  [{ all: true, zones: ["a.example"] }, "all", /not both/],
  [{ all: false, zones: ["a.example"] }, "all", /must be true/],
  [{ all: "true" }, "all", /must be true/],
])("an import with %j is 400 and says what to send", async (body, field, sentence) => {
  const answer = await zw.admin.post(path, body);
  expect(answer.status).toBe(400);
  expect(answer.body.issues[0]).toMatchObject({ path: [field], message: expect.stringMatching(sentence) });
});

test("an import of all zones from a provider without zones is refused", async () => {
  const { status, body } = await zw.admin.post(`/api/provider-configs/${await manualConfig(zw)}/import`, { all: true });
  expect([status, body.issues[0].path]).toEqual([400, ["id"]]);
});
