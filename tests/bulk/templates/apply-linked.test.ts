import { sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { idOf } from "../../accounts/assignments/assigned.ts";
import { entries } from "../../notifications/audit/trail.ts";
import { jobOf, revertOf } from "../replacements/replaced.ts";
import { problemOf } from "../../support/problems.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualZone, unknownId, type Body, type Zone } from "../../support/zones.ts";
import { LinkedTemplate, proof, target } from "./linked.ts";

/** Jobs run when a test says so, and what happens between two calls is certain. */
const zw = useZonewright({ env: { JOBS: "off" } });
const run = () => zw.services.batches.run();
const db = () => queries(zw.services.database.fork());

const former = ["@ TXT proof=t.example.net", "www CNAME t.example.net"];
const present = ["new A 192.0.2.1", "www CNAME t.example.net"];
const address = { type: "A", host: "new", pointsTo: "192.0.2.1" };

let count = 0;
let template: LinkedTemplate;
/** By their order in the plan. */
let zones: [Zone, Zone, Zone];
/** What the zones remember before the change. */
let before: Body[];

beforeEach(async () => {
  count += 1;
  template = await LinkedTemplate.of(zw, `apply-${count}`);
  zones = [await manualZone(zw), await fileZone(zw), await manualZone(zw)];
  for (const zone of zones) await template.link(zone);
  before = await remembered();
  await template.change([{ ...target, ttl: 300 }, address]);
});

const remembered = () => Promise.all(zones.map((zone) => template.remembered(zone)));
const lines = () => Promise.all(zones.map((zone) => zone.lines()));
const sets = async (zone: Zone) => (await zone.history()).filter(({ kind }) => kind === "template");
const errorOf = (job: Body, zone: Zone) => job.domains.find(({ domainId }: Body) => domainId === zone.id).error;

/** Whether a zone remembers the changed template as it is written now. */
const upToDate = async (zone: Zone) => ({
  templateRevision: 2,
  linked: true,
  revision: (await zone.detail()).revision,
  records: [
    { recordType: "CNAME", name: "www", value: "t.example.net", essential: "Always" },
    { recordType: "A", name: "new", value: "192.0.2.1", essential: "Always" },
  ],
});

describe("applying a changed template to its linked domains", () => {
  test("every linked domain is changed in one atomic change, and remembers what is written now", async () => {
    const revisions = await Promise.all(zones.map(async (zone) => (await zone.detail()).revision));
    const jobId = await template.start();
    expect(await jobOf(zw.admin, jobId)).toMatchObject({
      kind: "template",
      state: "running",
      startedBy: await idOf(zw.admin),
      templateId: template.id,
      templateRevision: 2,
      recordType: null,
      value: null,
      newValue: null,
      newTtl: null,
      revertsId: null,
      progress: { domains: 3, waiting: 3 },
    });
    const job = await template.ended(jobId);
    expect(job).toMatchObject({ state: "done", reason: null, progress: { done: 3, failed: 0, waiting: 0 } });
    expect(await lines()).toEqual([present, present, present]);
    for (const [index, zone] of zones.entries()) {
      expect((await zone.detail()).revision).toBe((revisions[index] ?? 0) + 1);
      const [set] = await zone.history();
      expect(set).toMatchObject({ kind: "template", state: "applied", creates: 1, updates: 1, deletes: 1 });
      expect(job.domains.find(({ domainId }: { domainId: string }) => domainId === zone.id)).toMatchObject({
        domainId: zone.id,
        state: "done",
        changeSetId: set?.["id"],
      });
      expect(await template.remembered(zone)).toMatchObject(await upToDate(zone));
    }
    expect(await template.plan()).toMatchObject({ domains: [], unchanged: 3 });
    expect((await zones[1].post("/sync")).body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
  });

  test("its end is notified to who started it, and the audit trail has the start and each domain", async () => {
    const jobId = await template.start();
    await run();
    const { notifications } = (await zw.admin.get("/api/notifications")).body;
    expect(notifications[0]).toMatchObject({
      event: "replacement.finished",
      title: `Change of the template Website ${template.serviceId} is done`,
      metadata: { jobId, kind: "template", total: 3, done: 3 },
    });
    expect(await entries(zw.admin, { action: "template.apply_linked" })).toContainEqual(
      expect.objectContaining({
        targetId: template.id,
        after: { jobId, revision: 2, force: true, domains: 3 },
      }),
    );
    const trail = await entries(zw.admin, { action: "records.template", targetId: zones[0].id });
    expect(trail).toMatchObject([{ after: { creates: 1, batchId: jobId } }]);
  });

  test("a plan that is outdated is 409 and starts nothing", async () => {
    const { planHash } = await template.plan();
    problemOf(await template.apply({ planHash: "nonsense" }), 409, "CONFLICT");
    await template.change([target]);
    expect(problemOf(await template.apply({ planHash, force: true }), 409, "CONFLICT").detail).toMatch(/outdated/);
    await run();
    expect(await lines()).toEqual([former, former, former]);
  });

  test("a job applies the reviewed template, even if the template is changed while it runs", async () => {
    const jobId = await template.start();
    await template.change([proof]);
    expect((await template.ended(jobId)).progress).toMatchObject({ done: 3 });
    expect(await lines()).toEqual([present, present, present]);
    expect(await template.remembered(zones[0])).toMatchObject(await upToDate(zones[0]));
  });

  test("losses above the safety threshold need force", async () => {
    const records = Array.from({ length: 12 }, (_, index) => ({ type: "A", host: `h${index}`, pointsTo: "192.0.2.2" }));
    await template.change(records);
    await template.follow();
    await template.change([address]);
    const { planHash, domains } = await template.plan();
    expect(domains[0].warnings).toContainEqual(expect.stringMatching(/force: true/));
    const { detail } = problemOf(await template.apply({ planHash }), 409, "CONFIRMATION_REQUIRED");
    expect(detail).toContain(zones[0].name);
    expect((await template.apply({ planHash, force: true })).status).toBe(202);
  });

  test("domains that match already change nothing but what they remember, and then there is nothing to apply", async () => {
    await template.change([target, { ...proof, essential: "Always" }]);
    const { planHash, unchanged, behind } = await template.plan();
    expect({ unchanged, behind }).toEqual({ unchanged: 3, behind: 3 });
    const { body } = await template.apply({ planHash });
    expect(await template.ended(body.jobId)).toMatchObject({ state: "done", progress: { domains: 0 } });
    expect(await remembered()).toMatchObject(
      zones.map(() => ({ templateRevision: 3, records: [{}, { recordType: "TXT", essential: "Always" }] })),
    );
    expect(await template.plan()).toMatchObject({ unchanged: 3, behind: 0 });
    expect(problemOf(await template.apply({ planHash }), 409, "CONFLICT").detail).toMatch(/nothing to apply/);
  });
});

describe("domains that fail", () => {
  test("a domain changed since the plan is listed with the reason, remembers what it did and does not stop the rest", async () => {
    const jobId = await template.start();
    await zones[0].add("A", "new", "192.0.2.77");
    await zones[1].add("A", "unrelated", "192.0.2.200");
    const job = await template.ended(jobId);
    expect(job).toMatchObject({ state: "done", progress: { done: 2, failed: 1 } });
    expect(errorOf(job, zones[0])).toMatch(/changed since the plan/);
    expect(await zones[0].lines()).toEqual([former[0], "new A 192.0.2.77", former[1]]);
    expect(await template.remembered(zones[0])).toEqual(before[0]);
    expect(await template.remembered(zones[1])).toMatchObject(await upToDate(zones[1]));
  });

  test("a domain whose provider refuses is listed with the provider's reason and remembers what it did", async () => {
    const jobId = await template.start();
    await zones[1].edit((text) => text.replace(/^www.*$/m, ""));
    const job = await template.ended(jobId);
    expect(job.progress).toMatchObject({ done: 2, failed: 1 });
    expect(errorOf(job, zones[1])).toMatch(/sync/i);
    expect(await template.remembered(zones[1])).toEqual(before[1]);
  });

  test("a domain that the template cannot be applied to has failed from the beginning", async () => {
    await template.change([target, { type: "A", host: "%sub%", pointsTo: "192.0.2.1" }]);
    await template.link(zones[2], { variables: { target: "t.example.net", sub: "x" } });
    const jobId = await template.start();
    expect(await jobOf(zw.admin, jobId)).toMatchObject({ progress: { failed: 2 } });
    expect(errorOf(await template.ended(jobId), zones[0])).toMatch(/needs a value for sub/);
  });

  test("a domain that was unlinked since the plan stays as it is", async () => {
    const jobId = await template.start();
    await zones[0].client.delete(`${zones[0].path}/templates/${before[0]?.["id"]}`);
    const job = await template.ended(jobId);
    expect(job.progress).toMatchObject({ done: 2, failed: 1 });
    expect(await zones[0].lines()).toEqual(former);
  });
});

describe("stopping and reverting", () => {
  test("a stopped job begins no further domain, and they remember what they did", async () => {
    const jobId = await template.start();
    const stopped = await zw.admin.post(`/api/records/replace/${jobId}/stop`);
    expect(stopped).toMatchObject({ status: 200, body: { kind: "template", state: "stopping" } });
    expect(await template.ended(jobId)).toMatchObject({ state: "stopped", progress: { skipped: 3, done: 0 } });
    expect(await lines()).toEqual([former, former, former]);
    expect(await remembered()).toEqual(before);
  });

  test("a job is reverted as one, records and what domains remember, and the change can be applied again", async () => {
    const jobId = await template.start();
    await run();
    const { status, body } = await revertOf(zw.admin, jobId);
    expect(status).toBe(202);
    const job = await template.ended(body.jobId);
    expect(job).toMatchObject({ kind: "revert", revertsId: jobId, templateId: template.id, progress: { done: 3 } });
    expect(await lines()).toEqual([former, former, former]);
    for (const [index, zone] of zones.entries()) {
      const { records, variables, groups, host } = before[index] ?? {};
      const { revision } = await zone.detail();
      expect(await template.remembered(zone)).toMatchObject({
        templateRevision: 1,
        records,
        variables,
        groups,
        host,
        revision,
      });
    }
    const [notice] = (await zw.admin.get("/api/notifications")).body.notifications;
    expect(notice.title).toBe(`Revert of the change of the template Website ${template.serviceId} is done`);
    await template.follow();
    expect(await lines()).toEqual([present, present, present]);
  });

  test("a revert can be reverted, and the domains remember the change again", async () => {
    const jobId = await template.start();
    await run();
    const { body } = await revertOf(zw.admin, jobId);
    await run();
    const again = await revertOf(zw.admin, body.jobId);
    expect((await template.ended(again.body.jobId)).progress).toMatchObject({ done: 3 });
    expect(await lines()).toEqual([present, present, present]);
    for (const zone of zones) expect(await template.remembered(zone)).toMatchObject(await upToDate(zone));
  });

  test("a domain to which the template was applied again is not reverted, and remembers the later application", async () => {
    const jobId = await template.start();
    await run();
    await template.link(zones[0], { variables: { target: "later.example.net" } });
    const { body } = await revertOf(zw.admin, jobId);
    const job = await template.ended(body.jobId);
    expect(job.progress).toMatchObject({ done: 2, failed: 1 });
    expect(errorOf(job, zones[0])).toMatch(/deleted since/);
    expect(await template.remembered(zones[0])).toMatchObject({ variables: { target: "later.example.net" } });
  });
});

/** Puts items of an ended job from one state into another, and opens the job again. */
async function setItems(jobId: string, from: string, to: string): Promise<void> {
  await sql`
    update batch_items set state = ${to}, change_set_id = null where batch_id = ${jobId} and state = ${from}
  `.execute(db());
  await sql`update batches set state = 'running', finished_at = null where id = ${jobId}`.execute(db());
}

describe("resuming after a crash", () => {
  test("domains that were begun but not touched are changed, once", async () => {
    const jobId = await template.start();
    await setItems(jobId, "waiting", "running");
    expect((await template.ended(jobId)).progress).toMatchObject({ done: 3 });
    for (const zone of zones) expect(await sets(zone)).toHaveLength(1);
    for (const zone of zones) expect(await template.remembered(zone)).toMatchObject(await upToDate(zone));
  });

  test("domains that were changed, but do not remember it yet, remember it after the resumption and are not changed again", async () => {
    const jobId = await template.start();
    await run();
    const after = await remembered();
    // As a process leaves it that dies between the change of a domain and the end of its item.
    await setItems(jobId, "done", "running");
    for (const [index, zone] of zones.entries()) {
      const { records, revision } = before[index] ?? {};
      const written = records.map(({ recordType: type, name, value, essential }: Body) => ({
        type,
        name,
        value,
        essential,
        group: null,
      }));
      await sql`
        update domain_templates set template_revision = 1, revision = ${revision}, written = ${JSON.stringify(written)}::jsonb
        where domain_id = ${zone.id}
      `.execute(db());
    }
    expect((await template.ended(jobId)).progress).toMatchObject({ done: 3 });
    for (const [index, zone] of zones.entries()) {
      expect(await sets(zone)).toHaveLength(1);
      const { appliedAt: _, ...rest } = after[index] ?? {};
      expect(await template.remembered(zone)).toMatchObject(rest);
    }
  });
});

test("only administrators apply a template to its linked domains", async () => {
  const { planHash } = await template.plan();
  const member = await zw.member("linked-member");
  const path = `/api/templates/${template.id}/linked/apply`;
  problemOf(await member.post(path, { planHash, force: true }), 403, "FORBIDDEN");
  const { body: token } = await zw.admin.post("/api/auth/me/tokens", {
    name: "Linked",
    permissions: ["records:read", "records:write"],
  });
  const program = await zw.signIn("admin", "not used");
  program.token = token.token;
  expect((await program.post(path, { planHash, force: true })).status).toBe(403);
  problemOf(await zw.admin.post(`/api/templates/${unknownId}/linked/apply`, { planHash }), 404, "NOT_FOUND");
  await run();
  expect(await lines()).toEqual([former, former, former]);
});
