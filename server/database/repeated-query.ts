import { isDeepStrictEqual } from "node:util";
import { CompiledQuery, type Compilable, type Kysely } from "kysely";
import { queries, type EntityManager } from "./database.ts";
import type { Tables } from "./tables/all.ts";

/** By the object that a text is built from, so that no two things can share one by having the same name. */
const texts = new WeakMap<object, { sql: string; parameters: number }>();

/**
 * Runs a query whose text is built once for each `shape` and used again with other values: on the hottest lists building
 * costs as much as sending. `build` gets the same values as `parameters`; that they are the text's, in its order, is
 * checked when it is built.
 * @param shape the object that alone decides on the text: nothing of the caller may, but values
 */
export async function repeated<Row>(
  em: EntityManager,
  shape: object,
  parameters: readonly unknown[],
  build: (db: Kysely<Tables>) => Compilable<Row>,
): Promise<Row[]> {
  const db = queries(em);
  const text = texts.get(shape) ?? learn(shape, parameters, build(db));
  if (text.parameters !== parameters.length) throw new Error("These values are not those of the text.");
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text.sql, [...parameters]));
  return rows;
}

function learn(shape: object, parameters: readonly unknown[], query: Compilable) {
  const { sql, parameters: built } = query.compile();
  if (!isDeepStrictEqual([...built], [...parameters])) throw new Error("These values are not those of the text.");
  const text = { sql, parameters: parameters.length };
  texts.set(shape, text);
  return text;
}
