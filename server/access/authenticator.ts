import type { HttpPort } from "../platform/http-port.ts";
import type { EntityManager } from "../database/database.ts";
import { AppError } from "../platform/errors.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { CallerCache, type CachedCaller, type CallerIdentity } from "./caller-cache.ts";
import { liveSessions } from "./live-sessions.ts";
import type { PersonalTokenCredentials } from "./personal-token-credentials.ts";
import { looksPersonal } from "./personal-token-form.ts";

/** The longest header that is decoded: a name, a colon and a token. */
const longestHeader = 1_024;

/** A caller and the lifetime of their credential, for streams that outlive a call. */
export interface Identified {
  caller: CallerIdentity;
  /** The key passed to `ended`. */
  credential: string;
  /** Null: never expires. */
  endsAt: Date | null;
  /** When they were identified. */
  at: Date;
}

/** Receives credentials and users that are revoked or changed in this process, immediately. */
export interface EndListener {
  ended(credential: string): void;
  /** Called when a user was disabled or deleted, or their role or name changed. */
  changed(userId: string): void;
}

/**
 * Authenticates callers by access tokens, which have all of the user's permissions, and personal tokens, which have some of them.
 * Revocations take effect immediately in this process and within a second in others.
 */
export class Authenticator {
  readonly #accessTokens: AccessTokens;
  readonly #personalTokens: PersonalTokenCredentials;
  readonly #callers: CallerCache;
  readonly #now: () => Date;
  readonly #listeners: EndListener[] = [];

  constructor(accessTokens: AccessTokens, personalTokens: PersonalTokenCredentials, now: () => Date) {
    this.#accessTokens = accessTokens;
    this.#personalTokens = personalTokens;
    this.#callers = new CallerCache(now);
    this.#now = now;
  }

  /** Authenticates the caller of a request. @throws AppError UNAUTHORIZED without a valid credential */
  async authenticate(em: EntityManager, http: HttpPort): Promise<Identified> {
    const token = bearerOf(http);
    if (token === null) {
      throw http.header("authorization") === undefined
        ? new AppError("UNAUTHORIZED", "Sign in, and send the access token as `Authorization: Bearer …`.")
        : new AppError("UNAUTHORIZED", "The Authorization header must have the form `Bearer <token>`.");
    }
    return await this.identify(em, token);
  }

  /**
   * Authenticates a program by a narrowed personal token, as bearer token or as the password of Basic authentication.
   * @throws AppError UNAUTHORIZED without a valid one, FORBIDDEN for other credentials
   */
  async authenticateNarrowed(em: EntityManager, http: HttpPort): Promise<Identified> {
    const password = basicPassword(http.header("authorization"));
    const identified = password === null ? await this.authenticate(em, http) : await this.identify(em, password);
    if (identified.caller.narrowing !== null) return identified;
    throw new AppError(
      "FORBIDDEN",
      "This call takes only personal tokens that are narrowed. Create one with `domainIds`, `hostPattern` or `recordTypes`.",
    );
  }

  /** Authenticates the caller of a token. @throws AppError UNAUTHORIZED if it is invalid */
  async identify(em: EntityManager, token: string): Promise<Identified> {
    return looksPersonal(token) ? await this.#byPersonalToken(em, token) : await this.#byAccessToken(em, token);
  }

  onEnd(listener: EndListener): void {
    this.#listeners.push(listener);
  }

  /** Rejects a session from now on. */
  end(sessionId: string): void {
    this.#end(sessionKey(sessionId));
  }

  /** Rejects a personal token from now on. */
  endToken(tokenHash: string): void {
    this.#end(tokenKey(tokenHash));
  }

  /** Drops cached data about a user. Call after committing that they were disabled or deleted, or that their role or name changed. */
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
    if (found) return { ...found, credential, at: this.#now() };
    throw new AppError(
      "UNAUTHORIZED",
      "The personal token is invalid: it is mistyped, expired or deleted, or its owner is disabled. Use a valid token.",
    );
  }

  async #byAccessToken(em: EntityManager, token: string): Promise<Identified> {
    const claims = await this.#accessTokens.check(token);
    if (claims) {
      const credential = sessionKey(claims.sessionId);
      const found = await this.#callers.find(credential, () => this.#readSession(em, claims.sessionId));
      if (found?.caller.userId === claims.userId)
        return { caller: found.caller, credential, endsAt: new Date(claims.expiresAt * 1000), at: this.#now() };
    }
    throw new AppError(
      "UNAUTHORIZED",
      "The access token is invalid or has expired. Refresh the session, or sign in again.",
    );
  }

  async #readSession(em: EntityManager, sessionId: string): Promise<CachedCaller | null> {
    const row = await liveSessions(em, this.#now())
      .select(["users.id", "users.username", "users.role", "sessions.expires_at"])
      .where("sessions.id", "=", sessionId)
      .executeTakeFirst();
    if (!row) return null;
    const { id: userId, username, role, expires_at: endsAt } = row;
    return {
      caller: { userId, username, role, sessionId, tokenId: null, permissions: "all", narrowing: null },
      endsAt,
    };
  }
}

function sessionKey(sessionId: string): string {
  return `session ${sessionId}`;
}

function tokenKey(tokenHash: string): string {
  return `token ${tokenHash}`;
}

/** Returns the bearer token of the Authorization header (RFC 6750 §2.1), or null. */
export function bearerOf(http: HttpPort): string | null {
  const [, token] = /^Bearer +(\S+)$/i.exec(http.header("authorization") ?? "") ?? [];
  return token ?? null;
}

/** Returns the password of Basic authentication (RFC 7617); null if the header has another form. */
function basicPassword(authorization: string | undefined): string | null {
  if (authorization === undefined || authorization.length > longestHeader) return null;
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization) ?? [];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon < 0 ? null : text.slice(colon + 1);
}
