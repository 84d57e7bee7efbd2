import { sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { assign, idOf } from "../../accounts/assignments/assigned.ts";
import { entries } from "../../notifications/audit/trail.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualZone, unknownId, type Body, type Zone } from "../../support/zones.ts";
import { jobOf, planned, revertOf, started } from "./replaced.ts";

/** Jobs run when a test says so, and what happens between two calls is certain. */
const zw = useZonewright({ env: { JOBS: "off" } });
const run = () => zw.services.batches.run();

let addresses = 0;
let old: string;
let request: { recordType: string; value: string; newValue: string };
let zones: Zone[];
beforeEach(async () => {
  addresses += 1;
  old = `10.78.0.${addresses}`;
  request = { recordType: "A", value: old, newValue: `192.0.2.${addresses}` };
  zones = [await manualZone(zw), await fileZone(zw), await manualZone(zw)];
  for (const zone of zones) {
    await zone.post("/zonefile", { zonefile: `@ 300 A ${old}\nwww 300 A ${old}\n@ TXT other\n` });
  }
});

/** The zones by their order in the plan. */
const [first, second, third] = [0, 1, 2].map((index) => () => zones[index] as Zone) as [
  () => Zone,
  () => Zone,
  () => Zone,
];

const done = async (client: RestClient, jobId: string): Promise<Body> => {
  await run();
  return await jobOf(client, jobId);
};
const applyPlan = async (body: object) => await zw.admin.post("/api/records/replace/apply", body);
const valuesIn = async (zone: Zone) =>
  (await zone.records()).filter(({ recordType }) => recordType === "A").map(({ value }) => value);
const statesOf = (job: Body) => new Map(job.domains.map(({ domainId, state }: Body) => [domainId, state]));
const errorOf = (job: Body, zone: Zone): string | null =>
  job.domains.find(({ domainId }: Body) => domainId === zone.id).error;
const noticesOf = async (client: RestClient, event: string): Promise<Body[]> =>
  (await client.get("/api/notifications")).body.notifications.filter((one: Body) => one.event === event);

describe("applying a replacement", () => {
  test("a replacement changes every planned domain in one atomic change each", async () => {
    const revisions = await Promise.all(zones.map(async (zone) => (await zone.detail()).revision));
    const jobId = await started(zw.admin, request);
    const admin = await idOf(zw.admin);
    expect(await jobOf(zw.admin, jobId)).toMatchObject({
      ...request,
      kind: "replace",
      state: "running",
      startedBy: admin,
      progress: { domains: 3, waiting: 3, done: 0 },
      finishedAt: null,
      newTtl: null,
    });
    const job = await done(zw.admin, jobId);
    expect(job).toMatchObject({
      state: "done",
      reason: null,
      progress: { domains: 3, done: 3, failed: 0, waiting: 0 },
    });
    for (const [index, zone] of zones.entries()) {
      expect(await valuesIn(zone)).toEqual([request.newValue, request.newValue]);
      expect((await zone.detail()).revision).toBe((revisions[index] ?? 0) + 1);
      const [set] = await zone.history();
      expect(set).toMatchObject({ kind: "replace", state: "applied", updates: 2, actor: "admin", revertsId: null });
      expect(job.domains).toContainEqual(
        expect.objectContaining({ domainId: zone.id, changeSetId: set?.id, error: null }),
      );
    }
    expect((await second().post("/sync")).body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
  });

  test("the person who started a replacement is notified of its end, and the audit trail names it", async () => {
    const jobId = await started(zw.admin, request);
    await run();
    const [notice] = await noticesOf(zw.admin, "replacement.finished");
    expect(notice).toMatchObject({
      level: "success",
      metadata: { jobId, kind: "replace", total: 3, done: 3, failed: 0 },
    });
    expect(await entries(zw.admin, { action: "replacement.apply" })).toContainEqual(
      expect.objectContaining({ targetId: jobId, after: expect.objectContaining({ ...request, domains: 3 }) }),
    );
    const trail = await entries(zw.admin, { action: "records.replace", targetId: first().id });
    expect(trail).toMatchObject([{ actorId: await idOf(zw.admin), after: { updates: 2, batchId: jobId } }]);
  });

  test("a replacement of 20 or more domains announces its progress by quarters", async () => {
    const many = await Promise.all(Array.from({ length: 45 }, () => manualZone(zw)));
    for (const zone of many) await zone.add("A", "@", "203.0.113.45");
    const jobId = await started(zw.admin, { recordType: "A", value: "203.0.113.45", newValue: "203.0.113.46" });
    await run();
    const mine = (await noticesOf(zw.admin, "replacement.progress")).filter(({ metadata }) => metadata.jobId === jobId);
    expect(mine.map(({ metadata }) => metadata.percent)).toEqual([75]);
  });

  test("a plan that is outdated, of another request or without its hash is 409 and starts nothing", async () => {
    const { planHash } = await planned(zw.admin, request);
    expect((await applyPlan({ ...request, newValue: "192.0.2.250", planHash })).status).toBe(409);
    expect((await applyPlan({ ...request, planHash: "nonsense" })).body.code).toBe("CONFLICT");
    await first().add("A", "new", old);
    const { status, body } = await applyPlan({ ...request, planHash });
    expect([status, body.detail]).toEqual([409, expect.stringMatching(/outdated/)]);
    await run();
    expect(await valuesIn(second())).toEqual([old, old]);
  });

  test("losses above the safety threshold need force", async () => {
    const records = Array.from({ length: 10 }, (_, index) => `h${index} A ${old}\n`).join("");
    await first().post("/zonefile", { zonefile: records });
    const { planHash } = await planned(zw.admin, request);
    const { status, body } = await applyPlan({ ...request, planHash });
    expect([status, body.code]).toEqual([409, "CONFIRMATION_REQUIRED"]);
    expect(body.detail).toContain(first().name);
    expect((await applyPlan({ ...request, planHash, force: true })).status).toBe(202);
  });
});

describe("domains that fail", () => {
  test("a domain changed since the plan is listed as failed with the reason and does not stop the rest", async () => {
    const jobId = await started(zw.admin, request);
    await first().add("A", "late", old);
    await second().add("A", "unrelated", "192.0.2.200");
    const job = await done(zw.admin, jobId);
    expect(job.progress).toMatchObject({ done: 2, failed: 1 });
    expect(errorOf(job, first())).toMatch(/changed since the plan/);
    expect(await valuesIn(first())).toEqual([old, old, old]);
    expect(await valuesIn(third())).toEqual([request.newValue, request.newValue]);
    const [notice] = await noticesOf(zw.admin, "replacement.finished");
    expect(notice).toMatchObject({ level: "warning", metadata: { done: 2, failed: 1 } });
  });

  test("a domain whose provider refuses is listed with the provider's reason, and is not changed in part", async () => {
    const jobId = await started(zw.admin, request);
    await second().edit((text) => text.replace(/^www.*$/m, ""));
    const job = await done(zw.admin, jobId);
    expect(job.progress).toMatchObject({ done: 2, failed: 1 });
    expect(errorOf(job, second())).toMatch(/sync/i);
    expect(await valuesIn(second())).toEqual([old, old]);
    expect(await second().readFile()).toContain(old);
  });

  test("a domain that cannot be changed by its rules is an item that has failed from the beginning", async () => {
    const files = await fileZone(zw);
    const name = `ns.${first().name}`;
    await files.add("NS", "@", name);
    await first().add("NS", "sub", name);
    const jobId = await started(zw.admin, { recordType: "NS", value: name, newValue: `none.${files.name}` });
    expect(await jobOf(zw.admin, jobId)).toMatchObject({ progress: { domains: 2, waiting: 1, failed: 1 } });
    const job = await done(zw.admin, jobId);
    expect(errorOf(job, files)).toMatch(/no A or AAAA record/);
    expect(statesOf(job).get(first().id)).toBe("done");
  });

  test("a deleted domain leaves the job", async () => {
    const jobId = await started(zw.admin, request);
    await zw.admin.delete(first().path);
    expect(await done(zw.admin, jobId)).toMatchObject({ state: "done", progress: { domains: 2, done: 2 } });
  });
});

describe("rights", () => {
  let member: RestClient;
  let members = 0;
  beforeEach(async () => {
    member = await zw.member(`replacing-${++members}`);
  });

  test("a member's replacement changes only the hosts that they may change", async () => {
    await assign(zw, member, first().id, "www");
    const jobId = await started(member, request);
    expect((await done(member, jobId)).progress).toMatchObject({ domains: 1, done: 1 });
    expect((await first().lines()).filter((line) => line.includes(" A "))).toEqual([
      `@ A ${old}`,
      `www A ${request.newValue}`,
    ]);
  });

  test("rights lost after the start fail the domain", async () => {
    const { id } = await assign(zw, member, first().id, "*");
    await assign(zw, member, second().id, "*");
    const { id: write } = await assign(zw, member, third().id, "*");
    await assign(zw, member, third().id, "*", "read");
    const jobId = await started(member, request);
    await zw.admin.delete(`/api/assignments/${id}`);
    await zw.admin.delete(`/api/assignments/${write}`);
    const job = await done(member, jobId);
    expect(job.progress).toMatchObject({ done: 1, failed: 2 });
    expect(errorOf(job, first())).toMatch(/do not have access/);
    expect(errorOf(job, third())).toMatch(/read-only access/);
    expect(await valuesIn(first())).toEqual([old, old]);
  });

  test.each([
    ["is deleted", (id: string) => zw.admin.delete(`/api/users/${id}`)],
    ["is disabled", (id: string) => zw.admin.put(`/api/users/${id}`, { disabled: true })],
  ])("a job stops when its user %s", async (_what, leave) => {
    await assign(zw, member, first().id, "*");
    const jobId = await started(member, request);
    expect((await leave(await idOf(member))).status).toBe(200);
    const job = await done(zw.admin, jobId);
    expect(job).toMatchObject({ state: "stopped", reason: expect.stringMatching(/deleted or disabled/) });
    expect(job.progress).toMatchObject({ done: 0, skipped: 1 });
    expect(await valuesIn(first())).toEqual([old, old]);
  });

  test("a job stops when the personal token that started it is deleted", async () => {
    const permissions = ["records:read", "records:write"];
    const { body: token } = await zw.admin.post("/api/auth/me/tokens", { name: `Move ${members}`, permissions });
    const program = await zw.signIn("admin", "not used");
    program.token = token.token;
    const jobId = await started(program, request);
    await zw.admin.delete(`/api/auth/me/tokens/${token.id}`);
    expect(await done(zw.admin, jobId)).toMatchObject({ state: "stopped", reason: expect.stringMatching(/token/) });
  });

  test("members see only their own jobs, and administrators all", async () => {
    await assign(zw, member, first().id, "*");
    const jobId = await started(member, request);
    const other = await zw.member(`other-${members}`);
    const path = `/api/records/replace/${jobId}`;
    expect((await other.get(path)).status).toBe(404);
    expect((await other.post(`${path}/stop`)).status).toBe(404);
    expect((await other.post(`${path}/revert`)).status).toBe(404);
    expect((await zw.admin.get(path)).status).toBe(200);
    expect((await member.get(path)).status).toBe(200);
    expect((await zw.admin.get(`/api/records/replace/${unknownId}`)).status).toBe(404);
  });
});

describe("stopping", () => {
  test("a stopped job begins no further domain, lists them as skipped and cannot be started again", async () => {
    const jobId = await started(zw.admin, request);
    const stopped = await zw.admin.post(`/api/records/replace/${jobId}/stop`);
    expect(stopped).toMatchObject({ status: 200, body: { state: "stopping", progress: { skipped: 3 } } });
    const job = await done(zw.admin, jobId);
    expect(job).toMatchObject({ state: "stopped", reason: null, progress: { skipped: 3, done: 0 } });
    expect(await valuesIn(first())).toEqual([old, old]);
    expect(await noticesOf(zw.admin, "replacement.finished")).toMatchObject([
      { metadata: { jobId, state: "stopped" } },
      ...(await noticesOf(zw.admin, "replacement.finished")).slice(1),
    ]);
  });

  test("what was applied before a stop stays and is listed, and can be reverted", async () => {
    const jobId = await started(zw.admin, request);
    // As if the job were between its first and second domain.
    await setItems(jobId, "waiting", "skipped", first().id);
    await run();
    await reopen(jobId);
    await setItems(jobId, "skipped", "waiting");
    await zw.admin.post(`/api/records/replace/${jobId}/stop`);
    const job = await done(zw.admin, jobId);
    expect(job).toMatchObject({ state: "stopped", progress: { done: 1, skipped: 2 } });
    expect((await zw.admin.post(`/api/records/replace/${jobId}/stop`)).body.state).toBe("stopped");
    const { body } = await revertOf(zw.admin, jobId);
    expect((await done(zw.admin, body.jobId)).progress).toMatchObject({ domains: 1, done: 1 });
    expect(await valuesIn(first())).toEqual([old, old]);
  });
});

const db = () => queries(zw.services.database.fork());

/** Puts items of a job from one state into another. @param except leaves this domain's item as it is */
async function setItems(jobId: string, from: string, to: string, except = unknownId): Promise<void> {
  await sql`
    update batch_items set state = ${to}, change_set_id = null, error = null
    where batch_id = ${jobId} and state = ${from} and domain_id <> ${except}
  `.execute(db());
}

async function reopen(jobId: string): Promise<void> {
  await sql`update batches set state = 'running', finished_at = null where id = ${jobId}`.execute(db());
}

/** A record as an intent holds it, without its domain, which JSON leaves out. */
const intended = (record: Body, value: string) => ({ ...record, domainId: undefined, value });

/** Leaves the change of a domain as a process does that dies after committing its intent. @param present the value that it found */
async function leavePending(jobId: string, zone: Zone, present: string): Promise<void> {
  const [set] = await zone.history();
  const changes = (await zone.records())
    .filter(({ recordType }) => recordType === "A")
    .map((record) => ({
      action: "update",
      id: record.id,
      before: intended(record, present),
      after: intended(record, request.newValue),
    }));
  const intent = JSON.stringify({ together: true, changes });
  await sql`
    update change_sets set state = 'pending', revision = null, intent = ${intent}::jsonb where id = ${set?.id}
  `.execute(db());
  await sql`update batch_items set state = 'running', error = null where batch_id = ${jobId} and domain_id = ${zone.id}`.execute(
    db(),
  );
  await reopen(jobId);
}

/** Puts the former values into a zone's records and file, past the pipeline. */
async function putBack(zone: Zone): Promise<void> {
  await sql`
    delete from records where domain_id = ${zone.id} and value = ${request.newValue}
  `.execute(db());
  await sql`update records set until = null where domain_id = ${zone.id} and value = ${old}`.execute(db());
  await zone.edit((text) => text.replaceAll(request.newValue, old));
}

describe("resuming after a crash", () => {
  test("domains that were begun but not touched are changed, once", async () => {
    const jobId = await started(zw.admin, request);
    await setItems(jobId, "waiting", "running");
    expect((await done(zw.admin, jobId)).progress).toMatchObject({ done: 3 });
    for (const zone of zones) expect((await zone.history()).filter(({ kind }) => kind === "replace")).toHaveLength(1);
  });

  test("domains that were changed, but not noted as done, are found done and not changed again", async () => {
    const jobId = await started(zw.admin, request);
    const before = await done(zw.admin, jobId);
    const revisions = await Promise.all(zones.map(async (zone) => (await zone.detail()).revision));
    await setItems(jobId, "done", "running");
    await reopen(jobId);
    const job = await done(zw.admin, jobId);
    expect(job.domains).toEqual(before.domains);
    expect(await Promise.all(zones.map(async (zone) => (await zone.detail()).revision))).toEqual(revisions);
  });

  test("domains that a second process takes for begun are not changed twice", async () => {
    const jobId = await started(zw.admin, request);
    await run();
    await setItems(jobId, "done", "waiting");
    await reopen(jobId);
    // The values of the first run are put back, so that only the item keeps the change from being made again.
    for (const zone of zones) {
      for (const { id, recordType } of await zone.records())
        if (recordType === "A") await zone.update(id, { value: old });
    }
    await sql`update batch_items set plan_hash = null where batch_id = ${jobId}`.execute(db());
    const job = await done(zw.admin, jobId);
    expect(job.progress).toMatchObject({ done: 3 });
    for (const zone of zones) {
      expect((await zone.history()).filter(({ kind }) => kind === "replace")).toHaveLength(1);
      expect(await valuesIn(zone)).toEqual([old, old]);
    }
  });

  test("a domain whose change was interrupted and is not in the zone is changed after all", async () => {
    const jobId = await started(zw.admin, request);
    await run();
    const [interrupted] = await second().history();
    await leavePending(jobId, second(), old);
    await putBack(second());
    const job = await done(zw.admin, jobId);
    expect(job).toMatchObject({ state: "done", progress: { done: 3, failed: 0 } });
    expect(await valuesIn(second())).toEqual([request.newValue, request.newValue]);
    expect(await second().readFile()).toContain(request.newValue);
    const sets = (await second().history()).filter(({ kind }) => kind === "replace");
    expect(sets).toMatchObject([{ state: "applied" }, { id: interrupted?.id, state: "failed", repaired: true }]);
  });

  test("a domain whose provider did not answer ends as the zone is read back, and is not tried again", async () => {
    const jobId = await started(zw.admin, request);
    await run();
    await leavePending(jobId, second(), old);
    await putBack(second());
    await sql`update batch_items set error = 'No answer.' where batch_id = ${jobId} and domain_id = ${second().id}`.execute(
      db(),
    );
    const job = await done(zw.admin, jobId);
    expect(job).toMatchObject({ state: "done", progress: { done: 2, failed: 1 } });
    expect(errorOf(job, second())).toMatch(/did not reach/);
    expect(await valuesIn(second())).toEqual([old, old]);
  });
});

describe("reverting a replacement", () => {
  test("a replacement is reverted as one job, and the domains have their former records", async () => {
    const before = await Promise.all(zones.map((zone) => zone.lines()));
    const jobId = await started(zw.admin, request);
    await run();
    const { status, body } = await revertOf(zw.admin, jobId);
    expect(status).toBe(202);
    const job = await done(zw.admin, body.jobId);
    expect(job).toMatchObject({ kind: "revert", revertsId: jobId, state: "done", progress: { domains: 3, done: 3 } });
    expect(await Promise.all(zones.map((zone) => zone.lines()))).toEqual(before);
    const [revert, replacement] = await first().history();
    expect(revert).toMatchObject({ kind: "revert", revertsId: replacement?.id });
    expect((await second().post("/sync")).body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
  });

  test("a job whose revert was reverted, in one domain or in all, can be reverted again there", async () => {
    const reverted = async (id: string) => {
      const { status, body } = await revertOf(zw.admin, id);
      expect({ status, body }).toMatchObject({ status: 202 });
      const job = await done(zw.admin, body.jobId);
      expect(job.progress).toMatchObject({ failed: 0 });
      return job;
    };
    const jobId = await started(zw.admin, request);
    await run();
    await reverted(jobId);
    const [undo] = await first().history();
    expect((await first().post(`/history/${undo?.id}/revert`, {})).status).toBe(200);
    expect((await reverted(jobId)).progress).toMatchObject({ domains: 1, done: 1 });
    expect(await valuesIn(first())).toEqual([old, old]);

    const next = await started(zw.admin, request);
    await run();
    const redone = await reverted((await reverted(next)).jobId);
    expect(redone.progress).toMatchObject({ domains: 3, done: 3 });
    expect(await valuesIn(first())).toEqual([request.newValue, request.newValue]);
    expect((await reverted(next)).progress).toMatchObject({ domains: 3, done: 3 });
    expect(await valuesIn(first())).toEqual([old, old]);
  });

  test("domains changed since are listed as failed and do not stop the rest, and can be reverted later", async () => {
    const jobId = await started(zw.admin, request);
    await run();
    const record = (await first().records("&name=www")).find(({ recordType }) => recordType === "A");
    await first().update(record?.id, { value: "192.0.2.222" });
    const job = await done(zw.admin, (await revertOf(zw.admin, jobId)).body.jobId);
    expect(job.progress).toMatchObject({ done: 2, failed: 1 });
    expect(errorOf(job, first())).toMatch(/changed since: it is now www A 192\.0\.2\.222/);
    await first().update(record?.id, { value: request.newValue });
    const again = await done(zw.admin, (await revertOf(zw.admin, jobId)).body.jobId);
    expect(again.progress).toMatchObject({ domains: 1, done: 1 });
    expect(await valuesIn(first())).toEqual([old, old]);
    expect(await revertOf(zw.admin, jobId)).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/nothing/) },
    });
  });

  test("a job cannot be reverted while it or its revert is running", async () => {
    const jobId = await started(zw.admin, request);
    expect((await revertOf(zw.admin, jobId)).status).toBe(409);
    await run();
    const { body } = await revertOf(zw.admin, jobId);
    expect(await revertOf(zw.admin, jobId)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining(body.jobId) },
    });
    await run();
  });

  test("a job cannot be reverted while a revert of its revert is running", async () => {
    const jobId = await started(zw.admin, request);
    await run();
    const { jobId: undoId } = (await revertOf(zw.admin, jobId)).body;
    await run();
    const { jobId: redoId } = (await revertOf(zw.admin, undoId)).body;
    expect(await revertOf(zw.admin, jobId)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining(redoId) },
    });
    await run();
    expect((await revertOf(zw.admin, jobId)).status).toBe(202);
    await run();
    expect(await valuesIn(first())).toEqual([old, old]);
  });

  test("the revert of a job that was confirmed needs no other confirmation of what it changes back", async () => {
    const names = Array.from({ length: 10 }, (_, index) => `h${index}`);
    await first().post("/zonefile", { zonefile: names.map((name) => `${name} 300 A ${old}\n`).join("") });
    const jobId = await started(zw.admin, request);
    await run();
    const undo = await done(zw.admin, (await revertOf(zw.admin, jobId)).body.jobId);
    expect(undo.domains.map(({ error }: Body) => error)).toEqual([null, null, null]);
    expect(new Set(await valuesIn(first()))).toEqual(new Set([old]));
    const redo = await done(zw.admin, (await revertOf(zw.admin, undo.jobId)).body.jobId);
    expect(redo.progress).toMatchObject({ done: 3, failed: 0 });
  });

  test("what was locked stays locked in a revert, until it says `unlock`", async () => {
    const jobId = await started(zw.admin, request);
    await run();
    const record = (await first().records("&name=www")).find(({ recordType }) => recordType === "A");
    await first().update(record?.["id"], { locked: true });
    const job = await done(zw.admin, (await revertOf(zw.admin, jobId)).body.jobId);
    expect(errorOf(job, first())).toMatch(/^www A \S+ is locked\./);
    const again = await done(zw.admin, (await revertOf(zw.admin, jobId, { unlock: true })).body.jobId);
    expect(again.progress).toMatchObject({ domains: 1, done: 1 });
  });

  test("a revert can be reverted, which replaces again", async () => {
    const jobId = await started(zw.admin, request);
    await run();
    const { body } = await revertOf(zw.admin, jobId);
    await run();
    expect((await done(zw.admin, (await revertOf(zw.admin, body.jobId)).body.jobId)).progress).toMatchObject({
      done: 3,
    });
    expect(await valuesIn(third())).toEqual([request.newValue, request.newValue]);
  });
});

test("a job's domains are paged and filtered by their state", async () => {
  const jobId = await started(zw.admin, request);
  await first().add("A", "late", old);
  await run();
  const failed = await zw.admin.get(`/api/records/replace/${jobId}?state=failed&limit=1`);
  expect(failed.body).toMatchObject({ total: 1, page: 1, limit: 1, domains: [{ domainId: first().id }] });
  const page = await zw.admin.get(`/api/records/replace/${jobId}?page=2&limit=2`);
  expect(page.body).toMatchObject({ total: 3, domains: [expect.anything()] });
});

test("jobs are listed newest first with their progress, and members see their own", async () => {
  const jobId = await started(zw.admin, request);
  await run();
  const { status, body } = await zw.admin.get("/api/records/replace?limit=1");
  expect({ status, body }).toMatchObject({ status: 200, body: { page: 1, limit: 1 } });
  const { domains, total, page, limit, ...job } = await jobOf(zw.admin, jobId);
  expect([total, page, limit, domains.length]).toEqual([zones.length, 1, 100, zones.length]);
  expect(body.jobs).toEqual([job]);
  const member = await zw.member("lister");
  expect((await member.get("/api/records/replace")).body).toMatchObject({ jobs: [], total: 0 });
});
