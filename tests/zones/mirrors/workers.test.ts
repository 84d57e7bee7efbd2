import { expect, test, vi } from "vitest";
import { Workers, type Task } from "../../../server/zones/mirrors/reconciler.ts";

interface Named extends Task {
  name: string;
}

const never = () => false;
/** Lets everything run that waits for nothing but promises. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Workers at a list of tasks, which end when the test says so. Tasks are named after their configuration: `a1` is one of `a`. */
function workersAt(...names: string[]) {
  const due = names.map((name) => ({ name, configId: name.slice(0, 1) }));
  const running = new Map<string, PromiseWithResolvers<boolean>>();
  const started: string[] = [];
  const errors: unknown[] = [];
  let claimError: Error | null = null;
  const workers = new Workers<Named>({
    claim: async (except) => {
      if (claimError) throw claimError;
      const index = due.findIndex(({ configId }) => !except.includes(configId));
      return index === -1 ? null : (due.splice(index, 1)[0] ?? null);
    },
    carryOut: async ({ name }) => {
      const end = Promise.withResolvers<boolean>();
      started.push(name);
      running.set(name, end);
      return await end.promise.finally(() => running.delete(name));
    },
    onError: (error) => errors.push(error),
  });
  return {
    workers,
    due,
    started,
    errors,
    failClaims: (error: Error | null) => void (claimError = error),
    running: () => [...running.keys()].toSorted(),
    async end(name: string, outcome: boolean | Error = true) {
      const end = running.get(name);
      if (outcome instanceof Error) end?.reject(outcome);
      else end?.resolve(outcome);
      await settled();
    },
    async start(isStopping: () => boolean = never) {
      const ended = workers.start(isStopping);
      await settled();
      return { ended };
    },
    announce(...more: string[]) {
      due.push(...more.map((name) => ({ name, configId: name.slice(0, 1) })));
    },
  };
}

test("a configuration has one place until a task of it succeeds, then two", async () => {
  const at = workersAt("a1", "a2", "a3", "a4");
  await at.start();
  expect(at.running()).toEqual(["a1"]);
  await at.end("a1");
  expect(at.running()).toEqual(["a2", "a3"]);
});

test("a configuration whose task failed has one place until one succeeds", async () => {
  const at = workersAt("a1", "a2", "a3", "a4", "a5", "a6", "a7");
  await at.start();
  await at.end("a1");
  await at.end("a2", false);
  expect(at.running()).toEqual(["a3"]);
  await at.end("a3", false);
  expect(at.running()).toEqual(["a4"]);
  await at.end("a4");
  expect(at.running()).toEqual(["a5", "a6"]);
});

test("three configurations that stop answering leave a place for the others", async () => {
  const at = workersAt("a1", "b1", "c1");
  await at.start();
  for (const name of ["a1", "b1", "c1"]) await at.end(name);
  at.announce("a2", "a3", "b2", "b3", "c2", "c3", "d1", "d2", "d3");
  await at.start();
  for (const name of ["d1", "d2", "d3"]) {
    expect(at.running()).toContain(name);
    await at.end(name);
  }
  expect(at.running().map((name) => name.slice(0, 1))).toEqual(expect.arrayContaining(["a", "b", "c"]));
});

test("no more than six tasks are under way, and work announced meanwhile begins once one ends", async () => {
  const at = workersAt("a1", "b1", "c1", "d1", "e1", "f1", "g1");
  await at.start();
  expect(at.running()).toEqual(["a1", "b1", "c1", "d1", "e1", "f1"]);
  await at.end("a1");
  expect(at.running()).toEqual(["b1", "c1", "d1", "e1", "f1", "g1"]);
});

test("work announced while all places are taken is not lost with a worker that is stopping", async () => {
  const at = workersAt("a1", "b1", "c1", "d1", "e1", "f1");
  let stopping = false;
  await at.start(() => stopping);
  at.announce("g1");
  await at.start();
  stopping = true;
  await at.end("a1");
  expect(at.running()).toContain("g1");
});

test("a start ends with its own worker, whatever others begin or have under way", async () => {
  const at = workersAt("a1");
  const { ended } = await at.start();
  at.announce("b1");
  await at.start();
  expect(at.running()).toEqual(["a1", "b1"]);
  await at.end("a1");
  await ended;
  expect(at.running()).toEqual(["b1"]);
});

test("workers that are stopping end after their tasks, and are idle then", async () => {
  const at = workersAt("a1", "b1", "c1", "a2");
  let stopping = false;
  await at.start(() => stopping);
  stopping = true;
  const idle = vi.fn<() => void>();
  const ended = at.workers.idle().then(idle);
  for (const name of ["a1", "b1"]) await at.end(name);
  expect(idle).not.toHaveBeenCalled();
  await at.end("c1");
  await ended;
  expect(at.started).toEqual(["a1", "b1", "c1"]);
});

test("a task that throws is reported, counts as a failure and ends no other", async () => {
  const at = workersAt("a1", "b1", "a2", "a3");
  await at.start();
  const error = new Error("broken");
  await at.end("a1", error);
  expect(at.errors).toEqual([error]);
  expect(at.running()).toEqual(["b1"]);
  await at.end("b1");
  expect(at.running()).toEqual(["a2"]);
});

test("claims that fail are reported, and a later start claims again", async () => {
  const at = workersAt("a1");
  const error = new Error("the database is away");
  at.failClaims(error);
  await at.start();
  expect(at.errors).toEqual([error]);
  at.failClaims(null);
  await at.start();
  expect(at.running()).toEqual(["a1"]);
});
