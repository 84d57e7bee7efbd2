import { createClient, isZonewrightError, type Client, type WatchedChange } from "../../../client-sdk/src/index.ts";
import { afterEach, describe, expect, test, vi } from "vitest";
import { announceZoneChange } from "../../../server/zones/changes/zone-watchers.ts";
import { StreamClient } from "../../support/event-stream.ts";
import { patience } from "../../support/patience.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { fileZone, manualZone, unknownId, type Zone } from "../../support/zones.ts";
import { memberPassword, useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright();

/** A subscription, and what it has received. */
interface Watch {
  changes: WatchedChange[];
  /** The error with which it failed, once it has. */
  failure: Promise<unknown>;
  stop: () => void;
}

let open: Watch[] = [];
afterEach(async () => {
  for (const watch of open) watch.stop();
  open = [];
  await vi.waitUntil(() => zw.services.streams.openStreams === 0, patience);
});

function sdk(client: RestClient): Client {
  return createClient({ url: zw.url, token: client.token });
}

function subscribe(client: RestClient, ids: string[]): Watch {
  const changes: WatchedChange[] = [];
  const { promise: failure, resolve } = Promise.withResolvers<unknown>();
  const subscription = sdk(client).domains.watch.subscribe(
    { ids },
    {
      onData: (change) => changes.push(change),
      onError: resolve,
    },
  );
  const watch = { changes, failure, stop: () => subscription.unsubscribe() };
  open.push(watch);
  return watch;
}

/** Subscribes and waits for the first message of each zone. */
async function watching(client: RestClient, zones: Zone[]): Promise<Watch> {
  const watch = subscribe(
    client,
    zones.map(({ id }) => id),
  );
  await received(watch, zones.length);
  return watch;
}

async function received({ changes }: Watch, count: number): Promise<void> {
  await vi.waitUntil(() => changes.length >= count, patience);
}

async function codeOf(failure: Promise<unknown>): Promise<string> {
  const error = await failure;
  return isZonewrightError(error) ? error.code : String(error);
}

async function latestChangeSet(zone: Zone): Promise<string> {
  return (await zone.get("/history?limit=1")).body.entries[0].id;
}

async function assign(zone: Zone, member: RestClient, subdomainPattern: string): Promise<string> {
  const { body: me } = await member.get("/api/auth/me");
  const { body } = await zw.admin.post("/api/assignments", {
    userId: me.id,
    domainId: zone.id,
    subdomainPattern,
    access: "read",
  });
  return body.id;
}

let members = 0;
async function member(): Promise<RestClient> {
  members += 1;
  return await zw.member(`watcher-${members}`);
}

describe("what a watcher hears", () => {
  test("a watcher hears each zone's revision first, then every change with its change set", async () => {
    const [one, other] = [await fileZone(zw), await manualZone(zw)];
    await one.add("A", "www", "192.0.2.1");
    const watch = await watching(zw.admin, [one, other]);
    expect(watch.changes.toSorted((a, b) => b.revision - a.revision)).toEqual([
      { domainId: one.id, revision: 1, changeSetId: null },
      { domainId: other.id, revision: 0, changeSetId: null },
    ]);
    await other.add("A", "www", "192.0.2.1");
    await received(watch, 3);
    await one.add("A", "api", "192.0.2.2");
    await received(watch, 4);
    expect(watch.changes.slice(2)).toEqual([
      { domainId: other.id, revision: 1, changeSetId: await latestChangeSet(other) },
      { domainId: one.id, revision: 2, changeSetId: await latestChangeSet(one) },
    ]);
  });

  test("a watcher hears of a sync that found a change made at the provider", async () => {
    const zone = await fileZone(zw);
    const watch = await watching(zw.admin, [zone]);
    await zone.edit((text) => `${text}byhand 300 IN A 192.0.2.7\n`);
    await zone.post("/sync");
    await received(watch, 2);
    expect(watch.changes[1]).toEqual({ domainId: zone.id, revision: 1, changeSetId: await latestChangeSet(zone) });
  });

  test("plans, refused changes and rolled-back transactions announce nothing", async () => {
    const zone = await manualZone(zw);
    const watch = await watching(zw.admin, [zone]);
    await zone.post("/records/plan", {
      changes: [{ action: "create", record: { recordType: "A", name: "a", value: "192.0.2.1" } }],
    });
    expect((await zone.create({ recordType: "A", name: "www", value: "not an address" })).status).toBe(400);
    const rolledBack = zw.services.database.fork().transactional(async (tx) => {
      announceZoneChange(tx, { domainId: zone.id, revision: 99, changeSetId: null });
      throw new Error("rolled back");
    });
    await expect(rolledBack).rejects.toThrow("rolled back");
    await zone.add("A", "www", "192.0.2.1");
    await received(watch, 2);
    expect(watch.changes.map(({ revision }) => revision)).toEqual([0, 1]);
  });

  test("a change that nothing announced here is found by reading the revisions", async () => {
    const zone = await manualZone(zw);
    const watch = await watching(zw.admin, [zone]);
    // As another instance does, while Redis is away.
    const em = zw.services.database.fork();
    await em.getConnection().execute("update domains set revision = 7 where id = ?", [zone.id]);
    zw.services.zoneWatchers.reread();
    await received(watch, 2);
    expect(watch.changes[1]).toEqual({ domainId: zone.id, revision: 7, changeSetId: null });
  });

  test("the stream ends with NOT_FOUND when the last of its domains is deleted", async () => {
    const zone = await manualZone(zw);
    const watch = await watching(zw.admin, [zone]);
    await zw.admin.delete(zone.path);
    expect(await codeOf(watch.failure)).toBe("NOT_FOUND");
  });
});

describe("rights", () => {
  test("a watcher who lost the right to a zone and has it again hears of later changes only", async () => {
    const zone = await manualZone(zw);
    const reader = await member();
    const assignment = await assign(zone, reader, "*");
    const watch = await watching(reader, [zone]);
    await zw.admin.delete(`/api/assignments/${assignment}`);
    for (const name of ["one", "two", "three"]) await zone.add("A", name, "192.0.2.1");
    const witness = await watching(zw.admin, [zone]);
    zw.services.zoneWatchers.reread();
    await zone.add("A", "four", "192.0.2.1");
    // Changes are announced in turn, so that the reading is over by then.
    await received(witness, 2);
    await assign(zone, reader, "*");
    zw.services.zoneWatchers.reread();
    await zone.add("A", "five", "192.0.2.1");
    await received(witness, 3);
    await received(watch, 2);
    expect(watch.changes.map(({ revision }) => revision)).toEqual([0, 5]);
  });

  test("a member hears only of changes that touch hosts that they see", async () => {
    const zone = await manualZone(zw);
    const reader = await member();
    await assign(zone, reader, "*.dev");
    const watch = await watching(reader, [zone]);
    const everything = await watching(zw.admin, [zone]);
    await zone.add("A", "www", "192.0.2.1");
    const seen = await zone.add("A", "a.dev", "192.0.2.1");
    await zone.add("A", "dev", "192.0.2.1");
    await zone.delete(seen.id);
    await received(everything, 5);
    await received(watch, 3);
    expect(watch.changes.map(({ revision }) => revision)).toEqual([0, 2, 4]);
  });

  test("a member whose assignment ends hears nothing from then on", async () => {
    const [zone, other] = [await manualZone(zw), await manualZone(zw)];
    const reader = await member();
    const assignment = await assign(zone, reader, "*");
    await assign(other, reader, "*");
    const watch = await watching(reader, [zone, other]);
    await zw.admin.delete(`/api/assignments/${assignment}`);
    await zone.add("A", "www", "192.0.2.1");
    await other.add("A", "www", "192.0.2.1");
    await received(watch, 3);
    expect(watch.changes[2]?.domainId).toBe(other.id);
  });

  test("domains that a member may not see are left out, and a stream of only those is refused with 404", async () => {
    const [zone, hidden] = [await manualZone(zw), await manualZone(zw)];
    const reader = await member();
    await assign(zone, reader, "*");
    const watch = subscribe(reader, [hidden.id, zone.id]);
    await received(watch, 1);
    await hidden.add("A", "www", "192.0.2.1");
    await zone.add("A", "www", "192.0.2.1");
    await received(watch, 2);
    expect(watch.changes.every(({ domainId }) => domainId === zone.id)).toBe(true);
    expect(await codeOf(subscribe(reader, [hidden.id]).failure)).toBe("NOT_FOUND");
    expect(await codeOf(subscribe(reader, [unknownId]).failure)).toBe("NOT_FOUND");
  });

  test("a personal token needs the permission to read records", async () => {
    const zone = await manualZone(zw);
    const tokenWith = async (permission: string) => {
      const { body } = await zw.admin.post("/api/auth/me/tokens", { name: permission, permissions: [permission] });
      return Object.assign(await zw.signIn("nobody", ""), { token: body.token as string });
    };
    expect(await codeOf(subscribe(await tokenWith("domains:read"), [zone.id]).failure)).toBe("FORBIDDEN");
    await watching(await tokenWith("records:read"), [zone]);
  });

  test("watching works with notifications turned off, and goes on when they are turned off", async () => {
    const zone = await manualZone(zw);
    const reader = await member();
    await assign(zone, reader, "*");
    const before = await watching(reader, [zone]);
    await reader.put("/api/auth/me/profile", { notificationsEnabled: false });
    const after = await watching(reader, [zone]);
    await zone.add("A", "www", "192.0.2.1");
    await Promise.all([received(before, 2), received(after, 2)]);
    expect(after.changes).toEqual(before.changes);
  });

  test("a watch counts toward the five streams of a user", async () => {
    const zone = await manualZone(zw);
    const headers = { authorization: `Bearer ${zw.admin.token}` };
    const streams = await Promise.all(
      Array.from({ length: 3 }, () => StreamClient.open(`${zw.url}/api/notifications/stream`, headers)),
    );
    await watching(zw.admin, [zone]);
    await watching(zw.admin, [zone]);
    expect(await codeOf(subscribe(zw.admin, [zone.id]).failure)).toBe("TOO_MANY_REQUESTS");
    for (const stream of streams) stream.cut();
  });

  test("a watch ends with the session that opened it", async () => {
    const zone = await manualZone(zw);
    await zw.member("leaving");
    const leaving = await zw.signIn("leaving", memberPassword);
    await assign(zone, leaving, "*");
    const watch = await watching(leaving, [zone]);
    await leaving.post("/api/auth/logout");
    expect(await codeOf(watch.failure)).toBe("UNAUTHORIZED");
  });

  test.each([
    ["no ids", []],
    ["51 ids", Array.from({ length: 51 }, () => unknownId)],
    ["a malformed id", ["not an id"]],
  ])("a watch of %s is refused with 400", async (_what, ids) => {
    expect(await codeOf(subscribe(zw.admin, ids).failure)).toBe("BAD_REQUEST");
  });
});
