import type { Logger } from "../../platform/log.ts";
import { newId } from "../../platform/ids.ts";
import type { Channel, Redis } from "../../platform/redis.ts";
import type { ZoneChange } from "./announce.ts";
import type { ZoneWatchers } from "./zone-watchers.ts";

/**
 * Exchanges announcements with other instances through Redis. While Redis is unavailable, watchers of other instances find changes by
 * reading revisions.
 */
export class SharedZoneChanges implements Channel {
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
