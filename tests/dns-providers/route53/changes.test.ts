import { describe, expect, test } from "vitest";
import { useAccount } from "./account.ts";

const account = useAccount();

const own = (lines: string[]) => lines.filter((line) => !/ (?:NS|SOA) \d+ /.test(line));

test("a record at Route 53 can be created, edited, given another TTL, moved and deleted", async () => {
  const { zone, hosted } = await account.zone();
  const there = () => own(account.server.lines(hosted));
  const made = await zone.add("A", "crane", "192.0.2.1", 300);
  expect(there()).toEqual([`crane.${zone.name}. A 300 192.0.2.1`]);
  await zone.add("A", "crane", "192.0.2.2", 60);
  expect(there()).toEqual([`crane.${zone.name}. A 60 192.0.2.1`, `crane.${zone.name}. A 60 192.0.2.2`]);
  expect((await zone.update(made.id, { value: "192.0.2.3" })).status).toBe(200);
  expect((await zone.update(made.id, { name: "winch" })).status).toBe(200);
  expect(there()).toEqual([`crane.${zone.name}. A 60 192.0.2.2`, `winch.${zone.name}. A 60 192.0.2.3`]);
  expect((await zone.delete(made.id)).status).toBe(200);
  expect(there()).toEqual([`crane.${zone.name}. A 60 192.0.2.2`]);
  expect((await zone.post("/sync")).body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
});

test("a hundred records, and a change of type, take one call each to Route 53", async () => {
  const { zone } = await account.zone();
  const before = account.server.batches().length;
  const records = Array.from({ length: 100 }, (_, index) => ({
    recordType: "A",
    name: `h${index}`,
    value: "192.0.2.1",
  }));
  expect((await zone.post("/records/bulk", { records })).body.succeeded).toBe(100);
  expect(account.server.batches()).toHaveLength(before + 1);
  const [first] = await zone.records("&search=h0");
  expect((await zone.update(first.id, { recordType: "CNAME", value: "www.example.net" })).status).toBe(200);
  expect(account.server.batches()).toHaveLength(before + 2);
});

test("1,201 records are created at Route 53, read over several pages, and deleted", async () => {
  const { zone, hosted } = await account.zone();
  const lines = Array.from({ length: 1_201 }, (_, index) => `p${index} 300 IN A 10.0.${index >> 8}.${index & 255}`);
  const imported = await zone.post("/zonefile", { zonefile: `${lines.join("\n")}\n`, mode: "merge" });
  expect(imported.body.created).toBe(1_201);
  expect(own(account.server.lines(hosted))).toHaveLength(1_201);
  const calls = account.server.calls.length;
  expect((await zone.post("/sync")).body).toMatchObject({ created: 0, updated: 0, deleted: 0, unchanged: 1_205 });
  // Five pages and the lookup of the zone.
  expect(account.server.calls.length - calls).toBe(6);
  const emptied = await zone.post("/zonefile", { zonefile: "p0 300 A 10.0.0.0\n", mode: "replace", force: true });
  expect(emptied.body).toMatchObject({ deleted: 1_200 });
  expect(own(account.server.lines(hosted))).toEqual([`p0.${zone.name}. A 300 10.0.0.0`]);
});

test("a rollback restores a snapshot at Route 53", async () => {
  const { zone, hosted } = await account.zone();
  const record = await zone.add("TXT", "t", 'a "quoted" \\ text; ü', 300);
  const { body: snapshot } = await zone.post("/snapshots");
  await zone.update(record.id, { value: "other" });
  await zone.add("A", "new", "192.0.2.1", 300);
  const { body } = await zone.post(`/snapshots/${snapshot.id}/rollback`, {});
  expect(body).toMatchObject({ success: true, created: 0, updated: 1, deleted: 1, failed: [] });
  expect(own(account.server.lines(hosted))).toEqual([
    String.raw`t.${zone.name}. TXT 300 "a \"quoted\" \\ text; \303\274"`,
  ]);
});

describe("edits made at Route 53 meanwhile", () => {
  test("an edit to another record of the RRset at Route 53 is kept", async () => {
    const { zone, hosted } = await account.zone();
    const name = `both.${zone.name}`;
    const record = await zone.add("A", "both", "192.0.2.1", 300);
    account.server.put(hosted, { name, type: "A", ttl: 300, values: ["192.0.2.1", "192.0.2.9"] });
    expect((await zone.update(record.id, { value: "192.0.2.2" })).status).toBe(200);
    expect(own(account.server.lines(hosted)).toSorted()).toEqual([
      `${name}. A 300 192.0.2.2`,
      `${name}. A 300 192.0.2.9`,
    ]);
    expect((await zone.post("/sync")).body).toMatchObject({ created: 1 });
  });

  test("an edit at Route 53 between our read and our change is never overwritten", async () => {
    const { zone, hosted } = await account.zone();
    const name = `race.${zone.name}`;
    const record = await zone.add("A", "race", "192.0.2.1", 300);
    account.server.meanwhile(
      ({ method }) => method === "POST",
      () => account.server.put(hosted, { name, type: "A", ttl: 300, values: ["192.0.2.1", "192.0.2.9"] }),
    );
    const { status, body } = await zone.update(record.id, { value: "192.0.2.2" });
    expect([status, body.detail]).toEqual([502, expect.stringContaining("do not match the current values")]);
    expect(body.detail).toContain("sync the zone first");
    expect(own(account.server.lines(hosted))).toEqual([`${name}. A 300 192.0.2.1`, `${name}. A 300 192.0.2.9`]);
  });

  test("editing a record that was changed at Route 53 is refused with advice to sync", async () => {
    const { zone, hosted } = await account.zone();
    const record = await zone.add("A", "gone", "192.0.2.1", 300);
    account.server.remove(hosted, `gone.${zone.name}`, "A");
    const { status, body } = await zone.update(record.id, { value: "192.0.2.2" });
    expect([status, body.detail]).toEqual([502, expect.stringContaining("sync the zone first")]);
    expect(own(account.server.lines(hosted))).toEqual([]);
  });
});

describe("limits of Route 53", () => {
  test.each([
    [{ recordType: "TXT", name: "t", value: "漢".repeat(400) }, "4000 characters"],
    [{ recordType: "NS", name: "@", value: "ns.example.net" }, "manages the name servers at the apex"],
  ])("an unsupported record is refused before anything is sent to Route 53: %j", async (record, words) => {
    const { zone } = await account.zone();
    const calls = account.server.calls.length;
    const { status, body } = await zone.create(record);
    expect([status, body.detail]).toEqual([400, expect.stringContaining("Amazon Route 53")]);
    expect(body.detail).toContain(words);
    expect(account.server.calls).toHaveLength(calls);
  });

  test("an unsupported type is refused before anything is sent to Route 53", async () => {
    const { zone } = await account.zone();
    const { status, body } = await zone.post("/zonefile", { zonefile: "h 60 IN HINFO a b\n", mode: "merge" });
    expect([status, body.detail]).toEqual([409, expect.stringContaining("Amazon Route 53 cannot store HINFO records")]);
  });

  test("Route 53's name servers at the apex cannot be edited, deleted or replaced", async () => {
    const { zone, hosted } = await account.zone();
    const before = account.server.lines(hosted);
    const [ns] = await zone.records("&type=NS");
    expect((await zone.delete(ns.id)).status).toBe(400);
    expect((await zone.update(ns.id, { ttl: 60 })).status).toBe(400);
    const { body } = await zone.post("/zonefile", { zonefile: "@ 60 IN NS ns.example.net.\n", mode: "replace" });
    expect(body.warnings.join(" ")).toContain("stays unchanged: Amazon Route 53 manages the name servers");
    expect(account.server.lines(hosted)).toEqual(before);
  });
});
