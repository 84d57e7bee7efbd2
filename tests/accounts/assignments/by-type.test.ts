import { beforeAll, describe, expect, test } from "vitest";
import type { RestClient } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { Zone, lineOf, manualZone, unknownId, type Body } from "../../support/zones.ts";
import { idOf } from "./assigned.ts";

const zw = useZonewright();

let member: RestClient;
/** The administrator's zone, and the same zone as a member sees it who writes TXT everywhere and reads A at `www`. */
let zone: Zone;
let seen: Zone;
let from: string;
let to: string;

async function give(client: RestClient, domainId: string, more: object): Promise<Body> {
  const { status, body } = await zw.admin.post("/api/assignments", { userId: await idOf(client), domainId, ...more });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}

beforeAll(async () => {
  member = await zw.member("by-type");
  zone = await manualZone(zw);
  seen = new Zone(zw, zone, member);
  await give(member, zone.id, { access: "write", recordTypes: ["txt", "TXT"] });
  await give(member, zone.id, { recordTypes: ["A"], subdomainPattern: "www" });
  from = (await zone.post("/snapshots")).body.id;
  await zone.add("A", "www", "192.0.2.1");
  await zone.add("A", "db", "192.0.2.77");
  await zone.add("TXT", "www", "hello");
  await zone.add("MX", "@", "10 mail.example.net");
  await zone.add("CAA", "www", "0 issue letsencrypt.org");
  to = (await zone.post("/snapshots")).body.id;
});

const visible = ["www A 192.0.2.1", "www TXT hello"];
const outcome = ({ status, body }: { status: number; body: Body }) => [status, body.code ?? null];

describe("an assignment by record type", () => {
  test("an assignment's record types are stored once, in upper case and in order", async () => {
    const { recordTypes } = await give(member, zone.id, {
      recordTypes: ["type65280", "srv", "SRV", "A"],
      subdomainPattern: "stored",
    });
    expect(recordTypes).toEqual(["A", "SRV", "TYPE65280"]);
  });

  test.each([
    ["a name that is no type", ["TYP"]],
    ["an empty type", [""]],
    ["a number", [1]],
    ["text", "TXT"],
  ])("record types with %s are refused", async (_what, recordTypes) => {
    const body = { userId: await idOf(member), domainId: zone.id, recordTypes };
    expect((await zw.admin.post("/api/assignments", body)).status).toBe(400);
  });

  test("the list of records, its total and its counts by type have only assigned types", async () => {
    const { body } = await seen.get("/records?counts=true");
    expect([body.total, body.typeCounts]).toEqual([2, { A: 1, TXT: 1 }]);
    expect(body.records.map(lineOf)).toEqual(visible);
    expect((await seen.get("/records?type=MX")).body.total).toBe(0);
    expect((await seen.detail()).recordCount).toBe(2);
    expect((await member.get("/api/domains")).body.domains[0].recordCount).toBe(2);
  });

  test("a search finds only records of assigned types", async () => {
    for (const query of ["search=192.0.2.", "search=www", "value=192.0.2.77", "search=letsencrypt"]) {
      const { body } = await member.get(`/api/records?${query}`);
      expect([query, body.records.map(lineOf).filter((line: string) => !visible.includes(line))]).toEqual([query, []]);
      expect(body.total).toBe(body.records.length);
    }
    expect((await member.get("/api/records?search=192.0.2.")).body.total).toBe(1);
  });

  test("history, snapshots, their difference, exports and comparisons have only assigned types", async () => {
    const history = (await seen.get("/history")).body;
    expect(history.total).toBe(2);
    expect(history.entries.flatMap(({ changes }: Body) => changes.map(({ after }: Body) => lineOf(after)))).toEqual(
      visible.toReversed(),
    );
    const { body: snapshot } = await seen.get(`/snapshots/${to}`);
    expect([snapshot.recordCount, snapshot.records.map(lineOf)]).toEqual([2, visible]);
    const { body: diff } = await seen.get(`/snapshots/diff?from=${from}&to=${to}`);
    expect(JSON.stringify(diff)).not.toMatch(/192\.0\.2\.77|letsencrypt|mail\.example/);
    const { body: file } = await seen.get("/zonefile");
    expect(JSON.stringify(file)).toContain("hello");
    expect(JSON.stringify(file)).not.toMatch(/192\.0\.2\.77|letsencrypt|mail\.example/);
    const other = await manualZone(zw);
    await give(member, other.id, { recordTypes: ["TXT", "MX"] });
    const compared = (await seen.post("/compare", { with: other.id })).body;
    expect(JSON.stringify(compared)).toContain("hello");
    expect(JSON.stringify(compared)).not.toMatch(/192\.0\.2\.1|letsencrypt|mail\.example/);
  });

  test("creating, changing, planning, bulk and imports touch only assigned types", async () => {
    const made = await seen.create({ recordType: "TXT", name: "www", value: "second" });
    expect(made.status).toBe(201);
    expect((await seen.update(made.body.id, { value: "third" })).status).toBe(200);
    expect((await seen.delete(made.body.id)).status).toBe(200);
    const state = await zone.records();
    const idOfLine = (wanted: string) => state.find((record) => lineOf(record) === wanted)?.id ?? unknownId;
    expect(outcome(await seen.create({ recordType: "A", name: "new", value: "192.0.2.2" }))).toEqual([
      403,
      "FORBIDDEN",
    ]);
    // Seen, but not to be changed.
    expect(outcome(await seen.delete(idOfLine("www A 192.0.2.1")))).toEqual([403, "FORBIDDEN"]);
    // Not seen.
    expect(outcome(await seen.delete(idOfLine("db A 192.0.2.77")))).toEqual([404, "NOT_FOUND"]);
    const record = { recordType: "CNAME", name: "alias", value: "www.example.net" };
    expect(outcome(await seen.post("/records/plan", { changes: [{ action: "create", record }] }))[0]).toBe(403);
    const bulk = await seen.post("/records/bulk", { records: [record, { ...record, recordType: "TXT" }] });
    expect(bulk.body.results.map(({ success }: Body) => success)).toEqual([false, true]);
    const [alias] = await zone.records("&search=alias");
    await zone.delete(alias.id);
    const zonefile = `$ORIGIN ${zone.name}.\nnew 300 A 192.0.2.3\n`;
    for (const dryRun of [true, false])
      expect(outcome(await seen.post("/zonefile", { zonefile, mode: "merge", dryRun }))).toEqual([403, "FORBIDDEN"]);
    const text = `$ORIGIN ${zone.name}.\nnew 300 TXT "mine"\n`;
    const merged = await seen.post("/zonefile", { zonefile: text, mode: "merge" });
    expect([merged.status, merged.body.created]).toEqual([200, 1]);
    const [mine] = await zone.records("&search=new");
    await zone.delete(mine.id);
    expect(await zone.records()).toEqual(state);
  });

  test("a change set that includes other types is not reverted by somebody with one type", async () => {
    const records = ["TXT", "CAA"].map((recordType) => ({
      recordType,
      name: "both",
      value: recordType === "TXT" ? "text" : "0 issue pki.goog",
    }));
    await zone.post("/records/bulk", { records, mode: "atomic" });
    const [{ id }] = (await seen.get("/history?limit=1")).body.entries;
    expect(outcome(await seen.post(`/history/${id}/revert`, { dryRun: true }))).toEqual([403, "FORBIDDEN"]);
  });
});

const ns = (name: string, at = 1) => ({ recordType: "NS", name, value: `ns${at}.example.net` });
const mx = (name: string) => ({ recordType: "MX", name, value: "10 mail.example.net" });

describe("records that affect the whole zone", () => {
  test("apex NS records are for the owner and administrators, unless an assignment names the type", async () => {
    const [whole, named, below] = await Promise.all(["ns-all", "ns-named", "ns-below"].map((name) => zw.member(name)));
    const other = await manualZone(zw);
    const as = (client: RestClient | undefined) => new Zone(zw, other, client ?? zw.nobody);
    await give(whole ?? zw.nobody, other.id, { access: "write" });
    await give(named ?? zw.nobody, other.id, { access: "write", recordTypes: ["NS"] });
    await give(below ?? zw.nobody, other.id, { access: "write", recordTypes: ["NS"], subdomainPattern: "*.dev" });
    const refused = await as(whole).create(ns("@"));
    expect(outcome(refused)).toEqual([403, "FORBIDDEN"]);
    expect(refused.body.detail).toContain("unless an assignment names the type NS");
    const made = await other.create(ns("@"));
    expect(outcome(await as(whole).delete(made.body.id))).toEqual([403, "FORBIDDEN"]);
    expect((await as(whole).create(ns("sub"))).status).toBe(201);
    expect((await as(named).create(ns("@", 2))).status).toBe(201);
    expect((await as(named).create(ns("team"))).status).toBe(201);
    expect(outcome(await as(below).create(ns("@", 3)))).toEqual([403, "FORBIDDEN"]);
    expect((await as(below).create(ns("x.dev"))).status).toBe(201);
    expect(outcome(await as(below).create(ns("dev")))).toEqual([403, "FORBIDDEN"]);
    const zonefile = `$ORIGIN ${other.name}.\n@ 300 NS ns9.example.net.\n`;
    expect(outcome(await as(whole).post("/zonefile", { zonefile, mode: "merge" }))).toEqual([403, "FORBIDDEN"]);
  });

  test("with protectMail, MX records are for the owner and administrators, unless an assignment names the type", async () => {
    const [whole, named] = await Promise.all(["mx-all", "mx-named"].map((name) => zw.member(name)));
    const other = await manualZone(zw);
    const as = (client: RestClient | undefined) => new Zone(zw, other, client ?? zw.nobody);
    await give(whole ?? zw.nobody, other.id, { access: "write" });
    await give(named ?? zw.nobody, other.id, { access: "write", recordTypes: ["MX", "TXT"] });
    expect((await as(whole).create(mx("before"))).status).toBe(201);
    expect((await as(whole).get("")).body.protectMail).toBe(false);
    expect((await whole?.put(other.path, { protectMail: true }))?.status).toBe(403);
    expect((await other.client.put(other.path, { protectMail: true })).body.protectMail).toBe(true);
    expect(outcome(await as(whole).create(mx("after")))).toEqual([403, "FORBIDDEN"]);
    expect((await as(named).create(mx("after"))).status).toBe(201);
    expect((await other.create(mx("admin"))).status).toBe(201);
  });
});
