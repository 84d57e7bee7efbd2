import { newId } from "../platform/ids.ts";
import { NotificationLog, type Entry, type InAppNotification } from "./notification-log.ts";

/** Receives a user's notifications as they arrive. */
export type Listener = (notification: InAppNotification) => void;

/** A reader's starting point: the notifications missed, and the cursor to resume from. */
export interface Position {
  /** Position before the missed notifications. A reader that disconnects before receiving anything resumes from here. */
  cursor: string;
  /** Notifications since the reader's last cursor, oldest first. */
  missed: InAppNotification[];
  /** Whether the reader also missed notifications that the log no longer has. */
  gap: boolean;
}

/** Holds all users' notifications in memory. */
export class Hub {
  readonly #logs = new Map<string, NotificationLog>();
  readonly #listeners = new Map<string, Set<Listener>>();
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
      if (notification && listeners) for (const listener of listeners) listener(notification);
    }
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
