import { notFound } from "../platform/errors.ts";
import { newId } from "../platform/ids.ts";
import type { NotificationContent } from "../platform/events.ts";
import { takeTurns } from "../platform/slices.ts";
import { deleted, read, unread, type Entry, type InAppNotification, NotificationLog } from "./notification-log.ts";

/** Receives a user's notifications as they arrive. */
type Listener = (notification: InAppNotification) => void;

/** A reader's starting point: the notifications missed, and the cursor to resume from. */
interface Position {
  /** Position before the missed notifications. A reader that disconnects before receiving anything resumes from here. */
  cursor: string;
  /** Notifications since the reader's last cursor, oldest first. */
  missed: InAppNotification[];
  /** Whether the reader also missed notifications that the log no longer has. */
  gap: boolean;
}

/** A notification that waits to be sent. */
interface Sending {
  listener: Listener;
  /** The user's listeners: one that has stopped is no longer among them. */
  listeners: ReadonlySet<Listener>;
  notification: InAppNotification;
}

/** Notifications that are sent in one turn of the event loop. Each is a write to a connection. */
export const sentInTurn = 100;

/** Holds all users' notifications in memory. */
export class Hub {
  readonly #logs = new Map<string, NotificationLog>();
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #waiting: Sending[] = [];
  /** Sent in this turn. */
  #sent = 0;
  #isWaiting = false;
  /** Cursor of a reader that has received nothing yet. Changes with every restart. */
  #beginning: string = newId();

  get beginning(): string {
    return this.#beginning;
  }

  /** Set when instances share their logs: all of them use the same beginning. */
  set beginning(id: string) {
    this.#beginning = id;
  }

  log(userId: string): NotificationLog {
    const known = this.#logs.get(userId);
    if (known) return known;
    const log = new NotificationLog();
    this.#logs.set(userId, log);
    return log;
  }

  /** Returns the ids of users with a log. */
  users(): string[] {
    return [...this.#logs.keys()];
  }

  /** Merges entries from another copy of the log and sends new ones to listeners. */
  merge(userId: string, entries: readonly Entry[]): void {
    const log = this.log(userId);
    const listeners = this.#listeners.get(userId);
    for (const entry of entries) {
      const notification = log.merge(entry);
      if (!notification || !listeners) continue;
      for (const listener of listeners) this.#waiting.push({ listener, listeners, notification });
    }
    this.#send();
  }

  /** Sends what waits, a part of it in each turn: a notification may go to thousands. */
  #send(): void {
    const part = this.#waiting.splice(0, sentInTurn - this.#sent);
    this.#sent += part.length;
    for (const { listener, listeners, notification } of part) if (listeners.has(listener)) listener(notification);
    if (part.length > 0 && !this.#isWaiting) void this.#sendRest();
  }

  async #sendRest(): Promise<void> {
    this.#isWaiting = true;
    await takeTurns();
    this.#isWaiting = false;
    this.#sent = 0;
    this.#send();
  }

  /** Merges another copy's complete log and adopts its order, since some of its entries may be older than those here. */
  mergeAll(userId: string, entries: readonly Entry[]): void {
    this.merge(userId, entries);
    this.log(userId).arrange(entries.map(({ id }) => id));
  }

  /**
   * Sends each new notification to a listener. No notification is lost between those returned as missed and those sent.
   * @param cursor id of the last notification seen; null to receive only new ones
   * @returns the reader's position and a function that stops listening
   */
  listen(userId: string, cursor: string | null, listener: Listener): Position & { stop: () => void } {
    const listeners = this.#listeners.get(userId) ?? new Set();
    this.#listeners.set(userId, listeners);
    listeners.add(listener);
    const stop = () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(userId) === listeners) this.#listeners.delete(userId);
    };
    return { ...this.#position(userId, cursor), stop };
  }

  #position(userId: string, cursor: string | null): Position {
    const log = this.#logs.get(userId);
    if (cursor === null) return { cursor: log?.lastId ?? this.#beginning, missed: [], gap: false };
    const missed = log?.after(cursor);
    if (missed) return { cursor, missed, gap: false };
    // The log no longer has the cursor, so everything in it is newer.
    const all = log?.list().toReversed() ?? [];
    return { cursor: this.#beginning, missed: all, gap: cursor !== this.#beginning };
  }
}

/** The same logs in other instances. Methods never reject: what cannot be shared now is shared later. */
export interface SharedLogs {
  /** Loads a user's log from the other instances. */
  load(userId: string): Promise<void>;
  /** Publishes changes to logs. They may reach this instance's hub before the promise resolves. */
  publish(changes: ReadonlyMap<string, readonly Entry[]>): Promise<void>;
}

/** Manages users' in-app notifications: adds, lists, marks as read and deletes them. */
export class InAppNotifications {
  readonly #hub: Hub;
  readonly #shared: SharedLogs | null;

  constructor(hub: Hub, shared: SharedLogs | null) {
    this.#hub = hub;
    this.#shared = shared;
  }

  /** Adds a separate notification for each user. */
  add(userIds: readonly string[], message: NotificationContent): void {
    if (userIds.length === 0) return;
    const changes = new Map(
      userIds.map((userId): [string, Entry[]] => [userId, [{ id: newId(), progress: unread, message }]]),
    );
    if (this.#shared) void this.#shared.publish(changes).then(() => this.#merge(changes));
    else this.#merge(changes);
  }

  /** Returns a user's notifications, newest first, and the unread count. */
  async list(userId: string): Promise<{ notifications: InAppNotification[]; unreadCount: number }> {
    await this.#shared?.load(userId);
    const log = this.#hub.log(userId);
    return { notifications: log.list(), unreadCount: log.unreadCount };
  }

  /** @throws AppError NOT_FOUND */
  async read(userId: string, id: string): Promise<InAppNotification> {
    await this.#advance(userId, read, [id]);
    return this.#found(userId, id);
  }

  /** @returns the number of notifications that were unread */
  async readAll(userId: string): Promise<number> {
    return await this.#advance(userId, read);
  }

  /** @throws AppError NOT_FOUND */
  async delete(userId: string, id: string): Promise<void> {
    if ((await this.#advance(userId, deleted, [id])) === 0) throw notFound("notification");
  }

  /** @returns the number of deleted notifications */
  async deleteAll(userId: string): Promise<number> {
    return await this.#advance(userId, deleted);
  }

  async #advance(userId: string, progress: typeof read | typeof deleted, ids?: readonly string[]): Promise<number> {
    await this.#shared?.load(userId);
    const changed = this.#hub.log(userId).advance(progress, ids);
    if (changed.length > 0) await this.#shared?.publish(new Map([[userId, changed]]));
    return changed.length;
  }

  /** Merges changes locally. Entries that already came back from other instances are ignored. */
  #merge(changes: ReadonlyMap<string, readonly Entry[]>): void {
    for (const [userId, entries] of changes) this.#hub.merge(userId, entries);
  }

  #found(userId: string, id: string): InAppNotification {
    const found = this.#hub.log(userId).get(id);
    if (!found) throw notFound("notification");
    return found;
  }
}
