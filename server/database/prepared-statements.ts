import { Client } from "pg";

/** Maximum prepared statements per connection, far more than the hot paths use. */
const maxStatements = 300;
/** A statement is prepared on its second use; one sent once is not worth a server-side plan. */
const usesBeforePreparing = 2;

const repeatable = /^\s*(?:select|insert|update|delete)\b/;
const everyColumn = /(?:select|returning|,|\.)\s*\*/;

/**
 * The names of a connection's prepared statements. `select *` gets none: its columns and cached plan change with migrations of a newer
 * version.
 */
export class StatementNames {
  readonly #end: ((name: string) => void) | undefined;
  readonly #uses = new Map<string, number>();
  /** Those used last come last. */
  readonly #names = new Map<string, string>();
  #given = 0;

  /** @param end ends a statement that was not used for long, to make room; left out: the first ones stay */
  constructor(end?: (name: string) => void) {
    this.#end = end;
  }

  /** Counts a use. @returns the name under which to prepare the statement; undefined if it is not to be prepared */
  of(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined) {
      this.#names.delete(text);
      this.#names.set(text, known);
      return known;
    }
    if (!repeatable.test(text) || everyColumn.test(text) || (this.#isFull() && !this.#end)) return undefined;
    const uses = (this.#uses.get(text) ?? 0) + 1;
    if (uses < usesBeforePreparing) {
      if (this.#uses.size >= maxStatements * 5) this.#uses.clear();
      this.#uses.set(text, uses);
      return undefined;
    }
    this.#uses.delete(text);
    if (this.#isFull()) this.#endOldest();
    const name = `zw${this.#given++}`;
    this.#names.set(text, name);
    return name;
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

/** A `pg` client that prepares repeated statements, so that PostgreSQL parses and plans them once per connection. */
export class PreparingClient extends Client {
  readonly #names = new StatementNames();

  // The base class has seven overloads. This handles the one that the query builder uses and passes on the others.
  // oxlint-disable-next-line typescript/no-explicit-any -- see above
  override query(...args: any[]): any {
    const [text, values] = args as [unknown, unknown];
    const name =
      typeof text === "string" && Array.isArray(values) && values.length > 0 ? this.#names.of(text) : undefined;
    const query = name === undefined ? args : [{ name, text, values }, ...args.slice(2)];
    // oxlint-disable-next-line typescript/unbound-method -- bound by Reflect.apply
    return Reflect.apply(super.query, this, query);
  }
}
