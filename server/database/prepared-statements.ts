import { Client } from "pg";

/** Statements that one connection keeps; far more than the hot paths have. */
const keptStatements = 200;
/** A statement is prepared when it comes again: what is sent once is not worth a server-side plan. */
const usesBeforePreparing = 2;

const everyColumn = /(?:select|,|\.)\s*\*/;

/**
 * A `pg` client that prepares the reads which it sends again and again, so that PostgreSQL parses and plans them once per
 * connection. `select *` is left out: its columns, and so a kept plan, change with migrations of a newer version.
 */
export class PreparingClient extends Client {
  readonly #uses = new Map<string, number>();
  readonly #names = new Map<string, string>();

  // The base class has seven overloads; we look at the one that the query builder uses and hand everything on.
  // oxlint-disable-next-line typescript/no-explicit-any -- see above
  override query(...args: any[]): any {
    const [text, values] = args as [unknown, unknown];
    const name =
      typeof text === "string" && Array.isArray(values) && values.length > 0 ? this.#nameOf(text) : undefined;
    const query = name === undefined ? args : [{ name, text, values }, ...args.slice(2)];
    // oxlint-disable-next-line typescript/unbound-method -- it is bound in the same breath
    return Reflect.apply(super.query, this, query);
  }

  #nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (!text.startsWith("select") || everyColumn.test(text) || this.#names.size >= keptStatements) return undefined;
    const uses = (this.#uses.get(text) ?? 0) + 1;
    if (uses < usesBeforePreparing) {
      if (this.#uses.size >= keptStatements * 5) this.#uses.clear();
      this.#uses.set(text, uses);
      return undefined;
    }
    this.#uses.delete(text);
    const name = `zw${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}
