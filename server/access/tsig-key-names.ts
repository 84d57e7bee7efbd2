import { queries, type Database } from "../database/database.ts";

/** Milliseconds for which names are held, and between attempts to read them. */
const heldMilliseconds = 60_000;
const retryMilliseconds = 1_000;
/** Names held in memory. An installation with more keys holds the newest. */
const mostHeld = 100_000;

interface Parts {
  database: Database;
  /** Milliseconds, as `performance.now` counts. */
  clock?: () => number;
}

/**
 * Holds the names of existing TSIG keys, so that a flood of made-up names costs no queries and locks out no key. Keys of other instances are
 * found within a minute.
 */
export class TsigKeyNames {
  readonly #database: Database;
  readonly #clock: () => number;
  #names: ReadonlySet<string> = new Set();
  /** Names that were added since the last reading began. */
  #added = new Set<string>();
  #due = -Infinity;
  #reading: Promise<void> | null = null;

  constructor({ database, clock = () => performance.now() }: Parts) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Returns whether a key is known to exist. Without the database, whether it was known before. */
  async has(keyName: string): Promise<boolean> {
    if (this.#holds(keyName)) return true;
    if (this.#reading === null && this.#clock() >= this.#due)
      this.#reading = this.#read().finally(() => (this.#reading = null));
    await this.#reading;
    return this.#holds(keyName);
  }

  /** Adds a key that was created or found. */
  add(keyName: string): void {
    if (this.#added.size < mostHeld) this.#added.add(keyName);
  }

  #holds(keyName: string): boolean {
    return this.#names.has(keyName) || this.#added.has(keyName);
  }

  async #read(): Promise<void> {
    const before = this.#added;
    this.#added = new Set();
    try {
      const rows = await queries(this.#database.fork())
        .selectFrom("tsig_keys")
        .select("key_name")
        .orderBy("id", "desc")
        .limit(mostHeld)
        .execute();
      this.#names = new Set(rows.map((row) => row.key_name));
      this.#due = this.#clock() + heldMilliseconds;
    } catch {
      // Whoever asks falls back on looking the key up, which says why it fails.
      this.#added = new Set([...before, ...this.#added]);
      this.#due = this.#clock() + retryMilliseconds;
    }
  }
}
