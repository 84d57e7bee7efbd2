import { newId } from "../platform/ids.ts";
import { Mailbox, type Entry, type InAppNotification } from "./mailbox.ts";

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
  readonly #mailboxes = new Map<string, Mailbox>();
  readonly #listeners = new Map<string, Set<Listener>>();
  /** Stands for the beginning: what a reader has who was told of nothing yet. Another one after each restart. */
  #beginning: string = newId();

  get beginning(): string {
    return this.#beginning;
  }

  /** Instances that share their mailboxes share their beginning. */
  set beginning(id: string) {
    this.#beginning = id;
  }

  mailbox(userId: string): Mailbox {
    const known = this.#mailboxes.get(userId);
    if (known) return known;
    const mailbox = new Mailbox();
    this.#mailboxes.set(userId, mailbox);
    return mailbox;
  }

  /** Users with a mailbox. */
  users(): string[] {
    return [...this.#mailboxes.keys()];
  }

  /** Takes over what another copy of the mailbox knows, and tells its readers what is new. */
  merge(userId: string, entries: readonly Entry[]): void {
    const mailbox = this.mailbox(userId);
    const listeners = this.#listeners.get(userId);
    for (const entry of entries) {
      const notification = mailbox.merge(entry);
      if (notification && listeners) for (const listener of listeners) listener(notification);
    }
  }

  /** The same for all that another copy knows, in its order, of which some may be older than what is known here. */
  mergeAll(userId: string, entries: readonly Entry[]): void {
    this.merge(userId, entries);
    this.mailbox(userId).arrange(entries.map(({ id }) => id));
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
    const mailbox = this.#mailboxes.get(userId);
    if (cursor === null) return { cursor: mailbox?.lastId ?? this.#beginning, missed: [], gap: false };
    const missed = mailbox?.after(cursor);
    if (missed) return { cursor, missed, gap: false };
    // All that there is came after what is forgotten.
    const all = mailbox?.list().toReversed() ?? [];
    return { cursor: this.#beginning, missed: all, gap: cursor !== this.#beginning };
  }
}
