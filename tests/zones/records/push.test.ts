import { writeFile } from "node:fs/promises";
import { sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { assign } from "../../accounts/assignments/assigned.ts";
import { entries } from "../../notifications/audit/trail.ts";
import { requireReview } from "../change-requests/requested.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualZone, Zone, type Body } from "../../support/zones.ts";

const zw = useZonewright({ env: { JOBS: "off" } });

let zone: Zone;
let ours: Body[];
let theirs: string;
/** A zone whose file somebody edited: `new` was added, `www` changed, `old` deleted. */
beforeEach(async () => {
  zone = await fileZone(zw, "www 300 A 192.0.2.1\nold 300 TXT x\nsame 300 A 192.0.2.2\n");
  const www = (await zone.records()).find(({ name }) => name === "www");
  await zone.update(www.id, { comment: "For the shop" });
  await zone.edit((text) => `${text.replace("192.0.2.1", "192.0.2.8").replace(/^old.*$/m, "")}new 60 A 192.0.2.9\n`);
  ours = await zone.records();
  theirs = await zone.readFile();
  await noticed();
});

async function noticed(): Promise<void> {
  const { providerConfigId } = await zone.detail();
  await zw.services.drift.checkZone(providerConfigId, zone.name, new Date());
}

const push = (body?: object) => zone.post("/push", body);
const served = async () =>
  (await zone.readFile())
    .split("\n")
    .filter(
      (line) => / (?:A|TXT|NS|CNAME) /.test(line.replaceAll(/\s+/g, " ")) && !line.includes("placeholder.invalid"),
    )
    .map((line) => line.replaceAll(/\s+/g, " "))
    .toSorted();
const stable = (records: Body[]) => records.map(({ version: _v, createdAt: _c, updatedAt: _u, ...rest }) => rest);
const ourLines = ['old 300 IN TXT "x"', "same 300 IN A 192.0.2.2", "www 300 IN A 192.0.2.1"];
const theirLines = ["new 60 IN A 192.0.2.9", "same 300 IN A 192.0.2.2", "www 300 IN A 192.0.2.8"];

/** Expects that a call changed nothing, here or at the provider. */
async function expectNothingDone(): Promise<void> {
  expect(await zone.records()).toEqual(ours);
  expect(await zone.readFile()).toBe(theirs);
  expect((await zone.get("/snapshots")).body.total).toBe(0);
  expect((await zone.detail()).drift).toMatchObject({ created: 1, updated: 1, deleted: 1 });
}

describe("a push", () => {
  test("a dry run shows what would change at the provider, and changes nothing", async () => {
    const { status, body } = await push({ dryRun: true });
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: true, changeSetId: null, created: 1, updated: 1, deleted: 1, unchanged: 1 });
    expect(body.plan).toMatchObject({
      creates: [{ name: "old", value: "x" }],
      updates: [{ before: { value: "192.0.2.8" }, after: { value: "192.0.2.1" } }],
      deletes: [{ name: "new", value: "192.0.2.9", ttl: 60 }],
      warnings: [],
    });
    await expectNothingDone();
  });

  test("a push writes the records here over the provider's, keeps what that had, and a revert writes it back", async () => {
    const { planHash } = (await push({ dryRun: true })).body;
    const { status, body } = await push({ planHash, message: "Edited by mistake" });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { success: true, created: 1, updated: 1, deleted: 1, unchanged: 1, failed: [], plan: null, planHash: null },
    });
    expect(await served()).toEqual(ourLines);
    expect(stable(await zone.records())).toEqual(stable(ours));
    expect(await zone.detail()).toMatchObject({ drift: null, driftedAt: null, recordCount: 3 });

    const [pushed, adopted] = await zone.history();
    const message = "Edited by mistake";
    expect(pushed).toMatchObject({
      id: body.changeSetId,
      kind: "push",
      state: "applied",
      message,
      creates: 1,
      updates: 1,
      deletes: 1,
    });
    expect(pushed.changes).toContainEqual(
      expect.objectContaining({
        action: "delete",
        before: expect.objectContaining({ name: "new", value: "192.0.2.9" }),
      }),
    );
    expect(adopted).toMatchObject({ kind: "sync", state: "applied", message, creates: 1, updates: 1, deletes: 1 });
    const trail = await entries(zw.admin, { targetId: zone.id });
    expect(trail.slice(0, 2).map(({ action }) => action)).toEqual(["records.push", "records.sync"]);
    const { snapshots } = (await zone.get("/snapshots")).body;
    expect(snapshots.map(({ records }: Body) => records.map(({ value }: Body) => value))).toEqual([
      ["192.0.2.9", "192.0.2.2", "192.0.2.8"],
    ]);
    expect((await zone.post("/sync", { dryRun: true })).body).toMatchObject({ created: 0, updated: 0, deleted: 0 });

    const undone = await zone.post(`/history/${body.changeSetId}/revert`, { force: true });
    expect(undone.body).toMatchObject({ created: 1, updated: 1, deleted: 1 });
    expect(await served()).toEqual(theirLines);
  });

  test("a push writes nothing where nothing differs, and drift that was found before is gone", async () => {
    await zone.edit(() => theirs.replace("192.0.2.8", "192.0.2.1").replace(/^new.*$/m, "old 300 IN TXT x"));
    const file = await zone.readFile();
    const before = await zone.history();
    expect((await push()).body).toMatchObject({ success: true, changeSetId: null, created: 0, updated: 0, deleted: 0 });
    expect([await zone.readFile(), await zone.history(), await zone.records()]).toEqual([file, before, ours]);
    expect((await zone.detail()).drift).toBeNull();
  });

  test("a record that is disabled here and served again is taken out of DNS and stays disabled", async () => {
    const same = ours.find(({ name }) => name === "same");
    expect((await push()).status).toBe(200);
    await zone.update(same.id, { status: "disabled" });
    await zone.edit((text) => `${text}same 300 A 192.0.2.2\n`);
    expect((await push()).body).toMatchObject({ success: true, updated: 1 });
    expect(await served()).toEqual(ourLines.filter((line) => !line.startsWith("same")));
    expect(await zone.records("&search=same")).toMatchObject([{ id: same.id, status: "disabled" }]);
  });

  test("what current rules forbid is reported and stays different, and the rest is written", async () => {
    await zone.edit((text) => `${text}alias CNAME x.example.\nalias A 192.0.2.5\n`);
    expect((await zone.post("/sync")).body).toMatchObject({ created: 3 });
    await zone.edit((text) => text.replace(/^alias.* A .*$/m, "").replace(/^new.*$/m, ""));
    await noticed();
    expect((await zone.detail()).drift).toMatchObject({ created: 0, updated: 0, deleted: 2 });
    const { body } = await push();
    expect(body).toMatchObject({ success: false, created: 1, failed: [{ name: "alias", value: "192.0.2.5" }] });
    expect(body.failed[0].error).toContain("CNAME");
    // Without waiting for the next check.
    expect((await zone.detail()).drift).toMatchObject({ created: 0, updated: 0, deleted: 1 });
    expect((await zone.post("/sync", { dryRun: true })).body).toMatchObject({ created: 0, updated: 0, deleted: 1 });
    await noticed();
    expect((await zone.detail()).drift).toMatchObject({ created: 0, updated: 0, deleted: 1 });
  });

  test("a delegation is restored with its addresses, and nothing for which a name server would refuse the zone", async () => {
    const lines = "sub NS ns.sub\nns.sub A 192.0.2.6\nalias DNAME x.example.\nwww.alias A 192.0.2.7\n";
    zone = await fileZone(zw, lines);
    await zone.edit((text) => text.replaceAll(/^(?:sub|ns\.sub|alias).*\n/gm, ""));
    expect((await push()).body).toMatchObject({
      created: 2,
      failed: [{ name: "alias", recordType: "DNAME", error: expect.stringContaining("names below it") }],
    });
    expect(await served()).toHaveLength(3);
  });
});

describe("what is checked before a push changes anything", () => {
  test("a plan of before the zone or its provider changed, and the plan of a sync, are refused with 409", async () => {
    const { planHash } = (await push({ dryRun: true })).body;
    const outdated = { status: 409, body: { code: "CONFLICT", detail: expect.stringContaining("Plan again") } };
    const hash = (await zone.post("/sync", { dryRun: true })).body.planHash;
    expect(await push({ planHash: hash })).toMatchObject(outdated);
    await expectNothingDone();
    await zone.edit((text) => `${text}newer 60 A 192.0.2.10\n`);
    expect(await push({ planHash })).toMatchObject(outdated);
    await writeFile(zone.file, theirs);
    expect((await push({ dryRun: true })).body.planHash).toBe(planHash);
    await zone.update(ours[0]?.id, { comment: "Seen" });
    expect(await push({ planHash })).toMatchObject(outdated);
    expect(await zone.readFile()).toBe(theirs);
    expect(await push({ planHash, dryRun: true })).toMatchObject({
      status: 400,
      body: { issues: [{ path: ["planHash"] }] },
    });
  });

  test("more than 30 % of the provider's zone needs force", async () => {
    for (let count = 0; count < 10; count++) await zone.add("A", `h${count}`, "192.0.2.3");
    await zone.edit((text) => `${text}${[1, 2, 3].map((each) => `more${each} A 192.0.2.4\n`).join("")}`);
    const { warnings } = (await push({ dryRun: true })).body.plan;
    expect(warnings).toEqual([expect.stringContaining("more than 30 %")]);
    const file = await zone.readFile();
    expect(await push()).toMatchObject({ status: 409, body: { code: "CONFIRMATION_REQUIRED" } });
    expect(await zone.readFile()).toBe(file);
    expect((await push({ force: true })).body).toMatchObject({ success: true, deleted: 4 });
  });

  test("only the owner and administrators may push, whatever a member may write", async () => {
    const member = await zw.member("pushes");
    await assign(zw, member, zone.id, "*", "write");
    const seen = new Zone(zw, zone, member);
    for (const dryRun of [true, false]) expect((await seen.post("/push", { dryRun })).status).toBe(403);
    expect((await new Zone(zw, zone, await zw.member("stranger")).post("/push")).status).toBe(404);
    await expectNothingDone();
  });

  test("a locked record is written over only with `unlock`, which is audited", async () => {
    const www = ours.find(({ name }) => name === "www");
    await zone.update(www.id, { locked: true });
    ours = await zone.records();
    expect((await push({ dryRun: true })).body.plan.warnings).toEqual([
      expect.stringContaining("www A 192.0.2.8 is locked"),
    ]);
    expect(await push()).toMatchObject({
      status: 409,
      body: { code: "CONFIRMATION_REQUIRED", issues: [{ path: ["unlock"] }] },
    });
    await expectNothingDone();
    expect((await push({ unlock: true })).body.success).toBe(true);
    expect(stable(await zone.records())).toEqual(stable(ours));
    const [entry] = await entries(zw.admin, { targetId: zone.id, action: "records.push" });
    expect(entry?.after).toMatchObject({ unlocked: true });
  });

  test("a domain that requires reviews is pushed only by an override with a reason", async () => {
    await requireReview(zw, zone, "everyone");
    expect(await push()).toMatchObject({ status: 409, body: { code: "REVIEW_REQUIRED" } });
    expect((await push({ override: true })).status).toBe(400);
    await expectNothingDone();
    expect((await push({ override: true, message: "The shop is down" })).body.success).toBe(true);
    const [entry] = await entries(zw.admin, { targetId: zone.id, action: "records.push" });
    expect(entry?.after).toMatchObject({ reviewOverridden: true, message: "The shop is down" });
  });

  test("a zone without a provider is 400, and one that cannot be read is 502 and stays as it is", async () => {
    await writeFile(zone.file, `${theirs}bad A 999.1.1.1\n`);
    for (const dryRun of [true, false])
      expect(await push({ dryRun })).toMatchObject({ status: 502, body: { code: "PROVIDER_ERROR" } });
    await writeFile(zone.file, theirs);
    await expectNothingDone();
    zone = await manualZone(zw);
    expect((await push()).body).toMatchObject({ status: 400, detail: "Manual has no provider to push to." });
  });
});

/** Pushes, and loses the database once the provider has the records. */
async function interrupted(): Promise<void> {
  const db = queries(zw.services.database.fork());
  const body = sql.lit("begin raise exception 'gone'; end");
  await sql`create function gone() returns trigger language plpgsql as ${body}`.execute(db);
  await sql`create trigger gone before insert on audit_entries execute function gone()`.execute(db);
  try {
    expect((await push({ message: "Back to ours" })).status).toBe(500);
  } finally {
    await sql`drop function gone cascade`.execute(db);
  }
  expect((await zone.history())[0]).toMatchObject({ kind: "push", state: "pending" });
  expect(await zone.records()).toEqual(ours);
}

describe("a push whose process ended before it wrote the outcome", () => {
  test("it is settled as made if the provider has the records, with what that had before", async () => {
    await interrupted();
    expect(await served()).toEqual(ourLines);
    await zw.services.repair.runOnce();
    const [pushed, adopted] = await zone.history();
    expect(pushed).toMatchObject({
      kind: "push",
      state: "applied",
      repaired: true,
      message: "Back to ours",
      creates: 1,
      updates: 1,
      deletes: 1,
    });
    expect(adopted).toMatchObject({ kind: "sync", state: "applied", message: "Back to ours", actor: "admin" });
    expect(stable(await zone.records())).toEqual(stable(ours));
    expect((await zone.get("/snapshots")).body.total).toBe(1);
    await noticed();
    expect((await zone.detail()).drift).toBeNull();
    await zone.post(`/history/${pushed.id}/revert`);
    expect(await served()).toEqual(theirLines);
  });

  test("it is settled as failed if the provider does not have the records, and the difference stays", async () => {
    await interrupted();
    await writeFile(zone.file, theirs);
    await zw.services.repair.runOnce();
    expect((await zone.history())[0]).toMatchObject({ kind: "push", state: "failed", revision: null });
    await expectNothingDone();
    expect((await push()).body.success).toBe(true);
    expect(await served()).toEqual(ourLines);
  });

  test("a part that the provider has is settled as made, and the rest stays different", async () => {
    await interrupted();
    await writeFile(zone.file, theirs.replace("192.0.2.8", "192.0.2.1"));
    await zw.services.repair.runOnce();
    expect((await zone.history())[0]).toMatchObject({
      kind: "push",
      state: "partial",
      updates: 1,
      creates: 0,
      deletes: 0,
    });
    expect(stable(await zone.records())).toEqual(stable(ours));
    expect((await zone.post("/sync", { dryRun: true })).body).toMatchObject({ created: 1, updated: 0, deleted: 1 });
  });
});
