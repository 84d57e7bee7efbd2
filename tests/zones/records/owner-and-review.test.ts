import { beforeEach, describe, expect, test } from "vitest";
import { sql } from "kysely";
import { queries } from "../../../server/database/database.ts";
import { assign, idOf } from "../../accounts/assignments/assigned.ts";
import { entries } from "../../notifications/audit/trail.ts";
import { readRequest, requested, verdict } from "../change-requests/requested.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualZone, unknownId, Zone, type Body } from "../../support/zones.ts";

/** Sessions must outlast the file, so its days are short. The clock stands still between them. */
const day = 1_000;
let now = Date.now();
const zw = useZonewright({ env: { JOBS: "off" }, now: () => new Date(now) });

let count = 0;
let zone: Zone;
let record: Body;
beforeEach(async () => {
  zone = await manualZone(zw);
  record = await zone.add("A", "www", "192.0.2.1", 300);
});

const after = (days: number) => new Date(now + days * day).toISOString();
const present = async () => (await zone.records()).find(({ id }) => id === record.id);
const refusedOwner = { status: 400, body: { issues: [{ path: ["ownerId"] }] } };

/** A member who sees the zone, with their id. */
async function person(access: "read" | "write" = "write") {
  count += 1;
  const client = await zw.member(`person-${count}`);
  const id = await idOf(client);
  const { id: assignmentId } = await assign(zw, client, zone.id, "*", access);
  return { client, id, assignmentId, own: new Zone(zw, zone, client) };
}

type Person = Awaited<ReturnType<typeof person>>;

const remind = () => zw.services.reviewReminders.runOnce();

/** The reminders that a user has, newest first. */
async function reminders({ client }: Pick<Person, "client">): Promise<Body[]> {
  const { body } = await client.get("/api/notifications");
  return body.notifications.filter(({ event }: Body) => event === "record.review_due");
}

describe("the owner and review date of a record", () => {
  test("whoever may write a record sets them, and they are metadata: a version and an audit entry, nothing at the provider", async () => {
    zone = await fileZone(zw, "www 300 A 192.0.2.1\n");
    [record] = (await zone.records()) as [Body];
    const file = await zone.readFile();
    const { id, own } = await person();
    const reviewAt = after(30);
    expect((await own.update(record.id, { ownerId: id, reviewAt })).body).toMatchObject({
      ownerId: id,
      reviewAt,
      version: 2,
    });
    expect(await zone.readFile()).toBe(file);
    const [entry] = await entries(zw.admin, { targetId: zone.id, action: "records.edit" });
    expect(entry).toMatchObject({ actorId: id, after: { updates: 1, records: [{ ownerId: id, reviewAt }] } });
    expect((await own.update(record.id, { ttl: 60, value: "192.0.2.2" })).body).toMatchObject({
      ownerId: id,
      reviewAt,
    });
    expect((await own.update(record.id, { ownerId: null, reviewAt: null })).body).toMatchObject({
      ownerId: null,
      reviewAt: null,
      value: "192.0.2.2",
    });
  });

  test("a member who may only read sets neither", async () => {
    const { id, own } = await person("read");
    expect((await own.update(record.id, { ownerId: id })).status).toBe(403);
  });

  test("only a user who can see the domain becomes the owner of a record, and whether others exist is not revealed", async () => {
    const { id } = await person("read");
    const stranger = await idOf(await zw.member(`stranger-${count}`));
    expect((await zone.update(record.id, { ownerId: id })).body.ownerId).toBe(id);
    const [one, other] = [
      await zone.update(record.id, { ownerId: stranger }),
      await zone.update(record.id, { ownerId: unknownId }),
    ];
    expect(one).toMatchObject(refusedOwner);
    expect(one.body.issues).toEqual(other.body.issues);
    await zw.admin.put(`/api/users/${id}`, { disabled: true });
    expect(await zone.create({ recordType: "A", name: "new", value: "192.0.2.2", ownerId: id })).toMatchObject(
      refusedOwner,
    );
    // Who owns it already may stay.
    expect((await zone.update(record.id, { ownerId: id, ttl: 60 })).status).toBe(200);
  });

  test("an administrator can own any record, and a member whose assignment was withdrawn can not", async () => {
    const { id, assignmentId } = await person();
    expect((await zone.update(record.id, { ownerId: await idOf(zw.admin) })).status).toBe(200);
    await zw.admin.delete(`/api/assignments/${assignmentId}`);
    expect(await zone.update(record.id, { ownerId: id })).toMatchObject(refusedOwner);
  });

  test.each([
    ["ownerId", "me"],
    ["ownerId", 7],
    ["reviewAt", "tomorrow"],
    ["reviewAt", "2027-03-01"],
    ["reviewAt", "0001-01-01T00:00:00Z"],
    ["reviewAt", 1],
  ])("`%s` refuses %j and names the field", async (field, value) => {
    const { status, body } = await zone.update(record.id, { [field]: value });
    expect({ status, path: body.issues[0].path }).toEqual({ status: 400, path: [field] });
  });

  test("an import, a sync and a rollback leave them as they are", async () => {
    zone = await fileZone(zw, "www 300 A 192.0.2.1\n");
    [record] = (await zone.records()) as [Body];
    const { body: snapshot } = await zone.post("/snapshots");
    const notes = { ownerId: await idOf(zw.admin), reviewAt: after(30) };
    await zone.update(record.id, notes);
    await zone.post("/zonefile", { zonefile: "www 60 A 192.0.2.9\n", mode: "replace", force: true });
    expect(await present()).toMatchObject({ ...notes, value: "192.0.2.9" });
    await zone.edit((text) => text.replace("192.0.2.9", "192.0.2.8"));
    await zone.post("/sync", { force: true });
    expect(await present()).toMatchObject({ ...notes, value: "192.0.2.8" });
    await zone.post(`/snapshots/${snapshot.id}/rollback`, { force: true });
    expect(await present()).toMatchObject({ ...notes, value: "192.0.2.1" });
  });

  test("they pass through a plan and a change request unharmed", async () => {
    const { id, client } = await person();
    const reviewAt = after(10);
    const changes = [{ action: "update", recordId: record.id, record: { ownerId: id, reviewAt } }];
    const { body: plan } = await zone.post("/records/plan", { changes });
    expect(plan.updates).toMatchObject([{ changes: { ownerId: [null, id], reviewAt: [null, reviewAt] } }]);
    const made = await requested(client, zone, changes);
    expect((await readRequest(client, made)).changes[0].record).toEqual({ ownerId: id, reviewAt });
    expect((await verdict(client, made, "apply")).body.state).toBe("applied");
    expect(await present()).toMatchObject({ ownerId: id, reviewAt });
    expect((await zone.post("/records/apply", { changes, planHash: plan.planHash })).status).toBe(409);
  });

  test("a list filters by owner and by a passed review date, at the time of the call", async () => {
    const { id } = await person();
    await zone.update(record.id, { ownerId: id, reviewAt: after(5) });
    await zone.add("A", "other", "192.0.2.2");
    const found = async (query: string) => (await zone.records(query)).map(({ name }) => name);
    expect(await found(`&ownerId=${id}`)).toEqual(["www"]);
    expect(await found(`&ownerId=${unknownId}`)).toEqual([]);
    expect(await found("&reviewDue=true")).toEqual([]);
    now += 6 * day;
    expect(await found("&reviewDue=true")).toEqual(["www"]);
    expect(await found(`&reviewDue=true&ownerId=${id}&search=other`)).toEqual([]);
    expect((await zone.get("/records?ownerId=me")).status).toBe(400);
  });

  test("a record whose owner is deleted while a change names them ends without an owner", async () => {
    const database = queries(zw.services.database.fork());
    await sql`update records set owner_id = ${unknownId}::uuid where record_id = ${record.id}::uuid`.execute(database);
    await remind();
    expect(await present()).toMatchObject({ ownerId: null, version: 1 });
  });
});

describe("a reminder", () => {
  test("the owner of a record is reminded once when its review date passes, and again after another date", async () => {
    const owner = await person();
    await zone.update(record.id, { ownerId: owner.id, reviewAt: after(2) });
    await remind();
    expect(await reminders(owner)).toEqual([]);
    now += 3 * day;
    await remind();
    await remind();
    const [sent, ...more] = await reminders(owner);
    expect(more).toEqual([]);
    expect(sent).toMatchObject({
      title: `www A 192.0.2.1 of ${zone.name} is due for review`,
      metadata: { domainId: zone.id, domainName: zone.name, total: 1, records: [{ recordId: record.id, name: "www" }] },
    });
    await zone.update(record.id, { ttl: 60 });
    await remind();
    expect(await reminders(owner)).toHaveLength(1);
    await zone.update(record.id, { reviewAt: after(1) });
    await remind();
    expect(await reminders(owner)).toHaveLength(1);
    now += 2 * day;
    await remind();
    expect(await reminders(owner)).toHaveLength(2);
  });

  test("records of a domain that are due together are one reminder for each owner", async () => {
    const owner = await person();
    for (const name of ["a", "b", "c"]) {
      const one = await zone.add("A", name, "192.0.2.1");
      await zone.update(one.id, { ownerId: owner.id, reviewAt: after(1) });
    }
    now += 2 * day;
    await remind();
    expect(await reminders(owner)).toMatchObject([
      { title: `3 records of ${zone.name} are due for review`, metadata: { total: 3, records: [{}, {}, {}] } },
    ]);
  });

  test("without an owner, or with one who no longer sees the domain, the domain's owner is reminded", async () => {
    const lost = await person();
    const admin = { client: zw.admin };
    const before = (await reminders(admin)).length;
    await zone.update(record.id, { ownerId: lost.id, reviewAt: after(1) });
    await zw.admin.delete(`/api/assignments/${lost.assignmentId}`);
    const other = await zone.add("A", "other", "192.0.2.2");
    await zone.update(other.id, { reviewAt: after(1) });
    now += 2 * day;
    await remind();
    const sent = await reminders(admin);
    expect(
      sent
        .slice(0, sent.length - before)
        .map(({ metadata }) => String(metadata.records[0].name))
        .toSorted(),
    ).toEqual(["other", "www"]);
    expect(await reminders(lost)).toEqual([]);
  });

  test("nothing reminds of deleted records and cleared dates, and a date in the past reminds with the next run", async () => {
    const owner = await person();
    const [gone, cleared] = [await zone.add("A", "gone", "192.0.2.1"), await zone.add("A", "clear", "192.0.2.1")];
    for (const { id } of [gone, cleared]) await zone.update(id, { ownerId: owner.id, reviewAt: after(1) });
    await zone.delete(gone.id);
    await zone.update(cleared.id, { reviewAt: null });
    await zone.update(record.id, { ownerId: owner.id, reviewAt: after(-1) });
    now += 2 * day;
    await remind();
    expect((await reminders(owner)).map(({ metadata }) => metadata.records[0].name)).toEqual(["www"]);
  });

  test("several runs at the same time remind once", async () => {
    const owner = await person();
    await zone.update(record.id, { ownerId: owner.id, reviewAt: after(1) });
    now += 2 * day;
    await Promise.all([remind(), remind(), remind()]);
    expect(await reminders(owner)).toHaveLength(1);
  });
});
