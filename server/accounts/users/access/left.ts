import { sql } from "kysely";
import { queries, type EntityManager } from "../../../database/database.ts";

/** The number of ways to access an account, not counting its password. */
export interface AccessLeft {
  sessions: number;
  tokens: number;
  keys: number;
  passkeys: number;
  identities: number;
}

/** Counts the ways to access an account, except its password and the calling session. */
export async function accessLeft(
  em: EntityManager,
  { userId, sessionId }: { userId: string; sessionId: string | null },
  now: Date,
): Promise<AccessLeft> {
  const {
    rows: [left],
  } = await sql<AccessLeft>`select
    (select count(*)::int from sessions
      where user_id = ${userId} and revoked_at is null and expires_at > ${now} and id is distinct from ${sessionId}::uuid
        and exists (select from refresh_tokens
          where session_id = sessions.id and rotated_at is null and refresh_tokens.expires_at > ${now})) as sessions,
    (select count(*)::int from personal_tokens
      where user_id = ${userId} and (expires_at is null or expires_at > ${now})) as tokens,
    (select count(*)::int from tsig_keys
      where user_id = ${userId} and (expires_at is null or expires_at > ${now})) as keys,
    (select count(*)::int from passkeys where user_id = ${userId}) as passkeys,
    (select count(*)::int from identity_bindings where user_id = ${userId}) as identities`.execute(queries(em));
  return left ?? { sessions: 0, tokens: 0, keys: 0, passkeys: 0, identities: 0 };
}
