import type { HttpPort } from "../context.ts";
import { queries, type EntityManager } from "../database/database.ts";
import { AppError } from "../errors.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { KnownCallers, type Known, type KnownCaller } from "./known-callers.ts";
import type { PersonalTokenCredentials } from "./personal-tokens/credentials.ts";
import { looksPersonal } from "./personal-tokens/form.ts";

/**
 * Turns credentials into a caller: access tokens, whose rights are the user's, and personal tokens, which have some of them. What
 * ends in this process ends at once, what ends in another is seen within a second.
 */
export class Authenticator {
  readonly #accessTokens: AccessTokens;
  readonly #personalTokens: PersonalTokenCredentials;
  readonly #callers: KnownCallers;

  constructor(accessTokens: AccessTokens, personalTokens: PersonalTokenCredentials, now: () => Date) {
    this.#accessTokens = accessTokens;
    this.#personalTokens = personalTokens;
    this.#callers = new KnownCallers(now);
  }

  /** @throws AppError UNAUTHORIZED when there is no live credential. */
  async authenticate(em: EntityManager, http: HttpPort): Promise<KnownCaller> {
    const token = bearerOf(http);
    if (token === null) {
      throw http.header("authorization") === undefined
        ? new AppError("UNAUTHORIZED", "Sign in, and send the access token as `Authorization: Bearer …`.")
        : new AppError("UNAUTHORIZED", "The Authorization header must read `Bearer <token>`.");
    }
    return looksPersonal(token) ? await this.#byPersonalToken(em, token) : await this.#byAccessToken(em, token);
  }

  /** Refuses a session from now on. */
  end(sessionId: string): void {
    this.#callers.end(sessionKey(sessionId));
  }

  /** Refuses a personal token from now on. */
  endToken(tokenHash: string): void {
    this.#callers.end(tokenKey(tokenHash));
  }

  /** To be called when a user was disabled or deleted or got another role or name, once that is committed. */
  forget(userId: string): void {
    this.#callers.forget(userId);
  }

  async #byPersonalToken(em: EntityManager, token: string): Promise<KnownCaller> {
    const hash = this.#personalTokens.keyOf(token);
    const caller =
      hash === null ? null : await this.#callers.find(tokenKey(hash), () => this.#personalTokens.read(em, hash));
    if (caller) return caller;
    throw new AppError(
      "UNAUTHORIZED",
      "The personal token does not work: it is mistyped, has expired or was deleted, or its owner was disabled.",
    );
  }

  async #byAccessToken(em: EntityManager, token: string): Promise<KnownCaller> {
    const claims = await this.#accessTokens.check(token);
    const key = claims && sessionKey(claims.sessionId);
    const caller = claims && key && (await this.#callers.find(key, () => this.#readSession(em, claims.sessionId)));
    if (caller && caller.userId === claims.userId) return caller;
    throw new AppError("UNAUTHORIZED", "The access token is not valid any more; refresh the session or sign in again.");
  }

  async #readSession(em: EntityManager, sessionId: string): Promise<Known | null> {
    const row = await queries(em)
      .selectFrom("sessions")
      .innerJoin("users", "users.id", "sessions.user_id")
      .select(["users.id", "users.username", "users.role", "sessions.expires_at"])
      .where("sessions.id", "=", sessionId)
      .where("sessions.revoked_at", "is", null)
      .where("users.disabled_at", "is", null)
      .executeTakeFirst();
    if (!row) return null;
    const { id: userId, username, role, expires_at: endsAt } = row;
    return { caller: { userId, username, role, sessionId, tokenId: null, permissions: "all" }, endsAt };
  }
}

function sessionKey(sessionId: string): string {
  return `session ${sessionId}`;
}

function tokenKey(tokenHash: string): string {
  return `token ${tokenHash}`;
}

/** The token of the Authorization header (RFC 6750 §2.1), or null. */
export function bearerOf(http: HttpPort): string | null {
  const [, token] = /^Bearer +(\S+)$/i.exec(http.header("authorization") ?? "") ?? [];
  return token ?? null;
}
