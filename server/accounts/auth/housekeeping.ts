import { queries, type EntityManager } from "../../database/database.ts";

/** How long ended sessions and keys are retained for investigations. */
const retentionMilliseconds = 30 * 24 * 3_600_000;

/**
 * Deletes sessions that ended more than 30 days ago, with their refresh tokens. In active sessions, deletes refresh tokens that expired
 * more than 30 days ago.
 * @returns the number of rows deleted, not counting tokens deleted with their session
 */
export async function deleteEndedSessions(
  em: EntityManager,
  now: Date,
): Promise<{ sessions: number; refreshTokens: number }> {
  const before = new Date(now.getTime() - retentionMilliseconds);
  const db = queries(em);
  const sessions = await db
    .deleteFrom("sessions")
    .where("created_at", "<", before)
    .where((eb) =>
      eb.or([
        eb("revoked_at", "<", before),
        eb("expires_at", "<", before),
        // A session that is no longer refreshed ends when its last refresh token expires.
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

/** Deletes expired sign-ins that are still pending a second factor, and expired passkey challenges. */
export async function deleteExpiredChallenges(em: EntityManager, now: Date): Promise<void> {
  await queries(em).deleteFrom("passkey_challenges").where("expires_at", "<=", now).execute();
  await queries(em).deleteFrom("sign_in_challenges").where("expires_at", "<=", now).execute();
}

/** Deletes expired mailed links and outdated mail counts. */
export async function deleteExpiredLinks(em: EntityManager, now: Date): Promise<void> {
  for (const table of ["password_resets", "email_verifications", "mail_allowances"] as const)
    await queries(em).deleteFrom(table).where("expires_at", "<=", now).execute();
}

/** Deletes expired sign-ins of the command line. */
export async function deleteExpiredCliSignIns(em: EntityManager, now: Date): Promise<void> {
  for (const table of ["cli_codes", "device_sign_ins"] as const)
    await queries(em).deleteFrom(table).where("expires_at", "<=", now).execute();
}

/** Deletes TSIG keys that expired more than 30 days ago. Until then, their owners see why a client is refused. */
export async function deleteExpiredKeys(em: EntityManager, now: Date): Promise<void> {
  const before = new Date(now.getTime() - retentionMilliseconds);
  await queries(em).deleteFrom("tsig_keys").where("expires_at", "<", before).execute();
}
