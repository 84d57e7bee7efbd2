import { describe, expect, test } from "vitest";
import type { Purpose } from "../../../server/dns-providers/vendor-api/accounts.ts";
import type { VendorCalls } from "../../../server/dns-providers/vendor-api/calls.ts";
import { hour, minute, second } from "../../support/clock.ts";
import type { VendorReply } from "../../support/vendors/loopback-vendor.ts";
import { failureOf, useCalling } from "./calling.ts";

const calling = useCalling();
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

describe("a call that is refused for its rate is made again", () => {
  test.each<[string, () => Record<string, string>, number]>([
    ["after the seconds that the answer names", () => ({ "retry-after": "7" }), 7],
    [
      "at the date that it names",
      () => ({ "retry-after": new Date(calling.clock.now().getTime() + 9_000).toUTCString() }),
      9,
    ],
    ["after the seconds until the limit has room", () => ({ "ratelimit-reset": "11" }), 11],
    [
      "at the time at which it has room",
      () => ({ "ratelimit-reset": String(Math.round(calling.clock.now().getTime() / second) + 13) }),
      13,
    ],
  ])("%s", async (_what, headers, seconds) => {
    calling.answers(throttled(headers()));
    expect(await calling.connect().send(calling.changing())).toMatchObject({ status: 200 });
    expect(calling.server.calls).toHaveLength(2);
    // A date has no fractions of a second.
    expect(Math.abs((pauses()[0] ?? 0) - seconds)).toBeLessThanOrEqual(1);
  });

  test.each([[{}], [{ "retry-after": "soon" }], [{ "retry-after": "-5" }]])(
    "after ever longer pauses where it names none that can be read: %j",
    async (headers) => {
      calling.answers(throttled(headers), 3);
      const before = calling.clock.now().getTime();
      await calling.connect().send(calling.changing());
      expect(pauses()).toHaveLength(3);
      expect(calling.clock.now().getTime() - before).toBeGreaterThanOrEqual(1_750);
    },
  );

  test("five times at most, and then the person is told when to come again", async () => {
    calling.answers(throttled({ "retry-after": "10" }), 9);
    const failure = await failureOf(calling.connect().send(calling.changing()));
    const [, seconds] =
      /^Harbour: it takes no more calls for the moment; try again in (\d+) seconds\.$/.exec(failure.message) ?? [];
    // No sooner than the vendor asks; our own back-off, a part of which is chance, may be longer by then.
    expect(Number(seconds)).toBeGreaterThanOrEqual(10);
    expect(Number(seconds)).toBeLessThanOrEqual(13);
    expect([failure.effect, calling.server.calls.length]).toEqual(["none", 5]);
  });

  test("not at all where a person would wait for over a minute", async () => {
    calling.answers(throttled({ "retry-after": "300" }));
    const failure = await failureOf(calling.connect().send(calling.changing()));
    expect(failure.message).toBe("Harbour: it takes no more calls for the moment; try again in 5 minutes.");
    expect([failure.effect, calling.server.calls.length, pauses()]).toEqual(["none", 1, []]);
  });

  test("as the vendor says it where it says so without the status", async () => {
    calling.answers({ status: 400, body: "Throttling" });
    await calling.connect("person", { throttles: ({ text }) => text === "Throttling" }).send(calling.changing());
    expect(calling.server.calls).toHaveLength(2);
  });
});

describe("a pause that a vendor asks for", () => {
  test("holds for every connection to the account, and for no other account", async () => {
    calling.answers(throttled({ "retry-after": "300" }));
    await failureOf(calling.connect().send(calling.changing()));
    const failure = await failureOf(calling.connect().send(calling.reading()));
    expect(failure.message).toContain("try again in 5 minutes");
    expect(calling.server.calls).toHaveLength(1);
    await calling.connect("person", { secrets: ["another"] }).send(calling.reading());
    calling.clock.advance(4 * minute + 30 * second);
    expect(await calling.connect().send(calling.reading())).toMatchObject({ status: 200 });
    expect(Math.abs((pauses()[0] ?? 0) - 30)).toBeLessThanOrEqual(1);
  });

  test("is waited for by an import in the background, however often", async () => {
    calling.answers(throttled({ "retry-after": "300" }), 8);
    expect(await calling.connect("import").send(calling.reading())).toMatchObject({ status: 200 });
    expect(pauses()).toEqual(Array.from({ length: 8 }, () => 300));
  });

  test("is waited for by a check for drift up to a minute, and five times", async () => {
    calling.answers(throttled({ "retry-after": "40" }), 4);
    expect(await calling.connect("drift").send(calling.reading())).toMatchObject({ status: 200 });
    calling.answers(throttled({ "retry-after": "40" }), 9);
    const { pauseMilliseconds } = await failureOf(calling.connect("drift").send(calling.reading()));
    expect(pauseMilliseconds).toBeGreaterThanOrEqual(40 * second);
    expect(calling.server.calls).toHaveLength(10);
  });

  test.each([429, 503])("of more, with a status %i, is told a check for drift at once", async (status) => {
    calling.answers({ ...throttled({ "retry-after": "90" }), status });
    const { pauseMilliseconds } = await failureOf(calling.connect("drift").send(calling.reading()));
    expect(Math.ceil((pauseMilliseconds ?? 0) / second)).toBe(90);
    expect(pauses()).toEqual([]);
  });

  test("is not waited for by anybody where it is longer than two hours", async () => {
    calling.answers(throttled({ "retry-after": String(3 * 3_600) }));
    const failure = await failureOf(calling.connect("import").send(calling.reading()));
    expect(failure.message).toContain("try again in 3 hours");
  });

  test.each<Record<string, string>>([{ "retry-after": "9".repeat(20) }, { "ratelimit-reset": "9".repeat(300) }])(
    "of ages is believed for a day: %j",
    async (headers) => {
      calling.answers(throttled(headers));
      const { pauseMilliseconds } = await failureOf(calling.connect("drift").send(calling.reading()));
      expect(pauseMilliseconds).toBe(24 * hour);
      calling.clock.advance(24 * hour);
      expect(await calling.connect().send(calling.reading())).toMatchObject({ status: 200 });
    },
  );

  test("of no length is not believed for ever", async () => {
    calling.answers(throttled({ "retry-after": "0" }), 40);
    await calling.connect("import").send(calling.reading());
    expect(calling.server.calls).toHaveLength(41);
    expect(waited()).toBeGreaterThan(15 * 60);
  });

  test("is longer than the signature of a call may be old: the call is not sent", async () => {
    calling.answers(throttled({ "retry-after": "300" }));
    const failure = await failureOf(
      calling.connect("import").send({ ...calling.reading(), staleAfterMilliseconds: 240_000 }),
    );
    expect(failure.message).toContain("try again in 5 minutes");
    await calling.connect("import").untilOpen();
    expect(pauses()).toEqual([300]);
  });
});

describe("the pauses between tries", () => {
  test("double up to a minute, each by half more or less", async () => {
    calling.answers(throttled(), 12);
    await calling.connect("import").send(calling.reading());
    expect(calling.pauses).toHaveLength(12);
    for (const [index, milliseconds] of calling.pauses.entries()) {
      const usual = Math.min(500 * 2 ** index, minute);
      // The clock runs on by itself.
      expect(milliseconds).toBeGreaterThan(usual / 2 - 200);
      expect(milliseconds).toBeLessThanOrEqual(usual * 1.5 + 1);
    }
  });
});

describe("a quota", () => {
  const limits = [
    { calls: 10, seconds: 60 },
    { calls: 30, seconds: 3_600 },
  ];
  const paced = (purpose: Purpose) => calling.connect(purpose, { quotas: { address: calling.server.url, limits } });

  test("is what all connections to the account may call together", async () => {
    await times(paced("person"), 6);
    await times(paced("person"), 4);
    expect(pauses()).toEqual([]);
    await paced("person").send(calling.reading());
    expect(waited()).toBe(60);
  });

  test("of an hour is kept as well as that of a minute", async () => {
    await times(paced("person"), 30);
    const failure = await failureOf(paced("person").send(calling.reading()));
    expect(failure.message).toMatch(/try again in 5\d minutes/);
    calling.clock.advance(hour);
    await paced("person").send(calling.reading());
  });

  test("leaves a part of it to people whatever is done in the background", async () => {
    await times(paced("import"), 8);
    await times(paced("person"), 2);
    expect(pauses()).toEqual([]);
    await paced("import").send(calling.reading());
    expect(waited()).toBe(60);
  });

  test("leaves a part of it to imports whatever is checked for drift", async () => {
    await times(paced("drift"), 4);
    await times(paced("import"), 4);
    expect(pauses()).toEqual([]);
    await paced("drift").send(calling.reading());
    expect(waited()).toBe(60);
  });

  test("is that of the vendor's own address alone", async () => {
    const calls = calling.connect("drift", { quotas: { address: "https://api.harbour.example", limits } });
    await times(calls, 40);
    expect(pauses()).toEqual([]);
  });
});
