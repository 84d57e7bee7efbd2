import { beforeEach, describe, expect, test } from "vitest";
import { Zone, fileZone, freshName, manualZone, type Body } from "../../support/zones.ts";
import { useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright();

let zone: Zone;
beforeEach(async () => {
  zone = await manualZone(zw);
});

describe("the history of a zone", () => {
  test("a revision has one change set, which is read alone", async () => {
    const record = await zone.add("A", "www", "192.0.2.1", 300);
    await zone.update(record.id, { value: "192.0.2.2" });
    const { body } = await zone.get("/history?revision=2");
    expect(body).toMatchObject({ total: 1, entries: [{ revision: 2, updates: 1 }] });
    expect((await zone.get("/history?revision=3")).body).toMatchObject({ total: 0, entries: [] });
    expect((await zone.get("/history?revision=-1")).status).toBe(400);
  });

  test("the history is filtered by name, author and time, and shows a member no name that they do not see", async () => {
    const member = await zw.member("by-name");
    const userId = (await member.get("/api/auth/me")).body.id;
    await zw.admin.post("/api/assignments", { userId, domainId: zone.id, subdomainPattern: "*.dev", access: "write" });
    const record = await zone.add("A", "www", "192.0.2.1");
    await zone.add("A", "mail", "192.0.2.1");
    const theirs = new Zone(zw, { id: zone.id, name: zone.name }, member);
    await theirs.add("A", "one.dev", "192.0.2.1");
    const { createdAt } = (await zone.history())[0];
    await zone.update(record.id, { name: "web" });
    await zone.post("/records/bulk", {
      records: ["www", "x.dev"].map((name) => ({ recordType: "A", name, value: "192.0.2.9" })),
    });
    const found = async (query: string, of = zone) =>
      (await of.get(`/history?${query}`)).body.entries.map(({ revision }: Body) => revision);
    expect(await found("name=www")).toEqual([5, 4, 1]);
    expect(await found(`name=WWW.${zone.name}.`)).toEqual([5, 4, 1]);
    expect(await found("name=*.dev")).toEqual([5, 3]);
    expect(await found("name=www&page=2&limit=2")).toEqual([1]);
    expect(await found("actorName=BY-NAME")).toEqual([3]);
    expect(await found("actorName=nobody")).toEqual([]);
    expect(await found(`from=${createdAt}&name=www`)).toEqual([5, 4]);
    expect(await found(`to=${createdAt}`)).toEqual([2, 1]);
    expect(await found("name=www", theirs)).toEqual([]);
    expect(await found("name=*", theirs)).toEqual([5, 3]);
    expect(await zone.get("/history?name=a..b")).toMatchObject({ status: 400, body: { issues: [{ path: ["name"] }] } });
  });

  test("the history says who did what and when, newest first", async () => {
    const began = Date.now();
    const record = await zone.add("A", "www", "192.0.2.1", 300);
    await zone.update(record.id, { value: "192.0.2.2" });
    await zone.delete(record.id);
    const { body } = await zone.get("/history");
    expect(body).toMatchObject({ total: 3, page: 1, limit: 20 });
    const me = (await zw.admin.get("/api/auth/me")).body;
    const one = {
      recordType: "A",
      name: "www",
      value: "192.0.2.1",
      ttl: 300,
      strings: null,
      priority: null,
      proxied: false,
    };
    const two = { ...one, value: "192.0.2.2" };
    const by = { actorId: me.id, actor: "admin", kind: "edit", state: "applied", failures: [], repaired: false };
    const none = { creates: 0, updates: 0, deletes: 0 };
    const change = { recordId: record.id };
    expect(body.entries).toMatchObject([
      { ...by, ...none, revision: 3, deletes: 1, changes: [{ ...change, action: "delete", before: two, after: null }] },
      { ...by, ...none, revision: 2, updates: 1, changes: [{ ...change, action: "update", before: one, after: two }] },
      { ...by, ...none, revision: 1, creates: 1, changes: [{ ...change, action: "create", before: null, after: one }] },
    ]);
    for (const { createdAt, finishedAt } of body.entries) {
      expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(began);
      expect(Date.parse(createdAt)).toBeLessThanOrEqual(Date.now());
      expect(Date.parse(finishedAt)).toBeGreaterThanOrEqual(Date.parse(createdAt));
    }
  });

  test("the history is paged", async () => {
    for (let index = 0; index < 5; index++) await zone.add("A", `h${index}`, "192.0.2.1");
    const all = await zone.history();
    const { body } = await zone.get("/history?page=2&limit=2");
    expect(body).toEqual({ entries: all.slice(2, 4), total: 5, page: 2, limit: 2 });
    expect((await zone.get("/history?page=9")).body).toMatchObject({ entries: [], total: 5 });
    expect((await zone.get("/history?limit=101")).status).toBe(400);
  });

  test("the history shows the first hundred changes of a large set, and counts them all", async () => {
    const zonefile = Array.from({ length: 250 }, (_, index) => `h${index} A 192.0.2.1\n`).join("");
    await zone.post("/zonefile", { zonefile });
    const [entry] = await zone.history();
    expect(entry).toMatchObject({ kind: "import", creates: 250 });
    expect(entry.changes).toHaveLength(100);
  });

  test("the history names each kind of change", async () => {
    const file = await fileZone(zw);
    const snapshot = (await file.post("/snapshots")).body;
    await file.add("A", "www", "192.0.2.1");
    await file.post("/records/bulk", { records: [{ recordType: "A", name: "b", value: "192.0.2.1" }] });
    await file.post("/zonefile", { zonefile: "c A 192.0.2.1\n" });
    await file.edit((text) => `${text}hand A 192.0.2.1\n`);
    await file.post("/sync");
    await file.post(`/snapshots/${snapshot.id}/rollback`, { force: true });
    const kinds = (await file.history()).map(({ kind }) => kind);
    expect(kinds).toEqual(["rollback", "sync", "import", "bulk", "edit"]);
  });

  test("the history attributes each change to the user who made it", async () => {
    const config = await zw.admin.post("/api/provider-configs", { kind: "manual", name: "Open", membersMayUse: true });
    const carol = await zw.member("carol");
    const { body } = await carol.post("/api/domains", { name: freshName(), providerConfigId: config.body.id });
    await new Zone(zw, body, carol).add("A", "hers", "192.0.2.1");
    await new Zone(zw, body).add("A", "mine", "192.0.2.1");
    const { entries } = (await carol.get(`/api/domains/${body.id}/history`)).body;
    expect(entries.map(({ actor }: Body) => actor)).toEqual(["admin", "carol"]);
  });
});
