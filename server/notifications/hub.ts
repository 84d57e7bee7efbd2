import { newId } from "../platform/ids.ts";
import { NotificationLog, type Entry, type InAppNotification } from "./notification-log.ts";

/** Somebody who hears of a user's notifications as they come. */
export type Listener = (notification: InAppNotification) => void;

/** Where a reader begins: what they have missed, and from where they would go on. */
export interface Position {
  /** Before what was missed: to be given back by a reader who loses the connection before anything comes. */
  cursor: string;
  /** What came since the reader's last cursor, oldest first. */
  missed: InAppNotification[];
  /** Whether more was missed than is still known. */
  gap: boolean;
}

/** The notifications of every user, in memory. */
export class Hub {
  readonly #logs = new Map<string, NotificationLog>();
  readonly #listeners = new Map<string, Set<Listener>>();
  /** Stands for the beginning: what a reader has who was told of nothing yet. Another one after each restart. */
  #beginning: string = newId();

  get beginning(): string {
    return this.#beginning;
  }

  /** Instances that share their logs share their beginning. */
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

  /** Users with a log. */
  users(): string[] {
    return [...this.#logs.keys()];
  }

  /** Takes over what another copy of the log knows, and tells its readers what is new. */
  merge(userId: string, entries: readonly Entry[]): void {
    const log = this.log(userId);
    const listeners = this.#listeners.get(userId);
    for (const entry of entries) {
      const notification = log.merge(entry);
      if (notification && listeners) for (const listener of listeners) listener(notification);
    }
  }

  /** The same for all that another copy knows, in its order, of which some may be older than what is known here. */
  mergeAll(userId: string, entries: readonly Entry[]): void {
    this.merge(userId, entries);
    this.log(userId).arrange(entries.map(({ id }) => id));
  }

  /**
   * Tells a listener of each further notification. Nothing comes between what is returned as missed and what is told.
   * @param cursor of what the reader has seen last; null for one who wants only what is new
   * @returns where the reader is, and what ends it
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
    // All that there is came after what is forgotten.
    const all = log?.list().toReversed() ?? [];
    return { cursor: this.#beginning, missed: all, gap: cursor !== this.#beginning };
  }
}
