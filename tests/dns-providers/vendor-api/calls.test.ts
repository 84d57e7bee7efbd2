import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { VendorRequest } from "../../../server/dns-providers/vendor-api/calls.ts";
import { createEgress, type Egress } from "../../../server/net/egress.ts";
import { minute } from "../../support/clock.ts";
import { startLoopbackVendor, type LoopbackVendor, type VendorReply } from "../../support/vendors/loopback-vendor.ts";
import { failureOf, useCalling } from "./calling.ts";

const calling = useCalling();
const ok: VendorReply = { status: 200, body: "fine" };

describe("a failure", () => {
  test.each<[string, VendorReply | null]>([
    ["an answer that says so", { status: 503, body: "" }],
    ["a connection that is cut", null],
  ])("of a reading call, %s, lets it be made again", async (_what, reply) => {
    calling.answers(reply, 2);
    expect(await calling.connect().send(calling.reading())).toMatchObject({ status: 200 });
    expect(calling.server.calls).toHaveLength(3);
  });

  test("of a reading call is told after five tries, with nothing changed", async () => {
    calling.answers({ status: 502, body: "" }, 9);
    const failure = await failureOf(calling.connect().send(calling.reading()));
    expect([failure.message, failure.effect]).toEqual(["Harbour: it failed (502).", "none"]);
    expect(calling.server.calls).toHaveLength(5);
  });

  test("after which the vendor asks for a longer pause than a person has is told at once", async () => {
    calling.answers({ status: 503, headers: { "retry-after": "600" }, body: "" });
    await failureOf(calling.connect().send(calling.reading()));
    expect([calling.server.calls.length, calling.pauses]).toEqual([1, []]);
  });

  test.each<[string, VendorReply | null]>([
    ["an answer that says so", { status: 500, body: "" }],
    ["a connection that is cut", null],
  ])(
    "of a changing call, %s, leaves open whether it was carried out, and it is not made again",
    async (_what, reply) => {
      calling.answers(reply, 2);
      const failure = await failureOf(calling.connect().send(calling.changing()));
      expect([failure.effect, failure.answered, calling.server.calls.length]).toEqual(["unknown", false, 1]);
    },
  );

  test("to connect changes nothing", async () => {
    const nowhere = await startLoopbackVendor(() => ok);
    await nowhere.stop();
    const failure = await failureOf(calling.connect().send({ ...calling.changing(), url: nowhere.url }));
    expect([failure.effect, failure.answered]).toEqual(["none", true]);
  });

  test("below 500 is the caller's to judge", async () => {
    calling.answers({ status: 422, body: "no" });
    expect(await calling.connect().send(calling.changing())).toMatchObject({ status: 422, text: "no" });
  });
});

describe("a call without an answer", () => {
  const hasty = { tryMilliseconds: 400 };

  test("is given up after its time; a reading one is made again", async () => {
    calling.answers("never", 2);
    expect(await calling.connect("person", hasty).send(calling.reading())).toMatchObject({ status: 200 });
    expect(calling.server.calls).toHaveLength(3);
  });

  test("of a changing one leaves open whether it was carried out", async () => {
    calling.answers("never");
    const failure = await failureOf(calling.connect("person", hasty).send(calling.changing()));
    expect([failure.effect, failure.answered, calling.server.calls.length]).toEqual(["unknown", false, 1]);
    expect(failure.message).toMatch(/^Harbour: .*127\.0\.0\.1.*\.$/);
  });
});

describe("an answer that is larger than anything a vendor says", () => {
  const large: VendorReply = { status: 200, body: "x".repeat(33 * 1024 * 1024) };

  test("is not read to its end, and the call not made again", async () => {
    calling.answers(large);
    const failure = await failureOf(calling.connect().send(calling.reading()));
    expect([failure.effect, calling.server.calls.length]).toEqual(["none", 1]);
  });

  test("leaves open what a changing call did", async () => {
    calling.answers(large);
    expect(await failureOf(calling.connect().send(calling.changing()))).toMatchObject({ effect: "unknown" });
  });
});

describe("a vendor that cuts five calls in a row", () => {
  let broken: LoopbackVendor;
  let guard: Egress;
  beforeEach(async () => {
    broken = await startLoopbackVendor(() => ok);
    guard = createEgress({ allow: ["127.0.0.1"], now: calling.clock.now });
    broken.failNext({ after: false, reply: null }, 5);
    await failureOf(calls().send(request(calling.reading())));
  });
  afterEach(async () => {
    await guard.close();
    await broken.stop();
  });
  const calls = () =>
    calling.connect("person", {
      address: broken.url,
      environment: { egress: guard, accounts: calling.accounts, purpose: "person" },
    });
  const request = (one: VendorRequest): VendorRequest => ({ ...one, url: broken.url });

  test("is left alone for a while by every connection, and nothing was changed there", async () => {
    const failure = await failureOf(calls().send(request(calling.changing())));
    expect([failure.effect, failure.answered, broken.calls.length]).toEqual(["none", true, 5]);
    expect(failure.message).toContain("did not answer several times in a row");
  });

  test("is asked again after it", async () => {
    calling.clock.advance(minute);
    expect(await calls().send(request(calling.changing()))).toMatchObject({ status: 200 });
  });
});

test("what signs a call signs each try anew", async () => {
  let tries = 0;
  calling.answers({ status: 503, body: "" });
  await calling.connect().send({ ...calling.reading(), headers: () => ({ "x-try": String(++tries) }) });
  expect(calling.server.calls.map(({ headers }) => headers["x-try"])).toEqual(["1", "2"]);
});
