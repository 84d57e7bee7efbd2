import type { HttpPort } from "../context.ts";
import { queries, type EntityManager } from "../database/database.ts";
import { AppError } from "../errors.ts";
import type { AccessTokens } from "./access-tokens.ts";
import type { Caller } from "./caller.ts";

/** How long a session's row is trusted before it is read again. Ends in this process take effect at once. */
const trustMilliseconds = 1_000;
const rememberedSessions = 20_000;

/** A caller apart from the call. */
export type KnownCaller = Omit<Caller, "ip" | "requestId">;

interface Known {
  caller: KnownCaller;
  readAt: number;
}

/**
 * Turns credentials into a caller. An active session costs at most one query a second, not one a request; a sign-out in
 * this process is immediate, one in another process is seen within a second.
 */
export class Authenticator {
  readonly #accessTokens: AccessTokens;
  readonly #now: () => Date;
  readonly #known = new Map<string, Known>();
  /** Sessions that ended here: a look-up under way at that moment must not bring them back. */
  readonly #ended = new Set<string>();
  /** Counts changes of users: what was looked up before one is not remembered after it. */
  #changes = 0;

  constructor(accessTokens: AccessTokens, now: () => Date) {
    this.#accessTokens = accessTokens;
    this.#now = now;
  }

  /** @throws AppError UNAUTHORIZED when there is no live credential. */
  async authenticate(em: EntityManager, http: HttpPort): Promise<KnownCaller> {
    const token = bearerOf(http);
    if (token === null) {
      throw http.header("authorization") === undefined
        ? new AppError("UNAUTHORIZED", "Sign in, and send the access token as `Authorization: Bearer …`.")
        : new AppError("UNAUTHORIZED", "The Authorization header must read `Bearer <token>`.");
    }
    const claims = await this.#accessTokens.check(token);
    const caller = claims && (await this.#session(em, claims.sessionId));
    if (!caller || caller.userId !== claims.userId)
      throw new AppError(
        "UNAUTHORIZED",
        "The access token is not valid any more; refresh the session or sign in again.",
      );
    return caller;
  }

  /** Refuses a session from now on. */
  end(sessionId: string): void {
    this.#known.delete(sessionId);
    if (this.#ended.size >= rememberedSessions) this.#ended.clear();
    this.#ended.add(sessionId);
  }

  /** Has a user's row read again with the next call: something about the user changed. */
  forget(userId: string): void {
    this.#changes++;
    for (const [sessionId, { caller }] of this.#known) {
      if (caller.userId === userId) this.#known.delete(sessionId);
    }
  }

  async #session(em: EntityManager, sessionId: string): Promise<KnownCaller | null> {
    const known = this.#known.get(sessionId);
    if (known && performance.now() - known.readAt < trustMilliseconds) return known.caller;
    const readAt = performance.now();
    const changes = this.#changes;
    const row = await queries(em)
      .selectFrom("sessions")
      .innerJoin("users", "users.id", "sessions.user_id")
      .select(["users.id", "users.username", "users.role"])
      .where("sessions.id", "=", sessionId)
      .where("sessions.revoked_at", "is", null)
      .where("sessions.expires_at", ">", this.#now())
      .where("users.disabled_at", "is", null)
      .executeTakeFirst();
    if (!row || this.#ended.has(sessionId)) {
      this.#known.delete(sessionId);
      return null;
    }
    const caller: KnownCaller = {
      userId: row.id,
      username: row.username,
      role: row.role,
      sessionId,
      tokenId: null,
      permissions: "all",
    };
    if (this.#known.size >= rememberedSessions) this.#known.clear();
    if (changes === this.#changes) this.#known.set(sessionId, { caller, readAt });
    return caller;
  }
}

/** The token of the Authorization header (RFC 6750 §2.1), or null. */
export function bearerOf(http: HttpPort): string | null {
  const [, token] = /^Bearer +(\S+)$/i.exec(http.header("authorization") ?? "") ?? [];
  return token ?? null;
}
