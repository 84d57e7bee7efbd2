import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createClient, type Client, type Fetch, type ServedRecords } from "../../client-sdk/src/index.ts";
import { content, reset, startPrivateRoot, zoneName, type PrivateRoot } from "../registry/delegation/private-root.ts";
import { manualConfig } from "../support/zones.ts";
import { adminPassword, startZonewright, type Zonewright } from "../support/zonewright.ts";
import { failure } from "./failure.ts";

const procedure = "/trpc/delegation.checkServed";
let world: PrivateRoot;
let zw: Zonewright & { stop(): Promise<void> };
let client: Client;
let accessToken: string;
let providerConfigId: string;
let id: string;

beforeAll(async () => {
  world = await startPrivateRoot();
  zw = await startZonewright({
    env: { RESOLVER_ROOTS: world.roots, EGRESS_ALLOW: "127.53.0.0/16", JOBS: "off" },
  });
  const { body } = await zw.nobody.post("/api/auth/login", { username: "admin", password: adminPassword });
  ({ accessToken } = body);
  client = createClient({ url: zw.url, token: accessToken });
  providerConfigId = await manualConfig(zw);
  ({ id } = await client.domains.create.mutate({ name: zoneName, providerConfigId }));
});
afterAll(async () => {
  await zw.stop();
  await world.internet.stop();
});
beforeEach(() => reset(world));

const record = { name: "www", recordType: "A" } as const;
const serve = (server: "first" | "second", address: string) => {
  world[server].zones = { [zoneName]: [...content(), `www.one.tld A ${address}`] };
};
/** Takes the record from all name servers. */
const serveNothing = () => {
  const zones = { [zoneName]: content().filter((line) => !line.startsWith("www.")) };
  Object.assign(world.first, { zones });
  Object.assign(world.second, { zones });
};

/** A time limit of the client that is over when the test says so, however long calls take. No other timer has its length. */
function timeLimit() {
  const seconds = 90;
  const { setTimeout: later } = globalThis;
  const ends: (() => void)[] = [];
  const timers = vi
    .spyOn(globalThis, "setTimeout")
    .mockImplementation((act: (...given: unknown[]) => void, wait?: number, ...given: unknown[]) => {
      if (wait === seconds * 1000) ends.push(act);
      return later(act, wait, ...given);
    });
  onTestFinished(() => {
    timers.mockRestore();
  });
  return { timeoutSeconds: seconds, end: () => ends.at(-1)?.() };
}

test("the wait ends when the last name server serves the value", async () => {
  serve("first", "192.0.2.7");
  const seen: ServedRecords[] = [];
  const onWaiting = (answer: ServedRecords) => {
    seen.push(answer);
    serve("second", "192.0.2.7");
  };
  const served = await client.waitUntilServed({ id, ...record, values: ["192.0.2.7"] }, { onWaiting });
  expect(seen.map(({ servers }) => servers.map(({ state }) => state))).toEqual([["current", "behind"]]);
  expect(served).toMatchObject({ served: true, servers: [{ state: "current" }, { state: "current" }] });
});

test("the wait for a value that should be gone ends when no name server has it", async () => {
  const gone = await client.waitUntilServed({ id, ...record, absent: true }, { onWaiting: serveNothing });
  expect(gone.served).toBe(true);
});

test("a wait that takes too long fails and names the servers that are behind, with what they lack", async () => {
  serve("first", "192.0.2.7");
  const { timeoutSeconds, end } = timeLimit();
  const error = await failure(
    client.waitUntilServed({ id, ...record, values: ["192.0.2.7"] }, { timeoutSeconds, onWaiting: end }),
  );
  expect(error).toMatchObject({
    code: "TIMEOUT",
    message: "Not served after 90 seconds by ns2.one.tld (127.53.0.4): It has other A records there.",
  });
});

test("a wait that takes too long because a server never answers stops its call", async () => {
  world.first.behavior = "silent";
  world.second.behavior = "silent";
  const error = await failure(client.waitUntilServed({ id, ...record }, { timeoutSeconds: 0.5 }));
  expect(error).toMatchObject({
    code: "TIMEOUT",
    message: "Not served after 0.5 seconds: the service did not answer.",
  });
});

test("an aborted wait fails at once, during a call and between two", async () => {
  const before = AbortSignal.abort();
  expect(await failure(client.waitUntilServed({ id, ...record }, { signal: before }))).toMatchObject({
    code: "ABORTED",
  });
  const between = new AbortController();
  const wait = client.waitUntilServed(
    { id, ...record, values: ["192.0.2.7"] },
    { signal: between.signal, onWaiting: () => between.abort() },
  );
  expect(await failure(wait)).toMatchObject({ code: "ABORTED" });
});

test("the wait goes on when the service is busy, and ends at once for a call that cannot succeed", async () => {
  const busy = [429, 503];
  const fetch: Fetch = async (url, init) => {
    const status = url.includes(procedure) ? busy.shift() : undefined;
    return status === undefined ? await globalThis.fetch(url, init) : Response.json({ title: "Busy" }, { status });
  };
  const patient = createClient({ url: zw.url, token: accessToken, fetch });
  expect((await patient.waitUntilServed({ id, ...record })).served).toBe(true);
  expect(busy).toEqual([]);
  expect(await failure(client.waitUntilServed({ id, ...record, values: ["nonsense"] }))).toMatchObject({
    code: "BAD_REQUEST",
  });
  const unknown = "00000000-0000-4000-8000-000000000000";
  expect(await failure(client.waitUntilServed({ id: unknown, ...record }))).toMatchObject({ code: "NOT_FOUND" });
});

test("the wait goes on after a call that took longer than the client allows", async () => {
  let calls = 0;
  const { timeoutSeconds, end } = timeLimit();
  const fetch: Fetch = async (url, init) => {
    if (!url.includes(procedure) || ++calls > 1) return await globalThis.fetch(url, init);
    return await new Promise((_, reject) => {
      init?.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error));
      end();
    });
  };
  const hasty = createClient({ url: zw.url, token: accessToken, fetch, timeoutSeconds });
  expect((await hasty.waitUntilServed({ id, ...record })).served).toBe(true);
  expect(calls).toBe(2);
});

test("a wait that only ever met a busy service says so", async () => {
  const busy = { title: "Too many requests", status: 429, detail: "You made too many calls. Wait 60 s." };
  let calls = 0;
  const { timeoutSeconds, end } = timeLimit();
  const fetch: Fetch = async (url, init) => {
    if (!url.includes(procedure)) return await globalThis.fetch(url, init);
    if (++calls > 1) end();
    return Response.json(busy, { status: 429 });
  };
  const patient = createClient({ url: zw.url, token: accessToken, fetch });
  const error = await failure(patient.waitUntilServed({ id, ...record }, { timeoutSeconds }));
  expect(error.message).toMatch(/^Not served after 90 seconds: /);
  expect(error.message).not.toContain("did not answer");
});

test("a domain whose name servers cannot be asked fails at once, with the reason", async () => {
  const { id: internal } = await client.domains.create.mutate({ name: `${zoneName}!internal`, providerConfigId });
  expect(await failure(client.waitUntilServed({ id: internal, ...record }))).toMatchObject({
    code: "CONFLICT",
    message: "It is in the view internal. Only domains in the default view are public.",
  });
});

test("a timeout that is no time is refused before anything is sent", async () => {
  for (const timeoutSeconds of [0, -1, Number.NaN])
    await expect(client.waitUntilServed({ id, ...record }, { timeoutSeconds })).rejects.toThrow(TypeError);
});
