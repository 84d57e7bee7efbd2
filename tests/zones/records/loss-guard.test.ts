import { beforeEach, describe, expect, test } from "vitest";
import { lossWarning } from "../../../server/zones/records/editing/reviewed-plan.ts";
import type { PlannedChange } from "../../../server/dns/record.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, type Body, type Zone } from "../../support/zones.ts";

describe("the safety threshold", () => {
  test.each([
    [0, 0, 0, 0, false, false],
    [0, 50, 0, 0, false, false],
    [9, 0, 0, 8, false, false],
    [9, 0, 0, 9, true, true],
    [9, 1, 0, 9, false, false],
    [10, 0, 0, 3, false, false],
    [10, 0, 0, 4, true, true],
    [10, 0, 4, 0, true, true],
    [10, 2, 0, 2, false, true],
    [1000, 0, 0, 300, false, false],
    [1000, 1, 0, 300, false, true],
    [1000, 0, 1, 300, true, true],
  ])(
    "a plan for %i records with %i creates, %i new values and %i deletes warns of losses: %s, of differences: %s",
    (recordCount, creates, updates, deletes, losses, differences) => {
      const changes = planned(creates, updates, deletes);
      expect(lossWarning(changes, recordCount) !== null).toBe(losses);
      expect(lossWarning(changes, recordCount, "differences") !== null).toBe(differences);
    },
  );

  test("a new TTL does not count as a loss", () => {
    const changes = planned(0, 10, 0).map((change) => Object.assign(change, { after: change.before }));
    expect(lossWarning(changes, 10)).toBeNull();
  });
});

function planned(creates: number, updates: number, deletes: number): PlannedChange[] {
  return [...changesTo("delete", deletes), ...changesTo("update", updates), ...changesTo("create", creates)];
}

const active = { recordType: "A", name: "www", status: "active" };

function changesTo(action: string, count: number): PlannedChange[] {
  return Array.from({ length: count }, (_, index) => ({
    action,
    before: action === "create" ? null : { ...active, value: `192.0.2.${index}` },
    after: action === "delete" ? null : { ...active, value: `198.51.100.${index}` },
  })) as PlannedChange[];
}

const zw = useZonewright();
const words = /^This would delete 4 records in a zone of 10, more than 30 %\. .*force: true\.$/;

let zone: Zone;
let records: Body[];
beforeEach(async () => {
  zone = await fileZone(zw, hosts(10));
  records = await zone.records();
});

const hosts = (count: number) => Array.from({ length: count }, (_, index) => `h${index} 300 A 192.0.2.1\n`).join("");
const replace = (body: object) => zone.post("/zonefile", { mode: "replace", ...body });
const deletes = (count: number) => records.slice(0, count).map(({ id }) => ({ action: "delete", recordId: id }));

describe("a zone file that replaces a zone", () => {
  test("a zone file that deletes more than 30 % of a zone needs force, and its dry run says so", async () => {
    const zonefile = hosts(6);
    const dry = await replace({ zonefile, dryRun: true });
    expect(dry).toMatchObject({ status: 200, body: { deleted: 4, warnings: [expect.stringMatching(words)] } });
    expect(dry.body.plan).toMatchObject({ warnings: [expect.stringMatching(words)] });
    const refused = await replace({ zonefile });
    expect(refused).toMatchObject({ status: 409, body: { code: "CONFIRMATION_REQUIRED" } });
    expect(refused.body.message).toMatch(words);
    expect(await zone.records()).toEqual(records);
    expect(await replace({ zonefile, force: true })).toMatchObject({ status: 200, body: { deleted: 4 } });
  });

  test("a zone file that changes more than 30 % of the values needs force", async () => {
    const zonefile = hosts(10).replaceAll("192.0.2.1", "192.0.2.2");
    expect((await replace({ zonefile })).body.message).toMatch(/change 10 records in a zone of 10/);
    expect((await replace({ zonefile: hosts(10).replaceAll("300", "60") })).status).toBe(200);
  });

  test("a zone file that only adds records, or loses few, needs no force", async () => {
    expect(await replace({ zonefile: hosts(40) })).toMatchObject({ status: 200, body: { created: 30, warnings: [] } });
    expect((await replace({ zonefile: hosts(28) })).status).toBe(200);
  });

  test("a zone file that leaves no records needs force, however small the zone", async () => {
    zone = await fileZone(zw, hosts(2));
    const zonefile = "@ SOA ns1 hostmaster 1 3600 900 1209600 300\n";
    expect((await replace({ zonefile })).body).toMatchObject({
      code: "CONFIRMATION_REQUIRED",
      message: expect.stringMatching(/^This would delete all 2 records of the zone\./),
    });
    expect((await replace({ zonefile, force: true })).body).toMatchObject({ deleted: 2 });
  });
});

const plan = async (changes: object[]) => (await zone.post("/records/plan", { changes })).body;

describe("a plan with many deletions", () => {
  test("a plan that deletes more than 30 % of a zone says so, and needs force", async () => {
    const changes = deletes(4);
    const { planHash, warnings } = await plan(changes);
    expect(warnings).toMatchObject([expect.stringMatching(words)]);
    const apply = (more: object) => zone.post("/records/apply", { changes, planHash, ...more });
    const refused = await apply({});
    expect([refused.status, refused.body.code]).toEqual([409, "CONFIRMATION_REQUIRED"]);
    expect(refused.body.message).toMatch(words);
    expect(await zone.records()).toEqual(records);
    expect((await apply({ force: true })).status).toBe(200);
    expect(await zone.records()).toHaveLength(6);
  });

  test("a plan that deletes up to 30 %, or changes a zone of one record, needs no force", async () => {
    const changes = deletes(3);
    const { planHash, warnings } = await plan(changes);
    expect(warnings).toEqual([]);
    expect((await zone.post("/records/apply", { changes, planHash })).status).toBe(200);
    zone = await fileZone(zw, hosts(1));
    records = await zone.records();
    const one = deletes(1);
    const hash = (await plan(one)).planHash;
    expect((await zone.post("/records/apply", { changes: one, planHash: hash })).status).toBe(200);
  });
});

const disabled = (name: string) => ({ recordType: "A", name, value: "192.0.2.9", status: "disabled" });
const needsForce = (message: string) => ({
  status: 409,
  body: { code: "CONFIRMATION_REQUIRED", message: expect.stringContaining(message) },
});

describe("disabled records", () => {
  beforeEach(async () => {
    zone = await fileZone(zw, hosts(3));
    await zone.create(disabled("spare"));
  });

  test("a sync that finds no records needs force, whatever disabled records the zone has", async () => {
    await zone.edit(() => "");
    const { body } = await zone.post("/sync", { dryRun: true });
    expect(body.plan.warnings.join()).toContain("This would delete all 3 active records of the zone.");
    expect(await zone.post("/sync")).toMatchObject(needsForce("all 3 active records"));
    expect(await zone.records()).toHaveLength(4);
    expect((await zone.post("/sync", { force: true })).body).toMatchObject({ deleted: 3 });
  });

  test("a zone file without records needs force, whatever disabled records the zone has", async () => {
    const zonefile = "@ SOA ns1 hostmaster 1 3600 900 1209600 300\n";
    expect((await replace({ zonefile, dryRun: true })).body).toMatchObject({ deleted: 3, lossPercent: 100 });
    expect(await replace({ zonefile })).toMatchObject(needsForce("all 3 active records"));
  });

  test("disabled records do not raise how many active ones may go", async () => {
    zone = await fileZone(zw, hosts(12));
    await zone.post("/records/bulk", { records: Array.from({ length: 8 }, (_, n) => disabled(`s${n}`)) });
    const some = (await zone.records("&type=A")).filter(({ status }) => status === "active").slice(0, 4);
    const changes = some.map(({ id }) => ({ action: "delete", recordId: id }));
    const { planHash, warnings } = await plan(changes);
    expect(warnings.join()).toContain("delete 4 active records in a zone of 12, more than 30 %");
    expect(await zone.post("/records/apply", { changes, planHash })).toMatchObject(needsForce("4 active records"));
    expect(
      (
        await zone.post("/records/apply", {
          changes: changes.slice(1),
          planHash: (await plan(changes.slice(1))).planHash,
        })
      ).status,
    ).toBe(200);
  });

  test("a plan that disables all records of a zone needs force, unless it enables others", async () => {
    const all = await zone.records();
    const off = all.filter(({ status }) => status === "active");
    const changes = off.map(({ id }) => ({ action: "update", recordId: id, record: { status: "disabled" } }));
    const { planHash, warnings } = await plan(changes);
    expect(warnings.join()).toContain("This would disable all 3 active records of the zone.");
    expect(await zone.post("/records/apply", { changes, planHash })).toMatchObject(needsForce("disable all 3"));
    const spare = all.find(({ name }) => name === "spare");
    const swapped = [...changes, { action: "update", recordId: spare?.id, record: { status: "active" } }];
    expect((await plan(swapped)).warnings).toEqual([]);
  });

  test("a replacement over many zones is measured against the active records of each", async () => {
    zone = await fileZone(zw, hosts(12).replaceAll(/^(h[0-3] .*)2\.1$/gm, "$12.77"));
    await zone.post("/records/bulk", { records: Array.from({ length: 8 }, (_, n) => disabled(`s${n}`)) });
    const wanted = { recordType: "A", value: "192.0.2.77", newValue: "192.0.2.78" };
    const { body } = await zw.admin.post("/api/records/replace/plan", wanted);
    expect(body.domains[0].warnings.join()).toContain("4 active records in a zone of 12");
  });
});

describe("dry runs that need force", () => {
  test("the dry run of a sync says if it needs force", async () => {
    await zone.edit((text) => text.replaceAll(/^h[0-3] .*\n/gm, ""));
    const { body } = await zone.post("/sync", { dryRun: true });
    expect(body.plan.warnings).toMatchObject([expect.stringMatching(words)]);
    expect((await zone.post("/sync")).body.message).toMatch(words);
  });

  test("the dry run of a rollback says if it needs force", async () => {
    const six = await fileZone(zw, hosts(6));
    const { body: snapshot } = await six.post("/snapshots");
    await six.post("/zonefile", { zonefile: hosts(10) });
    const { body } = await six.post(`/snapshots/${snapshot.id}/rollback`, { dryRun: true });
    expect(body.plan.warnings).toMatchObject([expect.stringMatching(words)]);
    expect((await six.post(`/snapshots/${snapshot.id}/rollback`)).body.message).toMatch(words);
  });
});

test.each(["/zonefile", "/records/apply"])(
  "a call of %s with a force that is not a boolean is 400 and names the field",
  async (path) => {
    const body = { zonefile: hosts(1), changes: deletes(1), planHash: "x", force: "yes" };
    const { zonefile, changes, planHash, force } = body;
    const given = path === "/zonefile" ? { zonefile, force } : { changes, planHash, force };
    const { status, body: problem } = await zone.post(path, given);
    expect(status).toBe(400);
    expect(problem.issues).toMatchObject([{ path: ["force"] }]);
  },
);
