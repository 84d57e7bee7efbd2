import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Answer, RestClient } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { Zone, fileZone, manualZone, unknownId, type Body } from "../../support/zones.ts";
import { assign } from "./assigned.ts";

const zw = useZonewright();

let writer: RestClient;
let reader: RestClient;
let whole: RestClient;

/** The administrator's zone, and the same zone as members reach it. */
let zone: Zone;
/** Can write `*.dev` and read `www`. */
let dev: Zone;
/** Can read everything. */
let readOnly: Zone;
/** Can write everything. */
let all: Zone;
let ids: Record<string, string>;

beforeAll(async () => {
  [writer, reader, whole] = (await Promise.all(["writer", "reader", "whole"].map((name) => zw.member(name)))) as [
    RestClient,
    RestClient,
    RestClient,
  ];
});

async function furnish(made: Zone): Promise<void> {
  zone = made;
  [dev, readOnly, all] = [writer, reader, whole].map((client) => new Zone(zw, zone, client)) as [Zone, Zone, Zone];
  await assign(zw, writer, zone.id, "*.dev", "write");
  await assign(zw, writer, zone.id, "www", "read");
  await assign(zw, reader, zone.id, "*", "read");
  await assign(zw, whole, zone.id, "*", "write");
  ids = {};
  for (const name of ["api.dev", "www", "db"]) ids[name] = (await zone.add("A", name, "192.0.2.1", 300)).id;
}

const record = (name: string, value = "192.0.2.9") => ({ recordType: "A", name, value });
const outcome = ({ status, body }: Answer) => [status, body.code ?? null];
const idAt = (name: string) => ids[name] ?? unknownId;

const delegation = (name: string) => ({ recordType: "NS", name, value: "ns1.example.net" });

/** The state that a refused call must not change. */
const state = async () => [await zone.records(), (await zone.detail()).revision, (await zone.history()).length];

describe.each([
  ["in Zonewright only", manualZone],
  ["at a provider", fileZone],
])("a zone %s and a member with write access to some hosts", (_where, makeZone) => {
  beforeEach(async () => {
    await furnish(await makeZone(zw));
  });

  test("a member with write access to some hosts can create, change and delete records at them", async () => {
    const made = await dev.create(record("new.dev"));
    expect(made.status).toBe(201);
    expect((await dev.update(made.body.id, { value: "192.0.2.10" })).status).toBe(200);
    expect((await dev.update(made.body.id, { name: "other.dev" })).status).toBe(200);
    expect((await dev.create(record("*.x.dev"))).status).toBe(201);
    expect((await dev.delete(made.body.id)).status).toBe(200);
    expect((await dev.delete(idAt("api.dev"))).status).toBe(200);
    expect(await zone.lines()).toEqual(["*.x.dev A 192.0.2.9", "db A 192.0.2.1", "www A 192.0.2.1"]);
  });

  test("a member with write access to some hosts finds no hidden records, and cannot change read-only ones", async () => {
    const before = await state();
    for (const at of [dev.path, `/api/v1/domains/${zone.id}`]) {
      const [www, db] = [`${at}/records/${idAt("www")}`, `${at}/records/${idAt("db")}`];
      expect(outcome(await writer.put(www, { ttl: 60 }))).toEqual([403, "FORBIDDEN"]);
      expect(outcome(await writer.delete(www))).toEqual([403, "FORBIDDEN"]);
      expect(outcome(await writer.put(db, { ttl: 60 }))).toEqual([404, "NOT_FOUND"]);
      expect(outcome(await writer.put(db, { ttl: 60 }, { "if-match": '"99"' }))).toEqual([404, "NOT_FOUND"]);
      expect(outcome(await writer.delete(db))).toEqual([404, "NOT_FOUND"]);
      for (const name of ["www", "db", "@", "dev", "*", "dev.x", `dev.${zone.name}.`])
        expect([name, ...outcome(await writer.post(`${at}/records`, record(name)))]).toEqual([name, 403, "FORBIDDEN"]);
    }
    expect(await state()).toEqual(before);
  });

  test("a member with write access to some hosts cannot move a record out of them or into them", async () => {
    const before = await state();
    const { status, body } = await dev.update(idAt("api.dev"), { name: "db" });
    expect([status, body.issues]).toMatchObject([403, [{ path: ["name"] }]]);
    expect(outcome(await dev.update(idAt("www"), { name: "www.dev" }))).toEqual([403, "FORBIDDEN"]);
    expect(outcome(await dev.update(idAt("db"), { name: "db.dev" }))).toEqual([404, "NOT_FOUND"]);
    expect(await state()).toEqual(before);
  });

  test("a member's bulk call returns a result for each item, and is refused as a whole in atomic mode", async () => {
    const records = [record("a.dev"), record("db"), record("www"), record("b.dev"), { name: "c.dev" }];
    const before = await state();
    expect(outcome(await dev.post("/records/bulk", { records, mode: "atomic" }))).toEqual([409, "CONFLICT"]);
    expect(await state()).toEqual(before);
    const { status, body } = await dev.post("/records/bulk", { records });
    expect([status, body.succeeded]).toEqual([200, 2]);
    expect(body.results.map(({ success }: Body) => success)).toEqual([true, false, false, true, false]);
    expect(body.results[1].error).toContain("do not let you change the records of db");
    expect((await zone.lines()).filter((line) => line.includes("192.0.2.9"))).toEqual([
      "a.dev A 192.0.2.9",
      "b.dev A 192.0.2.9",
    ]);
  });

  test("a member with write access to some hosts can plan and apply changes only there", async () => {
    const before = await state();
    const changes = [
      { action: "create", record: record("new.dev") },
      { action: "update", recordId: ids["api.dev"], record: { ttl: 77 } },
    ];
    const beyond: [object, number][] = [
      [{ action: "delete", recordId: ids["www"] }, 403],
      [{ action: "update", recordId: ids["www"], record: { ttl: 77 } }, 403],
      [{ action: "create", record: record("db") }, 403],
      [{ action: "delete", recordId: ids["db"] }, 404],
    ];
    const planned = await dev.post("/records/plan", { changes });
    expect(planned.status).toBe(200);
    for (const [change, status] of beyond) {
      const more = { changes: [...changes, change] };
      expect((await dev.post("/records/plan", more)).status).toBe(status);
      const { planHash } = (await zone.post("/records/plan", more)).body;
      expect((await dev.post("/records/apply", { ...more, planHash })).status).toBe(status);
    }
    expect(await state()).toEqual(before);
    const { planHash } = planned.body;
    expect((await dev.post("/records/apply", { changes, planHash })).status).toBe(200);
  });

  test("a member cannot delegate a name without write access to every name below it", async () => {
    await assign(zw, writer, zone.id, "shop", "write");
    const { status, body } = await dev.create(delegation("shop"));
    expect([status, body.detail]).toEqual([403, expect.stringContaining("every name below it")]);
    const theirs = await zone.create(delegation("shop"));
    expect(outcome(await dev.delete(theirs.body.id))).toEqual([403, "FORBIDDEN"]);
    expect((await dev.create(delegation("team.dev"))).status).toBe(201);
    await assign(zw, writer, zone.id, "*.shop", "write");
    expect((await dev.delete(theirs.body.id)).status).toBe(200);
  });

  test("a member with write access to some hosts can merge a zone file of them", async () => {
    const { status, body } = await dev.post("/zonefile", {
      zonefile: "file.dev 60 A 192.0.2.3\napi.dev 60 A 192.0.2.4\n",
    });
    expect([status, body.created, body.updated]).toEqual([200, 2, 1]);
    expect(await dev.lines()).toEqual([
      "api.dev A 192.0.2.1",
      "api.dev A 192.0.2.4",
      "file.dev A 192.0.2.3",
      "www A 192.0.2.1",
    ]);
    expect(await zone.lines()).toContain("db A 192.0.2.1");
  });

  test("a member can import their own export, even with records that they can only read", async () => {
    const { body: zonefile } = await dev.get("/zonefile");
    expect(zonefile).toContain("192.0.2.1");
    expect(zonefile).not.toMatch(/^db\b/m);
    // The zone may have name servers that the member does not see.
    expect(zonefile).not.toContain("lists none");
    const { status, body } = await dev.post("/zonefile", { zonefile });
    expect([status, body.created, body.updated, body.unchanged]).toEqual([200, 0, 0, 2]);
  });

  test.each([
    ["a hidden host, unchanged", "db 300 A 192.0.2.1\n"],
    ["a hidden host, changed", "db 300 A 192.0.2.5\n"],
    ["a new host elsewhere", "fresh 300 A 192.0.2.5\n"],
    ["a read-only host, changed", "www 60 A 192.0.2.1\n"],
    ["a delegation beyond their access", "dev 300 NS ns1.example.net.\n"],
  ])("a member's zone file with %s is refused as a whole, even in a dry run", async (_what, line) => {
    const before = await state();
    const zonefile = `ok.dev 300 A 192.0.2.5\n${line}`;
    const answers = [
      await dev.post("/zonefile", { zonefile }),
      await dev.post("/zonefile", { zonefile, dryRun: true }),
    ];
    expect(answers.map(outcome)).toEqual([
      [403, "FORBIDDEN"],
      [403, "FORBIDDEN"],
    ]);
    expect(answers[0]?.body.issues).toMatchObject([{ path: ["zonefile"] }]);
    expect(await state()).toEqual(before);
  });
});

/** Calls that change records. Each would succeed for the owner. */
const changing = (at: Zone): [string, () => Promise<Answer>][] => [
  ["create", () => at.create(record("x.dev"))],
  ["update", () => at.update(idAt("api.dev"), { ttl: 60 })],
  ["delete", () => at.delete(idAt("api.dev"))],
  ["bulk", () => at.post("/records/bulk", { records: [record("x.dev")] })],
  ["plan", () => at.post("/records/plan", { changes: [{ action: "delete", recordId: ids["api.dev"] }] })],
  [
    "apply",
    () => at.post("/records/apply", { changes: [{ action: "delete", recordId: ids["api.dev"] }], planHash: "1." }),
  ],
  ["import", () => at.post("/zonefile", { zonefile: "x.dev A 192.0.2.1\n" })],
  ["dry run of an import", () => at.post("/zonefile", { zonefile: "x.dev A 192.0.2.1\n", dryRun: true })],
  ["snapshot", () => at.post("/snapshots")],
  ["v1 create", () => at.client.post(`/api/v1/domains/${at.id}/records`, record("x.dev"))],
  ["v1 update", () => at.client.put(`/api/v1/domains/${at.id}/records/${idAt("api.dev")}`, { ttl: 60 })],
  ["v1 delete", () => at.client.delete(`/api/v1/domains/${at.id}/records/${idAt("api.dev")}`)],
];

/** Calls that concern the zone as a whole. */
const deciding = (at: Zone): [string, () => Promise<Answer>][] => [
  ["settings", () => at.client.put(at.path, { notes: "mine" })],
  ["expiry", () => at.client.put(`${at.path}/expiry`, { expiresAt: null })],
  ["reminders", () => at.client.put(`${at.path}/expiry-remind`, { autoCheckExpiry: false })],
  ["sync", () => at.post("/sync", { force: true })],
  ["dry run of a sync", () => at.post("/sync", { dryRun: true })],
  ["push", () => at.post("/push", { force: true })],
  ["replacing import", () => at.post("/zonefile", { zonefile: "x A 192.0.2.1\n", mode: "replace" })],
  [
    "dry run of a replacing import",
    () => at.post("/zonefile", { zonefile: "x A 192.0.2.1\n", mode: "replace", dryRun: true }),
  ],
  ["rollback", async () => at.post(`/snapshots/${(await zone.post("/snapshots")).body.id}/rollback`)],
  ["deletion", () => at.client.delete(at.path)],
];

const answersOf = async (calls: [string, () => Promise<Answer>][]) => {
  const reported: [string, number][] = [];
  for (const [name, call] of calls) reported.push([name, (await call()).status]);
  return reported;
};
const each = (calls: [string, unknown][], status: number) => calls.map(([name]) => [name, status]);

/** The zone as seen with a personal token of the writer. */
const token = async (permissions: string[]) => {
  const { body } = await writer.post("/api/auth/me/tokens", { name: "Script", permissions });
  return new Zone(zw, zone, Object.assign(Object.create(writer) as RestClient, { token: body.token }));
};

describe("members' access to a zone", () => {
  beforeAll(async () => {
    await furnish(await fileZone(zw));
  });

  test("a member with read access to everything can change nothing", async () => {
    const before = await state();
    const calls = [...changing(readOnly), ...deciding(readOnly)];
    expect(await answersOf(calls)).toEqual(each(calls, 403));
    expect(await state()).toEqual(before);
    expect((await zone.detail()).notes).toBeNull();
  });

  test("a member cannot change the zone as a whole, even with write access to all of its hosts", async () => {
    for (const at of [dev, all]) expect(await answersOf(deciding(at))).toEqual(each(deciding(at), 403));
    expect((await zone.detail()).notes).toBeNull();
  });

  test("a member with write access to everything can change all records and take snapshots", async () => {
    expect((await all.create({ recordType: "NS", name: "sub", value: "ns1.example.net" })).status).toBe(201);
    expect((await all.update(idAt("db"), { name: "database" })).status).toBe(200);
    expect((await all.post("/zonefile", { zonefile: "any 60 A 192.0.2.3\n" })).status).toBe(200);
    expect(await answersOf(changing(all).filter(([name]) => name === "snapshot"))).toEqual([["snapshot", 201]]);
  });

  test("a member without an assignment gets 404 from every call", async () => {
    const stranger = new Zone(zw, zone, await zw.member("nothing"));
    const calls = [...changing(stranger), ...deciding(stranger)].filter(([name]) => name !== "rollback");
    expect(await answersOf(calls)).toEqual(each(calls, 404));
  });

  test("a member's personal token can do what both its permissions and the assignments allow", async () => {
    const [reads, writes] = [await token(["records:read"]), await token(["records:read", "records:write"])];
    expect((await reads.records()).map(({ name }) => name)).toEqual((await dev.records()).map(({ name }) => name));
    expect((await reads.create(record("t.dev"))).status).toBe(403);
    expect((await writes.create(record("t.dev"))).status).toBe(201);
    expect(outcome(await writes.create(record("t")))).toEqual([403, "FORBIDDEN"]);
    expect(outcome(await writes.delete(idAt("db")))).toEqual([404, "NOT_FOUND"]);
  });
});
