import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { VendorRequest } from "../../../server/dns-providers/vendor-api/calls.ts";
import { createEgress, type Egress } from "../../../server/platform/net/egress.ts";
import { minute } from "../../support/clock.ts";
import { freePorts } from "../../support/programs.ts";
import { startLoopbackVendor, type LoopbackVendor, type VendorReply } from "../../support/vendors/loopback-vendor.ts";
import { failureOf, useCalling } from "./calling.ts";

const calling = useCalling();
const ok: VendorReply = { status: 200, body: "fine" };

describe("failed calls", () => {
  test.each<[string, VendorReply | null]>([
    ["an error status", { status: 503, body: "" }],
    ["a cut connection", null],
  ])("a read that fails by %s is retried", async (_what, reply) => {
    calling.answers(reply, 2);
    expect(await calling.connect().send(calling.reading())).toMatchObject({ status: 200 });
    expect(calling.server.calls).toHaveLength(3);
  });

  test("a read fails after five attempts, with nothing changed", async () => {
    calling.answers({ status: 502, body: "" }, 9);
    const failure = await failureOf(calling.connect().send(calling.reading()));
    expect([failure.message, failure.effect]).toEqual(["Harbour failed (502).", "none"]);
    expect(calling.server.calls).toHaveLength(5);
  });

  test("a failure with a pause longer than a person would wait is reported immediately", async () => {
    calling.answers({ status: 503, headers: { "retry-after": "600" }, body: "" });
    await failureOf(calling.connect().send(calling.reading()));
    expect([calling.server.calls.length, calling.pauses]).toEqual([1, []]);
  });

  test.each<[string, VendorReply | null]>([
    ["an error status", { status: 500, body: "" }],
    ["a cut connection", null],
  ])("a change that fails by %s has an unknown effect and is not retried", async (_what, reply) => {
    calling.answers(reply, 2);
    const failure = await failureOf(calling.connect().send(calling.changing()));
    expect([failure.effect, failure.answered, calling.server.calls.length]).toEqual(["unknown", false, 1]);
  });

  test("a failure to connect changes nothing", async () => {
    const [port = 0] = await freePorts(1);
    const failure = await failureOf(
      calling.connect().send({ ...calling.changing(), url: `http://127.0.0.1:${port}/zones` }),
    );
    expect([failure.effect, failure.answered]).toEqual(["none", true]);
  });

  test("an error status below 500 is left to the caller", async () => {
    calling.answers({ status: 422, body: "no" });
    expect(await calling.connect().send(calling.changing())).toMatchObject({ status: 422, text: "no" });
  });
});

function sporadic(request: VendorRequest): VendorRequest {
  return { ...request, isSporadic: ({ text }) => text === "denied" };
}

describe("reads whose refusal may be a passing failure", () => {
  const denied: VendorReply = { status: 403, body: "denied" };

  test("are repeated twice, and the refusal is returned if it stays", async () => {
    calling.answers(denied, 2);
    expect(await calling.connect().send(sporadic(calling.reading()))).toMatchObject({ status: 200 });
    calling.answers(denied, 3);
    expect(await calling.connect().send(sporadic(calling.reading()))).toMatchObject({ status: 403 });
    expect(calling.server.calls).toHaveLength(6);
  });

  test("changes are not repeated", async () => {
    calling.answers(denied);
    expect(await calling.connect().send(sporadic(calling.changing()))).toMatchObject({ status: 403 });
    expect(calling.server.calls).toHaveLength(1);
  });
});

/** Leaves the next calls without an answer for as long as one may take, by fake timers. */
function silent(times: number): void {
  calling.answers("never", times);
  for (let call = 0; call < times; call++)
    calling.server.meanwhile(
      () => true,
      () => void setImmediate(() => vi.advanceTimersByTime(20_000)),
    );
}

describe("calls without an answer", () => {
  // The vendor's time passes once it has the call: on a busy machine, a real second may end before that.
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  test("a read without an answer times out and is retried", async () => {
    silent(2);
    expect(await calling.connect().send(calling.reading())).toMatchObject({ status: 200 });
    expect(calling.server.calls).toHaveLength(3);
  });

  test("a change without an answer has an unknown effect", async () => {
    silent(1);
    const failure = await failureOf(calling.connect().send(calling.changing()));
    expect([failure.effect, failure.answered, calling.server.calls.length]).toEqual(["unknown", false, 1]);
    expect(failure.message).toMatch(/^Harbour: .*127\.0\.0\.1.*\.$/);
  });
});

describe("oversized answers", () => {
  const large: VendorReply = { status: 200, body: "x".repeat(33 * 1024 * 1024) };

  test("an oversized answer is not read to its end, and the call is not retried", async () => {
    calling.answers(large);
    const failure = await failureOf(calling.connect().send(calling.reading()));
    expect([failure.effect, calling.server.calls.length]).toEqual(["none", 1]);
  });

  test("a change with an oversized answer has an unknown effect", async () => {
    calling.answers(large);
    expect(await failureOf(calling.connect().send(calling.changing()))).toMatchObject({ effect: "unknown" });
  });
});

describe("vendors that cut five calls in a row", () => {
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

  test("after five cut calls no connection calls the vendor for a while", async () => {
    const failure = await failureOf(calls().send(request(calling.changing())));
    expect([failure.effect, failure.answered, broken.calls.length]).toEqual(["none", true, 5]);
    expect(failure.message).toContain("failed several times in a row");
  });

  test("calls to a vendor resume after the pause for five cut calls", async () => {
    calling.clock.advance(minute);
    expect(await calls().send(request(calling.changing()))).toMatchObject({ status: 200 });
  });
});

test("every attempt of a signed call is signed anew", async () => {
  let tries = 0;
  calling.answers({ status: 503, body: "" });
  await calling.connect().send({ ...calling.reading(), headers: () => ({ "x-try": String(++tries) }) });
  expect(calling.server.calls.map(({ headers }) => headers["x-try"])).toEqual(["1", "2"]);
});
