import { createHash } from "node:crypto";
import type { Writable } from "node:stream";
import { Client, type QueryResult } from "pg";

/** Maximum prepared statements per connection, far more than the hot paths use. */
const maxStatements = 300;
/** A statement is prepared on its second use; one sent once is not worth a server-side plan. */
const usesBeforePreparing = 2;
/** Milliseconds after which a connection plans its statements anew. */
const planMilliseconds = 2_000;
/** Longer texts are lists of values, which are rarely repeated. */
const longestText = 8_000;

const repeatable = /^\s*(?:select|insert|update|delete)\b/;
const everyColumn = /(?:select|returning|,|\.)\s*\*/;

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

  /** Counts a use. @returns the name under which to prepare the statement; undefined if it is not to be prepared */
  of(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined) {
      this.#names.delete(text);
      this.#names.set(text, known);
      return known;
    }
    if (text.length > longestText || !repeatable.test(text) || everyColumn.test(text)) return undefined;
    if (this.#isFull() && !this.#end) return undefined;
    const uses = (this.#uses.get(text) ?? 0) + 1;
    if (uses < usesBeforePreparing) {
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

  /** Gives a statement whose name cannot be used any more another one. */
  retire(text: string): void {
    if (!this.#names.delete(text)) return;
    this.#attempts.set(text, (this.#attempts.get(text) ?? 0) + 1);
  }

  #nameOf(text: string): string {
    const attempt = this.#attempts.get(text) ?? 0;
    return `zw_${createHash("sha256").update(`${attempt} ${text}`).digest("hex").slice(0, 32)}`;
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

/**
 * When to plan a connection's prepared statements anew. A plan that was made while a table was almost empty stays until the server analyzes
 * the table, a minute later perhaps: all indexes cost the same then, and the one that was taken may read a whole zone. The embedded engine is made
 * to analyze tables that grow, which drops the plans as well.
 */
class PlanRenewal {
  #renewedAt = performance.now();

  get isDue(): boolean {
    return performance.now() - this.#renewedAt >= planMilliseconds;
  }

  /** Returns whether it is time, and counts it as done if it is. */
  take(): boolean {
    const { isDue } = this;
    if (isDue) this.#renewedAt = performance.now();
    return isDue;
  }
}

/** A statement with its values. */
export interface Statement {
  sql: string;
  parameters: readonly unknown[];
}

/** Drops the plans of a connection's prepared statements. They are made again when they are used. */
const dropPlans: Statement = { sql: "discard plans", parameters: [] };

/** Stands for several statements where a driver takes the text of one: the values are the statements, the rows their results. */
export const severalStatements = "several statements";
/** The same for statements whose results nobody waits for. A failure fails the next statement of the transaction, or its commit. */
export const awaitedByNext = "statements that the next one awaits";

/**
 * A `pg` client that prepares repeated statements, so that PostgreSQL parses and plans them once per connection, and makes one write of what
 * need not wait for an answer: of several statements, of `begin` and the transaction's first one, of the last ones and `commit`.
 */
export class PreparingClient extends Client {
  readonly #names = new StatementNames();
  readonly #renewal = new PlanRenewal();
  /** Statements to send with the next one. */
  #waiting: Statement[] = [];

  // The base class has seven overloads. This handles the one that the query builder uses and passes on the others.
  // oxlint-disable-next-line typescript/no-explicit-any -- see above
  override query(...args: any[]): any {
    const [text, values] = args as [unknown, unknown];
    if (text === "begin" && isEmpty(values)) return this.#wait([{ sql: text, parameters: [] }]);
    if (text === awaitedByNext) return this.#wait(values as Statement[]);
    if (text === severalStatements) return this.#sendSeveral(values as Statement[]);
    const renews = typeof text === "string" && !isEmpty(values) && this.#renewal.isDue;
    if (this.#waiting.length === 0 && !renews) return this.#send(args);
    const isUnbegun = this.#waiting[0]?.sql === "begin";
    if (text === "rollback" || (text === "commit" && this.#waiting.length === 1 && isUnbegun)) {
      this.#waiting = [];
      return isUnbegun ? Promise.resolve(nothing) : this.#send(args);
    }
    return this.#inOneWrite(() => [this.#send(args) as Promise<QueryResult>]).then(([answer]) => answer);
  }

  #wait(statements: readonly Statement[]): Promise<typeof nothing> {
    this.#waiting.push(...statements);
    return Promise.resolve(nothing);
  }

  async #sendSeveral(statements: readonly Statement[]): Promise<Pick<QueryResult<QueryResult>, "rows">> {
    return { rows: await this.#inOneWrite(() => statements.map((statement) => this.#sendOne(statement))) };
  }

  /** Sends what waits, and what `send` sends. @throws the error of the first that failed: the others fail for that reason */
  async #inOneWrite(send: () => Promise<QueryResult>[]): Promise<QueryResult[]> {
    const { stream } = (this as unknown as { connection: { stream: Writable } }).connection;
    const waiting = this.#mayRenew() && this.#renewal.take() ? [dropPlans, ...this.#waiting] : this.#waiting;
    this.#waiting = [];
    let answers: Promise<QueryResult>[];
    stream.cork();
    try {
      answers = waiting.map((statement) => this.#sendOne(statement));
      answers.push(...send());
    } finally {
      stream.uncork();
    }
    return (await Promise.all(answers)).slice(waiting.length);
  }

  /** Not with the rest of a transaction: after a failed statement, whatever comes before going back to a savepoint fails as well. */
  #mayRenew(): boolean {
    const [first] = this.#waiting;
    return first === undefined || first.sql === "begin";
  }

  #sendOne({ sql, parameters }: Statement): Promise<QueryResult> {
    return this.#send([sql, parameters]) as Promise<QueryResult>;
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- see `query`
  #send(args: any[]): unknown {
    const [text, values] = args as [unknown, unknown];
    const name = typeof text === "string" && !isEmpty(values) ? this.#names.of(text) : undefined;
    const query = name === undefined ? args : [{ name, text, values }, ...args.slice(2)];
    // oxlint-disable-next-line typescript/unbound-method -- bound by Reflect.apply
    const answer: unknown = Reflect.apply(super.query, this, query);
    if (name === undefined || !(answer instanceof Promise)) return answer;
    return answer.catch((error: unknown) => {
      if (isUnusable(error)) this.#names.retire(String(text));
      throw error;
    });
  }
}

const nothing = { rows: [], rowCount: null, command: "" };

function isEmpty(values: unknown): boolean {
  return !Array.isArray(values) || values.length === 0;
}
