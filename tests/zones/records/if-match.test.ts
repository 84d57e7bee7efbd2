import { beforeEach, describe, expect, test } from "vitest";
import { useZonewright } from "../../support/zonewright.ts";
import { manualZone, type Zone } from "../../support/zones.ts";

const zw = useZonewright();

let zone: Zone;
beforeEach(async () => {
  zone = await manualZone(zw);
});

describe("If-Match", () => {
  test("If-Match allows an edit only at its version, and a refused edit changes nothing", async () => {
    const record = await zone.add("A", "www", "192.0.2.1");
    const second = await zone.update(record.id, { ttl: 60 }, { "if-match": '"1"' });
    expect(second.status).toBe(200);
    for (const answer of [
      await zone.update(record.id, { ttl: 30 }, { "if-match": '"1"' }),
      await zone.update(record.id, { value: "no address" }, { "if-match": '"3"' }),
      await zone.delete(record.id, { "if-match": '"1"' }),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([412, "PRECONDITION_FAILED"]);
    }
    expect(await zone.records()).toEqual([second.body]);
    expect((await zone.update(record.id, { ttl: 30 }, { "if-match": "*" })).status).toBe(200);
    expect((await zone.delete(record.id, { "if-match": '"3"' })).status).toBe(200);
  });

  test.each(["3", 'W/"1"', '"1", "2"', '"x"', '"-1"', "null"])("If-Match of %s is 400", async (header) => {
    const record = await zone.add("A", "www", "192.0.2.1");
    const headers = { "if-match": header };
    expect((await zone.update(record.id, { ttl: 60 }, headers)).status).toBe(400);
    expect((await zone.delete(record.id, headers)).status).toBe(400);
  });

  test("of fifty simultaneous edits with the same If-Match version, one succeeds", async () => {
    const record = await zone.add("A", "www", "192.0.2.1", 1);
    const edits = Array.from({ length: 50 }, (_, index) =>
      zone.update(record.id, { ttl: index + 2 }, { "if-match": '"1"' }),
    );
    const statuses = (await Promise.all(edits)).map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([200, ...Array.from({ length: 49 }, () => 412)]);
    expect(await zone.records()).toMatchObject([{ version: 2 }]);
  });
});
