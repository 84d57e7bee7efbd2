import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Purpose } from "../../../server/dns-providers/vendor-api/accounts.ts";
import type { VendorCalls } from "../../../server/dns-providers/vendor-api/calls.ts";
import { hour, minute, second } from "../../support/clock.ts";
import type { VendorReply } from "../../support/vendors/loopback-vendor.ts";
import { failureOf, useCalling } from "./calling.ts";

const calling = useCalling();
// Only pauses advance the clock: on a busy machine the calls themselves may take a while.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 1) }));
afterEach(() => void vi.useRealTimers());
const throttled = (headers: Record<string, string> = {}): VendorReply => ({ status: 429, headers, body: "slower" });

/** How long each pause was, in seconds. */
function pauses(): number[] {
  return calling.pauses.map((milliseconds) => Math.round(milliseconds / second));
}

/** All of them, in seconds. */
function waited(): number {
  return pauses().reduce((sum, seconds) => sum + seconds, 0);
}

async function times(calls: VendorCalls, count: number): Promise<void> {
  for (let call = 0; call < count; call++) await calls.send(calling.reading());
}

describe("retries of rate-limited calls", () => {
  test.each<[string, () => Record<string, string>, number]>([
    ["after the seconds in Retry-After", () => ({ "retry-after": "7" }), 7],
    [
      "at the date in Retry-After",
      () => ({ "retry-after": new Date(calling.clock.now().getTime() + 9_000).toUTCString() }),
      9,
    ],
    ["after the seconds in RateLimit-Reset", () => ({ "ratelimit-reset": "11" }), 11],
    [
      "at the Unix time in RateLimit-Reset",
      () => ({ "ratelimit-reset": String(Math.round(calling.clock.now().getTime() / second) + 13) }),
      13,
    ],
    [
      "at the Unix time in X-RateLimit-Reset",
      () => ({ "x-ratelimit-reset": String(Math.round(calling.clock.now().getTime() / second) + 15) }),
      15,
    ],
  ])("a rate-limited call is retried %s", async (_what, headers, seconds) => {
    calling.answers(throttled(headers()));
    expect(await calling.connect().send(calling.changing())).toMatchObject({ status: 200 });
    expect(calling.server.calls).toHaveLength(2);
    // A date has no fractions of a second.
    expect(Math.abs((pauses()[0] ?? 0) - seconds)).toBeLessThanOrEqual(1);
  });

  test("a read that fails while the rate limit leaves calls is retried soon, whenever that limit resets", async () => {
    const headers = { "x-ratelimit-remaining": "2311", "x-ratelimit-reset": "3000" };
    calling.answers({ status: 502, headers, body: "" });
    expect(await calling.connect().send(calling.reading())).toMatchObject({ status: 200 });
    expect(waited()).toBeLessThanOrEqual(1);
  });

  test.each([[{}], [{ "retry-after": "soon" }], [{ "retry-after": "-5" }]])(
    "a rate-limited call is retried with backoff if the answer names no readable pause: %j",
    async (headers) => {
      calling.answers(throttled(headers), 3);
      const before = calling.clock.now().getTime();
      await calling.connect().send(calling.changing());
      expect(pauses()).toHaveLength(3);
      expect(calling.clock.now().getTime() - before).toBeGreaterThanOrEqual(1_750);
    },
  );

  test("a rate-limited call is tried five times, and then the error says when to try again", async () => {
    calling.answers(throttled({ "retry-after": "10" }), 9);
    const failure = await failureOf(calling.connect().send(calling.changing()));
    const [, seconds] =
      /^Harbour accepts no more calls for now. Try again in (\d+) seconds\.$/.exec(failure.message) ?? [];
    // Not earlier than the vendor asks; our own backoff, which is partly random, may be longer by then.
    expect(Number(seconds)).toBeGreaterThanOrEqual(10);
    expect(Number(seconds)).toBeLessThanOrEqual(13);
    expect([failure.effect, calling.server.calls.length]).toEqual(["none", 5]);
  });

  test("a rate-limited call is not retried if a person would wait over a minute", async () => {
    calling.answers(throttled({ "retry-after": "300" }));
    const failure = await failureOf(calling.connect().send(calling.changing()));
    expect(failure.message).toBe("Harbour accepts no more calls for now. Try again in 5 minutes.");
    expect([failure.effect, calling.server.calls.length, pauses()]).toEqual(["none", 1, []]);
  });

  test.each<[string, () => Record<string, string>, number]>([
    [
      "says when its limit is whole again",
      () => ({
        "ratelimit-limit": "3600",
        "ratelimit-remaining": "0",
        "ratelimit-reset": String(Math.round(calling.clock.now().getTime() / second) + 3_600),
      }),
      1,
    ],
    [
      "says in which period",
      () => ({ "x-ratelimit-limit": "30", "x-ratelimit-remaining": "0", "x-ratelimit-period": "300" }),
      10,
    ],
    ["says nothing", () => ({}), 0],
  ])(
    "a limit that refills call by call is not waited for until it is whole, if the vendor %s",
    async (_, headers, least) => {
      const refilling = calling.connect("person", { refillSeconds: 3_600 });
      calling.answers(throttled(headers()), 2);
      expect(await refilling.send(calling.changing())).toMatchObject({ status: 200 });
      expect(pauses()).toHaveLength(2);
      for (const milliseconds of calling.pauses) expect(milliseconds).toBeGreaterThanOrEqual(least * second);
      expect(waited()).toBeLessThanOrEqual(2 * Math.max(least, 2));
      calling.answers({ ...throttled(headers()), status: 503 });
      expect(await refilling.send(calling.reading())).toMatchObject({ status: 200 });
      expect(pauses().at(-1)).toBeLessThanOrEqual(1);
      calling.answers(throttled({ ...headers(), "retry-after": "40" }));
      expect(await refilling.send(calling.changing())).toMatchObject({ status: 200 });
      expect(pauses().at(-1)).toBe(40);
    },
  );

  test("a vendor's own rate-limit answer counts like status 429", async () => {
    calling.answers({ status: 400, body: "Throttling" });
    await calling.connect("person", { throttles: ({ text }) => text === "Throttling" }).send(calling.changing());
    expect(calling.server.calls).toHaveLength(2);
  });
});

describe("pauses that a vendor asks for", () => {
  test("a pause applies to every connection of the account, and to no other account", async () => {
    calling.answers(throttled({ "retry-after": "300" }));
    await failureOf(calling.connect().send(calling.changing()));
    const failure = await failureOf(calling.connect().send(calling.reading()));
    expect(failure.message).toContain("Try again in 5 minutes");
    expect(calling.server.calls).toHaveLength(1);
    await calling.connect("person", { secrets: ["another"] }).send(calling.reading());
    calling.clock.advance(4 * minute + 30 * second);
    expect(await calling.connect().send(calling.reading())).toMatchObject({ status: 200 });
    expect(Math.abs((pauses()[0] ?? 0) - 30)).toBeLessThanOrEqual(1);
  });

  test("a background import waits out any number of pauses", async () => {
    calling.answers(throttled({ "retry-after": "300" }), 8);
    expect(await calling.connect("import").send(calling.reading())).toMatchObject({ status: 200 });
    expect(pauses()).toEqual(Array.from({ length: 8 }, () => 300));
  });

  test("a drift check waits out pauses of up to a minute, five times", async () => {
    calling.answers(throttled({ "retry-after": "40" }), 4);
    expect(await calling.connect("drift").send(calling.reading())).toMatchObject({ status: 200 });
    calling.answers(throttled({ "retry-after": "40" }), 9);
    const { pauseMilliseconds } = await failureOf(calling.connect("drift").send(calling.reading()));
    expect(pauseMilliseconds).toBeGreaterThanOrEqual(40 * second);
    expect(calling.server.calls).toHaveLength(10);
  });

  test.each([429, 503])("a drift check fails immediately for a longer pause with status %i", async (status) => {
    calling.answers({ ...throttled({ "retry-after": "90" }), status });
    const { pauseMilliseconds } = await failureOf(calling.connect("drift").send(calling.reading()));
    expect(Math.ceil((pauseMilliseconds ?? 0) / second)).toBe(90);
    expect(pauses()).toEqual([]);
  });

  test("a pause of more than two hours is never waited out", async () => {
    calling.answers(throttled({ "retry-after": String(3 * 3_600) }));
    const failure = await failureOf(calling.connect("import").send(calling.reading()));
    expect(failure.message).toContain("Try again in 3 hours");
  });

  test.each<Record<string, string>>([{ "retry-after": "9".repeat(20) }, { "ratelimit-reset": "9".repeat(300) }])(
    "a pause of years is honored for one day: %j",
    async (headers) => {
      calling.answers(throttled(headers));
      const { pauseMilliseconds } = await failureOf(calling.connect("drift").send(calling.reading()));
      expect(pauseMilliseconds).toBe(24 * hour);
      calling.clock.advance(24 * hour);
      expect(await calling.connect().send(calling.reading())).toMatchObject({ status: 200 });
    },
  );

  test("repeated pauses of zero length are followed by backoff", async () => {
    calling.answers(throttled({ "retry-after": "0" }), 40);
    await calling.connect("import").send(calling.reading());
    expect(calling.server.calls).toHaveLength(41);
    expect(waited()).toBeGreaterThan(15 * 60);
  });

  test("a call is not sent if the pause outlasts its signature", async () => {
    calling.answers(throttled({ "retry-after": "300" }));
    const failure = await failureOf(
      calling.connect("import").send({ ...calling.reading(), staleAfterMilliseconds: 240_000 }),
    );
    expect(failure.message).toContain("Try again in 5 minutes");
    await calling.connect("import").untilOpen();
    expect(pauses()).toEqual([300]);
  });
});

describe("backoff", () => {
  test("backoff doubles up to a minute, with 50 % jitter", async () => {
    calling.answers(throttled(), 12);
    await calling.connect("import").send(calling.reading());
    expect(calling.pauses).toHaveLength(12);
    for (const [index, milliseconds] of calling.pauses.entries()) {
      const usual = Math.min(500 * 2 ** index, minute);
      expect(milliseconds).toBeGreaterThanOrEqual(usual / 2);
      expect(milliseconds).toBeLessThanOrEqual(usual * 1.5 + 1);
    }
  });
});

describe("quotas", () => {
  const limits = [
    { calls: 10, seconds: 60 },
    { calls: 30, seconds: 3_600 },
  ];
  const paced = (purpose: Purpose) => calling.connect(purpose, { quotas: { address: calling.server.url, limits } });

  test("all connections of an account share its quota", async () => {
    await times(paced("person"), 6);
    await times(paced("person"), 4);
    expect(pauses()).toEqual([]);
    await paced("person").send(calling.reading());
    expect(waited()).toBe(60);
  });

  test("credentials of one account share its quota, where the account is known", async () => {
    const quotas = { address: calling.server.url, limits };
    const spent = (secret: string, account?: string) =>
      calling.connect("person", { quotas, secrets: [secret], ...(account !== undefined && { account }) });
    await times(spent("one", "harbour"), 10);
    await times(spent("other"), 1);
    expect(waited()).toBe(0);
    await times(spent("another", "harbour"), 1);
    expect(waited()).toBeGreaterThan(0);
  });

  test("some calls of an account have a quota of their own beside its quota, and its pauses", async () => {
    const quotas = { address: calling.server.url, limits };
    const zone = (by: string) =>
      calling.connect("person", { quotas, also: [{ by, limits: [{ calls: 4, seconds: 60 }] }] });
    await times(zone("one"), 4);
    await times(zone("two"), 4);
    await times(zone("three"), 2);
    expect(waited()).toBe(0);
    await times(zone("three"), 1);
    expect(waited()).toBe(60);
    await times(zone("four"), 4);
    expect(waited()).toBe(60);
    await times(zone("four"), 1);
    expect(waited()).toBe(120);
    calling.answers(throttled({ "retry-after": "300" }));
    await failureOf(zone("one").send(calling.changing()));
    expect((await failureOf(zone("two").send(calling.reading()))).message).toContain("Try again in 5 minutes");
  });

  test("connections with limits of their own share one that counts the calls of all of them, and a pause of one is no pause of the others", async () => {
    const quotas = { address: calling.server.url, limits: [{ calls: 4, seconds: 60 }] };
    const shared = { by: "day", account: "harbour", limits: [{ calls: 6, seconds: 3_600 }] };
    const writing = (zone: string) => calling.connect("person", { account: `harbour ${zone}`, quotas, also: [shared] });
    await times(writing("one"), 4);
    await times(writing("two"), 2);
    expect(pauses()).toEqual([]);
    const failure = await failureOf(writing("three").send(calling.reading()));
    expect(failure.message).toContain("Try again in 60 minutes");
    calling.clock.advance(hour);
    calling.answers(throttled({ "retry-after": "300" }));
    await failureOf(writing("one").send(calling.changing()));
    await times(writing("two"), 1);
    expect(pauses()).toEqual([]);
  });

  test("hourly and per-minute quotas both apply", async () => {
    await times(paced("person"), 30);
    const failure = await failureOf(paced("person").send(calling.reading()));
    expect(failure.message).toMatch(/Try again in 5\d minutes/);
    calling.clock.advance(hour);
    await paced("person").send(calling.reading());
  });

  test("background work leaves part of the quota to people", async () => {
    await times(paced("import"), 8);
    await times(paced("person"), 2);
    expect(pauses()).toEqual([]);
    await paced("import").send(calling.reading());
    expect(waited()).toBe(60);
  });

  test("drift checks leave part of the quota to imports", async () => {
    await times(paced("drift"), 4);
    await times(paced("import"), 4);
    expect(pauses()).toEqual([]);
    await paced("drift").send(calling.reading());
    expect(waited()).toBe(60);
  });

  test("drift checks leave part of the quota to mirrors, and neither waits an hour for a quota", async () => {
    const hourly = { address: calling.server.url, limits: [{ calls: 10, seconds: 3_600 }] };
    const within = (purpose: Purpose) => calling.connect(purpose, { quotas: hourly });
    await times(within("drift"), 4);
    const refused = await failureOf(within("drift").send(calling.reading()));
    expect([refused.effect, refused.pauseMilliseconds]).toEqual(["none", hour]);
    await times(within("mirror"), 4);
    expect((await failureOf(within("mirror").send(calling.changing()))).pauseMilliseconds).toBe(hour);
    await times(within("person"), 2);
    expect(pauses()).toEqual([]);
    calling.clock.advance(hour - 30 * second);
    await within("mirror").send(calling.reading());
    expect(waited()).toBe(30);
  });

  test("mirrors wait for quotas that are counted in minutes, and drift checks look after other zones meanwhile", async () => {
    const ofMinutes = { address: calling.server.url, limits: [{ calls: 10, seconds: 300 }] };
    const within = (purpose: Purpose) => calling.connect(purpose, { quotas: ofMinutes });
    await times(within("mirror"), 8);
    const refused = await failureOf(within("drift").send(calling.reading()));
    expect([refused.pauseMilliseconds, pauses()]).toEqual([300 * second, []]);
    await within("mirror").send(calling.changing());
    expect(waited()).toBe(300);
  });

  test("quotas apply only at the vendor's own address", async () => {
    const calls = calling.connect("drift", { quotas: { address: "https://api.harbour.example", limits } });
    await times(calls, 40);
    expect(pauses()).toEqual([]);
  });
});

const after = (seconds: number) => new Date(calling.clock.now().getTime() + seconds * second);

describe("calls left", () => {
  const limits = [
    { calls: 10, seconds: 1 },
    { calls: 40, seconds: 60 },
  ];
  const account = "harbour";
  const paced = () => calling.connect("person", { account, quotas: { address: calling.server.url, limits } });
  const left = () => calling.accounts.gate(calling.server.url, [account], limits).callsLeft();

  test("an account shows what its own calls leave of the limit that ends first", async () => {
    const whole = { left: 40, limit: 40, seconds: 60, resetsAt: null, source: "service" };
    paced();
    expect(left()).toEqual(whole);
    await times(paced(), 8);
    expect(left()).toEqual({ left: 2, limit: 10, seconds: 1, resetsAt: after(1), source: "service" });
    calling.clock.advance(second);
    expect(left()).toEqual({ left: 32, limit: 40, seconds: 60, resetsAt: after(59), source: "service" });
    calling.clock.advance(minute);
    expect(left()).toEqual(whole);
  });

  test.each<[string, () => Record<string, string>, object]>([
    [
      "with the time of a reset",
      () => ({
        "ratelimit-limit": "3600",
        "ratelimit-remaining": "12",
        "ratelimit-reset": String(after(90).getTime() / second),
      }),
      { limit: 3_600, seconds: null },
    ],
    [
      "with seconds to a reset",
      () => ({ "x-ratelimit-limit": "700, 700;w=60", "x-ratelimit-remaining": "12", "x-ratelimit-reset": "90" }),
      { limit: 700, seconds: null },
    ],
    [
      "with a period",
      () => ({ "x-ratelimit-limit": "100", "x-ratelimit-remaining": "12", "x-ratelimit-period": "90" }),
      { limit: 100, seconds: 90 },
    ],
    [
      "as the draft of the IETF has them",
      () => ({ ratelimit: '"default";r=12;t=90', "ratelimit-policy": '"default";q=1200;w=300' }),
      { limit: 1_200, seconds: 300 },
    ],
  ])("the vendor's own numbers count until they are reset, %s", async (_, headers, expected) => {
    calling.answers({ status: 200, headers: headers(), body: "" });
    await paced().send(calling.reading());
    expect(left()).toEqual({ left: 12, ...expected, resetsAt: after(90), source: "provider" });
    calling.clock.advance(91 * second);
    expect(left()).toMatchObject({ left: 40, source: "service" });
  });

  test("an account has no calls left until a pause ends that the vendor asked for", async () => {
    calling.answers(throttled({ "retry-after": "300" }));
    await failureOf(paced().send(calling.changing()));
    expect(left()).toEqual({ left: 0, limit: null, seconds: null, resetsAt: after(300), source: "provider" });
  });

  test("nothing is known of an account without limits, and headers without numbers say nothing", async () => {
    const gate = calling.accounts.gate(calling.server.url, ["other"], []);
    calling.answers({ status: 200, headers: { "ratelimit-remaining": "many", "x-ratelimit-limit": "5" }, body: "" });
    await calling.connect("person", { account: "other" }).send(calling.reading());
    expect(gate.callsLeft()).toBeNull();
  });
});
