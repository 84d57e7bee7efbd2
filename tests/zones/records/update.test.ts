import { beforeEach, describe, expect, test } from "vitest";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualZone, unknownId, type Zone } from "../../support/zones.ts";

const zw = useZonewright();

let zone: Zone;
beforeEach(async () => {
  zone = await manualZone(zw);
});

describe("an update", () => {
  test("an update changes the named fields and leaves the others, including the comment", async () => {
    const { body: record } = await zone.create({
      recordType: "A",
      name: "www",
      value: "192.0.2.1",
      ttl: 300,
      comment: "c",
    });
    const steps: [object, object][] = [
      [{ value: "192.0.2.2" }, { value: "192.0.2.2" }],
      [{ ttl: 0 }, { ttl: 0 }],
      [{ name: "" }, { name: "@" }],
      [{ name: `x.${zone.name}.` }, { name: "x" }],
      [{ comment: "d" }, { comment: "d" }],
      [{ comment: null }, { comment: null }],
      [
        { recordType: "TXT", value: "t" },
        { recordType: "TXT", value: "t" },
      ],
    ];
    let present = record;
    for (const [patch, changed] of steps) {
      const { status, headers, body } = await zone.update(record.id, patch);
      expect(status).toBe(200);
      const version = present.version + 1;
      expect(body).toEqual({ ...present, ...changed, version, updatedAt: body.updatedAt });
      expect(headers.get("etag")).toBe(`"${version}"`);
      expect(await zone.records()).toEqual([body]);
      present = body;
    }
    expect(await zone.detail()).toMatchObject({ recordCount: 1, revision: 8 });
  });

  test("an update that changes nothing adds no version and no history entry", async () => {
    const record = await zone.add("A", "www", "192.0.2.1");
    for (const patch of [{}, { value: " 192.0.2.1".trim() }, { name: `www.${zone.name}.` }, { ttl: 3600 }]) {
      const { status, body } = await zone.update(record.id, patch);
      expect([status, body]).toEqual([200, record]);
    }
    expect(await zone.detail()).toMatchObject({ revision: 1 });
    expect(await zone.history()).toHaveLength(1);
  });

  test("an update of the type alone is refused if the value does not fit it", async () => {
    const record = await zone.add("A", "www", "192.0.2.1");
    const { status, body } = await zone.update(record.id, { recordType: "AAAA" });
    expect(status).toBe(400);
    expect(body.issues).toMatchObject([{ path: ["value"] }]);
  });
});

describe("the priority", () => {
  const mx = { recordType: "MX", name: "@" };
  const srv = { recordType: "SRV", name: "_sip._tcp" };

  test.each([
    [{ ...mx, value: "mail.example.net", priority: 7 }, "7 mail.example.net"],
    [{ ...mx, value: "7 mail.example.net", priority: 7 }, "7 mail.example.net"],
    [{ ...srv, value: "5 5060 sip.example.net", priority: 7 }, "7 5 5060 sip.example.net"],
  ])("the priority of %j completes the value", async (record, value) => {
    expect((await zone.create(record)).body).toMatchObject({ value, priority: 7 });
  });

  test.each([
    [{ ...mx, value: "10 mail.example.net", priority: 7 }, "priority"],
    [{ ...srv, value: "10 5 5060 sip.example.net", priority: 7 }, "priority"],
    [{ recordType: "A", name: "x", value: "192.0.2.1", priority: 7 }, "priority"],
    [{ recordType: "TXT", name: "x", value: "t", priority: 0 }, "priority"],
  ])("the priority of %j is refused", async (record, field) => {
    const { status, body } = await zone.create(record);
    expect(status).toBe(400);
    expect(body.issues).toMatchObject([{ path: [field] }]);
  });

  test.each([
    [{ priority: 20 }, { value: "20 mail.example.net", priority: 20 }],
    [{ priority: 0 }, { value: "0 mail.example.net", priority: 0 }],
    [
      { priority: null, ttl: 60 },
      { value: "10 mail.example.net", priority: 10, ttl: 60 },
    ],
    [{ ttl: 60 }, { value: "10 mail.example.net", priority: 10, ttl: 60 }],
    [{ value: "30 mx.example.org" }, { value: "30 mx.example.org", priority: 30 }],
    [{ value: "mx.example.org" }, { value: "10 mx.example.org", priority: 10 }],
    [
      { value: "mx.example.org", priority: 5 },
      { value: "5 mx.example.org", priority: 5 },
    ],
    [{ value: "0 ." }, { value: "0 .", priority: 0 }],
    [{ name: "mail" }, { name: "mail", value: "10 mail.example.net", priority: 10 }],
    [
      { recordType: "TXT", value: "t" },
      { recordType: "TXT", value: "t", priority: null },
    ],
  ])("the priority and value of an MX after %j are %j", async (patch, expected) => {
    const record = await zone.add("MX", "@", "10 mail.example.net");
    const { status, body } = await zone.update(record.id, patch);
    expect(status).toBe(200);
    expect(body).toMatchObject(expected);
  });

  test.each([
    [{ priority: 20 }, "20 5 5060 sip.example.net", 20],
    [{ value: "6 5061 sip.example.org" }, "10 6 5061 sip.example.org", 10],
    [{ value: "1 6 5061 sip.example.org" }, "1 6 5061 sip.example.org", 1],
  ])("the priority and value of an SRV after %j are %j", async (patch, value, priority) => {
    const record = await zone.add("SRV", "_sip._tcp", "10 5 5060 sip.example.net");
    expect((await zone.update(record.id, patch)).body).toMatchObject({ value, priority });
  });

  test("a priority that contradicts a new value, or is set on an A record, is refused", async () => {
    const record = await zone.add("MX", "@", "10 mail.example.net");
    const address = await zone.add("A", "www", "192.0.2.1");
    for (const [id, patch, field] of [
      [record.id, { value: "20 mail.example.net", priority: 10 }, "priority"],
      [record.id, { value: "10 mail.example.net", priority: 20 }, "priority"],
      [record.id, { value: "20 not a name" }, "value"],
      [address.id, { priority: 5 }, "priority"],
    ]) {
      const answer = await zone.update(id, patch);
      expect(answer.status).toBe(400);
      expect(answer.body.issues).toMatchObject([{ path: [field] }]);
    }
  });
});

const ttls = async () => (await zone.records()).map(({ ttl }) => ttl);

describe("the TTL", () => {
  test("a record without a TTL gets that of its RRset, or 3600", async () => {
    expect((await zone.add("A", "www", "192.0.2.1", 120)).ttl).toBe(120);
    expect((await zone.add("A", "www", "192.0.2.2")).ttl).toBe(120);
    expect((await zone.add("TXT", "www", "x")).ttl).toBe(3600);
  });

  test("the latest TTL applies to the whole RRset, and raises the versions of the other records", async () => {
    const first = await zone.add("A", "www", "192.0.2.1", 120);
    const second = await zone.add("A", "www", "192.0.2.2", 60);
    expect(await ttls()).toEqual([60, 60]);
    await zone.update(first.id, { ttl: 30 });
    expect(await ttls()).toEqual([30, 30]);
    const versions = (await zone.records()).map(({ id, version }) => [id, version]);
    expect(new Map(versions as [string, number][])).toEqual(
      new Map([
        [first.id, 3],
        [second.id, 2],
      ] as [string, number][]),
    );
  });

  test("a record that moves to another RRset without a TTL gets that of the RRset", async () => {
    await zone.add("A", "there", "192.0.2.1", 60);
    const record = await zone.add("A", "here", "192.0.2.2", 600);
    expect((await zone.update(record.id, { name: "there" })).body).toMatchObject({ name: "there", ttl: 60 });
    expect(await ttls()).toEqual([60, 60]);
    const other = await zone.add("TXT", "there", "192.0.2.3", 900);
    expect((await zone.update(other.id, { recordType: "A", ttl: 90 })).body).toMatchObject({ ttl: 90 });
    expect(await ttls()).toEqual([90, 90, 90]);
  });
});

describe("a record's id", () => {
  test("a record's id is not found after a delete, or under another domain", async () => {
    const other = await manualZone(zw);
    const record = await zone.add("A", "www", "192.0.2.1");
    expect((await other.update(record.id, { ttl: 60 })).status).toBe(404);
    expect((await other.delete(record.id)).status).toBe(404);
    const deleted = await zone.delete(record.id);
    expect([deleted.status, deleted.body]).toEqual([200, { success: true }]);
    expect((await zone.delete(record.id)).status).toBe(404);
    expect((await zone.update(record.id, { ttl: 60 })).status).toBe(404);
    expect((await zone.update(unknownId, { ttl: 60 }, { "if-match": '"1"' })).status).toBe(404);
    expect((await zone.delete("x")).status).toBe(400);
    expect(await zone.detail()).toMatchObject({ recordCount: 0 });
  });
});

test("other fields of a record can be edited even if clients cannot write its name or value", async () => {
  const file = await fileZone(zw, 'we\\.ird 300 TXT "x"\nsrv SRV 0 0 0 .\n');
  const [service, text] = await file.records();
  expect((await file.update(text.id, { value: "y" })).body).toMatchObject({ name: "we\\.ird", value: "y" });
  expect((await file.update(service.id, { ttl: 60 })).body).toMatchObject({ value: "0 0 0 .", ttl: 60 });
  expect((await file.update(service.id, { priority: 1 })).status).toBe(400);
  const { recordType, name, value, ttl, priority, proxied } = (await file.records("&type=SRV"))[0];
  const whole = { recordType, name, value, ttl, priority, proxied, comment: "sent back as a whole" };
  expect((await file.update(service.id, whole)).body).toMatchObject(whole);
  expect((await file.update(text.id, { name: "we\\.ird", ttl: 90 })).body).toMatchObject({ name: "we\\.ird", ttl: 90 });
  expect((await file.post("/sync")).body).toMatchObject({ unchanged: 2 });
});
