import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { sql } from "kysely";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Caller } from "../../server/auth/caller.ts";
import { clearDeadLeases } from "../../server/changes/lease.ts";
import { queries } from "../../server/database/database.ts";
import { thisProcess } from "../../server/database/process-identity.ts";
import { newId } from "../../server/ids.ts";
import { planState } from "../../server/records/desired-state.ts";
import { liveZone } from "../../server/records/live-queries.ts";
import { ChangePipeline } from "../../server/changes/pipeline.ts";
import { useZonewright } from "../support/zonewright.ts";
import { fileZone, manualConfig, manualZone, type Body, type Zone } from "../records/zones.ts";

const zw = useZonewright();

let zone: Zone;
let admin: Caller;
const db = () => queries(zw.services.database.fork());

beforeAll(async () => {
  const { body } = await zw.admin.get("/api/auth/me");
  const nowhere = { sessionId: null, tokenId: null, ip: null, requestId: null };
  admin = { ...nowhere, userId: body.id, username: "admin", role: "admin", permissions: "all" };
});
beforeEach(async () => {
  zone = await fileZone(zw, "www 300 A 192.0.2.1\n");
});

/** What a process leaves that died between committing its intent and writing the outcome. */
async function leavePending(changes: unknown[], kind: "edit" | "import" | "rollback" = "edit"): Promise<string> {
  const id = newId();
  await db()
    .insertInto("change_sets")
    .values({
      id,
      domain_id: zone.id,
      kind,
      state: "pending",
      actor_id: admin.userId,
      creates: changes.length,
      updates: 0,
      deletes: 0,
      intent: JSON.stringify(changes),
      repaired: false,
      created_at: new Date(),
    })
    .execute();
  return id;
}

function createOf(name: string): Body {
  const after = { recordType: "A", name, value: "192.0.2.9", ttl: 60, priority: null, proxied: false, comment: "mine" };
  return { action: "create", id: newId(), before: null, after };
}

async function setLease(seconds: number, holder?: (token: string) => object): Promise<void> {
  const token = randomUUID();
  await db()
    .updateTable("domains")
    .set({ lease_holder: holder ? JSON.stringify(holder(token)) : null })
    .set({ lease_token: token, lease_until: sql<Date>`now() + make_interval(secs => ${seconds})` })
    .where("id", "=", zone.id)
    .execute();
}

describe.each([
  ["the next edit", () => zone.add("A", "next", "192.0.2.5")],
  ["the repair job", () => zw.services.repair.runOnce()],
])("a change that a crash left open is settled by %s", (by, settle) => {
  const edits = by === "the next edit" ? 1 : 0;

  test("as done where the provider has it", async () => {
    const change = createOf("crash");
    const id = await leavePending([change]);
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

  test("as failed where it has not", async () => {
    const id = await leavePending([createOf("crash")]);
    await settle();
    expect(await zone.records("&search=crash")).toEqual([]);
    const entry = (await zone.history()).find((set) => set.id === id);
    expect(entry).toMatchObject({ state: "failed", repaired: true, creates: 0, revision: null });
    expect(entry.failures).toMatchObject([{ name: "crash", error: expect.stringContaining("did not reach") }]);
    expect(await zone.detail()).toMatchObject({ recordCount: 1 + edits, revision: 1 + edits });
  });

  test("item by item where it has a part", async () => {
    const [www] = await zone.records();
    const { domainId: _, ...before } = www;
    const deletion = { action: "delete", id: www.id, before, after: null };
    const id = await leavePending([deletion, createOf("there"), createOf("not-there")]);
    await zone.edit((text) => `${text.replace(/^www.*$/m, "")}there 60 A 192.0.2.9\n`);
    await settle();
    const entry = (await zone.history()).find((set) => set.id === id);
    expect(entry).toMatchObject({ state: "partial", creates: 1, deletes: 1, failures: [{ name: "not-there" }] });
    expect((await zone.lines()).filter((line) => !line.startsWith("next"))).toEqual(["there A 192.0.2.9"]);
  });

  test("with the snapshots that it would have made", async () => {
    const before = await zone.records();
    await leavePending([createOf("one")], "import");
    await leavePending([createOf("two")], "rollback");
    await zone.edit((text) => `${text}one 60 A 192.0.2.9\ntwo 60 A 192.0.2.9\n`);
    await settle();
    const { body } = await zone.get("/snapshots");
    expect(body.snapshots).toMatchObject([{ trigger: "on_change", recordCount: 3 }, { trigger: "on_change" }]);
    expect(body.snapshots[1].records).toEqual(before);
  });
});

describe("a change that cannot be settled yet", () => {
  test("refuses edits until the provider can be read, and nothing is lost", async () => {
    const change = createOf("crash");
    await leavePending([change]);
    const file = await zone.readFile();
    await zone.edit(() => "broken");
    expect((await zone.create({ recordType: "A", name: "x", value: "192.0.2.1" })).status).toBe(502);
    await zw.services.repair.runOnce();
    expect((await zone.history())[0]).toMatchObject({ state: "pending", finishedAt: null });
    await zone.edit(() => `${file}crash 60 A 192.0.2.9\n`);
    await zw.services.repair.runOnce();
    expect(await zone.records("&search=crash")).toMatchObject([{ id: change.id }]);
  });

  test("is settled before the zone moves to another provider", async () => {
    const change = createOf("crash");
    await leavePending([change]);
    await zone.edit((text) => `${text}crash 60 A 192.0.2.9\n`);
    const manual = (await (await manualZone(zw)).detail()).providerConfigId;
    expect((await zw.admin.put(zone.path, { providerConfigId: manual })).status).toBe(200);
    expect(await zone.lines()).toEqual(["crash A 192.0.2.9", "www A 192.0.2.1"]);
  });
});

const now = () => new Date();
/** One that does not wait long. */
const pipeline = (waitMilliseconds = 150) =>
  new ChangePipeline(zw.services.database, zw.services.providerConfigs.connections, now, waitMilliseconds);

const edit = (whilePlanning: () => Promise<void> = async () => undefined, changes = pipeline()) =>
  changes.run(zw.services.database.fork(), {
    domainId: zone.id,
    caller: admin,
    kind: "edit",
    plan: async (em, held) => {
      await whilePlanning();
      const desired = { recordType: "A", name: "new", value: "192.0.2.2", ttl: 60, priority: null, proxied: false };
      return planState(await liveZone(em, held.id), [desired], true);
    },
  });

test("a change left open that deletes a record and makes it anew was done as a whole or not at all", async () => {
  const [www] = await zone.records();
  const { id, recordType, name, value, priority, proxied } = www;
  const anew = { recordType, name, value, ttl: 600, priority, proxied, comment: null };
  const remake = () => [
    { action: "delete", id, before: www, after: null },
    { action: "create", id: newId(), before: null, after: anew },
  ];
  await leavePending(remake());
  await zw.services.repair.runOnce();
  expect((await zone.history())[0]).toMatchObject({ state: "failed", repaired: true });
  expect(await zone.records()).toMatchObject([{ id, ttl: 300 }]);
  await zone.edit((text) => text.replace("www 300", "www 600"));
  await leavePending(remake());
  await zw.services.repair.runOnce();
  expect((await zone.history())[0]).toMatchObject({ state: "applied", repaired: true });
  expect(await zone.records()).toMatchObject([{ ttl: 600 }]);
});

test("that a zone is missing at its provider proves nothing of a change left open: it is settled when the zone is there again", async () => {
  const change = createOf("crash");
  await leavePending([change]);
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

test("of a set of all or none that did not reach the provider, nothing is done here either", async () => {
  const [www] = await zone.records();
  const { domainId: _, ...before } = www;
  const noted = { action: "update", id: www.id, before, after: { ...before, comment: "only if all is done" } };
  const id = await leavePending([noted, createOf("crash")]);
  const intent = { together: true, changes: [noted, createOf("crash")] };
  await db()
    .updateTable("change_sets")
    .set({ intent: JSON.stringify(intent) })
    .where("id", "=", id)
    .execute();
  await zw.services.repair.runOnce();
  expect((await zone.history())[0]).toMatchObject({ state: "failed", repaired: true, updates: 0 });
  expect(await zone.records()).toEqual([www]);
});

describe("a change left open at a provider that will not come back", () => {
  test("is given up by an administrator who moves the domain, and the history says that nobody knows", async () => {
    const id = await leavePending([createOf("crash"), createOf("other")]);
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
      failures: [{ name: "crash", error: expect.stringContaining("is not known") }, { name: "other" }],
    });
    expect(entry.finishedAt).not.toBeNull();
    await zone.add("A", "after", "192.0.2.5");
    const trail = (await zw.admin.get("/api/audit?limit=100")).body.entries;
    const told = trail.find((one: Body) => one.after?.changeSetId === id);
    expect(told).toMatchObject({ actorId: admin.userId, after: { givenUp: true, failures: 2 } });
  });

  test("is settled by what the zone has where it can be read after all, however much the move is forced", async () => {
    const change = createOf("crash");
    await leavePending([change]);
    await zone.edit((text) => `${text}crash 60 A 192.0.2.9\n`);
    expect(await move(zw.admin, true)).toMatchObject({ status: 200, body: { recordCount: 2 } });
    expect((await zone.history())[0]).toMatchObject({ state: "applied", repaired: true });
  });

  test("is not given up by a forced sync that cannot read the zone, nor by a member", async () => {
    const member = await zw.member(`owner-${zone.id.slice(-6)}`);
    const { body: me } = await member.get("/api/auth/me");
    await db().updateTable("domains").set({ owner_id: me.id }).where("id", "=", zone.id).execute();
    await leavePending([createOf("crash")]);
    await rm(zone.file);
    expect(await zone.post("/sync", { force: true })).toMatchObject({ status: 502 });
    expect(await move(member, true)).toMatchObject({ status: 403 });
    expect((await zone.history())[0]).toMatchObject({ state: "pending" });
  });
});

/** A process of this machine that is gone. */
function deadHolder(token: string): object {
  return { ...thisProcess(), pid: spawnSync(process.execPath, ["--version"]).pid, started: "1", lease: token };
}

describe("a lease", () => {
  test("of a dead process does not hold up an edit", async () => {
    await setLease(-1);
    expect((await zone.create({ recordType: "A", name: "new", value: "192.0.2.2" })).status).toBe(201);
  });

  test("of a process of this machine that is seen to be gone is not waited for, and neither is it after a start", async () => {
    await setLease(60, deadHolder);
    expect((await edit(undefined, pipeline(10_000))).outcomes).toEqual([{ ok: true }]);
    await setLease(60, deadHolder);
    await clearDeadLeases(zw.services.database.fork());
    expect((await edit(undefined, pipeline(500))).planned.changes).toEqual([]);
  });

  test.each([
    ["another machine's", (token: string) => ({ ...deadHolder(token), place: "elsewhere" })],
    ["taken over by another one", () => deadHolder(randomUUID())],
    ["held by one that lives", (token: string) => ({ ...thisProcess(), lease: token })],
  ])("that may still be somebody's is waited for: %s", async (_, holder) => {
    await setLease(60, holder);
    await clearDeadLeases(zw.services.database.fork());
    await expect(edit(undefined, pipeline(1_500))).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  test("of a live one is waited for, then the edit is refused and can be tried again", async () => {
    await setLease(60);
    await expect(edit()).rejects.toMatchObject({ code: "UNAVAILABLE", retryAfterSeconds: expect.any(Number) });
    await leavePending([createOf("crash")]);
    await zw.services.repair.runOnce();
    expect((await zone.history())[0]).toMatchObject({ state: "pending" });
    await setLease(-1);
    expect((await edit()).outcomes).toEqual([{ ok: true }]);
  });

  test("on a zone without a back end, which is on its way elsewhere, is 503 with Retry-After", async () => {
    zone = await manualZone(zw);
    await setLease(60);
    const { status, headers, body } = await zone.create({ recordType: "A", name: "x", value: "192.0.2.1" });
    expect([status, body.code]).toEqual([503, "UNAVAILABLE"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await zone.records()).toEqual([]);
  });

  test("that was lost while planning sends nothing and leaves nothing open", async () => {
    const before = [await zone.readFile(), await zone.history()];
    await expect(edit(() => setLease(-1))).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect([await zone.readFile(), await zone.history()]).toEqual(before);
    expect(await zone.lines()).toEqual(["www A 192.0.2.1"]);
  });

  test("waited for in vain by many takes their own patience, not the sum of it", async () => {
    await setLease(60);
    const waiting = pipeline();
    const answers = await Promise.allSettled(Array.from({ length: 20 }, () => edit(undefined, waiting)));
    expect(answers.every(({ status }) => status === "rejected")).toBe(true);
  });

  test("of a domain that is deleted meanwhile is no longer waited for", async () => {
    await setLease(60);
    const [waited] = await Promise.allSettled([edit(undefined, pipeline(60_000)), zw.admin.delete(zone.path)]);
    expect(waited).toMatchObject({ status: "rejected", reason: { code: "NOT_FOUND" } });
  });

  test("is given back after an edit, refused or not", async () => {
    await zone.add("A", "new", "192.0.2.2");
    await zone.create({ recordType: "A", name: "new", value: "192.0.2.2" });
    const row = await db().selectFrom("domains").selectAll().where("id", "=", zone.id).executeTakeFirstOrThrow();
    expect([row.lease_token, row.lease_until]).toEqual([null, null]);
  });
});
