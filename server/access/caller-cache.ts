import type { Caller } from "./caller.ts";

/** How long a cached credential is valid before it is read again. Revocations in this process take effect immediately. */
const cacheMilliseconds = 1_000;
const maxEntries = 20_000;

/** A caller without the details of the call. */
export type CallerIdentity = Omit<Caller, "ip" | "requestId" | "at">;

/** The caller and expiration of a credential, as read from the database. */
export interface CachedCaller {
  caller: CallerIdentity;
  /** Null: never expires. */
  endsAt: Date | null;
}

/**
 * Caches callers by credential for one second, so that an active one costs at most one query per second instead of one per request.
 * See docs/decisions/0017-revocation.md.
 */
export class CallerCache {
  readonly #now: () => Date;
  readonly #known = new Map<string, CachedCaller & { readAt: number }>();
  /** Credentials revoked in this process, which a lookup in flight must not restore. */
  readonly #ended = new Set<string>();
  /** Number of user changes in this process. */
  #changes = 0;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /**
   * Returns the caller of a credential, or null if it is revoked or expired.
   * @param key of the credential, unique across kinds
   */
  async find(key: string, read: () => Promise<CachedCaller | null>): Promise<CachedCaller | null> {
    const known = this.#known.get(key);
    const isFresh = known && performance.now() - known.readAt < cacheMilliseconds;
    const found = isFresh ? known : await this.#read(key, read);
    return found && (found.endsAt === null || found.endsAt > this.#now()) ? found : null;
  }

  /** Rejects a credential from now on. */
  end(key: string): void {
    this.#known.delete(key);
    if (this.#ended.size >= maxEntries) this.#ended.clear();
    this.#ended.add(key);
  }

  /** Drops a user's cached credentials after the user changed in the database. */
  forget(userId: string): void {
    this.#changes += 1;
    for (const [key, { caller }] of this.#known) if (caller.userId === userId) this.#known.delete(key);
  }

  async #read(key: string, read: () => Promise<CachedCaller | null>): Promise<CachedCaller | null> {
    const changes = this.#changes;
    const readAt = performance.now();
    const found = await read();
    // A result read before a change may be outdated.
    if (changes !== this.#changes) return await this.#read(key, read);
    this.#known.delete(key);
    if (!found || this.#ended.has(key)) return null;
    if (this.#known.size >= maxEntries) this.#known.clear();
    this.#known.set(key, { ...found, readAt });
    return found;
  }
}
