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

describe("rate limits", () => {
  test.each([
    ["throttled", "Throttling", "Rate exceeded"],
    [
      "rejected because of a prior request",
      "PriorRequestNotComplete",
      "The request was rejected because Route 53 was still processing a prior request.",
    ],
  ])("a change that is %s is sent again and made once", async (_what, code, message) => {
    const { zone, hosted } = await account.zone();
    account.server.failNext({ after: false, reply: failure(400, code, message) }, 1, isChange);
    const before = account.server.batches().length;
    await zone.add("A", "a", "192.0.2.1", 60);
    expect(own(account.server.lines(hosted))).toHaveLength(1);
    expect(account.server.batches()).toHaveLength(before + 2);
  });
});

test("a read from Route 53 that fails or is cut off is retried", async () => {
  const { zone } = await account.zone();
  account.server.failNext({ after: false, reply: failure(500, "InternalFailure", "An internal error.") }, 1, isReading);
  account.server.failNext({ after: false, reply: null }, 1, isReading);
  expect((await zone.post("/sync")).status).toBe(200);
});

describe("lost answers", () => {
  test.each([
    ["and that was made", true, null],
    ["and that was not made", false, null],
    ["by a failure, after it was made", true, failure(504, "GatewayTimeout", "timed out")],
    ["by a failure, before it was made", false, failure(500, "InternalFailure", "An internal error.")],
  ])("a change at Route 53 whose answer is lost %s is reported correctly", async (_what, after, reply) => {
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

describe("refusals", () => {
  test("a refusal is reported for the record that Route 53 names, and the others are made", async () => {
    const { zone, hosted } = await account.zone();
    account.server.put(hosted, { name: `taken.${zone.name}`, type: "CNAME", ttl: 60, values: ["x.example.net"] });
    const { body } = await zone.post("/records/bulk", { records: records(["one", "taken", "two"]) });
    expect(body).toMatchObject({ succeeded: 2, results: [{ success: true }, { success: false }, { success: true }] });
    expect(own(account.server.lines(hosted))).toHaveLength(3);
  });

  test.each([
    ["named", (name: string) => `[RRSet of type A with DNS name ${name}. is not permitted]`, 2],
    ["unnamed", () => "[Invalid Resource Record: FATAL problem]", 5],
  ])(
    "a refused change that is %s is left out of the batch, and the rest is sent again",
    async (_what, message, calls) => {
      const { zone, hosted } = await account.zone();
      const names = ["a", "b", "bad", "d"];
      const before = account.server.batches().length;
      const isBad = (call: VendorCall) => isChange(call) && call.body.includes(`bad.${zone.name}`);
      const reply = failure(400, "InvalidChangeBatch", message(`bad.${zone.name}`));
      account.server.failNext({ after: false, reply }, calls === 2 ? 1 : 3, isBad);
      const { body } = await zone.post("/records/bulk", { records: records(names) });
      expect(body.results.map(({ success }: { success: boolean }) => success)).toEqual([true, true, false, true]);
      expect(body.results[2].error).toContain("Amazon Route 53 refused the change: [");
      expect(own(account.server.lines(hosted))).toHaveLength(3);
      expect(account.server.batches()).toHaveLength(before + calls);
    },
  );

  test("a refusal in the older form of the answer is reported too", async () => {
    const { zone } = await account.zone();
    const body = `<?xml version="1.0"?><InvalidChangeBatch xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><Messages><Message>This &amp; that is wrong</Message></Messages></InvalidChangeBatch>`;
    account.server.failNext({ after: false, reply: { status: 400, body } }, 1, isChange);
    const answer = await zone.create({ recordType: "A", name: "a", value: "192.0.2.1" });
    expect([answer.status, answer.body.detail]).toEqual([502, expect.stringContaining("This & that is wrong")]);
  });
});

describe("atomic sets of several batches", () => {
  const lines = Array.from({ length: 1_201 }, (_, index) => `p${index} 300 IN A 10.0.${index >> 8}.${index & 255}`);
  const zonefile = `${lines.join("\n")}\n`;

  test("an atomic set of several batches is undone when a later batch is refused", async () => {
    const { zone, hosted } = await account.zone();
    const reply = failure(400, "InvalidChangeBatch", "[Not this one]");
    account.server.failNext({ after: false, reply }, 1, isSecond);
    const { status, body } = await zone.post("/zonefile", { zonefile, mode: "merge" });
    expect([status, body.detail]).toEqual([409, expect.stringContaining("Not this one")]);
    expect(own(account.server.lines(hosted))).toEqual([]);
    expect((await zone.post("/sync")).body).toMatchObject({ created: 0, deleted: 0 });
  });

  test("an atomic set of several batches is undone later if undoing it got no answer", async () => {
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

test("a zone deleted at Route 53 is reported as missing", async () => {
  const { zone, hosted } = await account.zone();
  account.server.removeZone(hosted);
  const { status, body } = await zone.post("/sync");
  expect([status, body.detail]).toEqual([502, expect.stringContaining("no public hosted zone")]);
});
