import type { Caller } from "./caller.ts";

/** How long a credential's row is trusted before it is read again. Ends in this process take effect at once. */
const trustMilliseconds = 1_000;
const remembered = 20_000;

/** A caller apart from the call. */
export type KnownCaller = Omit<Caller, "ip" | "requestId">;

/** What a credential's row says. */
export interface Known {
  caller: KnownCaller;
  /** Null: it has no end of its own. */
  endsAt: Date | null;
}

/**
 * The callers of the last second, by credential, so that an active one costs at most one query a second and not one a request.
 * See docs/decisions/0017-revocation.md.
 */
export class KnownCallers {
  readonly #now: () => Date;
  readonly #known = new Map<string, Known & { readAt: number }>();
  /** Credentials that ended here: a look-up under way at that moment must not bring them back. */
  readonly #ended = new Set<string>();
  /** How often users changed here. */
  #changes = 0;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /**
   * The caller behind a credential, or null when it has ended.
   * @param key the credential's, among all of its kinds.
   */
  async find(key: string, read: () => Promise<Known | null>): Promise<Known | null> {
    const known = this.#known.get(key);
    const trusted = known && performance.now() - known.readAt < trustMilliseconds;
    const found = trusted ? known : await this.#read(key, read);
    return found && (found.endsAt === null || found.endsAt > this.#now()) ? found : null;
  }

  /** Refuses a credential from now on. */
  end(key: string): void {
    this.#known.delete(key);
    if (this.#ended.size >= remembered) this.#ended.clear();
    this.#ended.add(key);
  }

  /** Forgets a user's credentials, because what the database says of the user has changed. */
  forget(userId: string): void {
    this.#changes += 1;
    for (const [key, { caller }] of this.#known) if (caller.userId === userId) this.#known.delete(key);
  }

  async #read(key: string, read: () => Promise<Known | null>): Promise<Known | null> {
    const changes = this.#changes;
    const readAt = performance.now();
    const found = await read();
    // What was read before a change must not be trusted after it.
    if (changes !== this.#changes) return await this.#read(key, read);
    this.#known.delete(key);
    if (!found || this.#ended.has(key)) return null;
    if (this.#known.size >= remembered) this.#known.clear();
    this.#known.set(key, { ...found, readAt });
    return found;
  }
}
