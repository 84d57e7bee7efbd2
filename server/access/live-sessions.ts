import { queries, type EntityManager } from "../database/database.ts";

/** Selects active sessions with their users: not revoked, not expired, of users who are not disabled. */
export function liveSessions(em: EntityManager, now: Date) {
  return queries(em)
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user_id")
    .where("sessions.revoked_at", "is", null)
    .where("sessions.expires_at", ">", now)
    .where("users.disabled_at", "is", null);
}
