import type { Identified } from "../../access/authenticator.ts";
import type { Caller, ZoneScope } from "../../access/caller.ts";
import { jsonTexts, queries, type Database, type EntityManager } from "../../database/database.ts";
import { sql } from "kysely";
import { MessageQueue } from "../../notifications/message-queue.ts";
import type { Stream, Streams } from "../../notifications/streams.ts";
import { notFound } from "../../platform/errors.ts";
import { inParts } from "../../platform/slices.ts";
import type { Logger } from "../../platform/log.ts";
import { afterCommit } from "../../database/after-commit.ts";
import { newId } from "../../platform/ids.ts";
import type { Channel, Redis } from "../../platform/redis.ts";
import { accessColumns, rightsFrom } from "../../access/zone-access.ts";

/** A message to a watcher: the zone has this revision. */
interface WatchedChange {
  domainId: string;
  revision: number;
  /** Null in the first message of a zone, and where no change set made the revision. */
  changeSetId: string | null;
}

/** What other instances commit is found by reading revisions, if nothing announces it here. */
const rereadMilliseconds = 15_000;
/** Change sets that are announced one by one after an outage; a longer gap shows in the revision. */
const mostCaughtUp = 50;
/** Watchers to whom a change is announced in one turn of the event loop. An embedded database reads the rights of each within it. */
const announcedInTurn = 20;
/** Size of a message, for the limit of what waits for a reader. */
const messageBytes = 150;

interface Watcher {
  caller: Caller;
  stream: Stream;
  messages: MessageQueue<WatchedChange>;
  /** The revision last announced, by zone. */
  known: Map<string, number>;
}

interface Parts {
  database: Database;
  streams: Streams;
  log: Logger;
  now: () => Date;
}

/**
 * Tells those who look at a zone that it changed. Every message is decided by the rights of its reader at that moment, and changes
 * are handled in turn, so that a reader sees revisions rise.
 */
export class ZoneWatchers {
  readonly #parts: Parts;
  readonly #byZone = new Map<string, Set<Watcher>>();
  #turn: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Starts a stream of the changes of some zones. Zones that the caller may not see are left out.
   * @throws AppError NOT_FOUND if the caller may see none of them, and what opening a stream throws
   */
  async watch(
    { identified, caller }: { identified: Identified; caller: Caller },
    ids: readonly string[],
    { signal, cut }: { signal: AbortSignal | undefined; cut: () => void },
  ): Promise<AsyncIterable<WatchedChange>> {
    const { streams, database } = this.#parts;
    const stream = await streams.open(database.fork(), identified, "zones");
    const messages = new MessageQueue<WatchedChange>(() => streams.close(stream), cut);
    const watcher: Watcher = { caller, stream, messages, known: new Map() };
    // Listens before reading, so that no change falls in between: changes wait for their turn.
    for (const id of ids) this.#listen(id, watcher);
    stream.stopListening = () => this.#forget(watcher, ids);
    try {
      await this.#serialized(() => this.#start(watcher, ids));
    } catch (error) {
      this.#forget(watcher, ids);
      streams.close(stream);
      throw error;
    }
    messages.leaveOn(signal);
    streams.attach(stream, { beat: () => undefined, end: (reason) => messages.end(reason) });
    return messages;
  }

  /** Handles a change, made by this instance or another. */
  changed(change: ZoneChange): void {
    if (!this.#byZone.has(change.domainId)) return;
    this.#soon(() => this.#announce(change));
  }

  /** Reads the revisions of all watched zones, because announcements may have been missed. */
  reread(): void {
    this.#soon(() => this.#catchUp());
  }

  async #start(watcher: Watcher, ids: readonly string[]): Promise<void> {
    const zones = await seenZones(this.#parts.database.fork(), watcher.caller, ids, this.#parts.now());
    if (zones.length === 0) throw notFound("domain");
    for (const { id, revision } of zones) this.#send(watcher, { domainId: id, revision, changeSetId: null });
  }

  async #announce({ domainId, revision, changeSetId }: ZoneChange): Promise<void> {
    const em = this.#parts.database.fork();
    for await (const watcher of inParts(this.#byZone.get(domainId) ?? [], announcedInTurn)) {
      if (revision === null) {
        watcher.known.delete(domainId);
        // Nothing is left to watch.
        if (watcher.known.size === 0) watcher.messages.leave();
        continue;
      }
      const after = watcher.known.get(domainId) ?? 0;
      if (revision <= after) continue;
      const [zone] = await seenZones(em, watcher.caller, [domainId], this.#parts.now());
      if (!zone) {
        // Otherwise every reading would announce what this watcher may not hear.
        watcher.known.set(domainId, revision);
        continue;
      }
      const touched = await touches(em, { domainId, after, upTo: revision }, zone.sees);
      if (touched) this.#send(watcher, { domainId, revision, changeSetId });
      else watcher.known.set(domainId, revision);
    }
  }

  async #catchUp(): Promise<void> {
    const em = this.#parts.database.fork();
    const ids = [...this.#byZone.keys()];
    if (ids.length === 0) return;
    const rows = await queries(em)
      .selectFrom("domains")
      .select(["id", "revision"])
      .where("id", "in", sql<string>`(select value::uuid from ${jsonTexts(ids)})`)
      .execute();
    const present = new Map(rows.map(({ id, revision }) => [id, revision]));
    for (const domainId of ids) {
      const revision = present.get(domainId) ?? null;
      const after = this.#leastKnown(domainId);
      if (revision !== null && revision <= after) continue;
      const sets = revision === null ? [] : await changeSetsAfter(em, domainId, { after, limit: mostCaughtUp });
      for (const set of sets) await this.#announce({ domainId, revision: set.revision, changeSetId: set.id });
      await this.#announce({ domainId, revision, changeSetId: null });
    }
  }

  #leastKnown(domainId: string): number {
    const known = [...(this.#byZone.get(domainId) ?? [])].flatMap((watcher) => watcher.known.get(domainId) ?? []);
    return Math.min(...known);
  }

  #send({ known, messages }: Watcher, message: WatchedChange): void {
    known.set(message.domainId, message.revision);
    messages.put(message, messageBytes);
  }

  #listen(domainId: string, watcher: Watcher): void {
    this.#byZone.set(domainId, (this.#byZone.get(domainId) ?? new Set()).add(watcher));
    this.#timer ??= setInterval(() => this.reread(), rereadMilliseconds).unref();
  }

  #forget(watcher: Watcher, ids: readonly string[]): void {
    for (const id of ids) {
      const watchers = this.#byZone.get(id);
      if (watchers?.delete(watcher) && watchers.size === 0) this.#byZone.delete(id);
    }
    if (this.#byZone.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Runs one piece of work after another. */
  async #serialized<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return await result;
  }

  /** While the database is away, watchers stay; the next reading finds what they missed. */
  #soon(work: () => Promise<void>): void {
    this.#serialized(work).catch((error: unknown) => {
      this.#parts.log.debug({ err: error }, "a change could not be announced to its watchers");
    });
  }
}

/** A zone that has another revision, or that is gone. */
interface ZoneChange {
  domainId: string;
  /** The revision reached; null: the domain was deleted. */
  revision: number | null;
  /** The change set that made the revision; null if no change set did. */
  changeSetId: string | null;
  /** Whether the domain has mirrors; left out: it may have. */
  mirrored?: boolean;
  /** Whether channels hear of the change; left out: they may. */
  reported?: boolean;
}

type Announce = (change: ZoneChange) => void;

/** Keyed by the configuration object that all units of work of a database share. */
const listeners = new WeakMap<object, Set<Announce>>();

/** Adds what hears of the changes committed to a database by this process. It must not throw. */
export function hearZoneChanges(em: EntityManager, announce: Announce): void {
  listeners.set(em.config, (listeners.get(em.config) ?? new Set()).add(announce));
}

/** Announces a change once the transaction has committed, and never after a rollback. */
export function announceZoneChange(tx: EntityManager, change: ZoneChange): void {
  afterCommit(tx, () => {
    for (const announce of listeners.get(tx.config) ?? []) announce(change);
  });
}

/**
 * Exchanges announcements with other instances through Redis. While Redis is unavailable, watchers of other instances find changes by
 * reading revisions.
 */
class SharedZoneChanges implements Channel {
  readonly name = "zonewright:zone-changes";
  readonly #redis: Redis;
  readonly #watchers: ZoneWatchers;
  readonly #log: Logger;
  readonly #instance: string = newId();

  constructor(redis: Redis, watchers: ZoneWatchers, log: Logger) {
    this.#redis = redis;
    this.#watchers = watchers;
    this.#log = log;
    redis.listen(this);
  }

  announce(change: ZoneChange): void {
    this.#redis.client
      .publish(this.name, JSON.stringify({ from: this.#instance, ...change }))
      .catch((error: unknown) => this.#log.debug({ err: error }, "a zone's change cannot be shared at the moment"));
  }

  /** Handles a message. Other clients of the same Redis can publish anything. */
  onMessage(text: string): void {
    try {
      const { from, domainId, revision, changeSetId } = JSON.parse(text) as ZoneChange & { from: string };
      if (from === this.#instance) return;
      this.#watchers.changed({ domainId, revision, changeSetId });
    } catch (error) {
      this.#log.warn({ err: error }, "a message from another instance could not be read");
    }
  }

  onConnected(): void {
    this.#watchers.reread();
  }

  onDisconnected(): void {}
}

/** A zone as one caller sees it now. */
interface SeenZone {
  id: string;
  revision: number;
  /** The records whose changes the caller may hear of. */
  sees: ZoneScope;
}

/** Returns those of some domains that the caller may see, by their role and rights at a time. */
async function seenZones(em: EntityManager, watcher: Caller, ids: readonly string[], at: Date): Promise<SeenZone[]> {
  const user = await queries(em)
    .selectFrom("users")
    .select("role")
    .where("id", "=", watcher.userId)
    .where("disabled_at", "is", null)
    .executeTakeFirst();
  if (!user) return [];
  const caller = { ...watcher, role: user.role, at };
  const rows = await queries(em)
    .selectFrom("domains")
    .select(["id", "revision"])
    .select(accessColumns(caller))
    .where("id", "in", sql<string>`(select value::uuid from ${jsonTexts(ids)})`)
    .execute();
  return rows.flatMap((row) => {
    const rights = rightsFrom(caller, row);
    return rights ? [{ id: row.id, revision: row.revision, sees: rights.sees }] : [];
  });
}

/** Returns whether the revisions after one and up to another touch records of a scope. */
async function touches(
  em: EntityManager,
  { domainId, after, upTo }: { domainId: string; after: number; upTo: number },
  scope: ZoneScope,
): Promise<boolean> {
  if (scope.isAll) return true;
  if (scope.isNone) return false;
  const changed = (column: "since" | "until") =>
    queries(em)
      .selectFrom("records")
      .select(sql<number>`1`.as("one"))
      .where("domain_id", "=", domainId)
      .where(column, ">", after)
      .where(column, "<=", upTo)
      .where(scope.condition());
  const found = await changed("since").unionAll(changed("until")).limit(1).executeTakeFirst();
  return found !== undefined;
}

/** Returns the change sets that made the revisions after one, oldest first. */
async function changeSetsAfter(
  em: EntityManager,
  domainId: string,
  { after, limit }: { after: number; limit: number },
): Promise<{ id: string; revision: number }[]> {
  const rows = await queries(em)
    .selectFrom("change_sets")
    .select(["id", "revision"])
    .where("domain_id", "=", domainId)
    .where("revision", ">", after)
    .orderBy("revision")
    .limit(limit)
    .execute();
  return rows.map(({ id, revision }) => ({ id, revision: revision ?? 0 }));
}

/** Builds the announcements of committed changes, for this process or, with Redis, between all instances. */
export function composeZoneWatchers(parts: {
  database: Database;
  streams: Streams;
  redis: Redis | null;
  log: Logger;
  now: () => Date;
}): ZoneWatchers {
  const { database, redis, log } = parts;
  const watchers = new ZoneWatchers(parts);
  const shared = redis && new SharedZoneChanges(redis, watchers, log);
  hearZoneChanges(database.fork(), (change) => {
    watchers.changed(change);
    shared?.announce(change);
  });
  return watchers;
}
