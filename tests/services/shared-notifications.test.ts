import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { StreamClient } from "../support/event-stream.ts";
import { migratedDatabase } from "../support/servers/postgres.ts";
import { startRedis, type RedisServer } from "../support/servers/redis.ts";
import { RestClient } from "../support/rest-client.ts";
import { startService, type ServiceProcess } from "../support/service-process.ts";
import { adminPassword } from "../support/zonewright.ts";

const path = "/api/notifications/stream";

let dataDir: string;
let redis: RedisServer;
let env: Record<string, string>;
let one: ServiceProcess;
let other: ServiceProcess;
let here: RestClient;
let there: RestClient;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "zonewright-shared-"));
  redis = await startRedis();
  env = {
    DATA_DIR: dataDir,
    DATABASE_URL: await migratedDatabase("zonewright_shared"),
    REDIS_URL: redis.url,
    TRUST_PROXY: "loopback",
    LOG_LEVEL: "info",
  };
  [one, other] = await Promise.all([startService(env), startService(env)]);
  await redis.untilSharedBy(2);
  here = new RestClient(one.url, await signIn(one));
  there = new RestClient(other.url, here.token);
});

let opened: StreamClient[] = [];
afterEach(async () => {
  for (const client of opened) client.cut();
  await Promise.all(opened.map(({ closed }) => closed));
  opened = [];
});

afterAll(async () => {
  await Promise.all([one.close(), other.close()]);
  await redis.stop();
  await rm(dataDir, { recursive: true, force: true });
});

let programs = 0;
/** Signs the administrator in with a new program, which notifies the administrator unless it is the first. */
async function signIn({ url }: ServiceProcess): Promise<string> {
  programs += 1;
  const headers = { "user-agent": `program ${programs}`, "x-forwarded-for": `203.0.113.${programs % 250}` };
  const { body } = await new RestClient(url).post(
    "/api/auth/login",
    { username: "admin", password: adminPassword },
    headers,
  );
  return body.accessToken;
}

async function open(url: string, token: string | null, lastEventId = ""): Promise<StreamClient> {
  const headers = { authorization: `Bearer ${token}`, ...(lastEventId === "" ? {} : { "last-event-id": lastEventId }) };
  const client = await StreamClient.open(url + path, headers);
  opened.push(client);
  return client;
}

async function started(url: string, token: string | null, lastEventId?: string) {
  const client = await open(url, token, lastEventId);
  const message = await client.next();
  expect(message?.data.event).toBe("connected");
  return Object.assign(client, { cursor: message?.id ?? "", gap: message?.data.gap ?? false });
}

function byText(one: string, other: string): number {
  return one < other ? -1 : 1;
}

interface Kept {
  id: string;
  read: boolean;
}

async function list(client: RestClient): Promise<Kept[]> {
  return (await client.get("/api/notifications")).body.notifications;
}

test("a notification at one instance appears at the other, and so do its read state and deletion", async () => {
  const [stream, far] = [await started(one.url, here.token), await started(other.url, here.token)];
  await signIn(one);
  const [near, reported] = [await stream.next(), await far.next()];
  expect(reported).toEqual(near);
  const [newest] = await list(there);
  expect(newest).toEqual(reported?.data);
  for (let round = 0; round < 20; round++) {
    await signIn(round % 2 === 0 ? one : other);
    const [nearby, away] = round % 3 === 0 ? [here, there] : [there, here];
    const id = (await far.next())?.id ?? "";
    await nearby.post(`/api/notifications/${id}/read`);
    expect((await list(away)).find((entry) => entry.id === id)?.read).toBe(true);
    await away.delete(`/api/notifications/${id}`);
    expect((await list(nearby)).some((entry) => entry.id === id)).toBe(false);
    expect((await nearby.delete(`/api/notifications/${id}`)).status).toBe(404);
  }
});

test("of fifty simultaneous streams at two instances five open, and closing one frees its place", async () => {
  const urls = [one.url, other.url];
  const clients = await Promise.all(Array.from({ length: 50 }, (_, index) => open(urls[index % 2] ?? "", here.token)));
  const streams = clients.filter(({ status }) => status === 200);
  expect([streams.length, clients.filter(({ status }) => status === 429).length]).toEqual([5, 45]);
  const [closing] = streams;
  closing?.cut();
  await vi.waitFor(async () => expect((await open(other.url, here.token)).status).toBe(200), { timeout: 60_000 });
  expect((await open(one.url, here.token)).status).toBe(429);
});

test("a reader who reconnects to the other instance continues without loss or repetition", async () => {
  const seen: string[] = [];
  let cursor = "";
  const instances = [one, other];
  for (let round = 0; round < 6; round++) {
    const stream = await started(instances[round % 2]?.url ?? "", here.token, cursor);
    expect(stream.gap).toBe(false);
    if (round === 0) cursor = stream.cursor;
    for (let count = 0; count < (round === 0 ? 1 : 3); count++) {
      if (count === (round === 0 ? 0 : 2)) await signIn(instances[(round + 1) % 2] ?? one);
      const message = await stream.next();
      cursor = message?.id ?? "";
      seen.push(cursor);
    }
    stream.cut();
    await Promise.all(instances.map((instance) => signIn(instance)));
  }
  // A sign-in is answered before its notification has arrived everywhere.
  const rest = await started(other.url, here.token, cursor);
  for (let count = 0; count < 2; count++) seen.push((await rest.next())?.id ?? "");
  rest.cut();
  const ids = (await list(there)).map(({ id }) => id).toReversed();
  // Two of the same moment may be listed in either order.
  expect(seen.toSorted(byText)).toEqual(ids.slice(ids.indexOf(seen[0] ?? "")).toSorted(byText));
});

test("a sign-out, a deleted token and the profile switch immediately end streams at the other instance", async () => {
  const leaving = await signIn(one);
  const stream = await started(other.url, leaving);
  await new RestClient(one.url, leaving).post("/api/auth/logout");
  await stream.closed;
  const { body } = await here.post("/api/auth/me/tokens", { name: "Watcher", permissions: ["notifications:read"] });
  const byToken = await started(other.url, body.token);
  await here.delete(`/api/auth/me/tokens/${body.id}`);
  await byToken.closed;
  const off = await started(other.url, here.token);
  await here.put("/api/auth/me/profile", { notificationsEnabled: false });
  await off.closed;
  expect((await open(other.url, here.token)).status).toBe(403);
  await here.put("/api/auth/me/profile", { notificationsEnabled: true });
});

test("an instance that starts later knows earlier notifications and what was read and deleted", async () => {
  await signIn(one);
  const [first, second] = await list(here);
  await here.post(`/api/notifications/${first?.id}/read`);
  await here.delete(`/api/notifications/${second?.id}`);
  const stream = await started(one.url, here.token);
  const late = await startService(env);
  try {
    // On a busy machine it listens before it has reached Redis, which it waits two seconds for.
    const there = new RestClient(late.url, here.token);
    await expect.poll(async () => await list(there)).toEqual(await list(here));
    const after = await started(late.url, here.token, stream.cursor);
    expect(after.gap).toBe(false);
    await signIn(one);
    expect((await after.next())?.id).toBe((await stream.next())?.id);
  } finally {
    await late.close();
  }
});

test("without Redis each instance notifies its own readers, and afterwards both know everything, without repetition", async () => {
  const [near, far] = [await started(one.url, here.token), await started(other.url, here.token)];
  await redis.kill();
  for (const instance of [one, other])
    await vi.waitFor(() => expect(instance.output()).toContain("Redis is unreachable"), {
      timeout: 60_000,
      interval: 20,
    });
  const before = await list(here);
  await signIn(one);
  const missedThere = await near.next();
  expect((await list(here)).map(({ id }) => id)).toEqual([missedThere?.id, ...before.map(({ id }) => id)]);
  await signIn(other);
  const missedHere = await far.next();
  expect((await list(there)).map(({ id }) => id)).toEqual([missedHere?.id, ...before.map(({ id }) => id)]);
  await there.post(`/api/notifications/${missedHere?.id}/read`);
  await redis.restart();
  expect((await far.next())?.id).toBe(missedThere?.id);
  expect((await near.next())?.id).toBe(missedHere?.id);
  await vi.waitFor(async () => expect(await list(here)).toEqual(await list(there)), { timeout: 60_000 });
  expect((await list(here)).slice(0, 2)).toMatchObject([
    { id: missedHere?.id, read: true },
    { id: missedThere?.id, read: false },
  ]);
  for (const instance of [one, other]) expect(instance.output()).toContain("connected to Redis again");
  await signIn(one);
  expect((await near.next())?.id).toBe((await far.next())?.id);
  const third = await open(one.url, here.token);
  const rest = await Promise.all([0, 1, 2].map((index) => open([one, other][index % 2]?.url ?? "", here.token)));
  expect([third, ...rest].filter(({ status }) => status === 200)).toHaveLength(3);
});
