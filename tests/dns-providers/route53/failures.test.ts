import { describe, expect, test } from "vitest";
import { failure } from "../../support/vendors/route53/server.ts";
import type { VendorCall } from "../../support/vendors/loopback-vendor.ts";
import { useAccount } from "./account.ts";

const account = useAccount();

const isChange = ({ method }: VendorCall) => method === "POST";
const isReading = ({ method }: VendorCall) => method === "GET";
const isSecond = (call: VendorCall) => isChange(call) && call.body.includes("p1200.");
const isTakingBack = (call: VendorCall) => isChange(call) && call.body.includes("<Action>DELETE</Action>");
const records = (names: readonly string[]) =>
  names.map((name) => ({ recordType: "A", name, value: "192.0.2.1", ttl: 60 }));
const own = (lines: string[]) => lines.filter((line) => !/ (?:NS|SOA) \d+ /.test(line));

describe("a call that is put off", () => {
  test.each([
    ["for its rate", "Throttling", "Rate exceeded"],
    [
      "for the one before",
      "PriorRequestNotComplete",
      "The request was rejected because Route 53 was still processing a prior request.",
    ],
  ])("%s is sent again, and the change is made once", async (_what, code, message) => {
    const { zone, hosted } = await account.zone();
    account.server.failNext({ after: false, reply: failure(400, code, message) }, 1, isChange);
    const before = account.server.batches().length;
    await zone.add("A", "a", "192.0.2.1", 60);
    expect(own(account.server.lines(hosted))).toHaveLength(1);
    expect(account.server.batches()).toHaveLength(before + 2);
  });
});

test("a reading call that fails or is cut off is sent again", async () => {
  const { zone } = await account.zone();
  account.server.failNext({ after: false, reply: failure(500, "InternalFailure", "An internal error.") }, 1, isReading);
  account.server.failNext({ after: false, reply: null }, 1, isReading);
  expect((await zone.post("/sync")).status).toBe(200);
});

describe("a change whose answer is lost", () => {
  test.each([
    ["and that was made", true, null],
    ["and that was not made", false, null],
    ["by a failure, after it was made", true, failure(504, "GatewayTimeout", "timed out")],
    ["by a failure, before it was made", false, failure(500, "InternalFailure", "An internal error.")],
  ])("%s is told as it is", async (_what, after, reply) => {
    const { zone, hosted } = await account.zone();
    account.server.failNext({ after, reply }, 1, isChange);
    const before = account.server.batches().length;
    const { status } = await zone.create({ recordType: "A", name: "lost", value: "192.0.2.1", ttl: 60 });
    expect(status).toBe(after ? 201 : 502);
    expect(account.server.batches()).toHaveLength(before + 1);
    expect(own(account.server.lines(hosted))).toHaveLength(after ? 1 : 0);
    expect((await zone.records("&search=lost")).length).toBe(after ? 1 : 0);
    await account.settle();
    expect((await zone.post("/sync")).body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
  });
});

describe("what Route 53 refuses", () => {
  test("is told for the record that it names, and the others are made", async () => {
    const { zone, hosted } = await account.zone();
    account.server.put(hosted, { name: `taken.${zone.name}`, type: "CNAME", ttl: 60, values: ["x.example.net"] });
    const { body } = await zone.post("/records/bulk", { records: records(["one", "taken", "two"]) });
    expect(body).toMatchObject({ succeeded: 2, results: [{ success: true }, { success: false }, { success: true }] });
    expect(own(account.server.lines(hosted))).toHaveLength(3);
  });

  test.each([
    ["by its name", (name: string) => `[RRSet of type A with DNS name ${name}. is not permitted]`, 2],
    ["without naming it", () => "[Invalid Resource Record: FATAL problem]", 5],
  ])("%s is left out of the batch and the rest sent again", async (_what, message, calls) => {
    const { zone, hosted } = await account.zone();
    const names = ["a", "b", "bad", "d"];
    const before = account.server.batches().length;
    const isBad = (call: VendorCall) => isChange(call) && call.body.includes(`bad.${zone.name}`);
    const reply = failure(400, "InvalidChangeBatch", message(`bad.${zone.name}`));
    account.server.failNext({ after: false, reply }, calls === 2 ? 1 : 3, isBad);
    const { body } = await zone.post("/records/bulk", { records: records(names) });
    expect(body.results.map(({ success }: { success: boolean }) => success)).toEqual([true, true, false, true]);
    expect(body.results[2].error).toContain("Amazon Route 53 refuses it: [");
    expect(own(account.server.lines(hosted))).toHaveLength(3);
    expect(account.server.batches()).toHaveLength(before + calls);
  });

  test("in the older form of the answer is told too", async () => {
    const { zone } = await account.zone();
    const body = `<?xml version="1.0"?><InvalidChangeBatch xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><Messages><Message>This &amp; that is wrong</Message></Messages></InvalidChangeBatch>`;
    account.server.failNext({ after: false, reply: { status: 400, body } }, 1, isChange);
    const answer = await zone.create({ recordType: "A", name: "a", value: "192.0.2.1" });
    expect([answer.status, answer.body.detail]).toEqual([502, expect.stringContaining("This & that is wrong")]);
  });
});

describe("a set that takes several batches, of which all or none are to be made", () => {
  const lines = Array.from({ length: 1_201 }, (_, index) => `p${index} 300 IN A 10.0.${index >> 8}.${index & 255}`);
  const zonefile = `${lines.join("\n")}\n`;

  test("is taken back where a later batch is refused", async () => {
    const { zone, hosted } = await account.zone();
    const reply = failure(400, "InvalidChangeBatch", "[Not this one]");
    account.server.failNext({ after: false, reply }, 1, isSecond);
    const { status, body } = await zone.post("/zonefile", { zonefile, mode: "merge" });
    expect([status, body.detail]).toEqual([409, expect.stringContaining("Not this one")]);
    expect(own(account.server.lines(hosted))).toEqual([]);
    expect((await zone.post("/sync")).body).toMatchObject({ created: 0, deleted: 0 });
  });

  test("is taken back later where no answer says whether it was", async () => {
    const { zone, hosted } = await account.zone();
    const reply = failure(400, "InvalidChangeBatch", "[Not this one]");
    account.server.failNext({ after: false, reply }, 1, isSecond);
    account.server.failNext({ after: false, reply: failure(500, "InternalFailure", "down") }, 1, isTakingBack);
    const { status, body } = await zone.post("/zonefile", { zonefile, mode: "merge" });
    expect([status, body.code]).toEqual([502, "PROVIDER_ERROR"]);
    expect(own(account.server.lines(hosted))).toHaveLength(1_000);
    await account.settle();
    expect([own(account.server.lines(hosted)), await zone.records("&type=A")]).toEqual([[], []]);
    expect((await zone.post("/sync")).body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
  });
});

test("a zone that is gone there is told as such", async () => {
  const { zone, hosted } = await account.zone();
  account.server.removeZone(hosted);
  const { status, body } = await zone.post("/sync");
  expect([status, body.detail]).toEqual([502, expect.stringContaining("no public hosted zone")]);
});
