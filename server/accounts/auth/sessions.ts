import { createHmac } from "node:crypto";
import { LockMode } from "@mikro-orm/core";
import type { Actor, Caller } from "../../access/caller.ts";
import type { Audit } from "../../notifications/audit/audit.ts";
import { afterCommit } from "../../database/after-commit.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { newId, hashOf, newOpaqueToken } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/secret-cipher.ts";
import { User } from "../../database/tables/users.ts";
import { RefreshToken, Session } from "../../database/tables/credentials.ts";

const hour = 3_600_000;
const day = 24 * hour;
const absoluteLifetime = 90 * day;
/** How long a rotated token still returns its successor, so that two tabs can refresh at once. */
const graceMilliseconds = 10_000;

export interface IssuedRefreshToken {
  refreshToken: string;
  sessionId: string;
  userId: string;
  /** Undefined for a session without "remember me": the cookie expires when the browser closes. */
  cookieSeconds: number | undefined;
}

export interface EndedSession {
  sessionId: string;
  userId: string;
}

export interface ClientInfo {
  userAgent: string | null;
  ip: string | null;
  /** Returns one of the browser's cookies. */
  cookie(name: string): string | undefined;
}

/** Returns the part of the user agent that a session stores. */
export function clippedUserAgent({ userAgent }: ClientInfo): string | null {
  return userAgent?.slice(0, 300) ?? null;
}

/**
 * Manages sessions and their chains of refresh tokens. Each token's successor is derived from it with a server key, so a repeated refresh
 * returns the same successor without storing it.
 */
export class Sessions {
  readonly #keys: readonly [Uint8Array, ...Uint8Array[]];
  readonly #audit: Audit;
  readonly #now: () => Date;
  readonly #onEnd: (sessionId: string) => void;

  /** @param onEnd called as soon as a session ends, so that its access tokens stop working */
  constructor(keyring: Keyring, audit: Audit, now: () => Date, onEnd: (sessionId: string) => void) {
    this.#keys = keyring.keysFor("refresh-token");
    this.#audit = audit;
    this.#now = now;
    this.#onEnd = onEnd;
  }

  async start(em: EntityManager, userId: string, rememberMe: boolean, client: ClientInfo): Promise<IssuedRefreshToken> {
    const now = this.#now();
    const session = em.create(Session, {
      id: newId(),
      userId,
      rememberMe,
      userAgent: clippedUserAgent(client),
      ip: client.ip,
      createdAt: now,
      lastUsedAt: now,
      confirmedAt: now,
      expiresAt: new Date(now.getTime() + absoluteLifetime),
    });
    await em.flush();
    const refreshToken = newOpaqueToken();
    const expiresAt = tokenEnd(session, now);
    em.create(RefreshToken, { tokenHash: hashOf(refreshToken), sessionId: session.id, createdAt: now, expiresAt });
    await em.flush();
    return issued(refreshToken, session, expiresAt, now);
  }

  /**
   * Rotates a refresh token.
   * @throws AppError UNAUTHORIZED if the token is unknown, expired or revoked, if its user is disabled, or if it was already rotated; reuse of
   * a rotated token ends the session
   */
  async refresh(
    em: EntityManager,
    actor: Actor,
    presented: string,
  ): Promise<IssuedRefreshToken & { accessEpoch: number }> {
    const outcome = await em.transactional(async (tx) => {
      const tokenHash = hashOf(presented);
      const token = await tx.findOne(RefreshToken, { tokenHash });
      if (!token) return { kind: "refused" } as const;
      // The lock on the session's row serializes parallel refreshes of one chain.
      const session = await tx.findOne(Session, { id: token.sessionId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      await tx.refresh(token);
      const now = this.#now();
      if (!session || session.revokedAt || session.expiresAt <= now) return { kind: "refused" } as const;
      const user = await tx.findOne(User, { id: session.userId, disabledAt: null });
      if (!user) return { kind: "refused" } as const;
      const { accessEpoch } = user;
      if (!token.rotatedAt) {
        if (token.expiresAt <= now) return { kind: "refused" } as const;
        const successor = this.#successor(this.#keys[0], presented);
        token.rotatedAt = now;
        token.successorHash = hashOf(successor);
        session.lastUsedAt = now;
        const expiresAt = tokenEnd(session, now);
        tx.create(RefreshToken, {
          tokenHash: token.successorHash,
          sessionId: session.id,
          createdAt: now,
          expiresAt,
        });
        return { kind: "issued", token: { ...issued(successor, session, expiresAt, now), accessEpoch } } as const;
      }
      const live = await this.#liveSuccessor(tx, token, presented, now);
      if (live) {
        const token = { ...issued(live.refreshToken, session, live.expiresAt, now), accessEpoch };
        return { kind: "issued", token } as const;
      }
      session.revokedAt = now;
      await this.#audit.record(tx, actor, {
        action: "auth.refresh_reused",
        targetType: "session",
        targetId: session.id,
        after: { userId: session.userId },
      });
      return { kind: "reused", sessionId: session.id, userId: session.userId } as const;
    });
    if (outcome.kind === "issued") return outcome.token;
    const ended = "The session has ended. Sign in again.";
    if (outcome.kind === "refused") throw new AppError("UNAUTHORIZED", ended);
    const { sessionId, userId } = outcome;
    this.#onEnd(sessionId);
    const note = { text: "a rotated refresh token was used again; its session has ended", sessionId, userId };
    throw new AppError("UNAUTHORIZED", ended, { note });
  }

  /** Ends the session that a refresh token belongs to. Ignores unknown tokens: signing out is idempotent. */
  async endByToken(em: EntityManager, presented: string): Promise<EndedSession | null> {
    const token = await em.findOne(RefreshToken, { tokenHash: hashOf(presented) });
    return token && (await this.end(em, token.sessionId));
  }

  /** @returns null if the session had already ended */
  async end(em: EntityManager, sessionId: string): Promise<EndedSession | null> {
    const ended = await queries(em)
      .updateTable("sessions")
      .set({ revoked_at: this.#now() })
      .where("id", "=", sessionId)
      .where("revoked_at", "is", null)
      .returning("user_id")
      .executeTakeFirst();
    this.#onEnd(sessionId);
    return ended ? { sessionId, userId: ended.user_id } : null;
  }

  /**
   * Ends a user's sessions and the sign-ins pending a second factor. Access tokens stop working when the transaction commits.
   * @param which.except a session to leave open
   * @param which.ids only these sessions; null or omitted: all
   * @returns the number of sessions ended
   */
  async endAll(
    em: EntityManager,
    userId: string,
    { except = null, ids = null }: { except?: string | null; ids?: readonly string[] | null } = {},
  ): Promise<number> {
    const ended = await queries(em)
      .updateTable("sessions")
      .set({ revoked_at: this.#now() })
      .where("user_id", "=", userId)
      .where("revoked_at", "is", null)
      .$if(except !== null, (query) => query.where("id", "!=", except ?? ""))
      .$if(ids !== null, (query) => query.where("id", "in", ids ?? []))
      .returning("id")
      .execute();
    if (ids === null) await queries(em).deleteFrom("sign_in_challenges").where("user_id", "=", userId).execute();
    afterCommit(em, () => {
      for (const { id } of ended) this.#onEnd(id);
    });
    return ended.length;
  }

  /** Returns the successor of a recently rotated token, unless the successor has been used. */
  async #liveSuccessor(em: EntityManager, token: RefreshToken, presented: string, now: Date) {
    if (!token.rotatedAt || now.getTime() - token.rotatedAt.getTime() > graceMilliseconds) return null;
    const successor = this.#keys
      .map((key) => this.#successor(key, presented))
      .find((one) => hashOf(one) === token.successorHash);
    if (successor === undefined) return null;
    const row = await em.findOne(RefreshToken, { tokenHash: hashOf(successor) });
    return row && !row.rotatedAt ? { refreshToken: successor, expiresAt: row.expiresAt } : null;
  }

  #successor(key: Uint8Array, token: string): string {
    return createHmac("sha256", key).update(token).digest("base64url");
  }
}

function tokenEnd({ rememberMe, expiresAt }: Pick<Session, "rememberMe" | "expiresAt">, now: Date): Date {
  return new Date(Math.min(now.getTime() + (rememberMe ? 30 * day : day), expiresAt.getTime()));
}

function issued(refreshToken: string, session: Session, expiresAt: Date, now: Date): IssuedRefreshToken {
  const seconds = Math.floor((expiresAt.getTime() - now.getTime()) / 1000);
  return {
    refreshToken,
    sessionId: session.id,
    userId: session.userId,
    cookieSeconds: session.rememberMe ? seconds : undefined,
  };
}

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
