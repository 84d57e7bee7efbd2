import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient as createRedisClient } from "@redis/client";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { createClient, type WatchedChange } from "../../client-sdk/src/index.ts";
import { migratedDatabase } from "../support/servers/postgres.ts";
import { startRedis, type RedisServer } from "../support/servers/redis.ts";
import { RestClient } from "../support/rest-client.ts";
import { startService, type ServiceProcess } from "../support/service-process.ts";

const patience = { timeout: 60_000, interval: 20 };

let dataDir: string;
let redis: RedisServer;
let one: ServiceProcess;
let other: ServiceProcess;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "zonewright-watch-"));
  redis = await startRedis();
  const env = {
    DATA_DIR: dataDir,
    DATABASE_URL: await migratedDatabase("zonewright_watch"),
    REDIS_URL: redis.url,
  };
  [one, other] = await Promise.all([startService(env), startService(env)]);
  await redis.untilSharedBy(2);
});

afterAll(async () => {
  await Promise.all([one.close(), other.close()]);
  await redis.stop();
  await rm(dataDir, { recursive: true, force: true });
});

test("an instance announces its changes in Redis, and its watchers hear what is announced there, without reading revisions", async () => {
  const channel = "zonewright:zone-changes";
  const [listener, speaker] = [createRedisClient({ url: redis.url }), createRedisClient({ url: redis.url })];
  await Promise.all([listener.connect(), speaker.connect()]);
  onTestFinished(() => [listener, speaker].forEach((client) => client.destroy()));
  const announced: unknown[] = [];
  await listener.subscribe(channel, (text) => void announced.push(JSON.parse(text)));
  const here = await one.signIn();
  const { body: zone } = await here.post("/api/domains", { name: "announced.example" });
  const revisions: number[] = [];
  const client = createClient({ url: one.url, token: here.token });
  const onData = ({ revision }: WatchedChange) => revisions.push(revision);
  const subscription = client.domains.watch.subscribe({ ids: [zone.id] }, { onData });
  onTestFinished(() => subscription.unsubscribe());
  await vi.waitFor(() => expect(revisions).toEqual([0]), patience);
  // The database has no such revision.
  const change = { from: "another instance", domainId: zone.id, revision: 7, changeSetId: null };
  await speaker.publish(channel, JSON.stringify(change));
  await vi.waitFor(() => expect(revisions).toEqual([0, 7]), patience);
  await here.post(`/api/domains/${zone.id}/records`, { recordType: "A", name: "www", value: "192.0.2.1" });
  const made = expect.objectContaining({ domainId: zone.id, revision: 1 });
  await vi.waitFor(() => expect(announced).toContainEqual(made), patience);
});

test("a watcher at one instance hears of a change made at the other, also while Redis is away", async () => {
  const here = await one.signIn();
  const { body: zone } = await here.post("/api/domains", { name: "watched.example" });
  const there = new RestClient(other.url, here.token);
  const add = (client: RestClient, name: string) =>
    client.post(`/api/domains/${zone.id}/records`, { recordType: "A", name, value: "192.0.2.1" });

  const changes: WatchedChange[] = [];
  const client = createClient({ url: one.url, token: here.token });
  const subscription = client.domains.watch.subscribe({ ids: [zone.id] }, { onData: (change) => changes.push(change) });
  const revisions = () => changes.map(({ revision }) => revision);
  await vi.waitFor(() => expect(revisions()).toEqual([0]), patience);
  expect((await add(there, "www")).status).toBe(201);
  await vi.waitFor(() => expect(revisions()).toEqual([0, 1]), patience);
  await redis.kill();
  expect((await add(there, "api")).status).toBe(201);
  // The instance reads the revisions of watched zones by itself.
  await vi.waitFor(() => expect(revisions()).toEqual([0, 1, 2]), patience);
  const { body: history } = await here.get(`/api/domains/${zone.id}/history`);
  expect(changes.slice(1).map(({ changeSetId }) => changeSetId)).toEqual(
    history.entries.map(({ id }: { id: string }) => id).toReversed(),
  );
  subscription.unsubscribe();
});
