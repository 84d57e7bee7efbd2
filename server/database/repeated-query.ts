import { isDeepStrictEqual } from "node:util";
import { CompiledQuery, type Compilable, type Kysely } from "kysely";
import { queries, type EntityManager } from "./database.ts";
import type { Tables } from "./tables/all.ts";

/** Keyed by the object that the text is built from, so that equal names cannot collide. */
const texts = new WeakMap<object, { sql: string; parameters: number }>();

/**
 * Runs a query whose text is built once per `shape` and reused with other values: for the most frequent lists, building costs as much as
 * sending. `build` must use exactly the values in `parameters`, in that order, which is checked when the text is built.
 * @param shape the object that alone determines the text; the caller may only affect values
 */
export async function repeated<Row>(
  em: EntityManager,
  shape: object,
  parameters: readonly unknown[],
  build: (db: Kysely<Tables>) => Compilable<Row>,
): Promise<Row[]> {
  const db = queries(em);
  const text = texts.get(shape) ?? compiled(shape, parameters, build(db));
  if (text.parameters !== parameters.length) throw new Error("The parameters do not match the cached query text.");
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text.sql, [...parameters]));
  return rows;
}

function compiled(shape: object, parameters: readonly unknown[], query: Compilable) {
  const { sql, parameters: built } = query.compile();
  if (!isDeepStrictEqual([...built], [...parameters]))
    throw new Error("The parameters do not match the cached query text.");
  const text = { sql, parameters: parameters.length };
  texts.set(shape, text);
  return text;
}
