import { sql } from "@mikro-orm/core";
import type { EntityManager } from "../database/database.ts";
import { AppError } from "../errors.ts";
import { User } from "../users/entities.ts";
import type { AccessTokens } from "./access-tokens.ts";
import type { PasswordHasher } from "./passwords.ts";
import type { SecondFactorChecks, SecondFactorNeeded } from "./second-factors/checks.ts";
import type { ClientInfo, IssuedRefreshToken, Sessions } from "./sessions.ts";

export interface SignedIn {
  accessToken: string;
  refresh: IssuedRefreshToken;
  user: User;
}

/** What a right password comes to: a session, or a second factor to show. */
export type PasswordOutcome =
  | { kind: "signedIn"; signedIn: SignedIn }
  | { kind: "halfSignedIn"; needed: SecondFactorNeeded };

/** Sign-in with a username and password, and what follows from it. */
export class SignIn {
  readonly #passwords: PasswordHasher;
  readonly #accessTokens: AccessTokens;
  readonly #sessions: Sessions;
  readonly #secondFactors: SecondFactorChecks;
  readonly #now: () => Date;

  constructor(
    passwords: PasswordHasher,
    accessTokens: AccessTokens,
    sessions: Sessions,
    secondFactors: SecondFactorChecks,
    now: () => Date,
  ) {
    this.#passwords = passwords;
    this.#accessTokens = accessTokens;
    this.#sessions = sessions;
    this.#secondFactors = secondFactors;
    this.#now = now;
  }

  /** @throws AppError UNAUTHORIZED, in the same words and after the same time for an unknown user and for a wrong password. */
  async withPassword(
    em: EntityManager,
    credentials: { username: string; password: string; rememberMe: boolean },
    client: ClientInfo,
  ): Promise<PasswordOutcome> {
    const user = await em.findOne(User, { [sql.lower("username")]: credentials.username.toLowerCase() });
    const matches = await this.#passwords.verify(user?.passwordHash ?? null, credentials.password);
    if (!user?.passwordHash || !matches || user.disabledAt) {
      // What was typed as a username stays out of the log unless it is one: it may be a password.
      const note = { text: "a sign-in failed", username: user?.username ?? null, ip: client.ip };
      throw new AppError("UNAUTHORIZED", "The username or the password is wrong.", { note });
    }
    if (this.#passwords.outdated(user.passwordHash)) {
      user.passwordHash = await this.#strengthened(user.passwordHash, credentials.password);
    }
    await em.flush();
    const needed = await this.#secondFactors.challenge(em, user, credentials.rememberMe);
    if (needed) return { kind: "halfSignedIn", needed };
    return { kind: "signedIn", signedIn: await this.start(em, user.id, credentials.rememberMe, client) };
  }

  /** Opens a session for a user who has shown all that is needed. @throws AppError UNAUTHORIZED when the account is gone or disabled */
  async start(em: EntityManager, userId: string, rememberMe: boolean, client: ClientInfo): Promise<SignedIn> {
    const user = await em.findOne(User, { id: userId, disabledAt: null });
    if (!user) throw new AppError("UNAUTHORIZED", "This account cannot sign in any more.");
    user.lastLoginAt = this.#now();
    const refresh = await this.#sessions.start(em, user.id, rememberMe, client);
    return { accessToken: await this.#accessTokens.issue(user.id, refresh.sessionId), refresh, user };
  }

  /** @throws AppError UNAUTHORIZED without a token, and for one that does not open a session any more. */
  async refresh(em: EntityManager, refreshToken: string | null): Promise<Omit<SignedIn, "user">> {
    if (refreshToken === null)
      throw new AppError("UNAUTHORIZED", "There is no refresh token in the cookie or in the body; sign in.");
    const refresh = await this.#sessions.refresh(em, refreshToken);
    return { accessToken: await this.#accessTokens.issue(refresh.userId, refresh.sessionId), refresh };
  }

  /** Ends the session of the refresh token, and that of the access token if one came along. What has ended already is no error. */
  async signOut(em: EntityManager, refreshToken: string | null, accessToken: string | null): Promise<void> {
    if (refreshToken !== null) await this.#sessions.endByToken(em, refreshToken);
    const claims = accessToken === null ? null : await this.#accessTokens.check(accessToken);
    if (claims) await this.#sessions.end(em, claims.sessionId);
  }

  /** The same password hashed as we do it today. While the queue is full the old hash stays until the next sign-in. */
  async #strengthened(stored: string, password: string): Promise<string> {
    try {
      return await this.#passwords.hash(password);
    } catch (error) {
      if (error instanceof AppError && error.code === "UNAVAILABLE") return stored;
      throw error;
    }
  }
}
