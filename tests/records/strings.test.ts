import { beforeEach, describe, expect, test } from "vitest";
import { useZonewright } from "../support/zonewright.ts";
import { fileZone, type Zone } from "../support/zones.ts";

const zw = useZonewright();

let zone: Zone;
beforeEach(async () => {
  zone = await fileZone(zw, 'printer._ipp._tcp 300 TXT "txtvers=1" "rp=lp"\nwww 300 A 192.0.2.1\n');
});

const strings = ["txtvers=1", "rp=lp"];
const printed = '"txtvers=1" "rp=lp"';
const text = async () => {
  const [record] = await zone.records("&type=TXT");
  return record;
};

describe("a TXT record that is cut into strings", () => {
  test("is shown with its strings, and one cut at 255 octets with null", async () => {
    expect(await text()).toMatchObject({ value: "txtvers=1rp=lp", strings });
    const long = await zone.create({ recordType: "TXT", name: "long", value: "x".repeat(600) });
    expect(long.body).toMatchObject({ strings: null });
    const [address] = await zone.records("&type=A");
    expect(address).toMatchObject({ strings: null });
  });

  test("keeps its strings when another record or its own TTL changes", async () => {
    await zone.add("A", "other", "192.0.2.9");
    expect(await zone.readFile()).toContain(printed);
    const { id } = await text();
    expect((await zone.update(id, { ttl: 77 })).body).toMatchObject({ ttl: 77, strings });
    expect(await zone.readFile()).toContain(printed);
  });

  test("is created from strings alone, or from strings and the value that they make", async () => {
    for (const [name, value] of [["one"], ["two", "ab"]]) {
      const answer = await zone.create({ recordType: "TXT", name, value, strings: ["a", "b"] });
      expect({ ...answer.body, status: answer.status }).toMatchObject({
        status: 201,
        value: "ab",
        strings: ["a", "b"],
      });
    }
    expect((await zone.readFile()).match(/"a" "b"/g)).toHaveLength(2);
  });

  test("is another record than one of the same value that is cut elsewhere", async () => {
    const create = (given: object) => zone.create({ recordType: "TXT", name: "x", ...given });
    expect((await create({ strings: ["a", "b"] })).status).toBe(201);
    expect((await create({ value: "ab" })).status).toBe(201);
    expect((await create({ strings: ["", "ab"] })).status).toBe(201);
    expect((await create({ strings: ["a", "b"] })).status).toBe(409);
    expect((await create({ strings: ["ab"] })).status).toBe(409);
    expect((await zone.post("/sync")).body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
  });

  test("is cut anew by a change of its strings, and at 255 octets by a change of its value", async () => {
    const { id } = await text();
    expect((await zone.update(id, { strings: ["txtvers=1rp", "=lp"] })).body).toMatchObject({
      value: "txtvers=1rp=lp",
      strings: ["txtvers=1rp", "=lp"],
    });
    expect((await zone.update(id, { value: "txtvers=1rp=lp" })).body).toMatchObject({ strings: null });
    expect(await zone.readFile()).toContain('"txtvers=1rp=lp"');
    await zone.update(id, { strings });
    expect((await zone.update(id, { strings: null })).body).toMatchObject({ value: "txtvers=1rp=lp", strings: null });
  });

  test("can be made and changed in plans, in bulk and by the Open API", async () => {
    const record = { recordType: "TXT", name: "p", strings: ["a", "b"] };
    const { id } = await text();
    const changes = [
      { action: "create", record },
      { action: "update", recordId: id, record: { strings: ["txtvers=1rp", "=lp"] } },
    ];
    const { body: plan } = await zone.post("/records/plan", { changes });
    expect(plan.creates).toMatchObject([{ value: "ab", strings: ["a", "b"] }]);
    expect(plan.updates).toMatchObject([{ changes: { strings: [strings, ["txtvers=1rp", "=lp"]] } }]);
    const applied = await zone.post("/records/apply", { changes, planHash: plan.planHash });
    expect(applied.body.results).toMatchObject([{ record: { strings: ["a", "b"] } }, { record: { ttl: 300 } }]);
    const bulk = await zone.post("/records/bulk", {
      records: [
        { ...record, name: "q" },
        { ...record, name: "r", value: "other" },
      ],
    });
    expect(bulk.body.results).toMatchObject([{ success: true }, { success: false, error: /^strings: / }]);
    const open = await zw.admin.post(`/api/v1/domains/${zone.id}/records`, { ...record, name: "s" });
    expect(open.body).toMatchObject({ strings: ["a", "b"] });
  });
});
