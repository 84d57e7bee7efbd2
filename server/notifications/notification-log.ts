import type { NotificationContent } from "../platform/events.ts";

/** Maximum number of notifications per user. */
export const notificationsPerUser = 200;

/** A notification as its reader sees it. */
export interface InAppNotification extends NotificationContent {
  id: string;
  read: boolean;
}

/** Progress of a notification. It only increases, so copies of a log can be merged in any order. */
export type Progress = typeof unread | typeof read | typeof deleted;

export const unread = 0;
export const read = 1;
export const deleted = 2;

/** A log entry, as exchanged between copies of the log. */
export interface Entry {
  id: string;
  progress: Progress;
  /** Null once deleted. */
  message: NotificationContent | null;
}

/**
 * Holds one user's notifications in order of arrival: the newest 200, and as many ids of deleted ones. A reader whose last
 * notification was deleted can thus still resume after it.
 */
export class NotificationLog {
  readonly #entries = new Map<string, Entry>();
  #live = 0;

  /** Merges an entry, keeping the higher progress. @returns the notification if it is new here and not deleted */
  merge({ id, progress, message }: Entry): InAppNotification | null {
    const known = this.#entries.get(id);
    if (known) {
      if (progress > known.progress) this.#advance(known, progress);
      return null;
    }
    // Another copy may report only the progress of an entry that is unknown here.
    if (message === null && progress !== deleted) return null;
    const entry = { id, progress, message: progress === deleted ? null : message };
    this.#entries.set(id, entry);
    if (entry.message) this.#live += 1;
    this.#trim();
    return this.#entries.has(id) ? shown(entry) : null;
  }

  /** Sorts entries by the given ids; entries not listed are newer and go last. */
  arrange(ids: readonly string[]): void {
    const known = new Map(this.#entries);
    this.#entries.clear();
    for (const id of [...ids, ...known.keys()]) {
      const entry = known.get(id);
      if (entry) this.#entries.set(id, entry);
    }
  }

  /** Returns notifications by creation time, newest first: entries merged late from another copy may be older. */
  list(): InAppNotification[] {
    const latestFirst = this.#shown().toReversed();
    return latestFirst.toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
  }

  get unreadCount(): number {
    return this.#shown().filter((one) => !one.read).length;
  }

  get(id: string): InAppNotification | null {
    const entry = this.#entries.get(id);
    return entry ? shown(entry) : null;
  }

  /** Returns all entries, including deleted ones. */
  entries(): Entry[] {
    return [...this.#entries.values()];
  }

  /** Id of the last entry, deleted or not. */
  get lastId(): string | null {
    return [...this.#entries.keys()].at(-1) ?? null;
  }

  /** Returns undeleted notifications after the given entry, oldest first; null if the log no longer has that entry. */
  after(id: string): InAppNotification[] | null {
    if (!this.#entries.has(id)) return null;
    const ids = [...this.#entries.keys()];
    return ids.slice(ids.indexOf(id) + 1).flatMap((later) => this.get(later) ?? []);
  }

  /** Raises the given entries, by default all, to at least `progress`. @returns the changed entries */
  advance(progress: Progress, ids: readonly string[] = [...this.#entries.keys()]): Entry[] {
    return ids.flatMap((id) => {
      const entry = this.#entries.get(id);
      if (!entry || entry.progress >= progress) return [];
      this.#advance(entry, progress);
      return [entry];
    });
  }

  #advance(entry: Entry, progress: Progress): void {
    entry.progress = progress;
    if (progress !== deleted) return;
    entry.message = null;
    this.#live -= 1;
    this.#trim();
  }

  /** Drops the oldest entries by age, not by arrival, so that all copies retain the same ones. */
  #trim(): void {
    if (this.#live > notificationsPerUser) this.#dropOldest((entry) => entry.message !== null);
    if (this.#entries.size - this.#live > notificationsPerUser) this.#dropOldest((entry) => entry.message === null);
  }

  #dropOldest(among: (entry: Entry) => boolean): void {
    let oldest: Entry | null = null;
    for (const entry of this.#entries.values()) {
      if (among(entry) && (oldest === null || entry.id < oldest.id)) oldest = entry;
    }
    if (!oldest) return;
    this.#entries.delete(oldest.id);
    if (oldest.message) this.#live -= 1;
  }

  #shown(): InAppNotification[] {
    return [...this.#entries.values()].flatMap((entry) => shown(entry) ?? []);
  }
}

function shown({ id, progress, message }: Entry): InAppNotification | null {
  return message && { id, ...message, read: progress === read };
}
