import type { EndListener } from "../access/authenticator.ts";
import type { Logger } from "../platform/log.ts";
import type { Channel, Redis } from "../platform/redis.ts";
import type { Hub } from "./hub.ts";
import type { Elsewhere } from "./in-app-notifications.ts";
import type { Told } from "../platform/events.ts";
import { deleted, keptNotifications, read, unread, type Entry } from "./notification-log.ts";

/** What instances tell each other. */
type Message =
  | { kind: "entries"; changes: [userId: string, entries: Entry[]][] }
  /** Somebody has put into Redis what they alone knew. */
  | { kind: "relearn" }
  | { kind: "ended"; credential: string }
  | { kind: "changed"; userId: string };

/** The streams of this instance. */
interface SharingStreams extends EndListener {
  users(): string[];
  keepSlots(): void;
}

const beginningKey = "zonewright:notifications:beginning";
/** A log that nothing comes into is forgotten after this time. */
const keptSeconds = 90 * 86_400;
/** Each notification has three fields at the most; what is over is taken out now and then. */
const mostFields = 8 * keptNotifications;
const usersAtOnce = 200;

/** Gives entries that have none their place in the order of a log. @returns how many fields there are */
const place = `
for index = 1, #ARGV do
  local field = "place " .. ARGV[index]
  if redis.call("HEXISTS", KEYS[1], field) == 0 then
    redis.call("HSET", KEYS[1], field, redis.call("HINCRBY", KEYS[1], "places", 1))
  end
end
return redis.call("HLEN", KEYS[1])`;

/**
 * The logs of all instances, by Redis: each has a copy of its own and tells the others of changes as they happen; what an instance does
 * not know yet, it reads. While Redis is away each goes on with its copy, and puts into Redis afterwards what it knows.
 */
export class SharedNotificationLogs implements Elsewhere, Channel {
  readonly name = "zonewright:notifications";
  readonly #redis: Redis;
  readonly #hub: Hub;
  readonly #log: Logger;
  readonly #streams: SharingStreams;
  /** Users whose log was read since messages come; with what has come since, the copy here is complete. */
  #learned: Set<string> | null = null;

  constructor(parts: { redis: Redis; hub: Hub; log: Logger; streams: SharingStreams }) {
    this.#redis = parts.redis;
    this.#hub = parts.hub;
    this.#log = parts.log;
    this.#streams = parts.streams;
    this.#redis.listen(this);
  }

  async learn(userId: string): Promise<void> {
    try {
      if (this.#learned?.has(userId)) await this.#redis.caughtUp();
      else await this.#read(userId);
    } catch (error) {
      this.#isAway(error);
    }
  }

  /** Comes back to this instance as well, so that all have their notifications in the same order. */
  async tell(changes: ReadonlyMap<string, readonly Entry[]>): Promise<void> {
    try {
      const told = [...changes].map(([userId, entries]): [string, Entry[]] => [userId, [...entries]]);
      await this.#write(changes, { kind: "entries", changes: told });
      await this.#redis.caughtUp();
    } catch (error) {
      this.#isAway(error);
    }
  }

  /** Lets streams in other instances end as well. */
  ended(credential: string): void {
    void this.#publish({ kind: "ended", credential }).catch((error: unknown) => this.#isAway(error));
  }

  changed(userId: string): void {
    void this.#publish({ kind: "changed", userId }).catch((error: unknown) => this.#isAway(error));
  }

  /** Others who use the same Redis could send anything. */
  onMessage(text: string): void {
    try {
      this.#take(JSON.parse(text) as Message);
    } catch (error) {
      this.#log.warn({ err: error }, "a message of another instance could not be read");
    }
  }

  #take(message: Message): void {
    if (message.kind === "entries") {
      for (const [userId, entries] of message.changes) this.#hub.merge(userId, entries.map(revived));
    }
    if (message.kind === "relearn") void this.#relearn();
    if (message.kind === "ended") this.#streams.ended(message.credential);
    if (message.kind === "changed") this.#streams.changed(message.userId);
  }

  onHere(): void {
    this.#learned = new Set();
    this.#streams.keepSlots();
    void this.#contribute();
  }

  onAway(): void {
    this.#learned = null;
  }

  /** Puts into Redis, which may have lost everything, what is known here. */
  async #contribute(): Promise<void> {
    try {
      const { client } = this.#redis;
      const beginning = await client.set(beginningKey, this.#hub.beginning, { condition: "NX", GET: true });
      if (beginning !== null) this.#hub.beginning = beginning;
      const users = this.#hub.users();
      for (let at = 0; at < users.length; at += usersAtOnce) {
        const some = users.slice(at, at + usersAtOnce);
        await this.#write(new Map(some.map((userId) => [userId, this.#hub.log(userId).entries()])), null);
      }
      if (users.length > 0) await this.#publish({ kind: "relearn" });
      await this.#relearn();
    } catch (error) {
      this.#isAway(error);
    }
  }

  /** Reads again what readers here wait for; the rest when it is asked for. */
  async #relearn(): Promise<void> {
    if (this.#learned) this.#learned = new Set();
    const users = this.#streams.users();
    for (let at = 0; at < users.length; at += usersAtOnce) {
      await Promise.all(users.slice(at, at + usersAtOnce).map((userId) => this.learn(userId)));
    }
  }

  async #read(userId: string): Promise<void> {
    const learned = this.#learned;
    this.#hub.mergeAll(userId, entriesOf(await this.#redis.client.hGetAll(key(userId))));
    learned?.add(userId);
  }

  /**
   * None of the fields is ever changed, and what deletes stays: writers need not wait for each other. What is told of it is published in the same
   * transaction, so that the order in Redis is the one in which all hear of it.
   */
  async #write(changes: ReadonlyMap<string, readonly Entry[]>, message: Message | null): Promise<void> {
    const users = [...changes].filter(([, entries]) => entries.length > 0);
    const writing = this.#redis.client.multi();
    const countsAt: number[] = [];
    let commands = 0;
    for (const [userId, entries] of users) {
      const gone = entries.filter(({ progress }) => progress === deleted).map(({ id }) => `told ${id}`);
      writing.hSet(key(userId), fieldsOf(entries)).expire(key(userId), keptSeconds);
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
    const kept = new Set(
      this.#hub
        .log(userId)
        .entries()
        .map(({ id }) => id),
    );
    const fields = await this.#redis.client.hKeys(key(userId));
    const over = fields.filter((field) => field !== "places" && !kept.has(field.split(" ")[1] ?? ""));
    if (over.length > 0) await this.#redis.client.hDel(key(userId), over);
  }

  async #publish(message: Message): Promise<void> {
    await this.#redis.client.publish(this.name, JSON.stringify(message));
  }

  /** The connection's own log line tells of it. */
  #isAway(error: unknown): void {
    this.#log.debug({ err: error }, "notifications are not shared for the moment");
  }
}

function key(userId: string): string {
  return `zonewright:mailbox:${userId}`;
}

function fieldsOf(entries: readonly Entry[]): Record<string, string> {
  return Object.fromEntries(
    entries.flatMap(({ id, progress, told }) => [
      ...(told ? [[`told ${id}`, JSON.stringify(told)]] : []),
      ...(progress === read ? [[`read ${id}`, ""]] : []),
      ...(progress === deleted ? [[`deleted ${id}`, ""]] : []),
    ]),
  );
}

/** In their order. */
function entriesOf(fields: Readonly<Record<string, string>>): Entry[] {
  const placed = Object.entries(fields).flatMap(([field, value]) =>
    field.startsWith("place ") ? [{ id: field.slice("place ".length), at: Number(value) }] : [],
  );
  return placed
    .toSorted((one, other) => one.at - other.at)
    .map(({ id }) => {
      const progress = `deleted ${id}` in fields ? deleted : `read ${id}` in fields ? read : unread;
      const told = fields[`told ${id}`];
      return { id, progress, told: told === undefined ? null : revivedTold(JSON.parse(told) as Told) };
    });
}

/** An entry as it was before it became JSON. */
function revived({ id, progress, told }: Entry): Entry {
  return { id, progress, told: told && revivedTold(told) };
}

function revivedTold(told: Told): Told {
  return { ...told, createdAt: new Date(told.createdAt) };
}
