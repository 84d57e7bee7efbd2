import { beforeEach, describe, expect, test } from "vitest";
import { sql } from "kysely";
import { queries } from "../../../server/database/database.ts";
import { deleteOldSnapshots } from "../../../server/zones/snapshots/retention.ts";
import { assign } from "../../accounts/assignments/assigned.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualZone, unknownId, Zone, type Body } from "../../support/zones.ts";

const zw = useZonewright();

let zone: Zone;
const a = (name: string, value: string) => ({ recordType: "A", name, value });
const revert = (changeSetId: string, body: object = {}, of = zone) => of.post(`/history/${changeSetId}/revert`, body);
const last = async (of = zone): Promise<Body> => (await of.history())[0];

/** Applies changes as one change set. @returns its id */
async function changed(changes: object[]): Promise<string> {
  const { body } = await zone.post("/records/plan", { changes });
  const applied = await zone.post("/records/apply", { changes, planHash: body.planHash, force: true });
  expect({ status: applied.status, body: applied.body }).toMatchObject({ status: 200 });
  return (await last()).id;
}

const created = (records: object[]) => changed(records.map((record) => ({ action: "create", record })));

const data = (records: Body[]) =>
  records.map(({ id, recordType, name, value, ttl, comment }) => ({ id, recordType, name, value, ttl, comment }));

/** One change set that creates, changes and deletes. @returns the state before it, and its id */
async function threefold(): Promise<{ before: Body[]; id: string }> {
  const kept = await zone.add("A", "changed", "192.0.2.1", 300);
  const gone = (await zone.create({ recordType: "MX", name: "@", value: "10 mail.example.net", comment: "note" })).body;
  const before = data(await zone.records());
  const id = await changed([
    { action: "create", record: a("come", "192.0.2.3") },
    { action: "update", recordId: kept.id, record: { value: "192.0.2.2", name: "renamed", ttl: 60, comment: "new" } },
    { action: "delete", recordId: gone.id },
  ]);
  return { before, id };
}

describe.each([
  ["in a master file", () => fileZone(zw)],
  ["in Zonewright only", () => manualZone(zw)],
])("reverting a change of a zone %s", (where, make) => {
  beforeEach(async () => {
    zone = await make();
  });

  test("a reverted change set deletes what it created and restores what it changed and deleted, under their ids", async () => {
    const { before, id } = await threefold();
    await zone.add("TXT", "later", "stays");
    const { status, body } = await revert(id);
    expect({ status, body }).toMatchObject({ status: 200, body: { created: 1, updated: 1, deleted: 1, plan: null } });
    expect(data(await zone.records("&search=")).filter(({ name }) => name !== "later")).toEqual(before);
    expect(await last()).toMatchObject({
      id: body.changeSetId,
      kind: "revert",
      revertsId: id,
      revision: body.revision,
    });
    const inSync = { status: 200, body: { created: 0, updated: 0, deleted: 0 } };
    expect(await zone.post("/sync")).toMatchObject(where === "in a master file" ? inSync : { status: 400 });
  });

  test("reverting a revert makes the change again", async () => {
    const { id } = await threefold();
    const after = data(await zone.records());
    const { body } = await revert(id);
    expect((await revert(body.changeSetId)).status).toBe(200);
    expect(data(await zone.records())).toEqual(after);
  });
});

describe("what a revert refuses", () => {
  beforeEach(async () => {
    zone = await manualZone(zw);
  });

  test("a revert whose records were changed since is 409, names them as they are now, and changes nothing", async () => {
    const { id } = await threefold();
    const [come, renamed] = await Promise.all(
      ["come", "renamed"].map(async (name) => (await zone.records(`&name=${name}`))[0]),
    );
    await zone.update(renamed?.id, { value: "192.0.2.77" });
    await zone.delete(come?.id);
    await zone.add("MX", "@", "10 mail.example.net");
    const before = [await zone.detail(), await zone.records()];
    const { status, body } = await revert(id);
    expect([status, body.code]).toEqual([409, "CONFLICT"]);
    const messages = body.issues.map(({ message }: Body) => message).join("\n");
    expect(messages).toMatch(/come A 192\.0\.2\.3 was deleted since/);
    expect(messages).toMatch(/renamed A 192\.0\.2\.2 was changed since: it is now renamed A 192\.0\.2\.77/);
    expect(messages).toMatch(/@ MX 10 mail\.example\.net was created again since/);
    expect([await zone.detail(), await zone.records()]).toEqual(before);
  });

  test("a record that was changed and changed back does not hinder a revert", async () => {
    const record = await zone.add("A", "www", "192.0.2.1");
    await zone.update(record.id, { value: "192.0.2.2" });
    const { id } = await last();
    await zone.update(record.id, { value: "192.0.2.3" });
    expect((await revert(id)).status).toBe(409);
    await revert((await last()).id);
    expect((await revert(id)).status).toBe(200);
    expect(await zone.lines()).toEqual(["www A 192.0.2.1"]);
  });

  test("a revert that would break a zone rule is 409 with the rule, and changes nothing", async () => {
    const alias = await zone.add("CNAME", "www", "target.example.net");
    await zone.delete(alias.id);
    const { id } = await last();
    await zone.add("A", "www", "192.0.2.1");
    const { status, body } = await revert(id);
    expect(status).toBe(409);
    expect(body.detail).toMatch(/CNAME must be the only record/);
    expect(await zone.lines()).toEqual(["www A 192.0.2.1"]);
  });

  test("a revert of an unknown change set, or of another zone's, is 404", async () => {
    await zone.add("A", "www", "192.0.2.1");
    const { id } = await last();
    const other = await manualZone(zw);
    expect((await revert(unknownId)).status).toBe(404);
    expect((await revert(id, {}, other)).status).toBe(404);
    expect((await revert("nonsense")).status).toBe(400);
  });

  test("a change older than the stored history is 410 with what to do", async () => {
    const record = await zone.add("A", "www", "192.0.2.1");
    const { id } = await last();
    await zone.update(record.id, { value: "192.0.2.2" });
    await deleteOldSnapshots(zw.services.database.fork(), new Date(Date.now() + 60_000));
    const { status, body } = await revert(id);
    expect([status, body.code]).toEqual([410, "HISTORY_GONE"]);
    expect(body.detail).toMatch(/Roll back to a snapshot/);
  });

  test("a revert above the safety threshold needs force", async () => {
    await zone.post("/zonefile", {
      zonefile: Array.from({ length: 10 }, (_, index) => `h${index} A 192.0.2.1\n`).join(""),
    });
    const { id } = await last();
    const { status, body } = await revert(id);
    expect([status, body.code]).toEqual([409, "CONFIRMATION_REQUIRED"]);
    const dry = await revert(id, { dryRun: true });
    expect(dry.body.plan.warnings.join(" ")).toMatch(/delete all 10 records/);
    expect((await revert(id, { force: true })).body).toMatchObject({ deleted: 10 });
    expect(await zone.records()).toEqual([]);
  });
});

describe("a dry run", () => {
  beforeEach(async () => {
    zone = await manualZone(zw);
  });

  test("a dry run shows the plan and changes nothing, and its hash reverts exactly that", async () => {
    const { before, id } = await threefold();
    const state = [await zone.detail(), await zone.records(), await zone.history()];
    const { status, body } = await revert(id, { dryRun: true });
    expect(status).toBe(200);
    expect(body).toMatchObject({ changeSetId: null, created: 1, updated: 1, deleted: 1 });
    expect(body.plan).toMatchObject({
      creates: [{ recordType: "MX" }],
      updates: [{ changes: { value: ["192.0.2.2", "192.0.2.1"], ttl: [60, 300], name: ["renamed", "changed"] } }],
      deletes: [{ name: "come" }],
    });
    expect([await zone.detail(), await zone.records(), await zone.history()]).toEqual(state);
    expect((await revert(id, { planHash: body.planHash })).status).toBe(200);
    expect(data(await zone.records())).toEqual(before);
  });

  test("a revert with the hash of a plan that is outdated, or of another change, is 409", async () => {
    const { id } = await threefold();
    const { body } = await revert(id, { dryRun: true });
    await zone.add("A", "other", "192.0.2.9");
    const { id: other } = await last();
    expect(await revert(id, { planHash: body.planHash })).toMatchObject({ status: 409, body: { code: "CONFLICT" } });
    const fresh = await revert(id, { dryRun: true });
    expect((await revert(other, { planHash: fresh.body.planHash })).status).toBe(409);
    expect((await revert(id, { planHash: fresh.body.planHash })).status).toBe(200);
  });
});

describe("provider refusals and kept types", () => {
  test("items that the provider refused are not reverted", async () => {
    zone = await fileZone(zw, "www 300 A 192.0.2.1\nold 300 A 192.0.2.2\n");
    const { body: snapshot } = await zone.post("/snapshots");
    const [old, www] = (await zone.records()).filter(({ recordType }) => recordType === "A");
    await zone.update(www?.id, { value: "192.0.2.8" });
    await zone.delete(old?.id);
    // The rollback restores one record; the file no longer has the other.
    await zone.edit((text) => text.replace(/^www.*$/m, ""));
    const { body: rolledBack } = await zone.post(`/snapshots/${snapshot.id}/rollback`, { force: true });
    expect(rolledBack).toMatchObject({ success: false, created: 1, updated: 0 });
    const { id, failures } = await last();
    expect(failures).toHaveLength(1);
    const { body } = await revert(id);
    expect(body).toMatchObject({ created: 0, updated: 0, deleted: 1 });
    expect((await zone.lines()).filter((line) => / A /.test(line))).toEqual(["www A 192.0.2.8"]);
  });

  test("a change without effect has nothing to revert", async () => {
    zone = await fileZone(zw, "www 300 A 192.0.2.1\n");
    const www = (await zone.records()).find(({ name }) => name === "www");
    await zone.edit((text) => text.replace(/^www.*$/m, ""));
    expect((await zone.update(www?.id, { value: "192.0.2.2" })).status).toBe(502);
    const failed = await last();
    expect(failed).toMatchObject({ state: "failed" });
    expect(await revert(failed.id)).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/no effect/) },
    });
  });

  test("deleting a record of a type that is only kept can be reverted", async () => {
    zone = await fileZone(zw, "www 300 TYPE65400 \\# 2 abcd\nother 300 A 192.0.2.1\n");
    const kept = (await zone.records()).find(({ recordType }) => recordType === "TYPE65400");
    expect((await zone.delete(kept?.id)).status).toBe(200);
    expect((await revert((await last()).id)).status).toBe(200);
    expect((await zone.records()).find(({ id }) => id === kept?.id)).toMatchObject({ value: kept?.value });
    expect((await zone.post("/sync")).body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
  });

  test("a pending change cannot be reverted yet", async () => {
    zone = await manualZone(zw);
    await zone.add("A", "www", "192.0.2.1");
    const { id } = await last();
    const db = queries(zw.services.database.fork());
    await sql`update change_sets set state = 'pending' where id = ${id}`.execute(db);
    const { status, body } = await revert(id);
    await sql`update change_sets set state = 'applied' where id = ${id}`.execute(db);
    expect([status, body.detail]).toEqual([409, expect.stringMatching(/still unknown/)]);
  });
});

describe("members", () => {
  test("a member reverts changes of hosts they may write; others are 403, and unseen ones 404", async () => {
    zone = await manualZone(zw);
    const member = new Zone(zw, zone, await zw.member("reverting"));
    await assign(zw, member.client, zone.id, "*.dev", "write");
    await assign(zw, member.client, zone.id, "www", "read");
    const mine = await created([a("api.dev", "192.0.2.1"), a("db.dev", "192.0.2.2")]);
    const mixed = await created([a("x.dev", "192.0.2.1"), a("secret", "192.0.2.2")]);
    const read = await created([a("www", "192.0.2.1")]);
    const unseen = await created([a("hidden", "192.0.2.1")]);
    expect((await revert(mixed, {}, member)).status).toBe(403);
    expect(JSON.stringify((await revert(mixed, {}, member)).body)).not.toContain("secret");
    expect((await revert(read, {}, member)).status).toBe(403);
    expect((await revert(unseen, {}, member)).status).toBe(404);
    expect((await revert(mine, {}, member)).body).toMatchObject({ deleted: 2 });
    expect(await zone.lines()).toEqual([
      "hidden A 192.0.2.1",
      "secret A 192.0.2.2",
      "www A 192.0.2.1",
      "x.dev A 192.0.2.1",
    ]);
  });
});
