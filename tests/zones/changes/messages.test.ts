import { beforeEach, describe, expect, test } from "vitest";
import { entries } from "../../notifications/audit/trail.ts";
import { ended, jobOf, planned as replacementPlan } from "../../bulk/replacements/replaced.ts";
import { LinkedTemplate } from "../../bulk/templates/linked.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualZone, type Body, type Zone } from "../../support/zones.ts";
import { createOf, leavePending } from "./left-open.ts";

const zw = useZonewright();

let zone: Zone;
beforeEach(async () => {
  zone = await fileZone(zw, "www 300 A 192.0.2.1\n");
});

/** The messages of the history, newest first. */
async function messages(): Promise<(string | null)[]> {
  return (await zone.history()).map(({ message }) => message);
}

async function audited(action: string): Promise<unknown> {
  const [entry] = await entries(zw.admin, { action, targetId: zone.id });
  return entry?.after?.["message"];
}

const planned = async (path: string, body: object): Promise<string> =>
  (await zone.post(path, { ...body, dryRun: true })).body.planHash;

describe("the message of a change", () => {
  test("a record's create, update and delete keep their messages in history and audit, on a zone with a provider and without", async () => {
    for (const one of [zone, await manualZone(zw)]) {
      zone = one;
      const record = { recordType: "TXT", name: "note", value: "one" };
      const made = await zone.create({ ...record, message: "Prove ownership" });
      expect(made).toMatchObject({ status: 201, body: expect.not.objectContaining({ message: expect.anything() }) });
      expect(await zone.update(made.body.id, { value: "two", message: "Second try" })).toMatchObject({ status: 200 });
      expect(await zone.delete(`${made.body.id}?message=No%20longer%20needed`)).toMatchObject({ status: 200 });
      expect((await messages()).slice(0, 3)).toEqual(["No longer needed", "Second try", "Prove ownership"]);
      expect(await audited("records.edit")).toBe("No longer needed");
    }
  });

  test("a bulk create, a plan, an import, a sync and a rollback keep their messages", async () => {
    const record = { recordType: "A", name: "bulk", value: "192.0.2.2" };
    await zone.post("/records/bulk", { records: [record], message: "bulk" });
    const changes = [{ action: "create", record: { ...record, name: "planned" } }];
    const { planHash } = (await zone.post("/records/plan", { changes })).body;
    await zone.post("/records/apply", { changes, planHash, message: "plan" });
    const snapshot = (await zone.post("/snapshots")).body;
    await zone.post("/zonefile", { zonefile: "imported A 192.0.2.3\n", message: "import" });
    await zone.edit((text) => `${text}byhand 300 IN A 192.0.2.7\n`);
    await zone.post("/sync", { message: "sync", planHash: await planned("/sync", {}) });
    await zone.post(`/snapshots/${snapshot.id}/rollback`, { message: "rollback", force: true });
    expect(await messages()).toEqual(["rollback", "sync", "import", "plan", "bulk", null]);
    expect(await audited("records.rollback")).toBe("rollback");
    expect(await audited("records.sync")).toBe("sync");
  });

  test("a revert and an applied template keep their messages", async () => {
    await zone.add("A", "new", "192.0.2.2");
    const [made] = await zone.history();
    await zone.post(`/history/${made?.id}/revert`, { message: "revert" });
    const template = (await zw.admin.get("/api/templates?search=no-mail")).body.templates[0];
    const path = `/templates/${template.id}`;
    const { planHash } = (await zone.post(`${path}/plan`, {})).body;
    expect(await zone.post(`${path}/apply`, { planHash, message: "template" })).toMatchObject({ status: 200 });
    expect((await messages()).slice(0, 2)).toEqual(["template", "revert"]);
    expect(await audited("records.bulk")).toBe("template");
  });

  test("a replacement and its revert carry their messages to history, audit, job and notification", async () => {
    const request = { recordType: "A", value: "192.0.2.1", newValue: "192.0.2.9", domainIds: [zone.id] };
    const { planHash } = await replacementPlan(zw.admin, request);
    const path = "/api/records/replace";
    const start = async (at: string, body: object) => (await zw.admin.post(at, { force: true, ...body })).body.jobId;
    const jobId = await start(`${path}/apply`, { ...request, planHash, message: " Move " });
    await ended(zw.admin, jobId);
    const revertId = await start(`${path}/${jobId}/revert`, { message: "Back" });
    await ended(zw.admin, revertId);
    const silentId = await start(`${path}/${revertId}/revert`, {});
    await ended(zw.admin, silentId);
    expect((await messages()).slice(0, 3)).toEqual([null, "Back", "Move"]);
    expect(await audited("records.replace")).toBe("Move");
    const { notifications } = (await zw.admin.get("/api/notifications")).body;
    for (const [id, message] of [
      [jobId, "Move"],
      [revertId, "Back"],
      [silentId, null],
    ]) {
      expect(await jobOf(zw.admin, id)).toMatchObject({ message });
      expect(notifications.find(({ metadata }: Body) => metadata?.jobId === id)?.metadata).toMatchObject({ message });
    }
    const [back] = await entries(zw.admin, { action: "replacement.revert", targetId: revertId });
    expect(back?.after).toMatchObject({ message: "Back" });
    const [moved] = await entries(zw.admin, { action: "replacement.apply", targetId: jobId });
    expect(moved?.after).toMatchObject({ message: "Move" });
  });

  test("a changed template carries its message into every linked domain", async () => {
    const template = await LinkedTemplate.of(zw, "explained");
    await template.link(zone);
    await template.change([{ type: "A", host: "app", pointsTo: "192.0.2.7", ttl: 600 }]);
    const { planHash } = await template.plan();
    const { body } = await template.apply({ planHash, force: true, message: "New offer" });
    expect(await ended(zw.admin, body.jobId)).toMatchObject({ message: "New offer", progress: { done: 1 } });
    expect((await messages())[0]).toBe("New offer");
    const [entry] = await entries(zw.admin, { action: "template.apply_linked", targetId: template.id });
    expect(entry?.after).toMatchObject({ message: "New offer" });
  });

  test("a message of white space is none, and a message is stored without the space around it", async () => {
    await zone.create({ recordType: "A", name: "a", value: "192.0.2.2", message: " \n" });
    await zone.create({ recordType: "A", name: "b", value: "192.0.2.2", message: " why\nnot " });
    expect((await messages()).slice(0, 2)).toEqual(["why\nnot", null]);
    const [, unexplained] = await entries(zw.admin, { action: "records.edit", targetId: zone.id });
    expect(unexplained?.after).not.toHaveProperty("message");
  });

  test.each([
    ["too long", "x".repeat(501)],
    ["with control characters", "a\u0000b"],
    ["that changes the direction of text", "a\u202eb"],
    ["that is not text", 7],
    ["null", null],
  ])("a message %s is refused by every call that takes one, and changes nothing", async (_what, message) => {
    const record = { recordType: "A", name: "new", value: "192.0.2.2", message };
    const [www] = await zone.records();
    const { id } = (await zone.post("/snapshots")).body;
    const refused = [
      await zone.create(record),
      await zone.update(www.id, { ttl: 60, message }),
      await zone.post("/records/bulk", { records: [{ recordType: "A", name: "x", value: "192.0.2.2" }], message }),
      await zone.post("/records/apply", {
        changes: [{ action: "delete", recordId: www.id }],
        planHash: "1.x",
        message,
      }),
      await zone.post("/zonefile", { zonefile: "x A 192.0.2.1\n", message }),
      await zone.post("/sync", { message }),
      await zone.post(`/snapshots/${id}/rollback`, { message }),
      await zone.post(`/history/${id}/revert`, { message }),
      await zone.post(`/templates/${id}/apply`, { planHash: "x", message }),
      await zw.admin.post(`/api/templates/${id}/linked/apply`, { planHash: "x", message }),
      await zw.admin.post("/api/records/replace/apply", {
        recordType: "A",
        value: "192.0.2.1",
        newValue: "192.0.2.2",
        planHash: "x",
        message,
      }),
      await zw.admin.post(`/api/records/replace/${id}/revert`, { message }),
    ];
    for (const { status, body } of refused) {
      expect({ status, path: body.issues[0].path }).toEqual({ status: 400, path: ["message"] });
    }
    expect(await zone.history()).toHaveLength(1);
  });

  test("an item of a bulk create has no message of its own", async () => {
    const records = [{ recordType: "A", name: "new", value: "192.0.2.2", message: "why" }];
    expect((await zone.post("/records/bulk", { records })).body).toMatchObject({ succeeded: 0 });
  });

  test("a change whose process died keeps its message through the repair, and its author's notification shows it", async () => {
    await leavePending(zw, zone.id, { changes: [createOf("lost")], message: "Before the crash" });
    expect((await messages())[0]).toBe("Before the crash");
    await zw.services.repair.runOnce();
    const [entry] = await zone.history();
    expect(entry).toMatchObject({ state: "failed", message: "Before the crash" });
    expect(await audited("records.edit")).toBe("Before the crash");
    const { notifications } = (await zw.admin.get("/api/notifications")).body;
    expect(notifications.find(({ event }: Body) => event === "record.change_failed")).toMatchObject({
      metadata: { changeSetId: entry.id, message: "Before the crash" },
    });
  });
});
