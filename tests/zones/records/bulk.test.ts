import { beforeEach, describe, expect, test } from "vitest";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualZone, type Body, type Zone } from "../../support/zones.ts";

const zw = useZonewright();

let zone: Zone;
beforeEach(async () => {
  zone = await manualZone(zw);
});

const a = (name: string, value = "192.0.2.1") => ({ recordType: "A", name, value, ttl: 300 });
const bulk = (records: unknown, mode?: string) =>
  zone.post("/records/bulk", { records, ...(mode === undefined ? {} : { mode }) });

describe("bulk creation, each record by itself", () => {
  test("a bulk returns one result per input, in order, and a bad input does not stop the others", async () => {
    const inputs = [
      a("one"),
      { recordType: "A", name: "two", value: "nonsense" },
      null,
      "text",
      7,
      [],
      {},
      { ...a("three"), extra: 1 },
      { recordType: "LOC", name: "four", value: "x.example" },
      a("one"),
      { recordType: "CNAME", name: "one", value: "target.example" },
      { recordType: "CNAME", name: "@", value: "target.example" },
      { recordType: "MX", name: "@", value: "mail.example.net", priority: 5 },
      { name: 5, recordType: ["A"] },
      { ...a("x.other.example."), name: "x.other.example." },
      a("last"),
    ];
    const { status, body } = await bulk(inputs);
    expect(status).toBe(200);
    expect(body).toMatchObject({ total: 16, succeeded: 3 });
    expect(body.results.map(({ success }: Body) => success)).toEqual(
      inputs.map((_, index) => [0, 12, 15].includes(index)),
    );
    const [good, bad] = [
      body.results.filter(({ success }: Body) => success),
      body.results.filter(({ success }: Body) => !success),
    ];
    for (const result of good) expect(result).toMatchObject({ id: expect.any(String), error: null });
    for (const result of bad) expect(result).toMatchObject({ id: null, error: expect.stringMatching(/\S/) });
    expect(body.results.map(({ recordType, name }: Body) => [recordType, name]).slice(0, 5)).toEqual([
      ["A", "one"],
      ["A", "two"],
      [null, null],
      [null, null],
      [null, null],
    ]);
    expect(body.results[9].error).toContain("already");
    expect(await zone.lines()).toEqual(["@ MX 5 mail.example.net", "last A 192.0.2.1", "one A 192.0.2.1"]);
  });

  test("a bulk is one revision and one entry in the history", async () => {
    await bulk(Array.from({ length: 100 }, (_, index) => a(`h${index}`)));
    expect(await zone.detail()).toMatchObject({ revision: 1, recordCount: 100 });
    expect(await zone.history()).toMatchObject([{ kind: "bulk", creates: 100, updates: 0, deletes: 0 }]);
  });

  test("a bulk without a valid record changes nothing", async () => {
    expect((await bulk([{}, null])).body).toMatchObject({ total: 2, succeeded: 0 });
    expect(await zone.detail()).toMatchObject({ revision: 0 });
    expect(await zone.history()).toEqual([]);
  });

  test("a bulk takes a hundred of the longest texts in one call", async () => {
    const value = "界".repeat(2048);
    const records = Array.from({ length: 100 }, (_, index) => ({ recordType: "TXT", name: `t${index}`, value }));
    expect((await bulk(records)).body).toMatchObject({ total: 100, succeeded: 100 });
  });

  test.each([[[]], [Array.from({ length: 101 }, () => a("x"))], [null], ["x"], [{}]])(
    "a bulk whose input is not a list of 1 to 100 records is 400 (case %#)",
    async (records) => {
      const { status, body } = await bulk(records);
      expect(status).toBe(400);
      expect(body.issues).toMatchObject([{ path: ["records"] }]);
      expect(await zone.detail()).toMatchObject({ revision: 0 });
    },
  );
});

describe("bulk creation, all or nothing", () => {
  test("an atomic bulk creates all records if all are valid", async () => {
    const { status, body } = await bulk([a("one"), a("two")], "atomic");
    expect(status).toBe(200);
    expect(body).toMatchObject({ total: 2, succeeded: 2 });
    expect(await zone.lines()).toHaveLength(2);
  });

  test("an atomic bulk with a bad record creates none, and the answer names every bad one", async () => {
    const { status, body } = await bulk([a("one"), a("two", "nonsense"), {}, a("one"), a("four")], "atomic");
    expect([status, body.code]).toEqual([409, "CONFLICT"]);
    const places = body.issues.map(({ path }: Body) => path.slice(0, 2).join("."));
    expect(new Set(places)).toEqual(new Set(["records.0", "records.1", "records.2", "records.3"]));
    expect(body.issues).toContainEqual({ path: ["records", 1, "value"], message: expect.any(String) });
    expect(await zone.detail()).toMatchObject({ revision: 0, recordCount: 0 });
  });

  test("an atomic bulk creates none if the provider refuses one", async () => {
    zone = await fileZone(zw);
    await zone.edit((text) => `${text}two 300 IN A 192.0.2.1\n`);
    const { status, body } = await bulk([a("one"), a("two"), a("three")], "atomic");
    expect([status, body.code]).toEqual([409, "CONFLICT"]);
    expect(body.issues).toContainEqual({ path: ["records", 1], message: expect.stringContaining("already") });
    expect(await zone.detail()).toMatchObject({ revision: 0, recordCount: 0 });
    expect(await zone.readFile()).not.toMatch(/^(one|three)/m);
    expect(await zone.history()).toMatchObject([{ state: "failed", creates: 0, changes: [] }]);
  });
});

test("a record that the provider refuses is reported at its item, and the others are created", async () => {
  zone = await fileZone(zw);
  await zone.edit((text) => `${text}two 300 IN A 192.0.2.1\n`);
  const { body } = await bulk([a("one"), a("two"), a("three")]);
  expect(body).toMatchObject({
    succeeded: 2,
    results: [{ success: true }, { success: false, id: null }, { success: true }],
  });
  expect(await zone.lines()).toEqual(["one A 192.0.2.1", "three A 192.0.2.1"]);
  expect(await zone.history()).toMatchObject([{ state: "partial", creates: 2, failures: [{ name: "two" }] }]);
});
