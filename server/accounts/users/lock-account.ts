import { queries, type EntityManager } from "../../database/database.ts";
import { AppError } from "../../platform/errors.ts";
import type { Caller } from "../../access/caller.ts";

/**
 * Locks a user's row, to serialize sign-ins with changes to the account. Call it first in a transaction: a single lock order prevents
 * deadlocks.
 */
export async function lockAccount(tx: EntityManager, userId: string): Promise<void> {
  await queries(tx).selectFrom("users").select("id").where("id", "=", userId).forUpdate().execute();
}

/**
 * Locks the account of a user who adds or changes their own ways to sign in, as `lockAccount`. Also checks the session, so that a call
 * admitted just before all sessions ended cannot leave a new way behind.
 * @throws AppError UNAUTHORIZED if the caller's session has ended in the meantime
 */
export async function lockOwnAccount(
  tx: EntityManager,
  { userId, sessionId }: Pick<Caller, "userId" | "sessionId">,
): Promise<void> {
  await lockAccount(tx, userId);
  if (sessionId === null) return;
  const live = await queries(tx)
    .selectFrom("sessions")
    .select("id")
    .where("id", "=", sessionId)
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  if (!live) throw new AppError("UNAUTHORIZED", "The session has ended. Sign in again.");
}
