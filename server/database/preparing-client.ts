import type { Writable } from "node:stream";
import { Client, type QueryResult, Query, type Connection, type FieldDef, type Submittable } from "pg";
import {
  awaitedByNext,
  isUnusable,
  severalStatements,
  StatementNames,
  wasRolledBack,
  type Statement,
} from "./prepared-statements.ts";

/** Milliseconds after which a connection plans its statements anew. */
const planMilliseconds = 2_000;

const nothing = { rows: [], rowCount: null, command: "" };

/**
 * A `pg` client that prepares repeated statements, so that PostgreSQL parses and plans them once per connection, and makes one write of what
 * need not wait for an answer: of several statements, of `begin` and the transaction's first one, of the last ones and `commit`.
 */
export class PreparingClient extends Client {
  readonly #names = new StatementNames();
  #plannedAt = performance.now();
  /** Statements to send with the next one. */
  #waiting: Statement[] = [];

  // The base class has seven overloads. This handles the one that the query builder uses and passes on the others.
  // oxlint-disable-next-line typescript/no-explicit-any -- see above
  override query(...args: any[]): any {
    const [text, values] = args as [unknown, unknown];
    if (text === "begin" && isEmpty(values)) return this.#wait([{ sql: text, parameters: [] }]);
    if (text === awaitedByNext) return this.#wait(values as Statement[]);
    if (text === severalStatements) return this.#sendSeveral(values as Statement[]);
    if (text === "rollback") return this.#rollBack();
    if (text === "commit") return this.#commit();
    // What it takes back need not be sent. Failing, it would keep this from running.
    if (typeof text === "string" && text.startsWith("rollback to ")) this.#waiting = [];
    if (this.#waiting.length === 0) return this.#oneWrite(() => this.#send(args));
    if (!isStatement(text, values)) return this.#group([]).then(() => this.#send(args));
    return this.#group([{ sql: text, parameters: isEmpty(values) ? [] : (values as unknown[]) }]).then(
      ([answer]) => answer,
    );
  }

  #wait(statements: readonly Statement[]): Promise<typeof nothing> {
    this.#waiting.push(...statements);
    return Promise.resolve(nothing);
  }

  async #sendSeveral(statements: readonly Statement[]): Promise<Pick<QueryResult<QueryResult>, "rows">> {
    return { rows: await this.#group(statements) };
  }

  /** Never rejects: the caller would not release the connection. Where it cannot be sent, the transaction ends with the connection. */
  async #rollBack(): Promise<typeof nothing> {
    const isUnbegun = this.#isUnbegun();
    this.#waiting = [];
    if (isUnbegun) return nothing;
    try {
      await this.#send(["rollback"]);
    } catch {
      this.#stream.destroy();
    }
    return nothing;
  }

  /** @throws an error also if a statement failed whose failure the caller ignored: the server then answers a commit by rolling back */
  async #commit(): Promise<typeof nothing> {
    if (this.#waiting.length === 1 && this.#isUnbegun()) {
      this.#waiting = [];
      return nothing;
    }
    const [answer] = await this.#group([{ sql: "commit", parameters: [] }]);
    if (answer?.command === "ROLLBACK") throw new Error(wasRolledBack);
    return nothing;
  }

  #isUnbegun(): boolean {
    return this.#waiting[0]?.sql === "begin";
  }

  /** Sends what waits and some statements as one group. @returns the results of the latter @throws the error of the first that failed */
  async #group(statements: readonly Statement[]): Promise<QueryResult[]> {
    const all = [...this.#waiting, ...statements];
    this.#waiting = [];
    const results = await this.#oneWrite(() => this.#sendGroup(all));
    return results.slice(all.length - statements.length);
  }

  async #sendGroup(statements: readonly Statement[]): Promise<QueryResult[]> {
    const named = statements.map(({ sql, parameters }) => ({
      name: parameters.length > 0 ? this.#names.of(sql) : undefined,
      text: sql,
      values: parameters,
    }));
    try {
      return await new Promise<QueryResult[]>((resolve, reject) => {
        const types = (this as unknown as { _types: unknown })["_types"];
        super.query(new StatementGroup(named, types, (error, results) => (error ? reject(error) : resolve(results))));
      });
    } catch (error) {
      if (isUnusable(error)) for (const { name, text } of named) if (name !== undefined) this.#names.retire(text);
      throw withCaller(error);
    }
  }

  /**
   * Makes one write of what `send` sends and, outside a transaction, of what drops old plans. A plan that was made while a table was almost
   * empty stays until the server analyzes the table, perhaps a minute later. Until then all indexes cost the same, and the one that was taken
   * may read a whole zone. The embedded engine is made to analyze tables that grow, which drops the plans as well.
   */
  #oneWrite<T>(send: () => T): T {
    const now = performance.now();
    if (now - this.#plannedAt < planMilliseconds || this.getTransactionStatus() !== "I") return send();
    this.#plannedAt = now;
    const stream = this.#stream;
    stream.cork();
    try {
      // Its failure is no failure of what follows.
      super.query("discard plans", () => undefined);
      return send();
    } finally {
      stream.uncork();
    }
  }

  get #stream(): Writable {
    return (this as unknown as { connection: { stream: Writable } }).connection.stream;
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- see `query`
  #send(args: any[]): unknown {
    const [text, values] = args as [unknown, unknown];
    if (typeof text === "string" && !args.some((arg) => typeof arg === "function"))
      return this.#sendOne(text, isEmpty(values) ? [] : (values as unknown[]));
    // oxlint-disable-next-line typescript/unbound-method -- bound by Reflect.apply
    return Reflect.apply(super.query, this, args);
  }

  /**
   * Sends a statement with a callback. To return a promise, `pg` would assign a function literal to a property of the query. V8 allocates such a
   * function in the old generation, so that the query and all of its values would stay until the next full collection.
   */
  async #sendOne(text: string, values: unknown[]): Promise<QueryResult> {
    const name = values.length > 0 ? this.#names.of(text) : undefined;
    try {
      return await new Promise<QueryResult>((resolve, reject) => {
        super.query({ ...(name !== undefined && { name }), text, values }, (error, result) =>
          error ? reject(error) : resolve(result),
        );
      });
    } catch (error) {
      if (name !== undefined && isUnusable(error)) this.#names.retire(text);
      throw withCaller(error);
    }
  }
}

/** Makes the stack of an error lead to the caller instead of the socket, as `pg` does. */
function withCaller(error: unknown): unknown {
  if (error instanceof Error) Error.captureStackTrace(error);
  return error;
}

function isEmpty(values: unknown): boolean {
  return !Array.isArray(values) || values.length === 0;
}

/** Returns whether a text can be sent as one of a group. One of several statements cannot. */
function isStatement(text: unknown, values: unknown): text is string {
  return typeof text === "string" && (!isEmpty(values) || !text.includes(";"));
}

/** A statement with its values, and the name under which it is prepared. */
interface NamedStatement {
  name: string | undefined;
  text: string;
  values: readonly unknown[];
}

/** What this uses of the connection of `pg` 8.23, whose types leave it out. */
interface Wire extends Connection {
  /** Texts by the names of statements whose Parse message was sent, and was not yet answered. */
  submittedNamedStatements: Record<string, string>;
}

/** What this uses of a query of `pg`. */
interface Member extends Query {
  name: string | undefined;
  text: string;
  callback: (error: Error | null, result?: QueryResult) => void;
  _result: { _types: unknown };
  handleRowDescription(message: { fields: FieldDef[] }): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Wire): void;
  handleReadyForQuery(connection: Wire): void;
  handleError(error: Error, connection: Wire): void;
  prepare(connection: Wire): void;
}

/**
 * Several statements as one query of a `pg` client, with one Sync message after the last (PostgreSQL documentation §54.2.4): the server skips
 * what follows a failed one. A `begin` that fails lets nothing run outside a transaction, and a `commit` commits nothing that failed.
 */
class StatementGroup implements Submittable {
  readonly #members: readonly Member[];
  readonly #results: QueryResult[] = [];
  readonly #settle: (error: Error | null, results: QueryResult[]) => void;
  /** The one that the server executes. */
  #current = 0;
  #broken: Error | null = null;

  /** @param types the client's parsers of values @param settle takes the results, in order, or the error of the first that failed */
  constructor(
    statements: readonly NamedStatement[],
    types: unknown,
    settle: (error: Error | null, results: QueryResult[]) => void,
  ) {
    this.#settle = settle;
    this.#members = statements.map(({ name, text, values }) => {
      const member = new Query({ ...(name !== undefined && { name }), text, values: [...values] }) as Member;
      member["_result"]["_types"] = types;
      // A variable keeps the function out of the old generation, see `#sendOne`.
      const answered: Member["callback"] = (error, result) => {
        if (error) this.#broken ??= error;
        else if (result) this.#results.push(result);
      };
      member.callback = answered;
      return member;
    });
  }

  /** The client notes by this name and text what the server has parsed. */
  get name(): string | undefined {
    return this.#members[this.#current]?.name;
  }

  get text(): string | undefined {
    return this.#members[this.#current]?.text;
  }

  submit(connection: Connection): void {
    const wire = connection as Wire;
    const withoutSync = Object.create(wire, { sync: { value: () => undefined } }) as Wire;
    for (const member of this.#members) member.prepare(withoutSync);
    // A value that cannot be sent: nothing of the group may run.
    if (this.#broken) wire.stream.destroy();
    else wire.sync();
  }

  handleRowDescription(message: { fields: FieldDef[] }): void {
    this.#members[this.#current]?.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.#members[this.#current]?.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, connection: Wire): void {
    this.#members[this.#current]?.handleCommandComplete(message, connection);
    this.#current += 1;
  }

  handleReadyForQuery(connection: Wire): void {
    for (const member of this.#members) member.handleReadyForQuery(connection);
    this.#settle(this.#broken, this.#results);
  }

  handleError(error: Error, { submittedNamedStatements }: Wire): void {
    for (const { name } of this.#members.slice(this.#current)) {
      // oxlint-disable-next-line typescript/no-dynamic-delete -- the client's own object
      if (name !== undefined) delete submittedNamedStatements[name];
    }
    this.#settle(this.#broken ?? error, []);
  }
}
