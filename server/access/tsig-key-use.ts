import type { Background } from "../platform/background.ts";
import { queries, type Database } from "../database/database.ts";

/** Maximum delay of a key's `lastUsedAt`. */
const delayMilliseconds = 60_000;
const longestError = 500;
/** Keys whose last use is held in memory. */
const maxEntries = 10_000;

/** A message signed with a key. */
interface Use {
  at: Date;
  /** Null: it does not count as a use. */
  from: string | null;
  /** Why the message was refused; null: it was not. */
  error: string | null;
}

/** Records in the background when and from where TSIG keys were last used, and why messages were refused. */
export class TsigKeyUse {
  readonly #database: Database;
  readonly #background: Background;
  readonly #now: () => Date;
  /** The last use recorded of each key. */
  readonly #recorded = new Map<string, Use>();
  readonly #waiting = new Map<string, Use>();

  constructor(database: Database, background: Background, now: () => Date) {
    this.#database = database;
    this.#background = background;
    this.#now = now;
  }

  /** Records a use, or only why a message was refused. One like the last, within a minute, is left out; of several that wait, the last is written. */
  note(id: string, from: string | null, error: string | null): void {
    const use = { at: this.#now(), from, error: error === null ? null : oneLine(error) };
    if (isLike(use, this.#recorded.get(id))) return;
    if (this.#recorded.size >= maxEntries) this.#recorded.clear();
    this.#recorded.set(id, use);
    const isWaiting = this.#waiting.has(id);
    // A refusal that nobody has read yet outlasts the successes right after it.
    const waits = this.#waiting.get(id);
    this.#waiting.set(id, { ...use, from: from ?? waits?.from ?? null, error: use.error ?? waits?.error ?? null });
    if (!isWaiting) this.#background.run("recording the use of a TSIG key", () => this.#write(id));
  }

  async #write(id: string): Promise<void> {
    const use = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (!use) return;
    const { at, from, error } = use;
    await queries(this.#database.fork())
      .updateTable("tsig_keys")
      .set({
        ...(from === null ? {} : { last_used_at: at, last_used_from: from }),
        ...(error === null ? {} : { last_error: error, last_error_at: at }),
      })
      .where("id", "=", id)
      .execute();
  }
}

function isLike(use: Use, last: Use | undefined): boolean {
  return (
    last !== undefined &&
    last.from === use.from &&
    last.error === use.error &&
    use.at.getTime() - last.at.getTime() < delayMilliseconds
  );
}

/** Makes text about a client's message safe to store and display: a line without control and invisible characters. */
function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, longestError)
    .toWellFormed();
}
