import { sql } from "kysely";
import { jsonTexts, queries, type EntityManager } from "../database/database.ts";

/**
 * Locks users against deletion until the transaction ends, those that are there. A transaction that notifies somebody about rows of theirs,
 * such as assignments or tokens, calls it before it locks these rows: sign-ins and changes of an account lock its row first, too. Domains are
 * locked before users.
 */
export async function lockUsers(tx: EntityManager, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    select from users where id in (select value::uuid from ${jsonTexts(ids)}) order by id for key share
  `.execute(queries(tx));
}
