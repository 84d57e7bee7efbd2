import { isDeepStrictEqual } from "node:util";
import { CompiledQuery, type Compilable, type Kysely } from "kysely";
import { queries, type EntityManager } from "./database.ts";
import type { Tables } from "./entities.ts";

const texts = new Map<string, string>();

/**
 * Runs a query whose text is built once for each `shape` and used again with other values: on the hottest lists building
 * costs as much as sending. `build` gets the same values as `parameters`; that they are the text's, in its order, is
 * checked when it is built.
 */
export async function repeated<Row>(
  em: EntityManager,
  shape: string,
  parameters: readonly unknown[],
  build: (db: Kysely<Tables>) => Compilable<Row>,
): Promise<Row[]> {
  const db = queries(em);
  const { rows } = await db.executeQuery<Row>(
    CompiledQuery.raw(texts.get(shape) ?? learn(shape, parameters, build(db)), [...parameters]),
  );
  return rows;
}

function learn(shape: string, parameters: readonly unknown[], query: Compilable): string {
  const { sql, parameters: built } = query.compile();
  if (!isDeepStrictEqual([...built], [...parameters]))
    throw new Error(`The values of ${shape} are not those of its text.`);
  texts.set(shape, sql);
  return sql;
}
