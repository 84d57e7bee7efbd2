import { queries, type EntityManager } from "../../database/database.ts";
import { AppError } from "../../platform/errors.ts";
import { lockAccount } from "../users/lock-account.ts";
import type { Caller } from "../../access/caller.ts";

/**
 * `lockAccount` for somebody who adds to or changes their own ways in: a call that was let in just before all sessions were ended must not leave
 * a new way behind.
 * @throws AppError UNAUTHORIZED when the caller's session has ended meanwhile
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
  if (!live) throw new AppError("UNAUTHORIZED", "The session has ended; sign in again.");
}
