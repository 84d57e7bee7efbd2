import { beforeEach, describe, expect, test } from "vitest";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualZone, unknownId, type Body, type Zone } from "../../support/zones.ts";

const zw = useZonewright();

let zone: Zone;
beforeEach(async () => {
  zone = await fileZone(zw);
});

const plan = (changes: unknown) => zone.post("/records/plan", { changes });
const apply = (changes: unknown, planHash: string) => zone.post("/records/apply", { changes, planHash });
const a = (name: string, value: string) => ({ recordType: "A", name, value });

async function planned(changes: unknown): Promise<Body> {
  const { status, body } = await plan(changes);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}

async function warnings(): Promise<string[]> {
  return (await planned([{ action: "create", record: a("new", "192.0.2.9") }])).warnings;
}

describe("a plan", () => {
  test("a plan shows creates, updates, deletes and warnings, and changes nothing", async () => {
    const www = await zone.add("A", "www", "192.0.2.1", 300);
    const old = await zone.add("NS", "@", "ns1.example.net");
    const before = [await zone.detail(), await zone.readFile()];
    const body = await planned([
      { action: "create", record: { ...a("www", "192.0.2.2"), ttl: 60 } },
      { action: "delete", recordId: old.id },
      { action: "create", record: { recordType: "CNAME", name: "alias", value: "target" } },
    ]);
    expect(body.creates).toMatchObject([
      { recordType: "A", name: "www", value: "192.0.2.2", ttl: 60 },
      { recordType: "CNAME", name: "alias", value: "target" },
    ]);
    expect(body.updates).toEqual([
      {
        id: www.id,
        before: expect.objectContaining({ value: "192.0.2.1", ttl: 300 }),
        after: expect.objectContaining({ value: "192.0.2.1", ttl: 60 }),
        changes: { ttl: [300, 60] },
      },
    ]);
    expect(body.deletes).toMatchObject([{ id: old.id, recordType: "NS" }]);
    expect(body.warnings.join(" ")).toMatch(/TTL 60.*apex NS.*full name/s);
    expect(body.revision).toBe(2);
    expect([await zone.detail(), await zone.readFile()]).toEqual(before);
  });

  test("a plan warns of manual edits until they are synced, even after an edit of ours", async () => {
    expect(await warnings()).toEqual([]);
    await zone.edit((text) => `${text}byhand 300 IN A 192.0.2.7\n`);
    expect(await warnings()).toEqual([expect.stringMatching(/outside Zonewright/)]);
    await zone.add("A", "ours", "192.0.2.8");
    expect(await warnings()).toEqual([expect.stringMatching(/outside Zonewright/)]);
    expect((await zone.post("/sync")).body).toMatchObject({ created: 1 });
    expect(await warnings()).toEqual([]);
    await zone.add("A", "again", "192.0.2.8");
    expect(await warnings()).toEqual([]);
  });

  test("a plan warns of an in-zone name server without an address if the server's rules are unknown", async () => {
    zone = await manualZone(zw);
    const ns = { action: "create", record: { recordType: "NS", name: "@", value: `ns1.${zone.name}` } };
    expect((await planned([ns])).warnings).toEqual([expect.stringMatching(/no A or AAAA record/)]);
    expect((await planned([ns, { action: "create", record: a("ns1", "192.0.2.53") }])).warnings).toEqual([]);
    await zone.add("A", "ns1", "192.0.2.53");
    expect((await planned([ns])).warnings).toEqual([]);
  });

  test("a plan with bad changes names each by its index", async () => {
    const record = await zone.add("A", "www", "192.0.2.1");
    const { status, body } = await plan([
      { action: "create", record: { recordType: "A", name: "x" } },
      { action: "update", record: { ttl: 1 } },
      { action: "delete" },
      { action: "remove", recordId: record.id },
      { action: "delete", recordId: record.id, record: { ttl: 1 } },
    ]);
    expect(status).toBe(400);
    expect(body.issues.map(({ path }: Body) => path)).toEqual([
      ["changes", 0, "record", "value"],
      ["changes", 1, "recordId"],
      ["changes", 2, "recordId"],
      ["changes", 3, "action"],
      ["changes", 4, "record"],
    ]);
    const twice = await plan([
      { action: "delete", recordId: record.id },
      { action: "update", recordId: record.id, record: { ttl: 1 } },
    ]);
    expect(twice.status).toBe(400);
    expect(twice.body.issues).toMatchObject([{ path: ["changes", 1, "recordId"] }]);
  });

  test("a plan reports a missing record as 404 and a broken rule as 409, each by its index", async () => {
    const missing = await plan([{ action: "delete", recordId: unknownId }]);
    expect(missing.status).toBe(404);
    expect(missing.body.issues).toMatchObject([{ path: ["changes", 0, "recordId"] }]);
    const broken = await plan([
      { action: "create", record: a("www", "192.0.2.1") },
      { action: "create", record: { recordType: "CNAME", name: "www", value: "x.example" } },
    ]);
    expect(broken.status).toBe(409);
    expect(broken.body.issues).toContainEqual({
      path: ["changes", 1, "record", "recordType"],
      message: expect.any(String),
    });
  });

  test.each([
    [[]],
    [null],
    [[{ action: "replace" }]],
    [[null]],
    [Array.from({ length: 1001 }, () => ({ action: "delete" }))],
  ])("a plan from anything but a list of changes is 400 (case %#)", async (changes) => {
    const { status, body } = await plan(changes);
    expect(status).toBe(400);
    expect(body.issues[0].path[0]).toBe("changes");
  });
});

describe("applying a plan", () => {
  test("applying a plan does what it showed, as one revision, and answers each change in order", async () => {
    const www = await zone.add("A", "www", "192.0.2.1");
    const gone = await zone.add("A", "gone", "192.0.2.9");
    const changes = [
      { action: "create", record: a("new", "192.0.2.3") },
      { action: "delete", recordId: gone.id },
      { action: "update", recordId: www.id, record: { value: "192.0.2.2" } },
    ];
    const { planHash } = await planned(changes);
    const { status, body } = await apply(changes, planHash);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      revision: 3,
      results: [
        { success: true, action: "create", record: { name: "new", version: 1 } },
        { success: true, action: "delete", recordId: gone.id, record: null },
        { success: true, action: "update", recordId: www.id, record: { value: "192.0.2.2", version: 2 } },
      ],
    });
    expect(await zone.records()).toEqual([body.results[0].record, body.results[2].record]);
    expect((await zone.post("/sync")).body).toMatchObject({ unchanged: 2, created: 0, updated: 0, deleted: 0 });
  });

  test("an applied plan names its change set, and none if it left every record as it was", async () => {
    const www = await zone.add("A", "www", "192.0.2.1", 300);
    const applied = async (ttl: number) => {
      const changes = [{ action: "update", recordId: www.id, record: { ttl } }];
      return (await apply(changes, (await planned(changes)).planHash)).body;
    };
    const changed = await applied(60);
    const [newest] = await zone.history();
    expect(changed).toMatchObject({ revision: 2, changeSetId: newest?.id });
    expect(await applied(60)).toMatchObject({ revision: 2, changeSetId: null });
    expect(await zone.history()).toHaveLength(2);
  });

  test("applying a plan is refused if the zone or the changes differ from the plan", async () => {
    const record = await zone.add("A", "www", "192.0.2.1");
    const changes = [{ action: "update", recordId: record.id, record: { ttl: 60 } }];
    const { planHash } = await planned(changes);
    for (const other of [
      [{ action: "update", recordId: record.id, record: { ttl: 61 } }],
      [...changes, { action: "create", record: a("x", "192.0.2.1") }],
      [{ action: "delete", recordId: record.id }],
    ]) {
      expect((await apply(other, planHash)).status).toBe(409);
    }
    await zone.add("A", "elsewhere", "192.0.2.8");
    const moved = await apply(changes, planHash);
    expect([moved.status, moved.body.code]).toEqual([409, "CONFLICT"]);
    await zone.delete(record.id);
    expect((await apply(changes, planHash)).status).toBe(409);
    expect(await zone.lines()).toEqual(["elsewhere A 192.0.2.8"]);
  });

  test("a plan can be applied only once", async () => {
    const changes = [{ action: "create", record: a("once", "192.0.2.1") }];
    const { planHash } = await planned(changes);
    const answers = await Promise.all(Array.from({ length: 5 }, () => apply(changes, planHash)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409]);
  });

  test("a plan may turn an A into a CNAME and back, by updates or by deletes and creates", async () => {
    const address = await zone.add("A", "one", "192.0.2.1");
    const alias = await zone.add("CNAME", "two", "target.example");
    const updates = [
      { action: "update", recordId: address.id, record: { recordType: "CNAME", value: "target.example" } },
      { action: "update", recordId: alias.id, record: { recordType: "A", value: "192.0.2.1" } },
    ];
    expect((await apply(updates, (await planned(updates)).planHash)).status).toBe(200);
    expect(await zone.lines()).toEqual(["one CNAME target.example", "two A 192.0.2.1"]);
    const back = [
      { action: "create", record: a("one", "192.0.2.1") },
      { action: "create", record: { recordType: "CNAME", name: "two", value: "target.example" } },
      { action: "delete", recordId: address.id },
      { action: "delete", recordId: alias.id },
    ];
    expect((await apply(back, (await planned(back)).planHash)).status).toBe(200);
    expect(await zone.lines()).toEqual(["one A 192.0.2.1", "two CNAME target.example"]);
    expect((await zone.post("/sync")).body).toMatchObject({ unchanged: 2 });
  });

  test("a plan may swap the values of two records, and each keeps its identity", async () => {
    for (const there of [zone, await manualZone(zw)]) {
      zone = there;
      const one = await zone.add("A", "www", "192.0.2.1");
      const two = await zone.add("A", "www", "192.0.2.2");
      const changes = [
        { action: "update", recordId: one.id, record: { value: "192.0.2.2" } },
        { action: "update", recordId: two.id, record: { value: "192.0.2.1" } },
      ];
      expect((await apply(changes, (await planned(changes)).planHash)).status).toBe(200);
      expect(new Map((await zone.records()).map(({ id, value }) => [id, value]))).toEqual(
        new Map([
          [one.id, "192.0.2.2"],
          [two.id, "192.0.2.1"],
        ]),
      );
    }
  });

  test("applying a plan changes nothing if the provider refuses part of it", async () => {
    const record = await zone.add("A", "www", "192.0.2.1");
    const changes = [
      { action: "create", record: a("new", "192.0.2.3") },
      { action: "update", recordId: record.id, record: { value: "192.0.2.2" } },
    ];
    const { planHash } = await planned(changes);
    await zone.edit((text) => text.replace("192.0.2.1", "192.0.2.77"));
    const file = await zone.readFile();
    const { status, body } = await apply(changes, planHash);
    expect([status, body.code]).toEqual([409, "CONFLICT"]);
    expect(body.issues).toContainEqual({ path: ["changes", 1], message: expect.stringContaining("sync the zone") });
    expect(await zone.readFile()).toBe(file);
    expect(await zone.records()).toEqual([record]);
    expect((await zone.history())[0]).toMatchObject({ state: "failed", creates: 0, updates: 0, revision: null });
  });
});
