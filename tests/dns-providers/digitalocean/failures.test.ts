import { describe, expect, test } from "vitest";
import { failure } from "../../support/vendors/digitalocean/server.ts";
import type { VendorCall } from "../../support/vendors/loopback-vendor.ts";
import { hour } from "../../support/clock.ts";
import { useAccount } from "./account.ts";

const account = useAccount();

const isChange = ({ method }: VendorCall) => method !== "GET";
const isReading = ({ method }: VendorCall) => method === "GET";
const says = (text: string) => (call: VendorCall) => isChange(call) && call.body.includes(text);
const broken = failure(500, "server_error", "Unexpected server-side error");
const slower = (headers: Record<string, string>) =>
  failure(429, "too_many_requests", "API rate limit exceeded.", headers);
const a = (name: string, value: string) => ({ recordType: "A", name, value, ttl: 60 });
const creates = (...records: object[]) => records.map((record) => ({ action: "create", record }));

describe("rate limits", () => {
  test.each([
    ["for some seconds", () => ({ "retry-after": "1", "ratelimit-reset": "9999999999" })],
    ["until a given time", () => ({ "ratelimit-reset": String(Math.floor(Date.now() / 1_000) + 1) })],
  ])("a call that is rate-limited %s is retried then, and the change is made once", async (_what, headers) => {
    const zone = await account.zone();
    account.server.failNext({ after: false, reply: slower(headers()) }, 1, isChange);
    const before = account.server.changes().length;
    await zone.add("A", "a", "192.0.2.1", 60);
    expect(account.server.changes()).toHaveLength(before + 2);
    expect(account.server.lines(zone.name)).toEqual(["a A 60 192.0.2.1"]);
  });

  test("a call that is rate-limited for too long fails with nothing changed", async () => {
    const zone = await account.zone();
    account.server.failNext({ after: false, reply: slower({ "retry-after": "3600" }) }, 1, isChange);
    const { status, body } = await zone.create(a("a", "192.0.2.1"));
    expect([status, body.detail]).toEqual([502, expect.stringContaining("accepts no more calls for now")]);
    expect(await zone.records("&type=A")).toEqual([]);
    await account.wait(hour);
  });
});

test("a read from DigitalOcean that fails or is cut off is retried", async () => {
  const zone = await account.zone();
  account.server.failNext({ after: false, reply: broken }, 1, isReading);
  account.server.failNext({ after: false, reply: null }, 1, isReading);
  expect((await zone.post("/sync")).status).toBe(200);
});

test.each([
  ["and that was made", true, null],
  ["and that was not made", false, null],
  ["by a failure, after it was made", true, broken],
  ["by a failure, before it was made", false, broken],
])("a change at DigitalOcean whose answer is lost %s is reported correctly", async (_what, after, reply) => {
  const zone = await account.zone();
  account.server.failNext({ after, reply }, 1, isChange);
  const { status } = await zone.create(a("lost", "192.0.2.1"));
  expect(status).toBe(after ? 201 : 502);
  expect(account.server.lines(zone.name)).toHaveLength(after ? 1 : 0);
  expect(await zone.records("&type=A")).toHaveLength(after ? 1 : 0);
  await account.settle();
  expect((await zone.post("/sync")).body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
});

test("of independent changes at DigitalOcean a refused one fails alone", async () => {
  const zone = await account.zone();
  account.server.add(zone.name, { type: "CNAME", name: "taken", data: "x.example.net." });
  const records = [a("one", "192.0.2.1"), a("taken", "192.0.2.2"), a("two", "192.0.2.3")];
  const { body } = await zone.post("/records/bulk", { records });
  expect(body).toMatchObject({ succeeded: 2, results: [{ success: true }, { success: false }, { success: true }] });
  account.server.failNext(
    { after: false, reply: failure(422, "unprocessable_entity", "Data is invalid") },
    1,
    says("192.0.2.5"),
  );
  const again = await zone.post("/records/bulk", {
    records: ["4", "5", "6"].map((end) => a("more", `192.0.2.${end}`)),
  });
  expect(again.body.results[1].error).toContain("DigitalOcean refused the change: Data is invalid (422)");
  expect(again.body.succeeded).toBe(2);
});

test("a push to DigitalOcean that is refused in part keeps both records where it was refused, and can be repeated", async () => {
  const zone = await account.zone();
  await zone.add("A", "ours", "192.0.2.1", 60);
  await zone.add("A", "kept", "192.0.2.2", 60);
  account.server.clear(zone.name, "ours");
  account.server.clear(zone.name, "kept");
  account.server.add(zone.name, { type: "A", name: "theirs", data: "192.0.2.9", ttl: 60 });
  account.server.failNext(
    { after: false, reply: failure(422, "unprocessable_entity", "Data is invalid") },
    1,
    says("192.0.2.1"),
  );
  const before = await zone.lines();
  expect((await zone.post("/push")).body).toMatchObject({
    success: false,
    created: 1,
    deleted: 1,
    failed: [{ name: "ours", error: expect.stringContaining("Data is invalid") }],
  });
  expect(account.server.lines(zone.name)).toEqual(["kept A 60 192.0.2.2"]);
  expect(await zone.lines()).toEqual(before);
  expect(await zone.history()).toMatchObject([
    { kind: "push", state: "partial", creates: 1, deletes: 1, failures: [{ name: "ours" }] },
    { kind: "sync", creates: 1, deletes: 1 },
    { kind: "edit" },
    { kind: "edit" },
    {},
  ]);
  expect((await zone.post("/push")).body).toMatchObject({ success: true, created: 1, failed: [] });
  expect((await zone.post("/sync")).body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
});

test("changes made before a rate limit stand, and the others are reported as not made", async () => {
  const zone = await account.zone();
  account.server.failNext({ after: false, reply: slower({ "retry-after": "3600" }) }, 1, says("192.0.2.2"));
  const records = [a("one", "192.0.2.1"), a("two", "192.0.2.2"), a("three", "192.0.2.3")];
  const { body } = await zone.post("/records/bulk", { records });
  expect(body.results.map(({ success }: { success: boolean }) => success)).toEqual([true, false, false]);
  expect(account.server.lines(zone.name)).toEqual(["one A 60 192.0.2.1"]);
  await account.wait(hour);
});

describe("atomic sets", () => {
  const refusal = failure(422, "unprocessable_entity", "Data is invalid");

  test("an atomic set is undone when a later call is refused, and deleted records are back", async () => {
    const zone = await account.zone();
    const old = await zone.add("A", "swap", "192.0.2.1", 60);
    const kept = await zone.add("TXT", "kept", "before", 60);
    account.server.failNext({ after: false, reply: refusal }, 1, says("cdn.example.net"));
    const changes = [
      { action: "delete", recordId: old.id },
      { action: "update", recordId: kept.id, record: { value: "after" } },
      ...creates({ recordType: "CNAME", name: "swap", value: "cdn.example.net", ttl: 60 }),
    ];
    const { body: plan } = await zone.post("/records/plan", { changes });
    const { status, body } = await zone.post("/records/apply", { changes, planHash: plan.planHash });
    expect([status, JSON.stringify(body)]).toEqual([409, expect.stringContaining("Data is invalid")]);
    expect(account.server.lines(zone.name)).toEqual(["kept TXT 60 before", "swap A 60 192.0.2.1"]);
    expect((await zone.post("/sync")).body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
  });

  test("an atomic set that cannot be undone is reported with the records that remain", async () => {
    const zone = await account.zone();
    account.server.failNext({ after: false, reply: refusal }, 1, says("192.0.2.2"));
    account.server.failNext({ after: false, reply: refusal }, 2, ({ method }) => method === "DELETE");
    const changes = creates(a("one", "192.0.2.1"), a("two", "192.0.2.2"));
    const { body: plan } = await zone.post("/records/plan", { changes });
    const { status, body } = await zone.post("/records/apply", { changes, planHash: plan.planHash });
    const reported =
      "Only 1 of 2 changes were made; see the history. DigitalOcean refused the change: Data is invalid (422)";
    expect([status, body.detail]).toEqual([502, reported]);
    expect(account.server.lines(zone.name)).toEqual(["one A 60 192.0.2.1"]);
    expect(await zone.lines()).toContain("one A 192.0.2.1");
    expect((await zone.post("/sync")).body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
  });

  test("an atomic set undone at the second attempt is refused with only the vendor's message", async () => {
    const zone = await account.zone();
    account.server.failNext({ after: false, reply: refusal }, 1, says("192.0.2.2"));
    account.server.failNext({ after: false, reply: refusal }, 1, ({ method }) => method === "DELETE");
    const changes = creates(a("one", "192.0.2.1"), a("two", "192.0.2.2"));
    const { body: plan } = await zone.post("/records/plan", { changes });
    const { status, body } = await zone.post("/records/apply", { changes, planHash: plan.planHash });
    expect([status, body.detail]).toEqual([502, "DigitalOcean refused the change: Data is invalid (422)"]);
    expect(account.server.lines(zone.name)).toEqual([]);
  });

  test("an atomic set is undone later if undoing it got no answer", async () => {
    const zone = await account.zone();
    account.server.failNext({ after: false, reply: refusal }, 1, says("192.0.2.2"));
    account.server.failNext({ after: false, reply: broken }, 2, ({ method }) => method === "DELETE");
    const changes = creates(a("one", "192.0.2.1"), a("two", "192.0.2.2"));
    const { body: plan } = await zone.post("/records/plan", { changes });
    expect((await zone.post("/records/apply", { changes, planHash: plan.planHash })).status).toBe(502);
    // The first call to undo it gets no answer either.
    await account.settle();
    expect(account.server.lines(zone.name)).toEqual(["one A 60 192.0.2.1"]);
    await account.settle();
    expect(account.server.lines(zone.name)).toEqual([]);
    expect(await zone.lines()).not.toContain("one A 192.0.2.1");
    expect((await zone.post("/sync")).body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
  });
});

test("a domain deleted at DigitalOcean is reported as missing", async () => {
  const zone = await account.zone();
  account.server.removeDomain(zone.name);
  const { status, body } = await zone.post("/sync");
  expect([status, body.detail]).toEqual([502, expect.stringContaining("no such domain")]);
});
