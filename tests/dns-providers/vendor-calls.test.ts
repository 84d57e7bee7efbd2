import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ProviderError } from "../../server/dns-providers/provider.ts";
import { VendorAccounts, type Purpose } from "../../server/dns-providers/vendor-accounts.ts";
import { VendorCalls, type Vendor, type VendorRequest } from "../../server/dns-providers/vendor-calls.ts";
import { createEgress, type Egress } from "../../server/net/egress.ts";
import { Clock, hour, minute, second } from "../support/clock.ts";
import {
  startLoopbackVendor,
  type LoopbackVendor,
  type VendorFault,
  type VendorReply,
} from "../support/vendors/loopback-vendor.ts";

const secret = "s3cret/of+the harbour";
const ok: VendorReply = { status: 200, body: "fine" };

let server: LoopbackVendor;
let egress: Egress;
let clock: Clock;
let accounts: VendorAccounts;
/** How long each pause was: in seconds, and in milliseconds. */
let pauses: number[];
let exact: number[];
beforeAll(async () => {
  server = await startLoopbackVendor(() => ok);
  egress = createEgress({ allow: ["127.0.0.1"], now: () => new Date() });
});
afterAll(async () => {
  await egress.close();
  await server.stop();
});
beforeEach(() => {
  clock = new Clock();
  pauses = [];
  exact = [];
  accounts = new VendorAccounts({
    now: clock.now,
    pause: async (milliseconds) => {
      pauses.push(Math.round(milliseconds / second));
      exact.push(milliseconds);
      await clock.pause(milliseconds);
    },
  });
  server.calls.length = 0;
});
afterEach(() => server.forgetFaults());

function connect(purpose: Purpose = "person", more: Partial<Vendor> = {}): VendorCalls {
  return new VendorCalls({
    name: "Harbour",
    address: server.url,
    environment: { egress, accounts, purpose },
    secrets: [secret],
    ...more,
  });
}

const reading = (): VendorRequest => ({ method: "GET", url: `${server.url}/zones`, headers: {}, changes: false });
const changing = (): VendorRequest => ({ ...reading(), method: "POST", body: "{}", changes: true });
const answers = (reply: VendorFault["reply"], times = 1) => server.failNext({ after: false, reply }, times);
const throttled = (headers: Record<string, string> = {}): VendorReply => ({ status: 429, headers, body: "slower" });

async function times(calls: VendorCalls, count: number): Promise<void> {
  for (let call = 0; call < count; call++) await calls.send(reading());
}

/** In seconds. */
function waited(): number {
  return pauses.reduce((sum, seconds) => sum + seconds, 0);
}

async function failureOf(call: Promise<unknown>): Promise<ProviderError> {
  const end = await call.then(
    () => new Error("The call went through."),
    (error: unknown) => error,
  );
  if (end instanceof ProviderError) return end;
  throw end;
}

describe("a call that is refused for its rate is made again", () => {
  test.each<[string, () => Record<string, string>, number]>([
    ["after the seconds that the answer names", () => ({ "retry-after": "7" }), 7],
    ["at the date that it names", () => ({ "retry-after": new Date(clock.now().getTime() + 9_000).toUTCString() }), 9],
    ["after the seconds until the limit has room", () => ({ "ratelimit-reset": "11" }), 11],
    [
      "at the time at which it has room",
      () => ({ "ratelimit-reset": String(Math.round(clock.now().getTime() / second) + 13) }),
      13,
    ],
  ])("%s", async (_what, headers, seconds) => {
    answers(throttled(headers()));
    expect(await connect().send(changing())).toMatchObject({ status: 200 });
    expect(server.calls).toHaveLength(2);
    // A date has no fractions of a second.
    expect(Math.abs((pauses[0] ?? 0) - seconds)).toBeLessThanOrEqual(1);
  });

  test.each([[{}], [{ "retry-after": "soon" }], [{ "retry-after": "-5" }]])(
    "after ever longer pauses where it names none that can be read: %j",
    async (headers) => {
      answers(throttled(headers), 3);
      const before = clock.now().getTime();
      await connect().send(changing());
      expect(pauses).toHaveLength(3);
      expect(clock.now().getTime() - before).toBeGreaterThanOrEqual(1_750);
    },
  );

  test("five times at most, and then the person is told when to come again", async () => {
    answers(throttled({ "retry-after": "10" }), 9);
    const failure = await failureOf(connect().send(changing()));
    const [, seconds] =
      /^Harbour: it takes no more calls for the moment; try again in (\d+) seconds\.$/.exec(failure.message) ?? [];
    // No sooner than the vendor asks; our own back-off, a part of which is chance, may be longer by then.
    expect(Number(seconds)).toBeGreaterThanOrEqual(10);
    expect(Number(seconds)).toBeLessThanOrEqual(13);
    expect([failure.effect, server.calls.length]).toEqual(["none", 5]);
  });

  test("not at all where a person would wait for over a minute", async () => {
    answers(throttled({ "retry-after": "300" }));
    const failure = await failureOf(connect().send(changing()));
    expect(failure.message).toBe("Harbour: it takes no more calls for the moment; try again in 5 minutes.");
    expect([failure.effect, server.calls.length, pauses]).toEqual(["none", 1, []]);
  });

  test("as the vendor says it where it says so without the status", async () => {
    answers({ status: 400, body: "Throttling" });
    await connect("person", { throttles: ({ text }) => text === "Throttling" }).send(changing());
    expect(server.calls).toHaveLength(2);
  });
});

describe("a pause that a vendor asks for", () => {
  test("holds for every connection to the account, and for no other account", async () => {
    answers(throttled({ "retry-after": "300" }));
    await failureOf(connect().send(changing()));
    const failure = await failureOf(connect().send(reading()));
    expect(failure.message).toContain("try again in 5 minutes");
    expect(server.calls).toHaveLength(1);
    await connect("person", { secrets: ["another"] }).send(reading());
    clock.advance(4 * minute + 30 * second);
    expect(await connect().send(reading())).toMatchObject({ status: 200 });
    expect(Math.abs((pauses[0] ?? 0) - 30)).toBeLessThanOrEqual(1);
  });

  test("is waited for by an import in the background, however often", async () => {
    answers(throttled({ "retry-after": "300" }), 8);
    expect(await connect("import").send(reading())).toMatchObject({ status: 200 });
    expect(pauses).toEqual(Array.from({ length: 8 }, () => 300));
  });

  test("is waited for by a check for drift up to a minute, and five times", async () => {
    answers(throttled({ "retry-after": "40" }), 4);
    expect(await connect("drift").send(reading())).toMatchObject({ status: 200 });
    answers(throttled({ "retry-after": "40" }), 9);
    expect((await failureOf(connect("drift").send(reading()))).pauseMilliseconds).toBeGreaterThanOrEqual(40_000);
    expect(server.calls).toHaveLength(10);
  });

  test.each([429, 503])("of more, with a status %i, is told a check for drift at once", async (status) => {
    answers({ ...throttled({ "retry-after": "90" }), status });
    const { pauseMilliseconds } = await failureOf(connect("drift").send(reading()));
    expect(Math.ceil((pauseMilliseconds ?? 0) / second)).toBe(90);
    expect(pauses).toEqual([]);
  });

  test("is not waited for by anybody where it is longer than two hours", async () => {
    answers(throttled({ "retry-after": String(3 * 3_600) }));
    const failure = await failureOf(connect("import").send(reading()));
    expect(failure.message).toContain("try again in 3 hours");
  });

  test("of no length is not believed for ever", async () => {
    answers(throttled({ "retry-after": "0" }), 40);
    await connect("import").send(reading());
    expect(server.calls).toHaveLength(41);
    expect(waited()).toBeGreaterThan(15 * 60);
  });

  test("is longer than the signature of a call may be old: the call is not sent", async () => {
    answers(throttled({ "retry-after": "300" }));
    const failure = await failureOf(connect("import").send({ ...reading(), staleAfterMilliseconds: 240_000 }));
    expect(failure.message).toContain("try again in 5 minutes");
    await connect("import").untilOpen();
    expect(pauses).toEqual([300]);
  });
});

describe("a quota", () => {
  const limits = [
    { calls: 10, seconds: 60 },
    { calls: 30, seconds: 3_600 },
  ];
  const paced = (purpose: Purpose) => connect(purpose, { quotas: { address: server.url, limits } });

  test("is what all connections to the account may call together", async () => {
    await times(paced("person"), 6);
    await times(paced("person"), 4);
    expect(pauses).toEqual([]);
    await paced("person").send(reading());
    expect(waited()).toBe(60);
  });

  test("of an hour is kept as well as that of a minute", async () => {
    await times(paced("person"), 30);
    const failure = await failureOf(paced("person").send(reading()));
    expect(failure.message).toMatch(/try again in 5\d minutes/);
    clock.advance(hour);
    await paced("person").send(reading());
  });

  test("leaves a part of it to people whatever is done in the background", async () => {
    await times(paced("import"), 8);
    await times(paced("person"), 2);
    expect(pauses).toEqual([]);
    await paced("import").send(reading());
    expect(waited()).toBe(60);
  });

  test("leaves a part of it to imports whatever is checked for drift", async () => {
    await times(paced("drift"), 4);
    await times(paced("import"), 4);
    expect(pauses).toEqual([]);
    await paced("drift").send(reading());
    expect(waited()).toBe(60);
  });

  test("is that of the vendor's own address alone", async () => {
    const calls = connect("drift", { quotas: { address: "https://api.harbour.example", limits } });
    await times(calls, 40);
    expect(pauses).toEqual([]);
  });
});

describe("a failure", () => {
  test.each<[string, VendorReply | null]>([
    ["an answer that says so", { status: 503, body: "" }],
    ["a connection that is cut", null],
  ])("of a reading call, %s, lets it be made again", async (_what, reply) => {
    answers(reply, 2);
    expect(await connect().send(reading())).toMatchObject({ status: 200 });
    expect(server.calls).toHaveLength(3);
  });

  test("of a reading call is told after five tries, with nothing changed", async () => {
    answers({ status: 502, body: "" }, 9);
    const failure = await failureOf(connect().send(reading()));
    expect([failure.message, failure.effect]).toEqual(["Harbour: it failed (502).", "none"]);
    expect(server.calls).toHaveLength(5);
  });

  test("after which the vendor asks for a longer pause than a person has is told at once", async () => {
    answers({ status: 503, headers: { "retry-after": "600" }, body: "" });
    await failureOf(connect().send(reading()));
    expect([server.calls.length, pauses]).toEqual([1, []]);
  });

  test.each<[string, VendorReply | null]>([
    ["an answer that says so", { status: 500, body: "" }],
    ["a connection that is cut", null],
  ])(
    "of a changing call, %s, leaves open whether it was carried out, and it is not made again",
    async (_what, reply) => {
      answers(reply, 2);
      const failure = await failureOf(connect().send(changing()));
      expect([failure.effect, failure.answered, server.calls.length]).toEqual(["unknown", false, 1]);
    },
  );

  test("to connect changes nothing", async () => {
    const nowhere = await startLoopbackVendor(() => ok);
    await nowhere.stop();
    const failure = await failureOf(connect().send({ ...changing(), url: nowhere.url }));
    expect([failure.effect, failure.answered]).toEqual(["none", true]);
  });

  test("below 500 is the caller's to judge", async () => {
    answers({ status: 422, body: "no" });
    expect(await connect().send(changing())).toMatchObject({ status: 422, text: "no" });
  });
});

describe("a call without an answer", () => {
  const hasty = { tryMilliseconds: 400 };

  test("is given up after its time; a reading one is made again", async () => {
    answers("never", 2);
    expect(await connect("person", hasty).send(reading())).toMatchObject({ status: 200 });
    expect(server.calls).toHaveLength(3);
  });

  test("of a changing one leaves open whether it was carried out", async () => {
    answers("never");
    const failure = await failureOf(connect("person", hasty).send(changing()));
    expect([failure.effect, failure.answered, server.calls.length]).toEqual(["unknown", false, 1]);
    expect(failure.message).toMatch(/^Harbour: .*127\.0\.0\.1.*\.$/);
  });
});

describe("an answer that is larger than anything a vendor says", () => {
  const large: VendorReply = { status: 200, body: "x".repeat(33 * 1024 * 1024) };

  test("is not read to its end, and the call not made again", async () => {
    answers(large);
    const failure = await failureOf(connect().send(reading()));
    expect([failure.effect, server.calls.length]).toEqual(["none", 1]);
  });

  test("leaves open what a changing call did", async () => {
    answers(large);
    expect(await failureOf(connect().send(changing()))).toMatchObject({ effect: "unknown" });
  });
});

describe("a vendor that cuts five calls in a row", () => {
  let broken: LoopbackVendor;
  let guard: Egress;
  beforeEach(async () => {
    broken = await startLoopbackVendor(() => ok);
    guard = createEgress({ allow: ["127.0.0.1"], now: clock.now });
    broken.failNext({ after: false, reply: null }, 5);
    await failureOf(calls().send(request(reading())));
  });
  afterEach(async () => {
    await guard.close();
    await broken.stop();
  });
  const calls = () =>
    connect("person", { address: broken.url, environment: { egress: guard, accounts, purpose: "person" } });
  const request = (one: VendorRequest): VendorRequest => ({ ...one, url: broken.url });

  test("is left alone for a while by every connection, and nothing was changed there", async () => {
    const failure = await failureOf(calls().send(request(changing())));
    expect([failure.effect, failure.answered, broken.calls.length]).toEqual(["none", true, 5]);
    expect(failure.message).toContain("did not answer several times in a row");
  });

  test("is asked again after it", async () => {
    clock.advance(minute);
    expect(await calls().send(request(changing()))).toMatchObject({ status: 200 });
  });
});

describe("the pauses between tries", () => {
  test("double up to a minute, each by half more or less", async () => {
    answers(throttled(), 12);
    await connect("import").send(reading());
    expect(exact).toHaveLength(12);
    for (const [index, milliseconds] of exact.entries()) {
      const usual = Math.min(500 * 2 ** index, minute);
      // The clock runs on by itself.
      expect(milliseconds).toBeGreaterThan(usual / 2 - 200);
      expect(milliseconds).toBeLessThanOrEqual(usual * 1.5 + 1);
    }
  });
});

test("what signs a call signs each try anew", async () => {
  let tries = 0;
  answers({ status: 503, body: "" });
  await connect().send({ ...reading(), headers: () => ({ "x-try": String(++tries) }) });
  expect(server.calls.map(({ headers }) => headers["x-try"])).toEqual(["1", "2"]);
});
