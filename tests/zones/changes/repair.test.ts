import { rm, writeFile } from "node:fs/promises";
import { sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { newId } from "../../../server/platform/ids.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualConfig, manualZone, type Body, type Zone } from "../../support/zones.ts";
import { createOf, leavePending } from "./left-open.ts";

const zw = useZonewright();
let zone: Zone;
beforeEach(async () => {
  zone = await fileZone(zw, "www 300 A 192.0.2.1\n");
});

function leave(changes: unknown[], kind?: "edit" | "import" | "rollback"): Promise<string> {
  return leavePending(zw, zone.id, { changes, ...(kind ? { kind } : {}) });
}

describe.each([
  ["the next edit", () => zone.add("A", "next", "192.0.2.5")],
  ["the repair job", () => zw.services.repair.runOnce()],
])("a change left pending by a crash is settled by %s", (by, settle) => {
  const edits = by === "the next edit" ? 1 : 0;

  test("a pending change is recorded as applied if the provider has it", async () => {
    const change = createOf("crash");
    const id = await leave([change]);
    await zone.edit((text) => `${text}crash 60 A 192.0.2.9\n`);
    await settle();
    expect(await zone.records("&search=crash")).toMatchObject([{ id: change.id, comment: "mine", version: 1 }]);
    const entry = (await zone.history()).find((set) => set.id === id);
    expect(entry).toMatchObject({
      state: "applied",
      repaired: true,
      creates: 1,
      revision: 2,
      failures: [],
      actor: "admin",
    });
    expect(await zone.detail()).toMatchObject({ recordCount: 2 + edits, revision: 2 + edits });
    expect((await zone.post("/sync")).body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
  });

  test("a pending change is recorded as failed if the provider does not have it", async () => {
    const id = await leave([createOf("crash")]);
    await settle();
    expect(await zone.records("&search=crash")).toEqual([]);
    const entry = (await zone.history()).find((set) => set.id === id);
    expect(entry).toMatchObject({ state: "failed", repaired: true, creates: 0, revision: null });
    expect(entry.failures).toMatchObject([{ name: "crash", error: expect.stringContaining("did not reach") }]);
    expect(await zone.detail()).toMatchObject({ recordCount: 1 + edits, revision: 1 + edits });
  });

  test("a pending change is settled item by item if the provider has part of it", async () => {
    const [www] = await zone.records();
    const { domainId: _, ...before } = www;
    const deletion = { action: "delete", id: www.id, before, after: null };
    const id = await leave([deletion, createOf("there"), createOf("not-there")]);
    await zone.edit((text) => `${text.replace(/^www.*$/m, "")}there 60 A 192.0.2.9\n`);
    await settle();
    const entry = (await zone.history()).find((set) => set.id === id);
    expect(entry).toMatchObject({ state: "partial", creates: 1, deletes: 1, failures: [{ name: "not-there" }] });
    expect((await zone.lines()).filter((line) => !line.startsWith("next"))).toEqual(["there A 192.0.2.9"]);
  });

  test("a settled change takes the snapshots that it would have taken", async () => {
    const before = await zone.records();
    await leave([createOf("one")], "import");
    await leave([createOf("two")], "rollback");
    await zone.edit((text) => `${text}one 60 A 192.0.2.9\ntwo 60 A 192.0.2.9\n`);
    await settle();
    const { body } = await zone.get("/snapshots");
    expect(body.snapshots).toMatchObject([{ trigger: "on_change", recordCount: 3 }, { trigger: "on_change" }]);
    expect(body.snapshots[1].records).toEqual(before);
  });
});

describe("a change that cannot be settled yet", () => {
  test("an unsettled change blocks edits until the provider can be read, and nothing is lost", async () => {
    const change = createOf("crash");
    await leave([change]);
    const file = await zone.readFile();
    await zone.edit(() => "broken");
    expect((await zone.create({ recordType: "A", name: "x", value: "192.0.2.1" })).status).toBe(502);
    await zw.services.repair.runOnce();
    expect((await zone.history())[0]).toMatchObject({ state: "pending", finishedAt: null });
    await zone.edit(() => `${file}crash 60 A 192.0.2.9\n`);
    await zw.services.repair.runOnce();
    expect(await zone.records("&search=crash")).toMatchObject([{ id: change.id }]);
  });

  test("a pending change is settled before the zone moves to another provider", async () => {
    const change = createOf("crash");
    await leave([change]);
    await zone.edit((text) => `${text}crash 60 A 192.0.2.9\n`);
    const manual = (await (await manualZone(zw)).detail()).providerConfigId;
    expect((await zw.admin.put(zone.path, { providerConfigId: manual })).status).toBe(200);
    expect(await zone.lines()).toEqual(["crash A 192.0.2.9", "www A 192.0.2.1"]);
  });
});

test("a pending change that deletes and recreates a record is settled as a whole", async () => {
  const [www] = await zone.records();
  const { id, recordType, name, value, priority, proxied } = www;
  const anew = { recordType, name, value, ttl: 600, priority, proxied, comment: null };
  const remake = () => [
    { action: "delete", id, before: www, after: null },
    { action: "create", id: newId(), before: null, after: anew },
  ];
  await leave(remake());
  await zw.services.repair.runOnce();
  expect((await zone.history())[0]).toMatchObject({ state: "failed", repaired: true });
  expect(await zone.records()).toMatchObject([{ id, ttl: 300 }]);
  await zone.edit((text) => text.replace("www 300", "www 600"));
  await leave(remake());
  await zw.services.repair.runOnce();
  expect((await zone.history())[0]).toMatchObject({ state: "applied", repaired: true });
  expect(await zone.records()).toMatchObject([{ ttl: 600 }]);
});

test("a pending change stays pending while its zone is missing at the provider, and is settled afterwards", async () => {
  const change = createOf("crash");
  await leave([change]);
  const file = await zone.readFile();
  await rm(zone.file);
  await zw.services.repair.runOnce();
  expect((await zone.history())[0]).toMatchObject({ state: "pending", finishedAt: null });
  const { status, body } = await zone.create({ recordType: "A", name: "x", value: "192.0.2.1" });
  expect({ status, body }).toMatchObject({ status: 502, body: { detail: expect.stringContaining("force: true") } });
  await writeFile(zone.file, `${file}crash 60 A 192.0.2.9\n`);
  await zw.services.repair.runOnce();
  expect((await zone.history())[0]).toMatchObject({ state: "applied", repaired: true });
  expect(await zone.records("&search=crash")).toMatchObject([{ id: change.id }]);
});

async function move(client = zw.admin, force?: boolean) {
  const providerConfigId = await manualConfig(zw);
  return await client.put(zone.path, { providerConfigId, ...(force === undefined ? {} : { force }) });
}

test("a pending change stored by an older version as a bare list is settled", async () => {
  const id = await leave([createOf("older")]);
  const db = queries(zw.services.database.fork());
  await db
    .updateTable("change_sets")
    .set({ intent: sql`intent -> 'changes'` })
    .where("id", "=", id)
    .execute();
  await zw.services.repair.runOnce();
  expect((await zone.history())[0]).toMatchObject({ state: "failed", repaired: true });
  expect((await zone.create({ recordType: "A", name: "older", value: "192.0.2.1" })).status).toBe(201);
});

test("a pending atomic set that did not reach the provider changes nothing here either", async () => {
  const [www] = await zone.records();
  const { domainId: _, ...before } = www;
  const noted = { action: "update", id: www.id, before, after: { ...before, comment: "only if all is done" } };
  await leavePending(zw, zone.id, { changes: [noted, createOf("crash")], atomic: true });
  await zw.services.repair.runOnce();
  expect((await zone.history())[0]).toMatchObject({ state: "failed", repaired: true, updates: 0 });
  expect(await zone.records()).toEqual([www]);
});

describe("a pending change at a provider that does not come back", () => {
  test("a forced move by an administrator closes a pending change, and the history says its outcome is unknown", async () => {
    const id = await leave([createOf("crash"), createOf("other")]);
    await rm(zone.file);
    expect(await move()).toMatchObject({ status: 502 });
    const { status, body } = await move(zw.admin, true);
    expect({ status, body }).toMatchObject({ status: 200, body: { recordCount: 1, revision: 1 } });
    expect(await zone.lines()).toEqual(["www A 192.0.2.1"]);
    const entry = (await zone.history()).find((set) => set.id === id);
    expect(entry).toMatchObject({
      state: "partial",
      unknown: 2,
      repaired: false,
      creates: 0,
      revision: null,
      actor: "admin",
      failures: [{ name: "crash", error: expect.stringContaining("Outcome unknown") }, { name: "other" }],
    });
    expect(entry.finishedAt).not.toBeNull();
    await zone.add("A", "after", "192.0.2.5");
    const { body: me } = await zw.admin.get("/api/auth/me");
    const trail = (await zw.admin.get("/api/audit?limit=100")).body.entries;
    const reported = trail.find((one: Body) => one.after?.changeSetId === id);
    expect(reported).toMatchObject({
      actorId: me.id,
      after: { givenUp: true, failures: 2 },
    });
  });

  test("even a forced move settles a pending change by the zone if it can be read", async () => {
    const change = createOf("crash");
    await leave([change]);
    await zone.edit((text) => `${text}crash 60 A 192.0.2.9\n`);
    expect(await move(zw.admin, true)).toMatchObject({ status: 200, body: { recordCount: 2 } });
    expect((await zone.history())[0]).toMatchObject({ state: "applied", repaired: true });
  });

  test("a pending change is closed neither by a forced sync that cannot read the zone, nor by a member", async () => {
    const member = await zw.member(`owner-${zone.id.slice(-6)}`);
    const { body: me } = await member.get("/api/auth/me");
    await queries(zw.services.database.fork())
      .updateTable("domains")
      .set({ owner_id: me.id })
      .where("id", "=", zone.id)
      .execute();
    await leave([createOf("crash")]);
    await rm(zone.file);
    expect(await zone.post("/sync", { force: true })).toMatchObject({ status: 502 });
    expect(await move(member, true)).toMatchObject({ status: 403 });
    expect((await zone.history())[0]).toMatchObject({ state: "pending" });
  });
});
