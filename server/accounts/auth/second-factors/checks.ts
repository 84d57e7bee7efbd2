import type { z } from "zod";
import type { secondFactorNeeded, verifyInput } from "./schemas.ts";
import { type EntityManager, queries } from "../../../database/database.ts";
import { AppError, badField } from "../../../platform/errors.ts";
import type { User } from "../../../database/tables/users.ts";
import { ownAccount, verifiedAddress } from "../../users/account.ts";
import type { EmailCodes } from "./email-codes.ts";
import { methodsSetUp } from "./methods.ts";
import type { PasskeyOwner, Passkeys } from "./passkeys.ts";
import { type RecoveryCodes, readRecoveryCode } from "./recovery-codes.ts";
import type { PasskeyAnswer } from "./relying-party.ts";
import type { PendingSignIn } from "../../../access/caller.ts";
import type { Totp } from "./totp.ts";
import { newId, hashOf, newOpaqueToken } from "../../../platform/ids.ts";

/** The proof of a second factor. */
export type Proof =
  | { method: "totp" | "email" | "recovery"; code: string }
  | { method: "passkey"; credential: PasskeyAnswer };

/** A proof as submitted by the caller. */
export type GivenProof = z.infer<typeof verifyInput>;

/** @throws AppError BAD_REQUEST for malformed input, which does not count as an attempt */
export function readProof({ method, code, credential }: GivenProof): Proof {
  if (method === "passkey") {
    if (!credential) throw badField(["credential"], "Send the result of the browser's navigator.credentials.get.");
    return { method, credential };
  }
  if (code === undefined) throw badField(["code"], "Enter the code.");
  if (method !== "recovery") return { method, code: readSixDigits(code) };
  const symbols = readRecoveryCode(code);
  if (symbols === null) throw badField(["code"], "A recovery code looks like 7k2m-x0qd-9fhs-3w8c.");
  return { method, code: symbols };
}

/** @throws AppError BAD_REQUEST */
export function readSixDigits(code: string): string {
  if (/^\d{3} ?\d{3}$/.test(code)) return code.replace(" ", "");
  throw badField(["code"], "The code must have six digits.");
}

export type SecondFactorNeeded = z.infer<typeof secondFactorNeeded>;

interface Parts {
  challenges: SignInChallenges;
  totp: Totp;
  emailCodes: EmailCodes;
  passkeys: Passkeys;
  recoveryCodes: RecoveryCodes;
}

/** Checks second factors during sign-in. */
export class SecondFactorChecks {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Starts a second-factor challenge; returns null for a user without a second factor. A factor that is unavailable, such as mail without a
   * mail server, is still required; recovery codes then remain.
   * @throws AppError UNAUTHORIZED if the first factor is no longer valid
   */
  async challenge(em: EntityManager, user: User, shown: FirstFactor): Promise<SecondFactorNeeded | null> {
    const setUp = await methodsSetUp(em, user.id);
    if (setUp.length === 0) return null;
    const methods = setUp.filter((method) => method !== "email" || this.#reaches(user));
    return { requires2FA: true, tempToken: await this.#parts.challenges.start(em, user.id, shown), methods };
  }

  /** @throws AppError UNAUTHORIZED unless the token is a live `tempToken` */
  async authenticate(em: EntityManager, tempToken: string | null): Promise<PendingSignIn> {
    return await this.#parts.challenges.authenticate(em, tempToken);
  }

  /** @throws AppError CONFLICT if codes by mail are not set up or cannot be sent, TOO_MANY_REQUESTS, UNAVAILABLE */
  async sendEmailCode(em: EntityManager, { userId, challengeId }: PendingSignIn): Promise<void> {
    const user = await ownAccount(em, userId);
    const setUp = (await methodsSetUp(em, userId)).includes("email");
    const email = verifiedAddress(user);
    if (!setUp || !this.#reaches(user) || email === null)
      throw new AppError("CONFLICT", "You cannot receive codes by email. Use another second factor.");
    await this.#parts.emailCodes.send(em, { id: userId, email }, challengeId);
  }

  /** @throws AppError CONFLICT without a passkey */
  async passkeyOptions(em: EntityManager, { userId, challengeId }: PendingSignIn) {
    if (!(await methodsSetUp(em, userId)).includes("passkey"))
      throw new AppError("CONFLICT", "You have no passkey for this site. Use another second factor.");
    return await this.#parts.passkeys.requestOptions(em, {
      purpose: "second_factor",
      userId,
      signInChallengeId: challengeId,
    });
  }

  /** Returns the options for a sign-in with a passkey alone. */
  async passkeySignInOptions(em: EntityManager) {
    return await this.#parts.passkeys.requestOptions(em, { purpose: "sign_in" });
  }

  /** Returns the owner of the passkey that signed, or null. */
  async passkeyOwner(em: EntityManager, credential: PasskeyAnswer): Promise<PasskeyOwner | null> {
    return await this.#parts.passkeys.check(em, credential, { purpose: "sign_in" });
  }

  /** Returns the owner of the passkey that a response names, or null if there is no such passkey. Proves nothing. */
  async passkeyNamed(em: EntityManager, credential: PasskeyAnswer): Promise<string | null> {
    return await this.#parts.passkeys.named(em, credential);
  }

  /** Checks a proof and consumes it. */
  async check(em: EntityManager, { userId, challengeId }: PendingSignIn, proof: Proof): Promise<boolean> {
    switch (proof.method) {
      case "totp":
        return await this.#parts.totp.use(em, userId, proof.code);
      case "email":
        return await this.#parts.emailCodes.check(em, challengeId, proof.code);
      case "recovery":
        return await this.#parts.recoveryCodes.use(em, userId, proof.code);
      default: {
        const use = { purpose: "second_factor", userId, signInChallengeId: challengeId } as const;
        return (await this.#parts.passkeys.check(em, proof.credential, use)) !== null;
      }
    }
  }

  /** Completes a pending sign-in. Only one of several parallel calls gets true. */
  async complete(em: EntityManager, { challengeId }: PendingSignIn): Promise<boolean> {
    return await this.#parts.challenges.use(em, challengeId);
  }

  #reaches(user: User): boolean {
    return this.#parts.emailCodes.reaches({ email: verifiedAddress(user) });
  }
}

const lifetimeMilliseconds = 10 * 60_000;

/** Details of a completed first factor. */
interface FirstFactor {
  rememberMe: boolean;
  /** The account's epoch when the first factor was checked. */
  accessEpoch: number;
}

/** Manages sign-ins pending a second factor. Their tokens are random and stored as hashes; no other kind of token is accepted. */
export class SignInChallenges {
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /**
   * @returns the `tempToken`
   * @throws AppError UNAUTHORIZED if the account is deleted or disabled, or its credentials have changed since the first factor was checked
   */
  async start(em: EntityManager, userId: string, { rememberMe, accessEpoch }: FirstFactor): Promise<string> {
    const token = newOpaqueToken();
    const expiresAt = new Date(this.#now().getTime() + lifetimeMilliseconds);
    // The lock on the user's row orders this with a change of credentials or status: it either commits first and is seen, or finds the challenge.
    const { numInsertedOrUpdatedRows } = await queries(em)
      .insertInto("sign_in_challenges")
      .columns(["id", "token_hash", "user_id", "remember_me", "expires_at", "email_code_tries"])
      .expression((eb) =>
        eb
          .selectFrom("users")
          .select((of) => [
            of.cast<string>(of.val(newId()), "uuid").as("id"),
            of.val(hashOf(token)).as("token_hash"),
            "users.id as user_id",
            of.cast<boolean>(of.val(rememberMe), "boolean").as("remember_me"),
            of.cast<Date>(of.val(expiresAt), "timestamptz").as("expires_at"),
            of.lit(0).as("email_code_tries"),
          ])
          .where("users.id", "=", userId)
          .where("disabled_at", "is", null)
          .where("access_epoch", "=", accessEpoch)
          .forShare(),
      )
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows === 1n) return token;
    throw new AppError("UNAUTHORIZED", "This account can no longer sign in this way. Sign in again.");
  }

  /** @throws AppError UNAUTHORIZED unless the token belongs to a pending sign-in of a user who may sign in */
  async authenticate(em: EntityManager, token: string | null): Promise<PendingSignIn> {
    const row =
      token === null
        ? undefined
        : await queries(em)
            .selectFrom("sign_in_challenges")
            .innerJoin("users", "users.id", "sign_in_challenges.user_id")
            .select(["sign_in_challenges.id", "sign_in_challenges.user_id", "sign_in_challenges.remember_me"])
            .where("sign_in_challenges.token_hash", "=", hashOf(token))
            .where("sign_in_challenges.used_at", "is", null)
            .where("sign_in_challenges.expires_at", ">", this.#now())
            .where("users.disabled_at", "is", null)
            .executeTakeFirst();
    if (row) return { challengeId: row.id, userId: row.user_id, rememberMe: row.remember_me };
    throw new AppError(
      "UNAUTHORIZED",
      "The tempToken is missing, invalid or expired. Send it as `Authorization: Bearer …`, or sign in again.",
    );
  }

  /** Consumes the challenge. Only one of several parallel calls gets true. */
  async use(em: EntityManager, challengeId: string): Promise<boolean> {
    const { numUpdatedRows } = await queries(em)
      .updateTable("sign_in_challenges")
      .set({ used_at: this.#now() })
      .where("id", "=", challengeId)
      .where("used_at", "is", null)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  }
}
