import { beforeEach, describe, expect, test } from "vitest";
import { useZonewright } from "../../support/zonewright.ts";
import { manualZone, unknownId, type Body, type Zone } from "../../support/zones.ts";

const zw = useZonewright();

let zone: Zone;
beforeEach(async () => {
  zone = await manualZone(zw);
});

const versions = ({ snapshots }: Body) => snapshots.map(({ version }: Body) => version);
const take = async (body?: object): Promise<Body> => (await zone.post("/snapshots", body)).body;

describe("a snapshot", () => {
  test("a snapshot returns the records of its moment, and still shows them after later changes", async () => {
    const record = await zone.add("A", "www", "192.0.2.1", 300);
    const { status, body } = await zone.post("/snapshots");
    expect(status).toBe(201);
    const me = (await zw.admin.get("/api/auth/me")).body;
    expect(body).toEqual({
      id: body.id,
      domainId: zone.id,
      version: 1,
      revision: 1,
      name: null,
      trigger: "manual",
      records: [record],
      recordCount: 1,
      createdBy: me.id,
      createdAt: expect.any(String),
    });
    await zone.update(record.id, { value: "192.0.2.2" });
    await zone.add("A", "new", "192.0.2.3");
    await zone.delete(record.id);
    const shown = await zone.get(`/snapshots/${body.id}`);
    expect([shown.status, shown.body]).toEqual([200, body]);
  });

  test("a snapshot of an empty zone is empty", async () => {
    expect(await take()).toMatchObject({ records: [], recordCount: 0 });
  });

  test.each(["manual", "scheduled", "on_change"])("a snapshot may have the trigger %s", async (trigger) => {
    expect(await take({ trigger })).toMatchObject({ trigger });
  });

  test("a snapshot with another trigger is 400 and names the field", async () => {
    const { status, body } = await zone.post("/snapshots", { trigger: "yearly" });
    expect(status).toBe(400);
    expect(body.issues).toMatchObject([{ path: ["trigger"] }]);
  });

  test("a snapshot is shown by the name that it was given, and one of blanks has none", async () => {
    const named = await take({ name: " Before the move " });
    expect(named.name).toBe("Before the move");
    expect((await take({ name: "  " })).name).toBeNull();
    expect((await take({ name: null })).name).toBeNull();
    const { body } = await zone.get("/snapshots");
    expect(body.snapshots.map(({ name }: Body) => name)).toEqual([null, null, "Before the move"]);
    expect((await zone.get(`/snapshots/${named.id}`)).body.name).toBe("Before the move");
    const audit = await zw.admin.get(`/api/audit?action=snapshot.create&targetId=${named.id}`);
    expect(audit.body.entries).toMatchObject([{ after: { name: "Before the move" } }]);
  });

  test.each(["a".repeat(101), "two\nlines", 7])(
    "a snapshot that is called %j is 400 and names the field",
    async (name) => {
      const { status, body } = await zone.post("/snapshots", { name });
      expect({ status, path: body.issues?.[0]?.path }).toEqual({ status: 400, path: ["name"] });
      expect((await zone.get("/snapshots")).body.total).toBe(0);
    },
  );

  test("ten simultaneous snapshots get ten different numbers", async () => {
    const versions = (await Promise.all(Array.from({ length: 10 }, () => take()))).map(({ version }) => version);
    expect(versions.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });
});

describe("the list of snapshots", () => {
  beforeEach(async () => {
    await zone.add("A", "www", "192.0.2.1");
    await take();
    await take({ trigger: "scheduled" });
    await zone.add("A", "two", "192.0.2.2");
    await take();
  });

  test("the list of snapshots is newest first, with the records of each", async () => {
    const { body } = await zone.get("/snapshots");
    expect(body).toMatchObject({ total: 3, page: 1, limit: 20 });
    expect(versions(body)).toEqual([3, 2, 1]);
    expect(body.snapshots.map(({ records }: Body) => records.length)).toEqual([2, 1, 1]);
    expect(body.snapshots[0]).toEqual((await zone.get(`/snapshots/${body.snapshots[0].id}`)).body);
  });

  test("the list of snapshots leaves out the records on request", async () => {
    const { body } = await zone.get("/snapshots?records=false");
    expect(body.snapshots.map(({ records, recordCount }: Body) => [records, recordCount])).toEqual([
      [null, 2],
      [null, 1],
      [null, 1],
    ]);
    expect((await zone.get("/snapshots?records=no")).status).toBe(400);
  });

  test("the list of snapshots can be filtered by trigger and paged", async () => {
    const manual = (await zone.get("/snapshots?trigger=manual")).body;
    expect([manual.total, versions(manual)]).toEqual([2, [3, 1]]);
    const page = (await zone.get("/snapshots?trigger=manual&page=2&limit=1")).body;
    expect(page).toMatchObject({ total: 2, page: 2, limit: 1 });
    expect(versions(page)).toEqual([1]);
    expect((await zone.get("/snapshots?trigger=on_change")).body).toMatchObject({ snapshots: [], total: 0 });
    expect((await zone.get("/snapshots?trigger=x")).status).toBe(400);
    expect((await zone.get("/snapshots?limit=101")).status).toBe(400);
  });
});

test("a snapshot of another domain, or an unknown one, is 404 in every call", async () => {
  const mine = await take();
  const theirs = (await (await manualZone(zw)).post("/snapshots")).body;
  for (const id of [theirs.id, unknownId]) {
    const answers = [
      await zone.get(`/snapshots/${id}`),
      await zone.get(`/snapshots/diff?from=${mine.id}&to=${id}`),
      await zone.get(`/snapshots/diff?from=${id}&to=${mine.id}`),
      await zone.post(`/snapshots/${id}/rollback`),
      await zone.post(`/snapshots/${id}/rollback`, { dryRun: true, force: true }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  }
  expect((await zone.get("/snapshots/x")).status).toBe(400);
  expect((await zone.get(`/snapshots/diff?from=${mine.id}`)).body.issues).toMatchObject([{ path: ["to"] }]);
});
