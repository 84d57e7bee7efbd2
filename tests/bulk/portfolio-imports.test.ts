import { sql } from "kysely";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { queries } from "../../server/database/database.ts";
import { idOf } from "../accounts/assignments/assigned.ts";
import { entries } from "../notifications/audit/trail.ts";
import { RestClient } from "../support/rest-client.ts";
import { memberPassword, useZonewright } from "../support/zonewright.ts";
import { manualConfig, type Body } from "../support/zones.ts";
import { jobOf, revertOf } from "./replacements/replaced.ts";

/** Jobs run when a test says so, and what happens between two calls is certain. */
const logs: string[] = [];
const zw = useZonewright({ env: { JOBS: "off" }, logTo: { write: (line) => void logs.push(line) } });
const run = () => zw.services.batches.run();
const names = Array.from({ length: 25 }, (_, index) => `row${index + 10}.example`);
let providerConfigId: string;

beforeAll(async () => {
  providerConfigId = await manualConfig(zw);
  for (const name of names) await zw.admin.post("/api/domains", { name, providerConfigId });
});

let notes = "";
let count = 0;
beforeEach(() => {
  count += 1;
  notes = `Note ${count}`;
});

const tableOf = (text: string) => `name,notes\nnowhere.example,x\n${names.map((name) => `${name},${text}\n`).join("")}`;
const planned = async (csv: string, client = zw.admin): Promise<Body> =>
  (await client.post("/api/domains/import", { csv, dryRun: true })).body;
const start = (body: object, client = zw.admin) => client.post("/api/domains/import/start", body);
/** Plans and starts an import. @returns the job's id */
async function started(csv: string, client = zw.admin): Promise<string> {
  const { planHash } = await planned(csv, client);
  const { status, body } = await start({ csv, planHash, message: "CHG-7" }, client);
  expect({ status, body }).toMatchObject({ status: 202, body: { jobId: expect.any(String) } });
  return body.jobId;
}
const notesOf = async () =>
  (
    await queries(zw.services.database.fork())
      .selectFrom("domains")
      .select(["name", "notes"])
      .where("name", "like", "row%")
      .orderBy("name")
      .execute()
  ).map((row) => row.notes);
const all = (text: string | null) => names.map(() => text);

test("a job makes exactly the changes of the plan, and lists each domain's outcome", async () => {
  const jobId = await started(tableOf(notes));
  expect(await jobOf(zw.admin, jobId)).toMatchObject({
    kind: "portfolio",
    state: "running",
    recordType: null,
    message: "CHG-7",
    progress: { domains: 25, waiting: 25, done: 0 },
  });
  const [first = "", second = ""] = names;
  const { body: found } = await zw.admin.get(`/api/domains?search=${second}`);
  await zw.admin.put(`/api/domains/${found.domains[0].id}`, { notes: "By hand" });
  await run();
  const job = await jobOf(zw.admin, jobId);
  expect(job).toMatchObject({ state: "done", progress: { domains: 25, done: 24, failed: 1, waiting: 0 } });
  expect(job["domains"].slice(0, 2)).toMatchObject([
    { domainName: first, state: "done", error: null },
    { domainName: second, state: "failed", error: expect.stringContaining("changed meanwhile") },
  ]);
  expect(await notesOf()).toEqual(names.map((name) => (name === second ? "By hand" : notes)));
  const [begun] = await entries(zw.admin, { action: "domain.import_table", targetId: jobId });
  expect(begun?.after).toEqual({ domains: 25, message: "CHG-7" });
  const [change] = await entries(zw.admin, { action: "domain.update", targetId: job["domains"][0].domainId });
  expect(change).toMatchObject({ actorId: await idOf(zw.admin), after: { notes, message: "CHG-7" } });
});

test("a job is taken back by another one, once", async () => {
  await started(tableOf(notes)).then(run);
  const jobId = await started(tableOf(`${notes} later`));
  await run();
  const { status, body } = await revertOf(zw.admin, jobId);
  expect({ status, body }).toMatchObject({ status: 202 });
  await run();
  expect(await jobOf(zw.admin, body.jobId)).toMatchObject({
    kind: "portfolio",
    revertsId: jobId,
    progress: { domains: 25, done: 25 },
  });
  expect(await notesOf()).toEqual(all(notes));
  expect(await revertOf(zw.admin, jobId)).toBeProblem(409, "CONFLICT");
});

test("a job whose revert was reverted is in effect again, and can be reverted again", async () => {
  await started(tableOf(notes)).then(run);
  const jobId = await started(tableOf(`${notes} later`));
  await run();
  const reverted = async (id: string): Promise<string> => {
    const { status, body } = await revertOf(zw.admin, id);
    expect({ status, body }).toMatchObject({ status: 202 });
    await run();
    expect(await jobOf(zw.admin, body.jobId)).toMatchObject({ progress: { domains: 25, done: 25 } });
    return body.jobId;
  };
  const undo = await reverted(jobId);
  await reverted(undo);
  expect(await notesOf()).toEqual(all(`${notes} later`));
  expect(await revertOf(zw.admin, undo)).toBeProblem(409, "CONFLICT");
  await reverted(jobId);
  expect(await notesOf()).toEqual(all(notes));
  expect(await revertOf(zw.admin, jobId)).toBeProblem(409, "CONFLICT");
});

test("taking a job back sets a date again that was set by hand, whatever a registrar's account said meanwhile", async () => {
  const account = { kind: "gandi", name: "Gandi", config: { token: "pat-0123456789abcdef" } };
  const { body: made } = await zw.admin.post("/api/registrar-configs", account);
  const [name = ""] = names;
  const { body: listed } = await zw.admin.get(`/api/domains?search=${name}`);
  const path = `/api/domains/${listed.domains[0].id}`;
  const expiresAt = "2035-01-01T00:00:00.000Z";
  await zw.admin.put(`${path}/expiry`, { expiresAt });
  const db = queries(zw.services.database.fork()).updateTable("domains").where("name", "=", name);
  for (const said of [null, new Date(expiresAt), new Date("2034-06-01")]) {
    const jobId = await started(`name,registrar\n${name},Gandi\n`);
    await run();
    expect((await zw.admin.get(path)).body).toMatchObject({ registrarConfigId: made.id, expirySource: null });
    if (said) await db.set({ expires_at: said, expiry_source: "registrar" }).execute();
    await revertOf(zw.admin, jobId);
    await run();
    expect((await zw.admin.get(path)).body).toMatchObject({
      registrarConfigId: null,
      expirySource: "manual",
      expiresAt,
    });
  }
});

test("a row that a killed process had begun is carried out once by the next run", async () => {
  const jobId = await started(tableOf(notes));
  const db = queries(zw.services.database.fork());
  const begin = () =>
    db.updateTable("batch_items").set({ state: "running" }).where("batch_id", "=", jobId).where("position", "<", 3);
  await begin().execute();
  await Promise.all([run(), run()]);
  expect((await jobOf(zw.admin, jobId))["progress"]).toMatchObject({ domains: 25, done: 25, failed: 0 });
  expect(await notesOf()).toEqual(all(notes));
  const found = await entries(zw.admin, { action: "domain.update" });
  expect(found.filter(({ after }) => after?.["notes"] === notes)).toHaveLength(25);
});

test("a job of a kind that only a later version knows stays open, fails nothing, and is carried out by that version", async () => {
  const jobId = await started(tableOf(notes));
  const db = queries(zw.services.database.fork());
  const become = async (kind: string) =>
    await db
      .updateTable("batches")
      .set({ kind: kind as "portfolio" })
      .where("id", "=", jobId)
      .execute();
  await become("of-tomorrow");
  await run();
  const states = await db.selectFrom("batch_items").select("state").where("batch_id", "=", jobId).distinct().execute();
  expect(states).toEqual([{ state: "waiting" }]);
  expect(await zw.admin.get(`/api/records/replace/${jobId}`)).toBeProblem(503, "UNAVAILABLE");
  const { body: listed } = await zw.admin.get("/api/records/replace");
  expect(listed.jobs.map((job: Body) => job.jobId)).not.toContain(jobId);
  expect(logs.filter((line) => line.includes("of-tomorrow"))).toHaveLength(1);
  await become("portfolio");
  await run();
  expect(await jobOf(zw.admin, jobId)).toMatchObject({ state: "done", progress: { done: 25, failed: 0 } });
});

test("a row with a column that only a later version knows waits for that version, and fails nothing", async () => {
  const jobId = await started(tableOf(notes));
  const em = zw.services.database.fork();
  const rename = (from: string, to: string) =>
    sql`update batch_items set detail = replace(detail::text, ${from}, ${to})::jsonb where batch_id = ${jobId} and position = 20`.execute(
      queries(em),
    );
  await rename('"notes"', '"costCenter"');
  await run();
  expect(await jobOf(zw.admin, jobId)).toMatchObject({ state: "running", progress: { failed: 0 } });
  const { body: waiting } = await zw.admin.get(`/api/records/replace/${jobId}?state=waiting`);
  expect(waiting.domains.map(({ domainName }: Body) => domainName)).toContain(names[20]);
  await rename('"costCenter"', '"notes"');
  await run();
  expect(await jobOf(zw.admin, jobId)).toMatchObject({ state: "done", progress: { done: 25, failed: 0 } });
  expect(await notesOf()).toEqual(all(notes));
});

test("a job ends once the user who started it is disabled", async () => {
  await zw.admin.put(`/api/users/${await idOf(await zw.member("importer"))}`, { role: "admin" });
  const other = await zw.signIn("importer", memberPassword);
  const jobId = await started(tableOf(notes), other);
  await zw.admin.put(`/api/users/${await idOf(other)}`, { disabled: true });
  await run();
  expect(await jobOf(zw.admin, jobId)).toMatchObject({
    state: "stopped",
    reason: expect.stringContaining("disabled"),
    progress: { done: 0, skipped: 25 },
  });
});

test("another plan is refused, and so is a table that changes nothing, and taking a job back without domains:write", async () => {
  const csv = tableOf(notes);
  expect(await start({ csv })).toBeProblem(400, "BAD_REQUEST");
  expect(await start({ csv, planHash: "another" })).toBeProblem(409, "CONFLICT");
  const nothing = "name,notes\nnowhere.example,x\n";
  const { planHash } = await planned(nothing);
  expect(await start({ csv: nothing, planHash })).toBeProblem(400, "BAD_REQUEST");
  const jobId = await started(csv);
  await run();
  const permissions = ["records:read", "records:write"];
  const { body } = await zw.admin.post("/api/auth/me/tokens", { name: "Records", permissions });
  expect(await revertOf(new RestClient(zw.url, body.token), jobId)).toBeProblem(403, "FORBIDDEN");
});
