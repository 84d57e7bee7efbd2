import { queries, type EntityManager } from "../../database/database.ts";
import { AppError } from "../../platform/errors.ts";
import { lockAccount } from "../users/lock-account.ts";
import type { Caller } from "../../access/caller.ts";

/**
 * Locks the account of a user who adds or changes their own ways to sign in, as `lockAccount`. Also checks the session, so that a call
 * admitted just before all sessions ended cannot leave a new way behind.
 * @throws AppError UNAUTHORIZED if the caller's session has ended in the meantime
 */
export async function lockOwnAccount(tx: EntityManager, { userId, sessionId }: Caller): Promise<void> {
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
