import { queries, type EntityManager } from "../../../database/database.ts";
import { AppError } from "../../../platform/errors.ts";

const lifetimeMilliseconds = 10 * 60_000;

/**
 * Until when a session counts as confirmed; null where it does not, or there is none. Read from the row each time: whoever
 * confirms at one instance goes on at another at once.
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
 * Notes that a session has just proved whose it is.
 * @returns until when that holds
 * @throws AppError UNAUTHORIZED when the session has ended meanwhile
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

/** For a session that another instance may have ended a moment ago. @throws AppError UNAUTHORIZED */
export async function requireLive(em: EntityManager, sessionId: string | null): Promise<void> {
  const live = await queries(em)
    .selectFrom("sessions")
    .select("id")
    .where("id", "=", sessionId)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  if (!live) throw sessionEnded();
}

function sessionEnded(): AppError {
  return new AppError("UNAUTHORIZED", "This session has ended. Sign in again.");
}

function endOf(confirmedAt: Date): Date {
  return new Date(confirmedAt.getTime() + lifetimeMilliseconds);
}
