import { createHash } from "node:crypto";

/** Maximum prepared statements per connection, far more than the hot paths use. */
const maxStatements = 300;
/** A statement is prepared on its second use; one sent once is not worth a server-side plan. */
const usesBeforePreparing = 2;
/** Names that a connection tries for one statement. */
const mostAttempts = 3;
/** Longer texts are lists of values, which are rarely repeated. */
const longestText = 8_000;

const repeatable = /^\s*(?:with|select|insert|update|delete)\b/i;
const everyColumn = /(?:select|returning|,|\.)\s*\*/i;

/** What a pooler that does not track statements, or another version's migration, makes of a prepared one: 0A000, 26000 and 42P05. */
const unusable: ReadonlySet<unknown> = new Set(["0A000", "26000", "42P05"]);

/** Returns whether a prepared statement failed because it can no longer be used under its name. */
export function isUnusable(error: unknown): boolean {
  return error instanceof Error && "code" in error && unusable.has(error.code);
}

/**
 * The names of a connection's prepared statements. A name follows from the text, so that whoever hands connections to several clients never
 * makes one run the statement of another. `select *` gets none: its columns and cached plan change with migrations of a newer version.
 */
export class StatementNames {
  readonly #end: ((name: string) => void) | undefined;
  readonly #uses = new Map<string, number>();
  /** Those used last come last. */
  readonly #names = new Map<string, string>();
  readonly #attempts = new Map<string, number>();

  /** @param end closes the least recently used statement. Without it, the first ones stay */
  constructor(end?: (name: string) => void) {
    this.#end = end;
  }

  /**
   * Counts a use.
   * @param enough on which use the statement is prepared
   * @returns the name under which to prepare it; undefined if it is not to be prepared
   */
  of(text: string, enough = usesBeforePreparing): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined) {
      this.#names.delete(text);
      this.#names.set(text, known);
      return known;
    }
    if (text.length > longestText || !repeatable.test(text) || everyColumn.test(text)) return undefined;
    if (this.#attemptsOf(text) >= mostAttempts || (this.#isFull() && !this.#end)) return undefined;
    const uses = (this.#uses.get(text) ?? 0) + 1;
    if (uses < enough) {
      if (this.#uses.size >= maxStatements * 5) this.#uses.clear();
      this.#uses.set(text, uses);
      return undefined;
    }
    this.#uses.delete(text);
    if (this.#isFull()) this.#endOldest();
    const name = this.#nameOf(text);
    this.#names.set(text, name);
    return name;
  }

  /** Gives a statement another name, because its own can no longer be used. After some names it is not prepared here again. */
  retire(text: string): void {
    if (!this.#names.delete(text)) return;
    this.#attempts.set(text, this.#attemptsOf(text) + 1);
  }

  #nameOf(text: string): string {
    const given = `${this.#attemptsOf(text)} ${text}`;
    return `zw_${createHash("sha256").update(given).digest("hex").slice(0, 32)}`;
  }

  #attemptsOf(text: string): number {
    return this.#attempts.get(text) ?? 0;
  }

  #isFull(): boolean {
    return this.#names.size >= maxStatements;
  }

  #endOldest(): void {
    const [oldest] = this.#names;
    if (!oldest) return;
    const [text, name] = oldest;
    this.#names.delete(text);
    this.#end?.(name);
  }
}

/** A statement with its values. */
export interface Statement {
  sql: string;
  parameters: readonly unknown[];
}

/** Stands for several statements where a driver takes the text of one: the values are the statements, the rows their results. */
export const severalStatements = "several statements";
/** The same for statements whose results nobody waits for. A failure fails the next statement of the transaction, or its commit. */
export const awaitedByNext = "statements that the next one awaits";
/** Why a commit failed that the database answered by rolling back. */
export const wasRolledBack = "The transaction was rolled back, because a statement of it failed.";
