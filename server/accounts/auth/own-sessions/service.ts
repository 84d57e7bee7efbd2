import { LockMode } from "@mikro-orm/core";
import type { Audit } from "../../../notifications/audit/audit.ts";
import { queries, type EntityManager } from "../../../database/database.ts";
import { notFound } from "../../../platform/errors.ts";
import type { Caller } from "../../../access/caller.ts";
import { Session } from "../../../database/tables/credentials.ts";
import type { Sessions } from "../sessions.ts";

const shownAtMost = 200;

/** Lists and ends the caller's own sessions. */
export class OwnSessions {
  readonly #sessions: Sessions;
  readonly #audit: Audit;
  readonly #now: () => Date;

  constructor(sessions: Sessions, audit: Audit, now: () => Date) {
    this.#sessions = sessions;
    this.#audit = audit;
    this.#now = now;
  }

  /** Returns the sessions that can still be renewed. */
  async list(em: EntityManager, { userId, sessionId }: Pick<Caller, "userId" | "sessionId">) {
    const now = this.#now();
    const rows = await queries(em)
      .selectFrom("sessions")
      .select(["id", "user_agent", "ip", "created_at", "last_used_at"])
      .select((eb) => eb("id", "=", sessionId).as("current"))
      .where("user_id", "=", userId)
      .where("revoked_at", "is", null)
      .where("expires_at", ">", now)
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom("refresh_tokens")
            .select("token_hash")
            .whereRef("refresh_tokens.session_id", "=", "sessions.id")
            .where("refresh_tokens.rotated_at", "is", null)
            .where("refresh_tokens.expires_at", ">", now),
        ),
      )
      .orderBy("current", "desc")
      .orderBy("last_used_at", "desc")
      .limit(shownAtMost)
      .execute();
    const sessions = rows.map((row) => ({
      id: row.id,
      current: row.current === true,
      userAgent: row.user_agent,
      ip: row.ip,
      createdAt: row.created_at,
      lastUsedAt: row.last_used_at,
    }));
    return { sessions };
  }

  /** Ends a session and its access tokens immediately. @throws AppError NOT_FOUND, also if it has ended or belongs to another user */
  async revoke(em: EntityManager, caller: Caller, id: string): Promise<void> {
    await em.transactional(async (tx) => {
      const own = { id, userId: caller.userId, revokedAt: null };
      const session = await tx.findOne(Session, own, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!session) throw notFound("session");
      const { userAgent, ip, createdAt } = session;
      await this.#audit.record(tx, caller, {
        action: "session.revoke",
        targetType: "session",
        targetId: id,
        before: { userAgent, ip, createdAt },
      });
      await this.#sessions.end(tx, id);
    });
  }
}
