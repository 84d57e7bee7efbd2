import { sql as ormSql } from "@mikro-orm/core";
import { sql } from "kysely";
import type { Actor, PendingSignIn } from "../../access/caller.ts";
import type { Audit } from "../../notifications/audit/audit.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { AppError } from "../../platform/errors.ts";
import type { Guesses } from "../../api/limits/guesses.ts";
import type { Notifications, TypedNotice } from "../../notifications/notify.ts";
import { User } from "../../database/tables/users.ts";
import type { AccessTokens } from "../../access/authenticator.ts";
import type { KnownDevices } from "./known-devices.ts";
import { addressKey } from "../../api/limits/address.ts";
import type { PasswordHasher } from "./passwords.ts";
import {
  type SecondFactorChecks,
  type SecondFactorNeeded,
  readProof,
  type GivenProof,
  type Proof,
} from "./second-factors/checks.ts";
import { clippedUserAgent, type ClientInfo, type IssuedRefreshToken, type Sessions } from "./sessions.ts";
import { lockAccount } from "../users/account.ts";
import type { PasskeyAnswer } from "./second-factors/relying-party.ts";

export interface SignedIn {
  accessToken: string;
  refresh: IssuedRefreshToken;
  user: User;
}

/** The outcome of a first factor (a correct password or a provider's assertion): a session, or a second factor to submit. */
export type FirstFactorOutcome =
  | { kind: "signedIn"; signedIn: SignedIn }
  | { kind: "awaitingSecondFactor"; needed: SecondFactorNeeded };

interface Parts {
  passwords: PasswordHasher;
  accessTokens: AccessTokens;
  sessions: Sessions;
  guesses: Guesses;
  knownDevices: KnownDevices;
  secondFactors: SecondFactorChecks;
  audit: Audit;
  notifications: Notifications;
  now: () => Date;
}

/** Signs users in with a username and password, renews their sessions and signs them out. */
export class SignIn {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Signs in with a username and password.
   * @throws AppError UNAUTHORIZED, with the same message and timing for an unknown user and a wrong password;
   * TOO_MANY_REQUESTS after too many of either
   */
  async withPassword(
    em: EntityManager,
    actor: Actor,
    credentials: { username: string; password: string; rememberMe: boolean },
    client: ClientInfo,
  ): Promise<FirstFactorOutcome> {
    const from = addressKey(actor.ip ?? "");
    this.#parts.passwords.refuseWhenFull(from);
    const user = await em.findOne(User, { [ormSql.lower("username")]: credentials.username.toLowerCase() });
    const guess = {
      secret: "password",
      account: user?.id ?? credentials.username.toLowerCase(),
      device: user && this.#parts.knownDevices.idOf(client, user),
      from: actor,
    } as const;
    const matches = await this.#parts.guesses.check(guess, async () => {
      const right = await this.#parts.passwords.verify(user?.passwordHash ?? null, credentials.password, from);
      return right && !user?.disabledAt ? true : null;
    });
    if (!user?.passwordHash || !matches) {
      await this.recordFailure(em, actor, user?.id ?? null, { method: "password" });
      // Log the username only if it exists: the user may have typed a password into that field.
      const note = { text: "a sign-in failed", username: user?.username ?? null, ip: client.ip };
      throw new AppError("UNAUTHORIZED", "The username or password is wrong.", { note });
    }
    if (this.#parts.passwords.outdated(user.passwordHash))
      await this.#strengthen(em, user.id, user.passwordHash, credentials.password);
    const { rememberMe } = credentials;
    const { accessEpoch } = user;
    return await this.afterFirstFactor(em, actor, user, { rememberMe, method: "password", accessEpoch }, client);
  }

  /** Records a failed sign-in in the audit trail. Do not call it in a transaction that the refusal rolls back. */
  async recordFailure(
    em: EntityManager,
    actor: Actor,
    userId: string | null,
    after: { method: string },
  ): Promise<void> {
    await this.#parts.audit.record(em, actor, {
      action: "auth.sign_in_failed",
      targetType: "user",
      targetId: userId,
      after,
    });
  }

  /** Continues the sign-in of a user who has passed the first factor. @throws AppError as `start` */
  async afterFirstFactor(
    em: EntityManager,
    actor: Actor,
    user: User,
    how: { rememberMe: boolean; method: string; accessEpoch: number },
    client: ClientInfo,
  ): Promise<FirstFactorOutcome> {
    const needed = await this.#parts.secondFactors.challenge(em, user, how);
    if (needed) return { kind: "awaitingSecondFactor", needed };
    return { kind: "signedIn", signedIn: await this.start(em, actor, user.id, how, client) };
  }

  /**
   * Opens a session for a user who has passed every required factor.
   * @param accessEpoch the account's epoch when the proof was read; it detects credential changes made since then, which must not leave a
   * session based on the old ones. Omit it if the account has been locked since, or is new
   * @throws AppError UNAUTHORIZED if the account is deleted, disabled or in another epoch
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
      // The row stays locked until the session exists: a concurrent change of password or status either commits first and is seen here,
      // or runs afterwards and finds the session.
      const admitted = await queries(tx)
        .updateTable("users")
        .set({ last_login_at: this.#parts.now() })
        .where("id", "=", userId)
        .where("disabled_at", "is", null)
        .$if(accessEpoch !== undefined, (query) => query.where("access_epoch", "=", accessEpoch ?? 0))
        .executeTakeFirst();
      const user = admitted.numUpdatedRows > 0n && (await tx.findOne(User, { id: userId }, { refresh: true }));
      if (!user) return null;
      const refresh = await this.#parts.sessions.start(tx, user.id, rememberMe, client);
      await this.#parts.audit.record(
        tx,
        { ...actor, userId: user.id },
        { action: "auth.sign_in", targetType: "session", targetId: refresh.sessionId, after: { method } },
      );
      if (notice) await this.#parts.notifications.notify(tx, notice);
      return { user, refresh };
    });
    if (!started) {
      await this.recordFailure(em, actor, userId, { method });
      throw new AppError("UNAUTHORIZED", "This account can no longer sign in this way. Sign in again.");
    }
    const { refresh, user } = started;
    return { accessToken: await this.#parts.accessTokens.issue(user.id, refresh.sessionId), refresh, user };
  }

  /** @throws AppError UNAUTHORIZED if the token is missing or no longer opens a session */
  async refresh(
    em: EntityManager,
    actor: Actor,
    refreshToken: string | null,
  ): Promise<{ accessToken: string; refresh: IssuedRefreshToken & { accessEpoch: number } }> {
    if (refreshToken === null)
      throw new AppError("UNAUTHORIZED", "Neither the cookie nor the body has a refresh token. Sign in.");
    const refresh = await this.#parts.sessions.refresh(em, actor, refreshToken);
    return { accessToken: await this.#parts.accessTokens.issue(refresh.userId, refresh.sessionId), refresh };
  }

  /** Ends the session of the refresh token, and that of the access token if present. Ignores sessions that have already ended. */
  async signOut(
    em: EntityManager,
    actor: Actor,
    refreshToken: string | null,
    accessToken: string | null,
  ): Promise<void> {
    const claims = accessToken === null ? null : await this.#parts.accessTokens.check(accessToken);
    await em.transactional(async (tx) => {
      const byToken = refreshToken === null ? null : await this.#parts.sessions.endByToken(tx, refreshToken);
      const byClaims = claims && (await this.#parts.sessions.end(tx, claims.sessionId));
      for (const ended of [byToken, byClaims]) {
        if (!ended) continue;
        const event = { action: "auth.sign_out", targetType: "session", targetId: ended.sessionId } as const;
        await this.#parts.audit.record(tx, { ...actor, userId: ended.userId }, event);
      }
    });
  }

  /** Rehashes a password with the current parameters. If the queue is full, the old hash stays until the next sign-in. */
  async #strengthen(em: EntityManager, userId: string, stored: string, password: string): Promise<void> {
    try {
      await queries(em)
        .updateTable("users")
        .set({ password_hash: await this.#parts.passwords.hash(password) })
        .where("id", "=", userId)
        .where("password_hash", "=", stored)
        .execute();
    } catch (error) {
      if (!(error instanceof AppError && error.code === "UNAVAILABLE")) throw error;
    }
  }
}

/**
 * Returns the notice about a sign-in from a place that none of the user's sessions came from. Returns null for a known place and for an
 * account's first sign-in. Call it before creating the session.
 */
async function newSignIn(em: EntityManager, userId: string, client: ClientInfo): Promise<TypedNotice | null> {
  const userAgent = clippedUserAgent(client);
  const row = await queries(em)
    .selectFrom("users")
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom("sessions")
            .select("sessions.id")
            .whereRef("sessions.user_id", "=", "users.id")
            .where(sql<boolean>`user_agent is not distinct from ${userAgent}::text`)
            .where(sql<boolean>`ip is not distinct from ${client.ip}::text`),
        )
        .as("known"),
    )
    .where("id", "=", userId)
    .where("last_login_at", "is not", null)
    .executeTakeFirst();
  if (!row || row.known) return null;
  return signInNotice(userId, { ...client, userAgent });
}

export function signInNotice(
  userId: string,
  { ip, userAgent }: Pick<ClientInfo, "ip" | "userAgent">,
): TypedNotice<"security.new_sign_in"> {
  const from = `${ip ?? "an unknown address"} with ${userAgent ?? "an unidentified program"}`;
  return {
    event: "security.new_sign_in",
    title: "New sign-in to your account",
    content: `Someone signed in from ${from}. If this was not you, change your password to end that session.`,
    level: "warning",
    metadata: { ip, userAgent },
    to: { userIds: [userId] },
  };
}

interface SecondFactorSignInParts {
  signIn: SignIn;
  checks: SecondFactorChecks;
  guesses: Guesses;
  knownDevices: KnownDevices;
  audit: Audit;
}

/** Completes sign-ins by a second factor, and signs in with a passkey alone. */
export class SecondFactorSignIn {
  readonly #parts: SecondFactorSignInParts;

  constructor(parts: SecondFactorSignInParts) {
    this.#parts = parts;
  }

  /** @throws AppError BAD_REQUEST for a malformed proof, UNAUTHORIZED for a wrong or used one, TOO_MANY_REQUESTS after too many wrong ones */
  async complete(
    em: EntityManager,
    actor: Actor,
    pending: PendingSignIn,
    given: GivenProof,
    client: ClientInfo,
  ): Promise<SignedIn> {
    const { userId } = pending;
    const proof = readProof(given);
    // A refused proof must not roll back the use of its attempt or challenge.
    const attempt = () =>
      em.transactional(async (tx) => {
        await lockAccount(tx, userId);
        if (!(await this.#parts.checks.check(tx, pending, proof))) return null;
        if (!(await this.#parts.checks.complete(tx, pending)))
          throw new AppError("UNAUTHORIZED", "This sign-in is already complete. Sign in again.");
        return await this.#parts.signIn.start(
          tx,
          actor,
          userId,
          { rememberMe: pending.rememberMe, method: proof.method },
          client,
        );
      });
    const guessed = async () => {
      const user = await em.findOne(User, { id: userId });
      const device = user && this.#parts.knownDevices.idOf(client, user);
      return await this.#parts.guesses.check({ secret: "code", account: userId, device, from: actor }, attempt);
    };
    const signedIn = await (proof.method === "passkey" ? attempt() : guessed());
    if (signedIn) return signedIn;
    const { method } = proof;
    if (method === "passkey") await this.#countWrongPasskey(actor);
    const event = { action: "auth.second_factor_failed", targetType: "user", targetId: userId } as const;
    await this.#parts.audit.record(em, actor, { ...event, after: { method } });
    throw new AppError("UNAUTHORIZED", wrong[method], { note: { text: "a second factor failed", userId, method } });
  }

  /**
   * Signs in with a passkey alone: possessing and unlocking it are two factors.
   * @throws AppError UNAUTHORIZED, TOO_MANY_REQUESTS for a wrong one after too many from its address
   */
  async withPasskey(
    em: EntityManager,
    actor: Actor,
    { credential, rememberMe }: { credential: PasskeyAnswer; rememberMe: boolean },
    client: ClientInfo,
  ): Promise<SignedIn> {
    const method = "passkey";
    const owner = await em.transactional((tx) => this.#parts.checks.passkeyOwner(tx, credential));
    if (owner) {
      const { userId, accessEpoch } = owner;
      return await this.#parts.signIn.start(em, actor, userId, { rememberMe, method, accessEpoch }, client);
    }
    await this.#countWrongPasskey(actor);
    const aimedAt = await this.#parts.checks.passkeyNamed(em, credential);
    await this.#parts.signIn.recordFailure(em, actor, aimedAt, { method });
    throw new AppError("UNAUTHORIZED", wrong.passkey, { note: { text: "a sign-in by passkey failed", ip: client.ip } });
  }

  /**
   * Counts a wrong passkey by address, because each writes to the audit trail. Signatures cannot be guessed, so correct ones are never
   * refused.
   * @throws AppError TOO_MANY_REQUESTS
   */
  async #countWrongPasskey(from: Actor): Promise<void> {
    const guess = { secret: "passkey", account: null, device: null, from } as const;
    await this.#parts.guesses.check(guess, () => Promise.resolve(null));
  }
}

const wrong: Record<Proof["method"], string> = {
  totp: "The code is wrong or has already been used. Enter the one your app shows now.",
  email: "The code is wrong or has expired. Request another one.",
  recovery: "The recovery code is wrong or has already been used.",
  passkey: "The passkey was not accepted. Start again.",
};
