import { CompiledQuery, type QueryResult } from "kysely";
import { takeTurns } from "../platform/slices.ts";
import { queries, type EntityManager } from "./database.ts";
import { awaitedByNext, severalStatements } from "./prepared-statements.ts";

/** A statement that is built when it is sent. */
export type Later = () => CompiledQuery;

export type Answer = Required<Pick<QueryResult<unknown>, "rows" | "numAffectedRows">>;

/** A statement that is sent together with others. */
export interface Sent {
  statement: Later;
  /** Takes its answer. */
  answered: (answer: Answer) => void;
}

/**
 * Runs statements of a transaction one after another, and sends each before the one before it is answered: together they cost one round trip.
 * What follows a failed one does not run.
 * @returns their answers, in order @throws the error of the first that failed
 */
export async function inOneTrip(tx: EntityManager, statements: readonly Later[]): Promise<Answer[]> {
  return (await send(tx, severalStatements, statements)).map(({ rows: found, rowCount, affectedRows }) => ({
    rows: found,
    numAffectedRows: BigInt(rowCount ?? affectedRows ?? 0),
  }));
}

/**
 * Runs statements of a transaction one after another, and sends them together with the next one or the commit, whose failure is theirs: nobody
 * waits for their answers.
 */
export async function withNext(tx: EntityManager, statements: readonly Later[]): Promise<void> {
  await send(tx, awaitedByNext, statements);
}

/** Runs long statements of a transaction one after another, and lets other work run in between. */
export async function oneByOne(tx: EntityManager, statements: readonly Later[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const statement of statements) {
    if (answers.length > 0) await takeTurns();
    answers.push(...(await inOneTrip(tx, [statement])));
  }
  return answers;
}

async function send(tx: EntityManager, how: string, statements: readonly Later[]): Promise<DriverResult[]> {
  if (!tx.isInTransaction()) throw new Error("Statements outside a transaction cannot be sent together.");
  if (statements.length === 0) return [];
  const compiled = statements.map((statement) => statement());
  const { rows } = await queries(tx).executeQuery(CompiledQuery.raw(how, compiled));
  return rows as DriverResult[];
}

/** What the drivers of the two engines return. */
interface DriverResult {
  rows: unknown[];
  rowCount?: number | null;
  affectedRows?: number;
}

type Value = string | number | boolean | Date | null | undefined;

/** The text of each template. Evaluating it again gives the same object. */
const texts = new WeakMap<TemplateStringsArray, string>();

/**
 * Returns a statement with a parameter for each value. Its text is the same string each time, which costs neither building nor finding the
 * prepared statement: for what each change sends. Anything else uses the query builder, which knows the columns.
 * @example statement<{ name: string }>`select name from domains where id = ${domainId}`
 */
export function statement<Row>(template: TemplateStringsArray, ...values: readonly Value[]): CompiledQuery<Row> {
  let text = texts.get(template);
  if (text === undefined) {
    text = template.reduce((before, part, index) => `${before}$${index}${part}`);
    texts.set(template, text);
  }
  return CompiledQuery.raw(text, [...values]);
}
