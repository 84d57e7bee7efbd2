import type { Identified } from "../../access/authenticator.ts";
import type { Caller } from "../../access/caller.ts";
import type { Database } from "../../database/database.ts";
import { sql } from "kysely";
import { jsonTexts, queries } from "../../database/database.ts";
import { MessageQueue } from "../../notifications/message-queue.ts";
import type { Stream, Streams } from "../../notifications/streams.ts";
import { notFound } from "../../platform/errors.ts";
import type { Logger } from "../../platform/log.ts";
import type { ZoneChange } from "./announce.ts";
import { changeSetsAfter, seenZones, touches } from "./rights-of-watchers.ts";

/** A message to a watcher: the zone has this revision. */
export interface WatchedChange {
  domainId: string;
  revision: number;
  /** Null in the first message of a zone, and where no change set made the revision. */
  changeSetId: string | null;
}

/** What other instances commit is found by reading revisions, if nothing announces it here. */
const rereadMilliseconds = 15_000;
/** Change sets that are announced one by one after an outage; a longer gap shows in the revision. */
const mostCaughtUp = 50;
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
    for (const watcher of this.#byZone.get(domainId) ?? []) {
      if (revision === null) {
        watcher.known.delete(domainId);
        // Nothing is left to watch.
        if (watcher.known.size === 0) watcher.messages.leave();
        continue;
      }
      const after = watcher.known.get(domainId) ?? 0;
      if (revision <= after) continue;
      const [zone] = await seenZones(em, watcher.caller, [domainId], this.#parts.now());
      if (!zone) continue;
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
