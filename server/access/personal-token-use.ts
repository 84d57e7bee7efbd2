import type { Background } from "../platform/background.ts";
import { queries, type Database } from "../database/database.ts";

/** Maximum delay of a token's `lastUsedAt`. */
const delayMilliseconds = 5 * 60_000;

/** A token used by a call. */
export interface UsedToken {
  id: string;
  endsAt: Date | null;
  lastUsedAt: Date | null;
}

/** Records when tokens were last used, in the background of the requests that use them. */
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

  /** Records a use, unless one in the last five minutes is recorded already. */
  note({ id, endsAt, lastUsedAt }: UsedToken): void {
    const now = this.#now();
    const recent = lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < delayMilliseconds;
    if (recent || this.#writing.has(id) || (endsAt !== null && endsAt <= now)) return;
    this.#writing.add(id);
    this.#background.run("recording the use of a personal token", () =>
      this.#write(id, now).finally(() => this.#writing.delete(id)),
    );
  }

  async #write(id: string, now: Date): Promise<void> {
    const before = new Date(now.getTime() - delayMilliseconds);
    await queries(this.#database.fork())
      .updateTable("personal_tokens")
      .set({ last_used_at: now })
      .where("id", "=", id)
      .where((eb) => eb.or([eb("last_used_at", "is", null), eb("last_used_at", "<=", before)]))
      .execute();
  }
}
