import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { queries } from "../../server/database/database.ts";
import type { Answer, RestClient } from "../support/rest-client.ts";
import { addZone, embeddedConfig, freshName, manualConfig, writeZoneFile, type Zone } from "../support/zones.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();

const views = async (query: string) => {
  const { body } = await zw.admin.get(`/api/domains?${query}`);
  return body.domains.map(({ name, view }: { name: string; view: string }) => `${name} ${view}`);
};

/** Two domains of one name: the default view and `internal`. */
async function bothViews(providerConfigId?: string): Promise<[Zone, Zone]> {
  const name = freshName();
  const at = providerConfigId === undefined ? {} : { providerConfigId };
  return [await addZone(zw, { name, ...at }), await addZone(zw, { name: `${name}!internal`, ...at })];
}

describe("identity", () => {
  test("domains of one name are told apart by their view, and the same name and view exist once", async () => {
    const name = freshName();
    const domain = { name, providerConfigId: await manualConfig(zw) };
    expect((await zw.admin.post("/api/domains", domain)).body).toMatchObject({ name, view: "", autoCheckExpiry: true });
    const internal = await zw.admin.post("/api/domains", { ...domain, view: "Internal" });
    // The registration is looked up once, for the default view.
    expect(internal.body).toMatchObject({ name, view: "internal", autoCheckExpiry: false });
    const lab = await zw.admin.post("/api/domains", { ...domain, name: `${name.toUpperCase()}!Lab-2` });
    expect(lab.body).toMatchObject({ name, view: "lab-2" });
    for (const again of [
      { ...domain, view: "" },
      { ...domain, view: "Default" },
      { ...domain, name: `${name}!default` },
      { ...domain, view: "lab-2" },
      { ...domain, name: `${name}!internal` },
    ])
      expect(await zw.admin.post("/api/domains", again)).toMatchObject({ status: 409, body: { code: "CONFLICT" } });
    expect(await views(`search=${name}`)).toEqual([`${name} `, `${name} internal`, `${name} lab-2`]);
  });

  test.each([
    ["-internal", "view"],
    ["internal-", "view"],
    ["in ternal", "view"],
    ["büro", "view"],
    ["a".repeat(64), "view"],
    ["a.b", "view"],
    ["!", "view"],
  ])("the view %j is refused by its field", async (view, field) => {
    const { status, body } = await zw.admin.post("/api/domains", { name: freshName(), view });
    expect({ status, path: body.issues[0].path }).toEqual({ status: 400, path: [field] });
  });

  test.each(["example.com!", "example.com!-a", "!internal", "example.com!a!b", "example.com!a.b"])(
    "the name %j is refused with advice",
    async (name) => {
      const { status, body } = await zw.admin.post("/api/domains", { name });
      expect({ status, path: body.issues[0].path }).toEqual({ status: 400, path: ["name"] });
    },
  );

  test("a name and a view that differ are refused", async () => {
    const answer = await zw.admin.post("/api/domains", { name: `${freshName()}!lab`, view: "internal" });
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: ["view"] }] } });
  });

  test("of twenty simultaneous creations of one view, one succeeds", async () => {
    const domain = { name: `${freshName()}!internal`, providerConfigId: await manualConfig(zw) };
    const answers = await Promise.all(Array.from({ length: 20 }, () => zw.admin.post("/api/domains", domain)));
    expect(answers.filter(({ status }) => status !== 409).map(({ status }) => status)).toEqual([201]);
  });
});

describe("a name that stands for a domain", () => {
  test("means the default view, the only view, or is refused with all views named", async () => {
    const providerConfigId = await manualConfig(zw);
    const [both] = await bothViews(providerConfigId);
    expect(await views(`name=${both.name}`)).toEqual([`${both.name} `]);
    expect(await views(`name=${both.name}!internal`)).toEqual([`${both.name} internal`]);
    expect(await views(`name=${both.name}&view=internal`)).toEqual([`${both.name} internal`]);
    expect(await views(`name=${both.name}!lab`)).toEqual([]);
    const only = await addZone(zw, { name: `${freshName()}!lab`, providerConfigId });
    expect(await views(`name=${only.name}`)).toEqual([`${only.name} lab`]);
    await addZone(zw, { name: `${only.name}!internal`, providerConfigId });
    const { status, body } = await zw.admin.get(`/api/domains?name=${only.name}`);
    expect({ status, detail: body.detail }).toEqual({
      status: 409,
      detail: `${only.name} has several views here. Choose one: ${only.name}!internal, ${only.name}!lab.`,
    });
    expect((await zw.admin.get(`/api/domains/zone-of?name=www.${only.name}`)).status).toBe(409);
  });

  test("finds the zone of a host in the view that the name ends in", async () => {
    const [zone, internal] = await bothViews(await manualConfig(zw));
    const zoneOf = async (name: string) => {
      const { body } = await zw.admin.get(`/api/domains/zone-of?name=${encodeURIComponent(name)}`);
      return [body.domain.id, body.host];
    };
    expect(await zoneOf(`www.${zone.name}`)).toEqual([zone.id, "www"]);
    expect(await zoneOf(`www.${zone.name}!internal`)).toEqual([internal.id, "www"]);
    // A longer zone without that view does not hide a shorter one with it.
    const below = await addZone(zw, { name: `dev.${zone.name}`, providerConfigId: await manualConfig(zw) });
    expect(await zoneOf(`a.dev.${zone.name}`)).toEqual([below.id, "a"]);
    expect(await zoneOf(`a.dev.${zone.name}!internal`)).toEqual([internal.id, "a.dev"]);
  });

  test("names views only to those who may see them", async () => {
    const providerConfigId = await manualConfig(zw);
    const name = freshName();
    const [internal] = [await addZone(zw, { name: `${name}!internal`, providerConfigId })];
    await addZone(zw, { name: `${name}!lab`, providerConfigId });
    const member = await zw.member("views-reader");
    const { body: me } = await member.get("/api/auth/me");
    await zw.admin.post("/api/assignments", {
      userId: me.id,
      domainId: internal.id,
      subdomainPattern: "*",
      access: "read",
    });
    const { body } = await member.get(`/api/domains?name=${name}`);
    expect(body.domains.map(({ view }: { view: string }) => view)).toEqual(["internal"]);
    expect((await member.get("/api/assignments")).body.assignments[0].domainName).toBe(`${name}!internal`);
  });

  test("is found by a search for its name and the beginning of its view", async () => {
    const [zone] = await bothViews(await manualConfig(zw));
    expect(await views(`search=${zone.name}!int`)).toEqual([`${zone.name} internal`]);
    expect(await views(`search=${zone.name}&view=default`)).toEqual([`${zone.name} `]);
    expect(await views(`search=${zone.name}&view=internal`)).toEqual([`${zone.name} internal`]);
  });
});

describe("views at providers", () => {
  test("a folder of zone files holds a file for each view, and edits never cross", async () => {
    const [zone, internal] = await bothViews();
    await zone.add("A", "www", "192.0.2.1");
    await internal.add("A", "www", "10.0.0.1");
    await internal.add("A", "db", "10.0.0.2");
    expect(await readFile(join(zw.dataDir, "zones", `${zone.name}.zone`), "utf8")).toContain("192.0.2.1");
    const file = await readFile(join(zw.dataDir, "zones", `${zone.name}!internal.zone`), "utf8");
    expect(file).toContain(`$ORIGIN ${zone.name}.`);
    expect(file).toMatch(/www\s+.*10\.0\.0\.1/);
    expect(await zone.lines()).toEqual(["www A 192.0.2.1"]);
    expect(await internal.lines()).toEqual(["db A 10.0.0.2", "www A 10.0.0.1"]);
    for (const each of [zone, internal]) {
      const { body } = await each.post("/sync");
      expect(body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
    }
    await internal.edit((text) => `${text}\nnew 300 IN A 10.0.0.3\n`);
    expect((await internal.post("/sync")).body).toMatchObject({ created: 1 });
    expect(await zone.lines()).toEqual(["www A 192.0.2.1"]);
  });

  test("files of views are listed and imported by their names", async () => {
    const name = freshName();
    const config = await embeddedConfig(zw);
    await writeZoneFile(zw, `${name}!lab`, "www 300 IN A 10.9.0.1");
    const { body } = await zw.admin.get(`/api/provider-configs/${config}/zones`);
    expect(body.zones).toContainEqual({ name: `${name}!lab`, managed: false });
    const imported = await zw.admin.post(`/api/provider-configs/${config}/import`, { zones: [`${name}!lab`] });
    expect(imported.body.results[0].error).toBeNull();
    expect(imported.body.results).toMatchObject([{ name: `${name}!lab`, success: true, records: 1 }]);
    expect(await views(`search=${name}`)).toEqual([`${name} lab`]);
    const { body: after } = await zw.admin.get(`/api/provider-configs/${config}/zones`);
    expect(after.zones).toContainEqual({ name: `${name}!lab`, managed: true });
  });

  test("an administrator changes a view: its file follows, and the taken view is refused", async () => {
    const [zone, internal] = await bothViews();
    await internal.add("A", "www", "10.0.0.1");
    const taken = await zw.admin.put(internal.path, { view: "" });
    expect(taken).toMatchObject({ status: 409, body: { detail: `${zone.name} is managed here already.` } });
    const { status, body } = await zw.admin.put(internal.path, { view: "lab" });
    expect({ status, view: body.view }).toEqual({ status: 200, view: "lab" });
    expect(await readFile(join(zw.dataDir, "zones", `${zone.name}!lab.zone`), "utf8")).toContain("10.0.0.1");
    // What serves the old file goes on doing so.
    expect(await readdir(join(zw.dataDir, "zones"))).toContain(`${zone.name}!internal.zone`);
    expect(await internal.lines()).toEqual(["www A 10.0.0.1"]);
    await internal.add("A", "new", "10.0.0.2");
    expect(await readFile(join(zw.dataDir, "zones", `${zone.name}!lab.zone`), "utf8")).toContain("10.0.0.2");
    const { body: trail } = await zw.admin.get(`/api/audit?targetId=${internal.id}&action=domain.move`);
    expect(trail.entries[0]).toMatchObject({ before: { view: "internal" }, after: { view: "lab" } });
  });

  test("a name and view too long for a file name are refused by the view", async () => {
    const name = `${Array.from({ length: 3 }, () => "a".repeat(60)).join(".")}.${freshName()}`;
    const view = "v".repeat(63);
    const made = await zw.admin.post("/api/domains", { name, view });
    expect(made).toMatchObject({ status: 400, body: { issues: [{ path: ["view"] }] } });
    const { body: domain } = await zw.admin.post("/api/domains", { name });
    const moved = await zw.admin.put(`/api/domains/${domain.id}`, { view });
    expect(moved).toMatchObject({ status: 400, body: { issues: [{ path: ["view"] }] } });
    // Where there is no file, the same is possible.
    const manual = { name, view, providerConfigId: await manualConfig(zw) };
    expect(await zw.admin.post("/api/domains", manual)).toMatchObject({ status: 201 });
  });

  test("members cannot change a view, nor add a view of another user's domain", async () => {
    const config = await zw.admin.post("/api/provider-configs", {
      kind: "manual",
      name: "Members",
      membersMayUse: true,
    });
    const owner = await zw.member("views-owner");
    const other = await zw.member("views-other");
    const name = freshName();
    const { body: own } = await owner.post("/api/domains", { name, providerConfigId: config.body.id });
    expect(await owner.put(`/api/domains/${own.id}`, { view: "lab" })).toMatchObject({ status: 403 });
    const domain = { name: `${name}!lab`, providerConfigId: config.body.id };
    expect(await other.post("/api/domains", domain)).toMatchObject({ status: 403 });
    expect(await owner.post("/api/domains", domain)).toMatchObject({ status: 201 });
  });

  test("domains of an upgrade are in the default view", async () => {
    // `tests/upgrade` compares whole rows; this is what a client sees.
    const zone = await addZone(zw, { name: freshName(), providerConfigId: await manualConfig(zw) });
    expect((await zone.detail()).view).toBe("");
  });
});

describe("comparing two domains", () => {
  test("shows what the other has more, lacks and has differently", async () => {
    const [zone, internal] = await bothViews(await manualConfig(zw));
    await zone.add("A", "same", "192.0.2.1", 300);
    await internal.add("A", "same", "192.0.2.1", 300);
    await zone.add("A", "ttl", "192.0.2.2", 300);
    await internal.add("A", "ttl", "192.0.2.2", 60);
    await zone.add("A", "www", "192.0.2.3");
    await internal.add("A", "db", "10.0.0.1");
    const { status, body } = await zone.post("/compare", { with: internal.id });
    expect(status).toBe(200);
    expect(body.added.map(({ name }: { name: string }) => name)).toEqual(["db"]);
    expect(body.removed.map(({ name }: { name: string }) => name)).toEqual(["www"]);
    expect(body.modified).toMatchObject([
      { before: { name: "ttl" }, after: { name: "ttl" }, changes: { ttl: [300, 60] } },
    ]);
    expect((await zone.post("/compare", { with: zone.id })).body).toEqual({ added: [], removed: [], modified: [] });
    expect((await zone.post("/compare", { with: "01a1fb0f-6204-7000-abd4-276e976be8b7" })).status).toBe(404);
  });

  test("shows a member only the hosts that they see in both", async () => {
    const [zone, internal] = await bothViews(await manualConfig(zw));
    for (const host of ["a", "b", "c"]) await zone.add("A", host, "192.0.2.1");
    for (const host of ["b", "d"]) await internal.add("A", host, "10.0.0.1");
    const member = await zw.member("views-comparer");
    const { body: me } = await member.get("/api/auth/me");
    const assign = (domainId: string, subdomainPattern: string) =>
      zw.admin.post("/api/assignments", { userId: me.id, domainId, subdomainPattern, access: "read" });
    await assign(zone.id, "a");
    expect((await member.post(`${zone.path}/compare`, { with: internal.id })).status).toBe(404);
    await assign(zone.id, "b");
    await assign(internal.id, "b");
    await assign(internal.id, "d");
    const { body } = await member.post(`${zone.path}/compare`, { with: internal.id });
    expect([body.added, body.removed].flat().map(({ name }) => name)).toEqual(["b", "b"]);
  });
});

describe("a plan for a private address", () => {
  test.each([
    ["10.1.2.3", "A", 1],
    ["172.31.255.255", "A", 1],
    ["172.32.0.1", "A", 0],
    ["192.168.0.1", "A", 1],
    ["100.64.0.1", "A", 1],
    ["169.254.1.1", "A", 1],
    ["127.0.0.1", "A", 1],
    ["192.0.2.1", "A", 0],
    ["fd12:3456::1", "AAAA", 1],
    ["fe80::1", "AAAA", 1],
    ["::ffff:10.0.0.1", "AAAA", 1],
    ["2001:db8::1", "AAAA", 0],
  ])(
    "a plan that adds %s (%s) has %i warning in the default view, and none in another",
    async (value, recordType, warnings) => {
      const [zone, internal] = await bothViews(await manualConfig(zw));
      expect(await privateWarnings(zone, value, recordType)).toHaveLength(warnings);
      expect(await privateWarnings(internal, value, recordType)).toEqual([]);
    },
  );
});

async function privateWarnings(zone: Zone, value: string, recordType: string): Promise<string[]> {
  const { body } = await zone.post("/records/plan", {
    changes: [{ action: "create", record: { recordType, name: "h", value } }],
  });
  return body.warnings.filter((text: string) => text.includes("Private addresses"));
}

describe("requests for a domain by name", () => {
  test("approving a name that has come to mean another view is refused, and the administrator sees the view", async () => {
    const providerConfigId = await manualConfig(zw);
    const name = freshName();
    await addZone(zw, { name: `${name}!internal`, providerConfigId });
    const member = await zw.member("views-asker");
    const request = await ask(member, name);
    expect(request).toMatchObject({ domainName: name, domainId: null });
    const { body: list } = await zw.admin.get("/api/assignments/requests?status=pending");
    expect(list.requests.find(({ id }: { id: string }) => id === request.id).domainName).toBe(`${name}!internal`);
    const ofDefault = await ask(member, `${name}!default`);
    await addZone(zw, { name, providerConfigId });
    const refused = await zw.admin.post(`/api/assignments/requests/${request.id}/approve`, {});
    expect(refused).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("means another domain now") },
    });
    expect((await member.get("/api/domains")).body.total).toBe(0);
    const approved = await zw.admin.post(`/api/assignments/requests/${ofDefault.id}/approve`, {});
    expect(approved).toMatchObject({ status: 200, body: { domainName: name } });
    expect((await member.get("/api/domains")).body.domains).toMatchObject([{ name, view: "" }]);
  });

  test("approving a name of several views is refused with their names", async () => {
    const providerConfigId = await manualConfig(zw);
    const name = freshName();
    for (const view of ["a", "b"]) await addZone(zw, { name, view, providerConfigId });
    const request = await ask(await zw.member("views-asker-2"), name);
    const refused = await zw.admin.post(`/api/assignments/requests/${request.id}/approve`, {});
    expect(refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining(`${name}!a, ${name}!b`) } });
  });
});

test("a member learns nothing about which views of another user's domain exist", async () => {
  const config = await zw.admin.post("/api/provider-configs", { kind: "manual", name: "Probed", membersMayUse: true });
  const providerConfigId = config.body.id;
  const name = freshName();
  await addZone(zw, { name: `${name}!secret`, providerConfigId });
  const member = await zw.member("views-prober");
  const answers = await Promise.all(
    ["secret", "other"].map((view) => member.post("/api/domains", { name, view, providerConfigId })),
  );
  expect(answers.map(({ status, body }) => [status, body.detail])).toEqual([
    [403, answers[1]?.body.detail],
    [403, answers[0]?.body.detail],
  ]);
});

describe("moves and view changes at once", () => {
  test("either take turns or are refused, and the view, the zone and its file always agree", async () => {
    const manual = await manualConfig(zw);
    const embedded = await embeddedConfig(zw);
    for (let round = 0; round < 6; round++) {
      const zone = await addZone(zw, { name: `${freshName()}!x` });
      await zone.add("A", "www", "10.0.0.1");
      const puts = [
        { view: "y" },
        { view: "x" },
        { providerConfigId: manual },
        { view: "z", notes: "n" },
        { view: "x" },
      ];
      const answers = await Promise.all(puts.map((body) => zw.admin.put(zone.path, body)));
      expect(answers.map(({ status }) => status).filter((status) => ![200, 409, 503].includes(status))).toEqual([]);
      const { view, providerConfigId } = await zone.detail();
      const { rows } = await sql<{
        zone: string;
      }>`select provider_zone as zone from domains where id = ${zone.id}`.execute(queries(zw.services.database.fork()));
      expect(rows).toEqual([{ zone: `${zone.name}!${view}` }]);
      await zone.add("A", "after", "10.0.0.2");
      const file = join(zw.dataDir, "zones", `${zone.name}!${view}.zone`);
      const served = providerConfigId === embedded ? await readFile(file, "utf8") : "after 10.0.0.2";
      expect(served).toContain("10.0.0.2");
    }
  });

  test("a domain that leaves the default view is no longer looked up, and one that enters it is", async () => {
    const zone = await addZone(zw, { name: freshName(), providerConfigId: await manualConfig(zw) });
    expect((await zw.admin.put(zone.path, { view: "lab" })).body).toMatchObject({
      view: "lab",
      autoCheckExpiry: false,
    });
    expect((await zw.admin.put(zone.path, { view: "default" })).body).toMatchObject({
      view: "",
      autoCheckExpiry: true,
    });
  });
});

async function ask(member: RestClient, domainName: string): Promise<Answer["body"]> {
  const request = { domainName, subdomainPattern: "*", access: "read", reason: "" };
  return (await member.post("/api/assignments/requests", request)).body;
}
