import type { HttpPort } from "../platform/http-port.ts";
import type { EntityManager } from "../database/database.ts";
import { AppError } from "../platform/errors.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { KnownCallers, type Known, type KnownCaller } from "./known-callers.ts";
import { liveSessions } from "./live-sessions.ts";
import type { PersonalTokenCredentials } from "./personal-token-credentials.ts";
import { looksPersonal } from "./personal-token-form.ts";

/** A caller, and what their credential lasts by: for those who stay longer than a call. */
export interface Identified {
  caller: KnownCaller;
  /** What `ended` is told of it. */
  credential: string;
  /** Null: it has no end of its own. */
  endsAt: Date | null;
}

/** Told at once of what ends in this process. */
export interface EndListener {
  ended(credential: string): void;
  /** A user was disabled or deleted or got another role or name. */
  changed(userId: string): void;
}

/**
 * Turns credentials into a caller: access tokens, whose rights are the user's, and personal tokens, which have some of them. What
 * ends in this process ends at once, what ends in another is seen within a second.
 */
export class Authenticator {
  readonly #accessTokens: AccessTokens;
  readonly #personalTokens: PersonalTokenCredentials;
  readonly #callers: KnownCallers;
  readonly #now: () => Date;
  readonly #listeners: EndListener[] = [];

  constructor(accessTokens: AccessTokens, personalTokens: PersonalTokenCredentials, now: () => Date) {
    this.#accessTokens = accessTokens;
    this.#personalTokens = personalTokens;
    this.#callers = new KnownCallers(now);
    this.#now = now;
  }

  /** @throws AppError UNAUTHORIZED when there is no live credential. */
  async authenticate(em: EntityManager, http: HttpPort): Promise<Identified> {
    const token = bearerOf(http);
    if (token === null) {
      throw http.header("authorization") === undefined
        ? new AppError("UNAUTHORIZED", "Sign in, and send the access token as `Authorization: Bearer …`.")
        : new AppError("UNAUTHORIZED", "The Authorization header must read `Bearer <token>`.");
    }
    return await this.identify(em, token);
  }

  /** The same for a token that is at hand already. */
  async identify(em: EntityManager, token: string): Promise<Identified> {
    return looksPersonal(token) ? await this.#byPersonalToken(em, token) : await this.#byAccessToken(em, token);
  }

  onEnd(listener: EndListener): void {
    this.#listeners.push(listener);
  }

  /** Refuses a session from now on. */
  end(sessionId: string): void {
    this.#end(sessionKey(sessionId));
  }

  /** Refuses a personal token from now on. */
  endToken(tokenHash: string): void {
    this.#end(tokenKey(tokenHash));
  }

  /** To be called when a user was disabled or deleted or got another role or name, once that is committed. */
  forget(userId: string): void {
    this.#callers.forget(userId);
    for (const listener of this.#listeners) listener.changed(userId);
  }

  #end(credential: string): void {
    this.#callers.end(credential);
    for (const listener of this.#listeners) listener.ended(credential);
  }

  async #byPersonalToken(em: EntityManager, token: string): Promise<Identified> {
    const hash = this.#personalTokens.keyOf(token);
    const credential = tokenKey(hash ?? "");
    const found =
      hash === null ? null : await this.#callers.find(credential, () => this.#personalTokens.read(em, hash));
    if (found) return { ...found, credential };
    throw new AppError(
      "UNAUTHORIZED",
      "The personal token does not work: it is mistyped, has expired or was deleted, or its owner was disabled.",
    );
  }

  async #byAccessToken(em: EntityManager, token: string): Promise<Identified> {
    const claims = await this.#accessTokens.check(token);
    if (claims) {
      const credential = sessionKey(claims.sessionId);
      const found = await this.#callers.find(credential, () => this.#readSession(em, claims.sessionId));
      if (found?.caller.userId === claims.userId)
        return { caller: found.caller, credential, endsAt: new Date(claims.expiresAt * 1000) };
    }
    throw new AppError("UNAUTHORIZED", "The access token is not valid any more; refresh the session or sign in again.");
  }

  async #readSession(em: EntityManager, sessionId: string): Promise<Known | null> {
    const row = await liveSessions(em, this.#now())
      .select(["users.id", "users.username", "users.role", "sessions.expires_at"])
      .where("sessions.id", "=", sessionId)
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
