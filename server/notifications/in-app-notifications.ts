import { notFound } from "../platform/errors.ts";
import { newId } from "../platform/ids.ts";
import type { Hub } from "./hub.ts";
import type { Told } from "../platform/events.ts";
import { deleted, read, unread, type Entry, type InAppNotification } from "./notification-log.ts";

/** The same logs in other instances. None of this fails: what cannot be shared now is shared later. */
export interface Elsewhere {
  /** Learns what has become of a user's log there. */
  learn(userId: string): Promise<void>;
  /** Tells of changes to logs; what is told may come to the hub here before this returns. */
  tell(changes: ReadonlyMap<string, readonly Entry[]>): Promise<void>;
}

/** The in-app notifications of users: what they were told, and what they have read and deleted of it. */
export class InAppNotifications {
  readonly #hub: Hub;
  readonly #elsewhere: Elsewhere | null;

  constructor(hub: Hub, elsewhere: Elsewhere | null) {
    this.#hub = hub;
    this.#elsewhere = elsewhere;
  }

  /** Tells users of something. Each gets a notification of their own. */
  add(userIds: readonly string[], told: Told): void {
    if (userIds.length === 0) return;
    const changes = new Map(
      userIds.map((userId): [string, Entry[]] => [userId, [{ id: newId(), progress: unread, told }]]),
    );
    if (this.#elsewhere) void this.#elsewhere.tell(changes).then(() => this.#merge(changes));
    else this.#merge(changes);
  }

  /** Newest first. */
  async list(userId: string): Promise<{ notifications: InAppNotification[]; unreadCount: number }> {
    await this.#elsewhere?.learn(userId);
    const log = this.#hub.log(userId);
    return { notifications: log.list(), unreadCount: log.unreadCount };
  }

  /** @throws AppError NOT_FOUND */
  async read(userId: string, id: string): Promise<InAppNotification> {
    await this.#advance(userId, read, [id]);
    return this.#found(userId, id);
  }

  /** @returns how many were unread */
  async readAll(userId: string): Promise<number> {
    return await this.#advance(userId, read);
  }

  /** @throws AppError NOT_FOUND */
  async delete(userId: string, id: string): Promise<void> {
    if ((await this.#advance(userId, deleted, [id])) === 0) throw notFound("notification");
  }

  /** @returns how many there were */
  async deleteAll(userId: string): Promise<number> {
    return await this.#advance(userId, deleted);
  }

  async #advance(userId: string, progress: typeof read | typeof deleted, ids?: readonly string[]): Promise<number> {
    await this.#elsewhere?.learn(userId);
    const changed = this.#hub.log(userId).advance(progress, ids);
    if (changed.length > 0) await this.#elsewhere?.tell(new Map([[userId, changed]]));
    return changed.length;
  }

  /** What came back from elsewhere already is known. */
  #merge(changes: ReadonlyMap<string, readonly Entry[]>): void {
    for (const [userId, entries] of changes) this.#hub.merge(userId, entries);
  }

  #found(userId: string, id: string): InAppNotification {
    const found = this.#hub.log(userId).get(id);
    if (!found) throw notFound("notification");
    return found;
  }
}
