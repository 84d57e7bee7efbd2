import { queries, type EntityManager } from "../database/database.ts";

/** Sessions that go on, with the users behind them: not ended, not too old, of somebody who is not disabled. */
export function liveSessions(em: EntityManager, now: Date) {
  return queries(em)
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user_id")
    .where("sessions.revoked_at", "is", null)
    .where("sessions.expires_at", ">", now)
    .where("users.disabled_at", "is", null);
}
