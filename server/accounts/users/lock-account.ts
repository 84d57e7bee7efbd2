import { queries, type EntityManager } from "../../database/database.ts";

/**
 * Locks a user's row. Serializes sign-ins with changes to how the user signs in and to what the user has. Call it first in a transaction:
 * one lock order for all prevents deadlocks.
 */
export async function lockAccount(tx: EntityManager, userId: string): Promise<void> {
  await queries(tx).selectFrom("users").select("id").where("id", "=", userId).forUpdate().execute();
}
