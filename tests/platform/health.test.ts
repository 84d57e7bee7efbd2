import { once } from "node:events";
import { MessageChannel } from "node:worker_threads";
import { expect, onTestFinished, test, vi } from "vitest";
import { Health } from "../../server/database/health.ts";

const writable = () => Promise.resolve(true);
const ready = () => Promise.resolve(true);

/** Lets no time pass by itself: an answer is cached for a second. */
function stopTheClock(): void {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
}

test("a hundred concurrent readiness checks, and another soon after, query the database once", async () => {
  stopTheClock();
  let asked = 0;
  const health = new Health({ ready: () => Promise.resolve(++asked > 0), writable });
  const answers = await Promise.all(Array.from({ length: 100 }, () => health.readiness()));
  for (const answer of answers) expect(answer).toEqual({ ready: true, database: "ok", draining: false });
  expect((await health.readiness()).ready).toBe(true);
  expect(asked).toBe(1);
  health.drain();
  expect(await health.readiness()).toEqual({ ready: false, database: "ok", draining: true });
});

test("a database that fails or does not respond within two seconds is unavailable", async () => {
  const answer = Promise.withResolvers<boolean>();
  const slow = new Health({ ready: () => answer.promise, writable });
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let reported: unknown;
  const asked = slow.readiness().then((readiness) => (reported = readiness));
  await vi.advanceTimersByTimeAsync(1_999);
  expect(reported).toBeUndefined();
  await vi.advanceTimersByTimeAsync(2);
  expect(reported).toEqual({ ready: false, database: "unavailable", draining: false });
  await asked;
  answer.resolve(true);
  expect((await slow.readiness()).ready).toBe(true);
  const failing = new Health({ ready: () => Promise.reject(new Error("away")), writable });
  expect((await failing.readiness()).database).toBe("unavailable");
});

test("a process that is stalled for longer than two seconds still reads the database's answer", async () => {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  const health = new Health({ ready: () => once(port1, "message").then(() => true), writable });
  const readiness = health.readiness();
  port2.postMessage("ready");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_050);
  expect(await readiness).toEqual({ ready: true, database: "ok", draining: false });
});

test("after a write fails for lack of space, the instance is not ready until a trial write succeeds", async () => {
  stopTheClock();
  const full = Object.assign(new Error("could not extend file"), { code: "53100" });
  let space = false;
  const trials: boolean[] = [];
  const health = new Health({
    ready,
    writable: (byWriting) => {
      trials.push(byWriting);
      return byWriting && !space ? Promise.reject(full) : Promise.resolve(true);
    },
  });
  expect((await health.readiness()).database).toBe("ok");
  health.note(new Error("outside", { cause: full }));
  expect(await health.readiness()).toEqual({ ready: false, database: "not_writable", draining: false });
  space = true;
  // Each failure triggers a check immediately, however recent the last one is.
  health.note(full);
  expect((await health.readiness()).ready).toBe(true);
  health.note(new Error("something else"));
  expect((await health.readiness()).ready).toBe(true);
  expect(trials).toEqual([false, true, true]);
});
