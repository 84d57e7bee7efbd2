import type { EntityManager } from "../../../database/database.ts";
import { AppError } from "../../../platform/errors.ts";
import { verifiedAddress } from "../../users/email/verified-address.ts";
import type { User } from "../../../database/tables/users.ts";
import { ownAccount } from "../../users/own-account.ts";
import type { EmailCodes } from "./email-codes.ts";
import { methodsSetUp, type Method } from "./methods.ts";
import type { PasskeyOwner, Passkeys } from "./passkeys.ts";
import type { Proof } from "./proof.ts";
import type { RecoveryCodes } from "./recovery-codes.ts";
import type { PasskeyAnswer } from "./relying-party.ts";
import type { PendingSignIn } from "../../../access/caller.ts";
import type { FirstFactor, SignInChallenges } from "./sign-in-challenges.ts";
import type { Totp } from "./totp.ts";

export interface SecondFactorNeeded {
  requires2FA: true;
  tempToken: string;
  /** The methods available now. Recovery codes always are, while any remain. */
  methods: Method[];
}

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
