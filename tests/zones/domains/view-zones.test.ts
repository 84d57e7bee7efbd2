import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { addZone, bothViews, embeddedConfig, freshName, manualConfig, writeZoneFile } from "../../support/zones.ts";
import { useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright();

describe("views at providers", () => {
  test("a folder of zone files holds a file for each view, and edits never cross", async () => {
    const [zone, internal] = await bothViews(zw);
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
    const { body: list } = await zw.admin.get(`/api/domains?search=${name}`);
    expect(list.domains).toMatchObject([{ name, view: "lab" }]);
    const { body: after } = await zw.admin.get(`/api/provider-configs/${config}/zones`);
    expect(after.zones).toContainEqual({ name: `${name}!lab`, managed: true });
  });

  test("an administrator changes a view: its file follows, and the taken view is refused", async () => {
    const [zone, internal] = await bothViews(zw);
    await internal.add("A", "www", "10.0.0.1");
    const taken = await zw.admin.put(internal.path, { view: "" });
    expect(taken).toMatchObject({ status: 409, body: { detail: `${zone.name} is already managed here.` } });
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
});

describe("moves and view changes at once", () => {
  test("concurrent moves and view changes take turns or are refused, and view, zone and file always agree", async () => {
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
