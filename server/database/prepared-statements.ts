import type { PGlite, QueryOptions, Results, Transaction } from "@electric-sql/pglite";
import { DatabaseError, serialize } from "pg-protocol";
import type {
  BackendMessage,
  CommandCompleteMessage,
  DataRowMessage,
  NotificationResponseMessage,
  ParameterDescriptionMessage,
  RowDescriptionMessage,
} from "pg-protocol/dist/messages.js";
import { Parser } from "pg-protocol/dist/parser.js";
import { inTimeOfTurn } from "../platform/slices.ts";
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

/** A statement that the engine has parsed. */
interface Prepared {
  /** The types of its parameters. */
  parameters: readonly number[];
  fields: readonly { name: string; dataTypeID: number }[];
}

/** A statement to run under a name. */
interface Named extends Statement {
  name: string;
}

/** Results of any columns: the caller names the type of the rows, as with the engine's own method. */
// oxlint-disable-next-line typescript/no-explicit-any -- see above
type AnyResults = Results<any>;

/** Types from this number on belong to the catalog's own tables and to extensions. */
const firstRowType = 10_000;
const unnamed = "";
/** A text without values may have them within, and be used a few times only. The job queue's are used all the time. */
const usesWithoutValues = 5;
/** The tags of completed commands that count the rows they changed. */
const changesRows = /^(?:INSERT|UPDATE|DELETE|MERGE|COPY)\b/;

/**
 * Makes the embedded engine prepare repeated statements, which then cost neither parsing nor, after some uses, planning; and hands it the
 * messages of a statement in one call, or two to learn the types of its values, where its own `query` (PGlite 0.5.8) makes six. Its answers
 * are read by the reader of `pg`: PGlite's own copies and decodes each column by itself. Results have no `command` and `rowCount`.
 */
export function prepareRepeated(engine: PGlite): void {
  // PGlite copies all parsers for each script. Two thirds are for arrays of the catalog's rows, which nothing reads.
  engine.parsers = Object.fromEntries(Object.entries(engine.parsers).filter(([type]) => Number(type) < firstRowType));

  const prepared = new Map<string, Prepared>();
  let ended: string[] = [];
  const names = new StatementNames((name) => {
    prepared.delete(name);
    ended.push(name);
  });

  /** Whether a transaction was opened that the engine does not know of yet. */
  let begins = false;
  const begin = Buffer.concat([serialize.parse({ text: "begin" }), serialize.bind(), serialize.execute()]);

  // PGlite tells its listeners only what its own reader reads.
  const listeners = new Map<string, Set<(payload: string) => void>>();
  const listen = engine.listen.bind(engine);
  engine.listen = async (channel, callback, tx) => {
    const end = await listen(channel, callback, tx);
    const those = listeners.get(channel) ?? new Set();
    listeners.set(channel, those.add(callback));
    return async (within) => {
      those.delete(callback);
      await end(within);
    };
  };

  /** Tells listeners once the statement under way has ended. */
  function notify({ channel, payload }: NotificationResponseMessage): void {
    for (const callback of listeners.get(channel) ?? []) queueMicrotask(() => callback(payload));
  }

  engine.execProtocolStream = async (messages, { syncToFs = true } = {}) => {
    const answers: BackendMessage[] = [];
    let failure: DatabaseError | undefined;
    const parser = new Parser();
    await engine.execProtocolRawStream(messages, {
      syncToFs,
      // The octets stand in the engine's memory, which it uses again.
      onRawData: (octets) =>
        parser.parse(Buffer.from(octets), (message) => {
          if (message instanceof DatabaseError) failure ??= message;
          else if (message.name === "notification") notify(message as NotificationResponseMessage);
          else answers.push(message);
        }),
    });
    if (failure) throw failure;
    return answers;
  };

  async function send(...messages: Uint8Array[]): Promise<readonly BackendMessage[]> {
    const opens = begins;
    begins = false;
    const all = Buffer.concat([...(opens ? [begin] : []), ...messages, serialize.sync()]);
    const answers = await engine.execProtocolStream(all, { syncToFs: false });
    return opens ? answers.slice(answers.findIndex(isCompleted) + 1) : answers;
  }

  async function prepare(name: string, text: string): Promise<Prepared> {
    // Closing one that does not exist does nothing. This one exists if an earlier attempt failed halfway.
    const closing = [...ended, name].map((each) => serialize.close({ type: "S", name: each }));
    ended = [];
    const messages = [...closing, serialize.parse({ name, text }), serialize.describe({ type: "S", name })];
    const statement = described(await send(...messages));
    prepared.set(name, statement);
    return statement;
  }

  async function executePrepared(statements: readonly Named[]): Promise<AnyResults[]> {
    const bound: { fields: Prepared["fields"]; messages: Uint8Array[] }[] = [];
    for (const { name, sql, parameters } of statements) {
      const statement = prepared.get(name) ?? (await prepare(name, sql));
      bound.push({ fields: statement.fields, messages: bind(name, statement, parameters) });
    }
    try {
      const answers = byStatement(await send(...bound.flatMap(({ messages }) => messages)));
      return bound.map(({ fields }, index) => resultOf(engine, fields, answers[index] ?? []));
    } catch (error) {
      if (isUnusable(error)) {
        for (const { name, sql } of statements) {
          prepared.delete(name);
          names.retire(sql);
        }
      }
      throw error;
    }
  }

  function bind(name: string, { parameters }: Prepared, values: readonly unknown[]): Uint8Array[] {
    const texts = values.map((value, index) => textOf(engine, value, parameters[index]));
    return [serialize.bind({ statement: name, values: texts }), serialize.execute()];
  }

  /** Executes a statement that is not repeated. */
  async function executeOnce(text: string, values: readonly unknown[]): Promise<AnyResults> {
    const parse = serialize.parse({ text });
    if (values.length > 0) {
      const statement = described(await send(parse, serialize.describe({ type: "S" })));
      return resultOf(engine, statement.fields, await send(...bind(unnamed, statement, values)));
    }
    const messages = await send(parse, serialize.bind(), serialize.describe({ type: "P" }), serialize.execute());
    return resultOf(engine, described(messages).fields, messages);
  }

  async function execute(statement: Statement): Promise<AnyResults> {
    const { sql, parameters } = statement;
    const name = nameOf(statement);
    if (name === undefined) return await executeOnce(sql, parameters);
    const [results] = await executePrepared([{ name, sql, parameters }]);
    return results ?? noResults;
  }

  /** Executes statements of a transaction, in one call if all are prepared. */
  async function executeSeveral(statements: readonly Statement[]): Promise<AnyResults[]> {
    const named = statements.flatMap((statement) => {
      const name = nameOf(statement);
      return name === undefined ? [] : [{ ...statement, name }];
    });
    if (named.length === statements.length) return await executePrepared(named);
    const results: AnyResults[] = [];
    for (const statement of statements) results.push(await execute(statement));
    return results;
  }

  const nameOf = ({ sql, parameters }: Statement) =>
    parameters.length > 0 ? names.of(sql) : names.of(sql, usesWithoutValues);

  // PGlite marks these as internal by their names, and runs its own statements with them.
  const ready = async () => await engine["_checkReady"]();
  const runAlone = engine["_runExclusiveQuery"].bind(engine);
  // A statement blocks the event loop. Many that wait for each other would all run in one turn.
  const alone = async <T>(work: () => Promise<T>) =>
    await runAlone(async () => {
      await inTimeOfTurn();
      return await work();
    });
  engine["_runExclusiveQuery"] = alone;
  const outsideTransactions = async <T>(work: () => Promise<T>) => await engine["_runExclusiveTransaction"](work);

  const plainQuery = engine.query.bind(engine);
  engine.query = async (text: string, values: unknown[] = [], options?: QueryOptions): Promise<AnyResults> => {
    if (!isPlain(options)) return await plainQuery(text, values, options);
    await ready();
    return await outsideTransactions(async () => {
      const results = await alone(() => execute({ sql: text, parameters: values }));
      await engine.syncToFs();
      return results;
    });
  };

  /**
   * Ends the transaction under way, unless no statement has opened it.
   * @throws an error also if a statement failed whose failure the caller ignored: the engine then answers a commit by rolling back
   */
  async function end(how: "commit" | "rollback"): Promise<void> {
    const answers = await alone(async () => {
      const isUnbegun = begins;
      begins = false;
      return isUnbegun ? [] : await engine.execProtocolStream(serialize.query(how), { syncToFs: false });
    });
    await engine.syncToFs();
    const [answer] = answers.filter(isCompleted) as CommandCompleteMessage[];
    if (how === "commit" && answer?.text === "ROLLBACK") throw new Error(wasRolledBack);
  }

  // PGlite's own sends two messages for each begin and end. Here the begin travels with the first statement.
  engine.transaction = async <T>(work: (tx: Transaction) => Promise<T>) => {
    await ready();
    return await outsideTransactions(async () => {
      begins = true;
      let closed = false;
      const query = async (text: string, values: unknown[] = [], options?: QueryOptions): Promise<AnyResults> => {
        if (closed) throw new Error("The transaction has ended.");
        if (!isPlain(options)) throw new Error("A statement of a transaction has no options of its own.");
        if (text === severalStatements || text === awaitedByNext)
          return { ...noResults, rows: await alone(() => executeSeveral(values as Statement[])) };
        return await alone(() => execute({ sql: text, parameters: values }));
      };
      let result: T;
      try {
        result = await work({ query } as Transaction);
      } catch (error) {
        closed = true;
        await end("rollback");
        throw error;
      }
      closed = true;
      await end("commit");
      return result;
    });
  };
}

const noResults: AnyResults = { rows: [], fields: [] };

function isCompleted({ name }: BackendMessage): boolean {
  return name === "commandComplete";
}

/** Returns the messages of each of several statements. */
function byStatement(messages: readonly BackendMessage[]): BackendMessage[][] {
  const answers: BackendMessage[][] = [[]];
  for (const message of messages) {
    answers.at(-1)?.push(message);
    if (isCompleted(message)) answers.push([]);
  }
  return answers;
}

/** Returns whether the results are to have the usual form, which is the one made here. */
function isPlain({ rowMode, ...others }: QueryOptions = {}): boolean {
  return rowMode !== "array" && Object.keys(others).length === 0;
}

function described(messages: readonly BackendMessage[]): Prepared {
  const parameters = messages.find(
    (message): message is ParameterDescriptionMessage => message.name === "parameterDescription",
  );
  const row = messages.find((message): message is RowDescriptionMessage => message.name === "rowDescription");
  return { parameters: parameters?.dataTypeIDs ?? [], fields: row?.fields ?? [] };
}

function textOf({ serializers }: PGlite, value: unknown, type = 0): string | null {
  if (value === null || value === undefined) return null;
  // Types without a serializer take the value's own text, as the engine's `query` does.
  // oxlint-disable-next-line typescript/no-base-to-string -- see above
  return serializers[type]?.(value) ?? String(value);
}

function resultOf({ parsers }: PGlite, fields: Prepared["fields"], messages: readonly BackendMessage[]): AnyResults {
  const columns = fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID, parse: parsers[dataTypeID] }));
  const rows: Record<string, unknown>[] = [];
  let affectedRows = 0;
  for (const message of messages) {
    if (message.name === "dataRow") {
      const { fields: texts } = message as DataRowMessage;
      const row: Record<string, unknown> = {};
      for (const [index, { name, type, parse }] of columns.entries()) {
        const text = texts[index] ?? null;
        row[name] = text === null || !parse ? text : parse(text, type);
      }
      rows.push(row);
    } else if (message.name === "commandComplete") {
      const { text } = message as CommandCompleteMessage;
      if (changesRows.test(text)) affectedRows = Number(text.split(" ").at(-1));
    }
  }
  return { rows, fields: [...fields], affectedRows };
}

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
