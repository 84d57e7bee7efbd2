import type {
  PGlite,
  protocol,
  QueryOptions,
  Results,
  Transaction,
  messages as engineMessages,
} from "@electric-sql/pglite";
import { awaitedByNext, isUnusable, severalStatements, StatementNames, type Statement } from "./prepared-statements.ts";

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

type Message = Awaited<ReturnType<PGlite["execProtocolStream"]>>[number];
/** Results of any columns: the caller names the type of the rows, as with the engine's own method. */
// oxlint-disable-next-line typescript/no-explicit-any -- see above
type AnyResults = Results<any>;

/**
 * Makes the embedded engine prepare repeated statements, which then cost neither parsing nor, after some uses, planning; and hands it the
 * messages of a statement in one call, where its own `query` (PGlite 0.5.8) makes six. Results have no `command` and `rowCount`.
 */
export function prepareRepeated(engine: PGlite, { serialize }: Pick<typeof protocol, "serialize">): void {
  const prepared = new Map<string, Prepared>();
  let ended: string[] = [];
  const names = new StatementNames((name) => {
    prepared.delete(name);
    ended.push(name);
  });

  async function send(...messages: Uint8Array[]): Promise<readonly Message[]> {
    return await engine.execProtocolStream(Buffer.concat([...messages, serialize.sync()]), { syncToFs: false });
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

  async function execute(statements: readonly Named[]): Promise<AnyResults[]> {
    const bound: { fields: Prepared["fields"]; messages: Uint8Array[] }[] = [];
    for (const { name, sql, parameters: values } of statements) {
      const { parameters, fields } = prepared.get(name) ?? (await prepare(name, sql));
      const texts = values.map((value, index) => textOf(engine, value, parameters[index]));
      bound.push({ fields, messages: [serialize.bind({ statement: name, values: texts }), serialize.execute()] });
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

  // PGlite marks these as internal by their names, and runs its own statements with them.
  const ready = async () => await engine["_checkReady"]();
  const alone = async <T>(work: () => Promise<T>) => await engine["_runExclusiveQuery"](work);
  const outsideTransactions = async <T>(work: () => Promise<T>) => await engine["_runExclusiveTransaction"](work);

  const plainQuery = engine.query.bind(engine);
  engine.query = async (text: string, values: unknown[] = [], options?: QueryOptions): Promise<AnyResults> => {
    const name = nameFor(names, text, values, options);
    if (name === undefined) return await plainQuery(text, values, options);
    await ready();
    return await outsideTransactions(async () => {
      const [results] = await alone(() => execute([{ name, sql: text, parameters: values }]));
      await engine.syncToFs();
      return results ?? noResults;
    });
  };

  const plainTransaction = engine.transaction.bind(engine);
  engine.transaction = async (work) =>
    await plainTransaction(async (tx) => {
      const query = async (text: string, values: unknown[] = [], options?: QueryOptions): Promise<AnyResults> => {
        if (text === severalStatements || text === awaitedByNext)
          return { ...noResults, rows: await several(values as Statement[]) };
        const name = nameFor(names, text, values, options);
        if (name === undefined || tx.closed) return await tx.query(text, values, options);
        return (await alone(() => execute([{ name, sql: text, parameters: values }])))[0] ?? noResults;
      };
      const several = async (statements: readonly Statement[]): Promise<AnyResults[]> => {
        const named = statements.flatMap(({ sql, parameters }) => {
          const name = nameFor(names, sql, parameters);
          return name === undefined ? [] : [{ name, sql, parameters }];
        });
        if (named.length === statements.length && !tx.closed) return await alone(() => execute(named));
        const results: AnyResults[] = [];
        for (const { sql, parameters } of statements) results.push(await query(sql, [...parameters]));
        return results;
      };
      return await work(Object.create(tx, { query: { value: query } }) as Transaction);
    });
}

const noResults: AnyResults = { rows: [], fields: [] };

/** Returns the messages of each of several statements. */
function byStatement(messages: readonly Message[]): Message[][] {
  const answers: Message[][] = [[]];
  for (const message of messages) {
    answers.at(-1)?.push(message);
    if (message.name === "commandComplete") answers.push([]);
  }
  return answers;
}

/** Returns the name of a statement to prepare; undefined to leave it to the engine. */
function nameFor(
  names: StatementNames,
  text: string,
  values: readonly unknown[],
  { rowMode, ...others }: QueryOptions = {},
): string | undefined {
  const isPlain = rowMode !== "array" && Object.keys(others).length === 0;
  return isPlain && values.length > 0 ? names.of(text) : undefined;
}

function described(messages: readonly Message[]): Prepared {
  const parameters = messages.find(
    (message): message is engineMessages.ParameterDescriptionMessage => message.name === "parameterDescription",
  );
  const row = messages.find(
    (message): message is engineMessages.RowDescriptionMessage => message.name === "rowDescription",
  );
  return { parameters: parameters?.dataTypeIDs ?? [], fields: row?.fields ?? [] };
}

function textOf({ serializers }: PGlite, value: unknown, type = 0): string | null {
  if (value === null || value === undefined) return null;
  // Types without a serializer take the value's own text, as the engine's `query` does.
  // oxlint-disable-next-line typescript/no-base-to-string -- see above
  return serializers[type]?.(value) ?? String(value);
}

function resultOf({ parsers }: PGlite, fields: Prepared["fields"], messages: readonly Message[]): AnyResults {
  const columns = fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID, parse: parsers[dataTypeID] }));
  const rows: Record<string, unknown>[] = [];
  let affectedRows = 0;
  for (const message of messages) {
    if (message.name === "dataRow") {
      const { fields: texts } = message as engineMessages.DataRowMessage;
      const row: Record<string, unknown> = {};
      for (const [index, { name, type, parse }] of columns.entries()) {
        const text = texts[index] ?? null;
        row[name] = text === null || !parse ? text : parse(text, type);
      }
      rows.push(row);
    } else if (message.name === "commandComplete") {
      const { text } = message as engineMessages.CommandCompleteMessage;
      if (!text.startsWith("SELECT")) affectedRows = Number(text.split(" ").at(-1));
    }
  }
  return { rows, fields: [...fields], affectedRows };
}
