import { queries, type EntityManager } from "../../../database/database.ts";
import { AppError } from "../../../platform/errors.ts";

const lifetimeMilliseconds = 10 * 60_000;

/**
 * Returns when a session's confirmation expires; null if it is not confirmed or there is no session. Reads the row each time, so a
 * confirmation on one instance takes effect on the others immediately.
 */
export async function confirmedUntil(em: EntityManager, sessionId: string | null, now: Date): Promise<Date | null> {
  if (sessionId === null) return null;
  const session = await queries(em)
    .selectFrom("sessions")
    .select("confirmed_at")
    .where("id", "=", sessionId)
    .executeTakeFirst();
  const until = session?.confirmed_at ? endOf(session.confirmed_at) : null;
  return until && until > now ? until : null;
}

/**
 * Records that a session has just been confirmed.
 * @returns when the confirmation expires
 * @throws AppError UNAUTHORIZED if the session has ended in the meantime
 */
export async function markConfirmed(em: EntityManager, sessionId: string, now: Date): Promise<Date> {
  const { numUpdatedRows } = await queries(em)
    .updateTable("sessions")
    .set({ confirmed_at: now })
    .where("id", "=", sessionId)
    .where("revoked_at", "is", null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) return endOf(now);
  throw sessionEnded();
}

/** Rejects a session that another instance may have just ended. @throws AppError UNAUTHORIZED */
export async function requireLive(em: EntityManager, sessionId: string | null): Promise<void> {
  if (!(await isLive(em, sessionId))) throw sessionEnded();
}

/** Returns whether a session has not been ended. */
export async function isLive(em: EntityManager, sessionId: string | null): Promise<boolean> {
  const live = await queries(em)
    .selectFrom("sessions")
    .select("id")
    .where("id", "=", sessionId)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return live !== undefined;
}

function sessionEnded(): AppError {
  return new AppError("UNAUTHORIZED", "This session has ended. Sign in again.");
}

function endOf(confirmedAt: Date): Date {
  return new Date(confirmedAt.getTime() + lifetimeMilliseconds);
}
