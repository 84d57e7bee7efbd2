import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { useZonewright } from "../../support/zonewright.ts";
import { manualZone, type Body, type Zone } from "../../support/zones.ts";

const zw = useZonewright();

let zone: Zone;
let all: Body[];

beforeAll(async () => {
  zone = await manualZone(zw);
  const records = Array.from({ length: 137 }, (_, index) => {
    const name = ["@", "www", "mail", `h${index}`, `_s${index}._tcp`, `bücher${index}`][index % 6];
    return index % 3 === 0
      ? { recordType: "TXT", name, value: `text ${index}` }
      : { recordType: "A", name, value: `192.0.2.${index}` };
  });
  await zone.post("/records/bulk", { records: records.slice(0, 100) });
  await zone.post("/records/bulk", { records: records.slice(100) });
  all = await zone.records();
});

const asOf = (revision: number) => ({ revision, typeCounts: null });

describe("the list of records", () => {
  test("the list of records holds every record, by name and type", async () => {
    expect(all).toHaveLength(137);
    const keys = all.map(({ name, recordType, id }) => [name, recordType, id]);
    expect(keys).toEqual(keys.toSorted((a, b) => (a.join("\u0000") < b.join("\u0000") ? -1 : 1)));
    expect(await zone.detail()).toMatchObject({ recordCount: 137 });
  });

  test("the list of records shows fifty on the first page by default", async () => {
    const { body } = await zone.get("/records");
    expect(body).toEqual({ records: all.slice(0, 50), total: 137, page: 1, limit: 50, ...asOf(2) });
  });

  test("the list of records is the same however it is paged and filtered", async () => {
    const filter = fc.record(
      {
        type: fc.constantFrom("A", "a", "TXT", "MX"),
        search: fc.constantFrom("h1", "_", "@", "www", "ü", "%", "xn--"),
      },
      { requiredKeys: [] },
    );
    const page = fc.integer({ min: 1, max: 30 });
    const limit = fc.integer({ min: 1, max: 60 });
    await fc.assert(
      fc.asyncProperty(filter, page, limit, async (by, page, limit) => {
        const wanted = all.filter(
          ({ name, recordType }) =>
            (by.type === undefined || recordType === by.type.toUpperCase()) &&
            (by.search === undefined || (by.search === "ü" ? name.startsWith("xn--") : name.includes(by.search))),
        );
        const query = new URLSearchParams({ ...by, page: String(page), limit: String(limit) });
        const { body } = await zone.get(`/records?${query.toString()}`);
        expect(body).toEqual({
          records: wanted.slice((page - 1) * limit, page * limit),
          total: wanted.length,
          page,
          limit,
          ...asOf(2),
        });
      }),
      { numRuns: 80 },
    );
  });

  test("the last page of records has the same order, and later pages are empty", async () => {
    const last = await zone.get("/records?page=3&limit=50");
    expect(last.body).toEqual({ records: all.slice(100), total: 137, page: 3, limit: 50, ...asOf(2) });
    const beyond = await zone.get("/records?page=2147483647&limit=500");
    expect(beyond.body).toEqual({ records: [], total: 137, page: 2_147_483_647, limit: 500, ...asOf(2) });
  });

  test.each([
    ["limit=0", "limit"],
    ["limit=501", "limit"],
    ["limit=abc", "limit"],
    ["page=0", "page"],
    ["page=1.5", "page"],
    [`search=${"x".repeat(254)}`, "search"],
    ["type=%00", "type"],
    ["order=name", "order"],
  ])("the list of records refuses %s and names the parameter", async (parameters, field) => {
    const { status, body } = await zone.get(`/records?${parameters}`);
    expect(status).toBe(400);
    expect(body.issues).toMatchObject([{ path: [field] }]);
  });

  test("the list of records of an empty zone is empty", async () => {
    const { body } = await (await manualZone(zw)).get("/records");
    expect(body).toEqual({ records: [], total: 0, page: 1, limit: 50, ...asOf(0) });
  });
});
