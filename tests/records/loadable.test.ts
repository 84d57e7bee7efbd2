import { beforeEach, describe, expect, test } from "vitest";
import { useZonewright } from "../support/zonewright.ts";
import { fileZone, manualZone, type Zone } from "../support/zones.ts";

const zw = useZonewright();

let zone: Zone;
beforeEach(async () => {
  zone = await fileZone(zw);
});

describe("what a name server would refuse the whole zone for is refused", () => {
  test.each([
    [{ recordType: "A", name: "my_host", value: "192.0.2.1" }, "name"],
    [{ recordType: "MX", name: "in_box", value: "10 mail.example.net" }, "name"],
    [{ recordType: "MX", name: "@", value: "10 foo_bar.example.net" }, "value"],
    [{ recordType: "NS", name: "sub", value: "foo_bar.example.net" }, "value"],
    [{ recordType: "NS", name: "*", value: "ns1.example.net" }, "recordType"],
  ])("in a zone file: %j", async (record, field) => {
    const { status, body } = await zone.create(record);
    expect(status).toBe(400);
    expect(body.issues).toMatchObject([{ path: [field] }]);
  });

  test("but not where underscores belong, nor where no such server loads the zone", async () => {
    for (const record of [
      { recordType: "TXT", name: "_dmarc", value: "v=DMARC1" },
      { recordType: "SRV", name: "_sip._tcp", value: "0 5 5060 sip.example.net" },
      { recordType: "CNAME", name: "_acme-challenge", value: "_acme.example.net" },
    ]) {
      expect((await zone.create(record)).status).toBe(201);
    }
    const manual = await manualZone(zw);
    expect((await manual.create({ recordType: "A", name: "my_host", value: "192.0.2.1" })).status).toBe(201);
  });
});

test("the data of a type that clients cannot write stays as it came", async () => {
  zone = await fileZone(zw, "host 300 SSHFP 4 2 aabbcc\n");
  const [record] = await zone.records();
  for (const patch of [{ value: "garbage" }, { name: "other" }, { recordType: "A", value: "192.0.2.1" }]) {
    const { status, body } = await zone.update(record.id, patch);
    expect(status).toBe(400);
    expect(body.message).toMatch(/kept as they came/);
  }
  expect((await zone.update(record.id, { value: record.value, ttl: 60, comment: "key" })).body).toMatchObject({
    ttl: 60,
  });
});

test("an export has the SOA that the provider serves", async () => {
  const soa = /IN SOA[^)]*\)/;
  const [served] = soa.exec(await zone.readFile()) ?? [];
  expect(served).toBeDefined();
  expect((await zone.get("/zonefile")).body).toContain(served);
});
