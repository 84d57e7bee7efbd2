import { queries, type EntityManager } from "../../database/database.ts";

/**
 * Makes whoever changes how this user gets in, or how much the user has, take turns, and whoever gets in. Call it first in a transaction: with
 * one order for all nobody waits in a circle.
 */
export async function lockAccount(tx: EntityManager, userId: string): Promise<void> {
  await queries(tx).selectFrom("users").select("id").where("id", "=", userId).forUpdate().execute();
}
