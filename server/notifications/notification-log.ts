import type { Told } from "../platform/events.ts";

/** How many notifications a user has at the most. */
export const keptNotifications = 200;

/** A notification as its reader has it. */
export interface InAppNotification extends Told {
  id: string;
  read: boolean;
}

/** What became of a notification. It only ever grows, so that copies of a log can be merged in any order. */
export type Progress = typeof unread | typeof read | typeof deleted;

export const unread = 0;
export const read = 1;
export const deleted = 2;

/** One entry of a log, for another copy of it. */
export interface Entry {
  id: string;
  progress: Progress;
  /** Null once it is deleted. */
  told: Told | null;
}

/**
 * What one user was told of, in the order in which it came: the newest 200, and as many ids of deleted ones, so that a reader who has seen
 * such a one last knows where to go on.
 */
export class NotificationLog {
  readonly #entries = new Map<string, Entry>();
  #live = 0;

  /** Takes an entry over as far as it says more than is known. @returns the notification if it is new here and not deleted */
  merge({ id, progress, told }: Entry): InAppNotification | null {
    const known = this.#entries.get(id);
    if (known) {
      if (progress > known.progress) this.#advance(known, progress);
      return null;
    }
    // Of another copy's entry that is unknown here we may hear only that it was read.
    if (told === null && progress !== deleted) return null;
    const entry = { id, progress, told: progress === deleted ? null : told };
    this.#entries.set(id, entry);
    if (entry.told) this.#live += 1;
    this.#trim();
    return this.#entries.has(id) ? shown(entry) : null;
  }

  /** Brings the entries into an order; those that are not in it have come since. */
  arrange(ids: readonly string[]): void {
    const known = new Map(this.#entries);
    this.#entries.clear();
    for (const id of [...ids, ...known.keys()]) {
      const entry = known.get(id);
      if (entry) this.#entries.set(id, entry);
    }
  }

  /** Newest first; what another copy knew alone for a while comes late, but is not new. */
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

  /** Every entry, deleted ones too. */
  entries(): Entry[] {
    return [...this.#entries.values()];
  }

  /** The id of what came last, deleted or not. */
  get lastId(): string | null {
    return [...this.#entries.keys()].at(-1) ?? null;
  }

  /** What came after an entry and is not deleted, oldest first; null when there is no such entry any more. */
  after(id: string): InAppNotification[] | null {
    if (!this.#entries.has(id)) return null;
    const ids = [...this.#entries.keys()];
    return ids.slice(ids.indexOf(id) + 1).flatMap((later) => this.get(later) ?? []);
  }

  /** Brings those of the ids, or all, that are behind it up to `progress`. @returns what has changed */
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
    entry.told = null;
    this.#live -= 1;
    this.#trim();
  }

  /** The oldest go by their age, not by when they came here: all copies then keep the same. */
  #trim(): void {
    if (this.#live > keptNotifications) this.#dropOldest((entry) => entry.told !== null);
    if (this.#entries.size - this.#live > keptNotifications) this.#dropOldest((entry) => entry.told === null);
  }

  #dropOldest(among: (entry: Entry) => boolean): void {
    let oldest: Entry | null = null;
    for (const entry of this.#entries.values()) {
      if (among(entry) && (oldest === null || entry.id < oldest.id)) oldest = entry;
    }
    if (!oldest) return;
    this.#entries.delete(oldest.id);
    if (oldest.told) this.#live -= 1;
  }

  #shown(): InAppNotification[] {
    return [...this.#entries.values()].flatMap((entry) => shown(entry) ?? []);
  }
}

function shown({ id, progress, told }: Entry): InAppNotification | null {
  return told && { id, ...told, read: progress === read };
}
