import { Query, type Connection, type FieldDef, type QueryResult, type Submittable } from "pg";

/** A statement with its values, and the name under which it is prepared. */
export interface NamedStatement {
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
export class StatementGroup implements Submittable {
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
      member.callback = (error, result) => {
        if (error) this.#broken ??= error;
        else if (result) this.#results.push(result);
      };
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
