import { queries, type EntityManager } from "../../database/database.ts";

/** How long ended sessions stay, for whoever looks into what happened. */
const keptMilliseconds = 30 * 24 * 3_600_000;

/**
 * Deletes sessions that ended more than 30 days ago, with their refresh tokens, and the refresh tokens that expired as long
 * ago in sessions which go on.
 * @returns how many rows were deleted; tokens that went with their session are not counted.
 */
export async function deleteEndedSessions(
  em: EntityManager,
  now: Date,
): Promise<{ sessions: number; refreshTokens: number }> {
  const before = new Date(now.getTime() - keptMilliseconds);
  const db = queries(em);
  const sessions = await db
    .deleteFrom("sessions")
    .where("created_at", "<", before)
    .where((eb) =>
      eb.or([
        eb("revoked_at", "<", before),
        eb("expires_at", "<", before),
        // The last refresh token's end is the session's, where nobody refreshed it any more.
        eb.not(
          eb.exists(
            eb
              .selectFrom("refresh_tokens")
              .select("token_hash")
              .whereRef("refresh_tokens.session_id", "=", "sessions.id")
              .where("refresh_tokens.expires_at", ">=", before),
          ),
        ),
      ]),
    )
    .executeTakeFirst();
  const tokens = await db.deleteFrom("refresh_tokens").where("expires_at", "<", before).executeTakeFirst();
  return { sessions: Number(sessions.numDeletedRows), refreshTokens: Number(tokens.numDeletedRows) };
}

/** Deletes sign-ins that no second factor completed in time, and what authenticators did not sign in time. */
export async function deleteExpiredChallenges(em: EntityManager, now: Date): Promise<void> {
  await queries(em).deleteFrom("passkey_challenges").where("expires_at", "<=", now).execute();
  await queries(em).deleteFrom("sign_in_challenges").where("expires_at", "<=", now).execute();
}

/** Deletes mailed links that no longer work, and counts of mails that no limit looks at any more. */
export async function deleteExpiredLinks(em: EntityManager, now: Date): Promise<void> {
  for (const table of ["password_resets", "email_verifications", "mail_allowances"] as const)
    await queries(em).deleteFrom(table).where("expires_at", "<=", now).execute();
}
