import type { EndListener } from "../access/authenticator.ts";
import type { Logger } from "../platform/log.ts";
import type { Channel, Redis } from "../platform/redis.ts";
import type { SharedLogs, Hub } from "./in-app-notifications.ts";
import type { NotificationContent } from "../platform/events.ts";
import { deleted, notificationsPerUser, read, unread, type Entry } from "./notification-log.ts";
import { streamsPerUser, type StreamSlots } from "./streams.ts";

/** An entry as published. Instances of 0.1 use the same form, so the property is still called `told`. */
interface PublishedEntry {
  id: string;
  progress: Entry["progress"];
  told: NotificationContent | null;
}

/** Message between instances. */
type Message =
  | { kind: "entries"; changes: [userId: string, entries: PublishedEntry[]][] }
  /** An instance has written entries to Redis that others may lack. */
  | { kind: "relearn" }
  | { kind: "ended"; credential: string }
  | { kind: "changed"; userId: string };

/** This instance's streams. */
interface SharingStreams extends EndListener {
  users(): string[];
  renewSlots(): void;
}

const beginningKey = "zonewright:notifications:beginning";
/** Redis deletes a log after this time without new entries. */
const retentionSeconds = 90 * 86_400;
/** Field count above which a log is compacted. Each notification has at most three fields. */
const mostFields = 8 * notificationsPerUser;
const usersAtOnce = 200;

/** Assigns the next position in the log to each entry that has none. @returns the number of fields */
const place = `
for index = 1, #ARGV do
  local field = "place " .. ARGV[index]
  if redis.call("HEXISTS", KEYS[1], field) == 0 then
    redis.call("HSET", KEYS[1], field, redis.call("HINCRBY", KEYS[1], "places", 1))
  end
end
return redis.call("HLEN", KEYS[1])`;

interface Parts {
  redis: Redis;
  hub: Hub;
  log: Logger;
  streams: SharingStreams;
}

/**
 * Synchronizes notification logs between instances through Redis. Each instance holds its own copy, publishes changes as they happen
 * and reads logs that it has not loaded yet. While Redis is unavailable, each instance works on its copy; on reconnecting it writes
 * that copy to Redis.
 */
export class SharedNotificationLogs implements SharedLogs, Channel {
  readonly #parts: Parts;
  readonly name = "zonewright:notifications";
  /** Users whose log was read since the subscription started: with the messages received since, this copy is complete. */
  #learned: Set<string> | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#parts.redis.listen(this);
  }

  async load(userId: string): Promise<void> {
    try {
      if (this.#learned?.has(userId)) await this.#parts.redis.caughtUp();
      else await this.#read(userId);
    } catch (error) {
      this.#isAway(error);
    }
  }

  /** Publishes changes. This instance receives them too, so that all instances have the same order. */
  async publish(changes: ReadonlyMap<string, readonly Entry[]>): Promise<void> {
    try {
      const published = [...changes].map(([userId, entries]): [string, PublishedEntry[]] => [
        userId,
        entries.map(publishedEntry),
      ]);
      await this.#write(changes, { kind: "entries", changes: published });
      await this.#parts.redis.caughtUp();
    } catch (error) {
      this.#isAway(error);
    }
  }

  /** Ends the credential's streams in other instances too. */
  ended(credential: string): void {
    void this.#publish({ kind: "ended", credential }).catch((error: unknown) => this.#isAway(error));
  }

  changed(userId: string): void {
    void this.#publish({ kind: "changed", userId }).catch((error: unknown) => this.#isAway(error));
  }

  /** Handles a message. Parsing may fail: other clients of the same Redis can publish anything. */
  onMessage(text: string): void {
    try {
      this.#take(JSON.parse(text) as Message);
    } catch (error) {
      this.#parts.log.warn({ err: error }, "a message from another instance could not be read");
    }
  }

  #take(message: Message): void {
    if (message.kind === "entries") {
      for (const [userId, entries] of message.changes) this.#parts.hub.merge(userId, entries.map(receivedEntry));
    }
    if (message.kind === "relearn") void this.#relearn();
    if (message.kind === "ended") this.#parts.streams.ended(message.credential);
    if (message.kind === "changed") this.#parts.streams.changed(message.userId);
  }

  onConnected(): void {
    this.#learned = new Set();
    this.#parts.streams.renewSlots();
    void this.#contribute();
  }

  onDisconnected(): void {
    this.#learned = null;
  }

  /** Writes this instance's entries to Redis, which may have lost its data. */
  async #contribute(): Promise<void> {
    try {
      const { client } = this.#parts.redis;
      const beginning = await client.set(beginningKey, this.#parts.hub.beginning, { condition: "NX", GET: true });
      if (beginning !== null) this.#parts.hub.beginning = beginning;
      const users = this.#parts.hub.users();
      for (let at = 0; at < users.length; at += usersAtOnce) {
        const some = users.slice(at, at + usersAtOnce);
        await this.#write(new Map(some.map((userId) => [userId, this.#parts.hub.log(userId).entries()])), null);
      }
      if (users.length > 0) await this.#publish({ kind: "relearn" });
      await this.#relearn();
    } catch (error) {
      this.#isAway(error);
    }
  }

  /** Rereads the logs of users with open streams; other logs are reread on demand. */
  async #relearn(): Promise<void> {
    if (this.#learned) this.#learned = new Set();
    const users = this.#parts.streams.users();
    for (let at = 0; at < users.length; at += usersAtOnce) {
      await Promise.all(users.slice(at, at + usersAtOnce).map((userId) => this.load(userId)));
    }
  }

  async #read(userId: string): Promise<void> {
    const learned = this.#learned;
    this.#parts.hub.mergeAll(userId, entriesOf(await this.#parts.redis.client.hGetAll(key(userId))));
    learned?.add(userId);
  }

  /**
   * Writes entries. Fields are never changed and deletion fields persist, so concurrent writers need no lock. The message is published
   * in the same transaction, so that all instances receive changes in Redis's order.
   */
  async #write(changes: ReadonlyMap<string, readonly Entry[]>, message: Message | null): Promise<void> {
    const users = [...changes].filter(([, entries]) => entries.length > 0);
    const writing = this.#parts.redis.client.multi();
    const countsAt: number[] = [];
    let commands = 0;
    for (const [userId, entries] of users) {
      const gone = entries.filter(({ progress }) => progress === deleted).map(({ id }) => `told ${id}`);
      writing.hSet(key(userId), fieldsOf(entries)).expire(key(userId), retentionSeconds);
      if (gone.length > 0) writing.hDel(key(userId), gone);
      writing.eval(place, { keys: [key(userId)], arguments: entries.map(({ id }) => id) });
      commands += gone.length > 0 ? 4 : 3;
      countsAt.push(commands - 1);
    }
    if (message) writing.publish(this.name, JSON.stringify(message));
    const replies = await writing.exec();
    for (const [index, [userId]] of users.entries()) {
      if (Number(replies[countsAt[index] ?? 0]) > mostFields) await this.#compact(userId);
    }
  }

  async #compact(userId: string): Promise<void> {
    await this.#read(userId);
    const current = new Set(
      this.#parts.hub
        .log(userId)
        .entries()
        .map(({ id }) => id),
    );
    const fields = await this.#parts.redis.client.hKeys(key(userId));
    const over = fields.filter((field) => field !== "places" && !current.has(field.split(" ")[1] ?? ""));
    if (over.length > 0) await this.#parts.redis.client.hDel(key(userId), over);
  }

  async #publish(message: Message): Promise<void> {
    await this.#parts.redis.client.publish(this.name, JSON.stringify(message));
  }

  /** Logs at debug level only: the connection itself logs the outage. */
  #isAway(error: unknown): void {
    this.#parts.log.debug({ err: error }, "notifications cannot be shared at the moment");
  }
}

function key(userId: string): string {
  return `zonewright:mailbox:${userId}`;
}

function fieldsOf(entries: readonly Entry[]): Record<string, string> {
  return Object.fromEntries(
    entries.flatMap(({ id, progress, message }) => [
      ...(message ? [[`told ${id}`, JSON.stringify(message)]] : []),
      ...(progress === read ? [[`read ${id}`, ""]] : []),
      ...(progress === deleted ? [[`deleted ${id}`, ""]] : []),
    ]),
  );
}

/** Returns the entries in log order. */
function entriesOf(fields: Readonly<Record<string, string>>): Entry[] {
  const placed = Object.entries(fields).flatMap(([field, value]) =>
    field.startsWith("place ") ? [{ id: field.slice("place ".length), at: Number(value) }] : [],
  );
  return placed
    .toSorted((one, other) => one.at - other.at)
    .map(({ id }) => {
      const progress = `deleted ${id}` in fields ? deleted : `read ${id}` in fields ? read : unread;
      const message = fields[`told ${id}`];
      return {
        id,
        progress,
        message: message === undefined ? null : revivedMessage(JSON.parse(message) as NotificationContent),
      };
    });
}

function publishedEntry({ id, progress, message }: Entry): PublishedEntry {
  return { id, progress, told: message };
}

/** Restores an entry from its JSON form. */
function receivedEntry({ id, progress, told }: PublishedEntry): Entry {
  return { id, progress, message: told && revivedMessage(told) };
}

function revivedMessage(message: NotificationContent): NotificationContent {
  return { ...message, createdAt: new Date(message.createdAt) };
}

/** Lease of a slot: slots of a crashed instance are released after this time. */
const leaseMilliseconds = 30_000;

/** Takes a slot. Uses Redis's clock, because instances' clocks may differ. */
const take = `
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", now)
if redis.call("ZCARD", KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call("ZADD", KEYS[1], now + ARGV[3], ARGV[1])
redis.call("PEXPIRE", KEYS[1], ARGV[3])
return 1`;

/** Renews slots, and restores them if Redis has lost its data. */
const keep = `
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for index = 2, #ARGV do redis.call("ZADD", KEYS[1], now + ARGV[1], ARGV[index]) end
redis.call("PEXPIRE", KEYS[1], ARGV[1])`;

/** Counts a user's streams across all instances. While Redis is unavailable, each instance counts only its own. */
export class SharedStreamSlots implements StreamSlots {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  async acquire(userId: string, streamId: string): Promise<boolean> {
    const args = [streamId, String(streamsPerUser), String(leaseMilliseconds)];
    try {
      return (await this.#redis.client.eval(take, { keys: [slotsKey(userId)], arguments: args })) === 1;
    } catch {
      return true;
    }
  }

  release(userId: string, streamId: string): void {
    this.#redis.client.zRem(slotsKey(userId), streamId).catch(freeInTime);
  }

  renew(taken: readonly { userId: string; id: string }[]): void {
    for (const [userId, streams] of Map.groupBy(taken, (stream) => stream.userId)) {
      const args = [String(leaseMilliseconds), ...streams.map(({ id }) => id)];
      this.#redis.client.eval(keep, { keys: [slotsKey(userId)], arguments: args }).catch(freeInTime);
    }
  }
}

/** Ignores errors: without Redis slots have no effect, and leases in it expire on their own. */
function freeInTime(): void {}

function slotsKey(userId: string): string {
  return `zonewright:streams:${userId}`;
}
