import { sql } from "@mikro-orm/core";
import type { Actor } from "../../access/actor.ts";
import type { Audit } from "../../audit/audit.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { AppError } from "../../platform/errors.ts";
import type { Guesses } from "../../limits/guesses.ts";
import type { Notifications } from "../../notifications/notify.ts";
import { User } from "../../database/tables/users.ts";
import type { AccessTokens } from "../../access/access-tokens.ts";
import { newSignIn } from "./new-sign-in.ts";
import type { PasswordHasher } from "./passwords.ts";
import type { SecondFactorChecks, SecondFactorNeeded } from "./second-factors/checks.ts";
import type { ClientInfo, IssuedRefreshToken, Sessions } from "./sessions.ts";

export interface SignedIn {
  accessToken: string;
  refresh: IssuedRefreshToken;
  user: User;
}

/** What a right password, or a provider's word, comes to: a session, or a second factor to show. */
export type FirstFactorOutcome =
  | { kind: "signedIn"; signedIn: SignedIn }
  | { kind: "awaitingSecondFactor"; needed: SecondFactorNeeded };

/** Sign-in with a username and password, and what follows from it. */
export class SignIn {
  readonly #passwords: PasswordHasher;
  readonly #accessTokens: AccessTokens;
  readonly #sessions: Sessions;
  readonly #guesses: Guesses;
  readonly #secondFactors: SecondFactorChecks;
  readonly #audit: Audit;
  readonly #notifications: Notifications;
  readonly #now: () => Date;

  constructor(parts: {
    passwords: PasswordHasher;
    accessTokens: AccessTokens;
    sessions: Sessions;
    guesses: Guesses;
    secondFactors: SecondFactorChecks;
    audit: Audit;
    notifications: Notifications;
    now: () => Date;
  }) {
    this.#passwords = parts.passwords;
    this.#accessTokens = parts.accessTokens;
    this.#sessions = parts.sessions;
    this.#guesses = parts.guesses;
    this.#secondFactors = parts.secondFactors;
    this.#audit = parts.audit;
    this.#notifications = parts.notifications;
    this.#now = parts.now;
  }

  /**
   * @throws AppError UNAUTHORIZED, in the same words and after the same time for an unknown user and for a wrong password;
   * TOO_MANY_REQUESTS after too many of either
   */
  async withPassword(
    em: EntityManager,
    actor: Actor,
    credentials: { username: string; password: string; rememberMe: boolean },
    client: ClientInfo,
  ): Promise<FirstFactorOutcome> {
    this.#passwords.refuseWhenFull();
    const user = await em.findOne(User, { [sql.lower("username")]: credentials.username.toLowerCase() });
    const guess = {
      secret: "password",
      account: user?.id ?? credentials.username.toLowerCase(),
      ip: client.ip,
    } as const;
    const matches = await this.#guesses.check(guess, async () => {
      const right = await this.#passwords.verify(user?.passwordHash ?? null, credentials.password);
      return right && !user?.disabledAt ? true : null;
    });
    if (!user?.passwordHash || !matches) {
      await this.recordFailure(em, actor, user?.id ?? null, { method: "password" });
      // What was typed as a username stays out of the log unless it is one: it may be a password.
      const note = { text: "a sign-in failed", username: user?.username ?? null, ip: client.ip };
      throw new AppError("UNAUTHORIZED", "The username or the password is wrong.", { note });
    }
    if (this.#passwords.outdated(user.passwordHash))
      await this.#strengthen(em, user.id, user.passwordHash, credentials.password);
    const { rememberMe } = credentials;
    const { accessEpoch } = user;
    return await this.afterFirstFactor(em, actor, user, { rememberMe, method: "password", accessEpoch }, client);
  }

  /** Tells the trail of a sign-in that came to nothing. Not within a transaction that ends with the refusal. */
  async recordFailure(
    em: EntityManager,
    actor: Actor,
    userId: string | null,
    after: { method: string },
  ): Promise<void> {
    await this.#audit.record(em, actor, {
      action: "auth.sign_in_failed",
      targetType: "user",
      targetId: userId,
      after,
    });
  }

  /** Goes on with a user who has shown who they are in one way. @throws AppError as `start` */
  async afterFirstFactor(
    em: EntityManager,
    actor: Actor,
    user: User,
    how: { rememberMe: boolean; method: string; accessEpoch: number },
    client: ClientInfo,
  ): Promise<FirstFactorOutcome> {
    const needed = await this.#secondFactors.challenge(em, user, how);
    if (needed) return { kind: "awaitingSecondFactor", needed };
    return { kind: "signedIn", signedIn: await this.start(em, actor, user.id, how, client) };
  }

  /**
   * Opens a session for a user who has shown all that is needed.
   * @param accessEpoch the account's when the proof was read: whoever changed the credentials since would otherwise leave a session of the
   * old ones behind. Left out where the account is locked meanwhile, or new
   * @throws AppError UNAUTHORIZED when the account is gone, disabled or in another epoch
   */
  async start(
    em: EntityManager,
    actor: Actor,
    userId: string,
    { rememberMe, method, accessEpoch }: { rememberMe: boolean; method: string; accessEpoch?: number },
    client: ClientInfo,
  ): Promise<SignedIn> {
    const started = await em.transactional(async (tx) => {
      const notice = await newSignIn(tx, userId, client);
      // The row stays locked until the session is there: a change of password or status comes before all of this, or after it and
      // finds the session.
      const admitted = await queries(tx)
        .updateTable("users")
        .set({ last_login_at: this.#now() })
        .where("id", "=", userId)
        .where("disabled_at", "is", null)
        .$if(accessEpoch !== undefined, (query) => query.where("access_epoch", "=", accessEpoch ?? 0))
        .executeTakeFirst();
      const user = admitted.numUpdatedRows > 0n && (await tx.findOne(User, { id: userId }, { refresh: true }));
      if (!user) return null;
      const refresh = await this.#sessions.start(tx, user.id, rememberMe, client);
      await this.#audit.record(
        tx,
        { ...actor, userId: user.id },
        { action: "auth.sign_in", targetType: "session", targetId: refresh.sessionId, after: { method } },
      );
      if (notice) await this.#notifications.notify(tx, notice);
      return { user, refresh };
    });
    if (!started) {
      await this.recordFailure(em, actor, userId, { method });
      throw new AppError("UNAUTHORIZED", "This account cannot sign in any more; sign in again.");
    }
    const { refresh, user } = started;
    return { accessToken: await this.#accessTokens.issue(user.id, refresh.sessionId), refresh, user };
  }

  /** @throws AppError UNAUTHORIZED without a token, and for one that does not open a session any more. */
  async refresh(em: EntityManager, actor: Actor, refreshToken: string | null): Promise<Omit<SignedIn, "user">> {
    if (refreshToken === null)
      throw new AppError("UNAUTHORIZED", "There is no refresh token in the cookie or in the body; sign in.");
    const refresh = await this.#sessions.refresh(em, actor, refreshToken);
    return { accessToken: await this.#accessTokens.issue(refresh.userId, refresh.sessionId), refresh };
  }

  /** Ends the session of the refresh token, and that of the access token if one came along. What has ended already is no error. */
  async signOut(
    em: EntityManager,
    actor: Actor,
    refreshToken: string | null,
    accessToken: string | null,
  ): Promise<void> {
    const claims = accessToken === null ? null : await this.#accessTokens.check(accessToken);
    await em.transactional(async (tx) => {
      const byToken = refreshToken === null ? null : await this.#sessions.endByToken(tx, refreshToken);
      const byClaims = claims && (await this.#sessions.end(tx, claims.sessionId));
      for (const ended of [byToken, byClaims]) {
        if (!ended) continue;
        const event = { action: "auth.sign_out", targetType: "session", targetId: ended.sessionId } as const;
        await this.#audit.record(tx, { ...actor, userId: ended.userId }, event);
      }
    });
  }

  /** Stores the same password hashed as we do it today. While the queue is full the old hash stays until the next sign-in. */
  async #strengthen(em: EntityManager, userId: string, stored: string, password: string): Promise<void> {
    try {
      await queries(em)
        .updateTable("users")
        .set({ password_hash: await this.#passwords.hash(password) })
        .where("id", "=", userId)
        .where("password_hash", "=", stored)
        .execute();
    } catch (error) {
      if (!(error instanceof AppError && error.code === "UNAVAILABLE")) throw error;
    }
  }
}
