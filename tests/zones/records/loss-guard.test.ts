import { beforeEach, describe, expect, test } from "vitest";
import {
  countsView,
  editsOf,
  lossPercent,
  lossWarning,
  refuseLoss,
  refuseLosses,
} from "../../../server/zones/records/editing/reviewed-plan.ts";
import type { PlannedChange } from "../../../server/dns/record.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, type Body, type Zone } from "../../support/zones.ts";

const active = { recordType: "A", name: "www", status: "active" };
const inactive = { recordType: "A", name: "off", status: "disabled" };

const losing = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ domainName: `z${index}.test`, needsForce: true }));

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

  test("a new TTL counts as a difference, and not as a loss", () => {
    const changes = planned(0, 10, 0).map((change) => Object.assign(change, { after: change.before }));
    expect(lossWarning(changes, 10)).toBeNull();
    expect(lossWarning(changes, 10, "differences")).toMatch(/^This would change 10 records in a zone of 10,/);
  });

  test.each<[string, PlannedChange[], number | { records: number; active: number }, string | null]>([
    ["of every record", planned(0, 0, 4), 4, "This would delete all 4 records of the zone. Review the plan"],
    ["of an empty zone", planned(0, 0, 0), 0, null],
    [
      "of some",
      planned(0, 2, 3),
      10,
      "This would change 2 and delete 3 records in a zone of 10, more than 30 %. Review",
    ],
    ["that disables all", disabling(4), { records: 4, active: 4 }, "This would disable all 4 records of the zone."],
    [
      "that disables and deletes all",
      [...disabling(2), ...planned(0, 0, 2)],
      4,
      "This would delete or disable all 4 records of the zone.",
    ],
    ["that disables some", disabling(4), 10, "This would change 4 records in a zone of 10, more than 30 %."],
    ["that disables few", disabling(3), 10, null],
    [
      "of all active records",
      planned(0, 0, 4),
      { records: 20, active: 4 },
      "This would delete all 4 active records of the zone.",
    ],
    [
      "of a third of the active records",
      planned(0, 0, 4),
      { records: 100, active: 12 },
      "This would delete 4 active records in a zone of 12, more than 30 %.",
    ],
    ["of disabled records", deletingDisabled(3), { records: 10, active: 5 }, null],
    [
      "of many disabled records",
      deletingDisabled(4),
      { records: 10, active: 5 },
      "This would delete 4 records in a zone of 10, more than 30 %.",
    ],
    [
      "of all records, which are disabled",
      deletingDisabled(4),
      { records: 4, active: 0 },
      "This would delete all 4 records of the zone.",
    ],
    ["that renames disabled records", renamingDisabled(5), { records: 30, active: 12 }, null],
    ["that enables records", enabling(4), { records: 10, active: 6 }, null],
    ["that disables all and enables others", [...disabling(2), ...enabling(2)], { records: 4, active: 2 }, null],
    ["that changes disabled records' TTL", retimingDisabled(5), { records: 12, active: 5 }, null],
  ])("a change %s (%#) warns in these words", (_what, changes, size, words) => {
    const warning = lossWarning(changes, size);
    expect(warning ?? "").toMatch(words === null ? /^$/ : new RegExp(`^${words.replaceAll(".", "\\.")}`));
    const refusal = (force: boolean) => {
      try {
        refuseLoss(changes, size, { force });
        return null;
      } catch (error) {
        return error instanceof Error ? error.message : error;
      }
    };
    expect([refusal(false), refusal(true)]).toEqual([warning, null]);
  });

  test("a comparison names what it would create, too", () => {
    expect(lossWarning(planned(2, 1, 3), 10, "differences")).toMatch(
      /^This would create 2, change 1 and delete 3 records/,
    );
    expect(() => refuseLoss(planned(4, 0, 0), 10, { force: false, counted: "differences" })).toThrow(
      /create 4 records/,
    );
    expect(() => refuseLoss(planned(4, 0, 0), 10, { force: false })).not.toThrow();
  });

  test.each<[PlannedChange[], number | { records: number; active: number }, number]>([
    [planned(0, 0, 0), 10, 0],
    [planned(5, 1, 2), 10, 30],
    [planned(0, 0, 8), 9, 0],
    [planned(0, 0, 9), 9, 100],
    [planned(1, 0, 9), 9, 0],
    [planned(0, 0, 5), { records: 100, active: 10 }, 50],
    [deletingDisabled(45), { records: 50, active: 5 }, 90],
  ])("the loss is in percent of the records, or all or nothing for small zones (%#)", (changes, size, percent) => {
    expect(lossPercent(changes, size)).toBe(percent);
  });

  test("a plan over several zones is refused with the names of up to three that lose much", () => {
    expect(() => refuseLosses([{ domainName: "a.test", needsForce: false }])).not.toThrow();
    expect(() => refuseLosses([...losing(1), { domainName: "a.test", needsForce: false }])).toThrow(
      / of z0\.test\. Review/,
    );
    expect(() => refuseLosses(losing(3))).toThrow(/ of z0\.test, z1\.test, z2\.test\. Review/);
    expect(() => refuseLosses(losing(5))).toThrow(/ of z0\.test, z1\.test, z2\.test and 2 more\. Review/);
  });

  test("a plan that changes a record twice is refused, and names the second change", () => {
    const record = { recordType: "A", name: "www", value: "192.0.2.1" };
    const changes = [
      { action: "create" as const, record },
      { action: "update" as const, recordId: "a", record: { ttl: 60 } },
      { action: "delete" as const, recordId: "b" },
    ];
    expect(editsOf(changes)).toEqual([
      { action: "create", input: record },
      { action: "update", recordId: "a", patch: { ttl: 60 } },
      { action: "delete", recordId: "b" },
    ]);
    expect(() => editsOf([...changes, { action: "delete" as const, recordId: "a" }])).toThrow(
      expect.objectContaining({
        code: "BAD_REQUEST",
        message: expect.stringMatching(/^changes\.3\.recordId: The plan changes this record twice\./),
        issues: [{ path: ["changes", 3, "recordId"], message: expect.stringContaining("twice") }],
      }),
    );
  });

  test("a plan's changes are counted by what they do", () => {
    expect(countsView(planned(1, 2, 3))).toEqual({ created: 1, updated: 2, deleted: 3 });
  });
});

/** Changes of so many records from one state to another; null: none. */
function between(count: number, from: object, to: object | null): PlannedChange[] {
  return Array.from({ length: count }, (_, index) => ({
    action: to === null ? "delete" : "update",
    before: { ...from, value: `203.0.113.${index}` },
    after: to && { ...to, value: `203.0.113.${index}` },
  })) as PlannedChange[];
}

function disabling(count: number): PlannedChange[] {
  return between(count, active, { ...active, status: "disabled" });
}

function enabling(count: number): PlannedChange[] {
  return between(count, inactive, { ...inactive, status: "active" });
}

function deletingDisabled(count: number): PlannedChange[] {
  return between(count, inactive, null);
}

function renamingDisabled(count: number): PlannedChange[] {
  return between(count, inactive, { ...inactive, name: "other" });
}

function retimingDisabled(count: number): PlannedChange[] {
  return between(count, inactive, { ...inactive, ttl: 60 });
}

function planned(creates: number, updates: number, deletes: number): PlannedChange[] {
  return [...changesTo("delete", deletes), ...changesTo("update", updates), ...changesTo("create", creates)];
}

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
