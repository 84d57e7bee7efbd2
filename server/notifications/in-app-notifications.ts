import { notFound } from "../platform/errors.ts";
import { newId } from "../platform/ids.ts";
import type { Hub } from "./hub.ts";
import type { NotificationContent } from "../platform/events.ts";
import { deleted, read, unread, type Entry, type InAppNotification } from "./notification-log.ts";

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
