import type { Background } from "../platform/background.ts";
import { queries, type Database } from "../database/database.ts";

/** How far behind a token's `lastUsedAt` may be. */
const behindMilliseconds = 5 * 60_000;

/** A token that somebody calls with. */
export interface UsedToken {
  id: string;
  endsAt: Date | null;
  lastUsedAt: Date | null;
}

/** Writes when tokens were used, beside the requests that use them: none waits for it. */
export class LastUse {
  readonly #database: Database;
  readonly #background: Background;
  readonly #now: () => Date;
  readonly #writing = new Set<string>();

  constructor(database: Database, background: Background, now: () => Date) {
    this.#database = database;
    this.#background = background;
    this.#now = now;
  }

  /** Notes a use, unless one of the last five minutes is on record. */
  note({ id, endsAt, lastUsedAt }: UsedToken): void {
    const now = this.#now();
    const recent = lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < behindMilliseconds;
    if (recent || this.#writing.has(id) || (endsAt !== null && endsAt <= now)) return;
    this.#writing.add(id);
    this.#background.run("noting the use of a personal token", () =>
      this.#write(id, now).finally(() => this.#writing.delete(id)),
    );
  }

  async #write(id: string, now: Date): Promise<void> {
    const before = new Date(now.getTime() - behindMilliseconds);
    await queries(this.#database.fork())
      .updateTable("personal_tokens")
      .set({ last_used_at: now })
      .where("id", "=", id)
      .where((eb) => eb.or([eb("last_used_at", "is", null), eb("last_used_at", "<=", before)]))
      .execute();
  }
}
