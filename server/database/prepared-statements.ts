import { Client } from "pg";

/** Maximum prepared statements per connection, far more than the hot paths use. */
const maxStatements = 300;
/** A statement is prepared on its second use; one sent once is not worth a server-side plan. */
const usesBeforePreparing = 2;

const repeatable = /^\s*(?:select|insert|update|delete)\b/;
const everyColumn = /(?:select|returning|,|\.)\s*\*/;

/**
 * A `pg` client that prepares repeated statements, so that PostgreSQL parses and plans them once per connection. It does not prepare
 * `select *`, whose columns and cached plan change with migrations of a newer version.
 */
export class PreparingClient extends Client {
  readonly #uses = new Map<string, number>();
  readonly #names = new Map<string, string>();

  // The base class has seven overloads. This handles the one that the query builder uses and passes on the others.
  // oxlint-disable-next-line typescript/no-explicit-any -- see above
  override query(...args: any[]): any {
    const [text, values] = args as [unknown, unknown];
    const name =
      typeof text === "string" && Array.isArray(values) && values.length > 0 ? this.#nameOf(text) : undefined;
    const query = name === undefined ? args : [{ name, text, values }, ...args.slice(2)];
    // oxlint-disable-next-line typescript/unbound-method -- bound by Reflect.apply
    return Reflect.apply(super.query, this, query);
  }

  #nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (!repeatable.test(text) || everyColumn.test(text) || this.#names.size >= maxStatements) return undefined;
    const uses = (this.#uses.get(text) ?? 0) + 1;
    if (uses < usesBeforePreparing) {
      if (this.#uses.size >= maxStatements * 5) this.#uses.clear();
      this.#uses.set(text, uses);
      return undefined;
    }
    this.#uses.delete(text);
    const name = `zw${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}
