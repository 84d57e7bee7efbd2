import { queries, type EntityManager } from "../../database/database.ts";

/**
 * Locks a user's row, to serialize sign-ins with changes to the account. Call it first in a transaction: a single lock order prevents
 * deadlocks.
 */
export async function lockAccount(tx: EntityManager, userId: string): Promise<void> {
  await queries(tx).selectFrom("users").select("id").where("id", "=", userId).forUpdate().execute();
}
